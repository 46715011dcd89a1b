"""Pages that record: new games, moves, hidden cards, table checks, rulings and variations."""
