"""Rules of the games: pure functions from events to states."""
