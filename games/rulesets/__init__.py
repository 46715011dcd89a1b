"""One folder a title; nothing here lists them: they are found by their entry points."""
