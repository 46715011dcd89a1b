"""Keep games as append-only logs of events, and compute histories from them."""
