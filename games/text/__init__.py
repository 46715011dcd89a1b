"""Events and games in words: captions, short forms and names."""
