"""The event log in SQLite: writer, group commit, lock, schema, tables, backup and what a repair reads.

Nothing here knows a game, and no other module imports SQLite or takes a connection.
"""
