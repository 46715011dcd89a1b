"""The neutral scene of a state, and the pictures and text boards made from it."""
