"""Pages that correct the middle of a record."""
