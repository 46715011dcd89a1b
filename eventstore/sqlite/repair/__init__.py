"""What can be read of a damaged database, and the new one built from it. Nothing here knows a game."""
