"""The event log: rows, hash chain, history and snapshots. Nothing here knows a game or a database."""
