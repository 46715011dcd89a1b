"""A disk without room, for tests on any machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_RECORD_AND_DIE = """
import os, sys
from eventstore.recording.commands import Record
from eventstore.recording.typed_lines import read_line
from eventstore.store import Store
store = Store.open(sys.argv[1])
store.do(sys.argv[2], Record(read_line(store.game(sys.argv[2]), sys.argv[3])))
os._exit(0)
"""


@contextmanager
def full(path: Path) -> Iterator[None]:
    """Keep SQLite from making its `-shm`, which is what a full disk does first; anybody may do this.

    A link that leads nowhere has its name. No process may have the database open.
    """
    shm = Path(f"{path}-shm")
    shm.unlink(missing_ok=True)
    shm.symlink_to(shm)
    try:
        yield
    finally:
        shm.unlink(missing_ok=True)


def record_and_die(path: Path, game: str, moves: str) -> None:
    """Record, and end without a word: the moves are in the `-wal` alone."""
    subprocess.run([sys.executable, "-c", _RECORD_AND_DIE, path, game, moves], check=True)
    assert Path(f"{path}-wal").stat().st_size > 0
