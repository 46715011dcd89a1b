"""The list of games, and what people type about them."""
