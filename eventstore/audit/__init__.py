"""Checks of whole records, and the way out for damaged ones. Only `repair` writes, and only a new file."""
