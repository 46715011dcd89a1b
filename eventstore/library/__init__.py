"""The list of games, and what people type about them: titles, names, dates and notes."""
