"""Files: built whole, faults of the disk, differences of operating systems, CSV text.

It knows no log and no game.
"""
