"""Everything that appends: moves, undo, corrections, rulings, table checks and variations."""
