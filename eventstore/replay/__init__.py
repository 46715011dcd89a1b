"""A game opened for replay: stored payloads, folded states, and what each viewer observes."""
