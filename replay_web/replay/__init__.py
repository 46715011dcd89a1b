"""Pages that show a recorded game step by step."""
