"""Append-only logs of games, and their replay."""
