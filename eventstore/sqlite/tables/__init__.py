"""The tables beside the events: details, snapshots, keys and the list of games."""
