"""Games as downloads."""
