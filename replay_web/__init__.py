"""Web pages that show and record games."""
