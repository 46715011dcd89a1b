"""Measure Tabletape against its peers in one run and print what was aimed at and what was reached."""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Final

from bench import a_append, b_replay, c_seek
from bench.measure import table
from bench.scale import FULL, QUICK, Place

LETTERS: Final = {"A": a_append.run, "B": b_replay.run, "C": c_seek.run}
HERE: Final = Path(__file__).resolve().parent


def surroundings() -> str:
    """Say what the figures depend on."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("msgspec", "eventsourcing"))
    python, sqlite = platform.python_version(), sqlite3.sqlite_version
    return f"Python {python}, SQLite {sqlite}, {libraries}, {os.cpu_count()} cores"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and events, rougher figures")
    parser.add_argument("--only", nargs="+", choices=LETTERS, default=list(LETTERS), metavar="LETTER")
    parser.add_argument("--folder", type=Path, default=HERE, help="a folder on the disk to measure")
    return parser.parse_args()


def main() -> None:
    """Run the chosen letters."""
    chosen = arguments()
    print(surroundings())
    with tempfile.TemporaryDirectory(prefix=".data-", dir=chosen.folder) as folder:
        place = Place(Path(folder))
        scale = QUICK if chosen.quick else FULL
        rows = [row for letter in chosen.only for row in LETTERS[letter](place, scale)]
    print("\n" + table(sorted(rows, key=lambda row: row.number)))


if __name__ == "__main__":
    main()
