"""Commands as values, and how each is decided.  Nothing in here opens a game or appends: `Store.do` does."""
