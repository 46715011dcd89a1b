"""The event log in SQLite: writer, group commit, lock, schema, backup. Nothing here knows a game."""
