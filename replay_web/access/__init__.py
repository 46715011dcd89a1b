"""Signing in, and inviting others with a key."""
