"""Rules of games as pure functions over events: no disk, no clock, no network, no randomness of its own."""
