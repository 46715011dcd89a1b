"""The event log: what every log does, rows, hash chain, history, and the log in memory.

Nothing here knows a game or a database.
"""
