"""Games as downloads, in every format that is installed."""
