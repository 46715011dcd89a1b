"""The floor below every durable log: write 4 KB, fdatasync."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

BLOCK = b"x" * 4096


@contextmanager
def syncing(path: Path, most: int) -> Iterator[Callable[[Sequence[object]], None]]:
    """Reserve room for so many writes; what is given writes and syncs once for each thing of a block."""
    places = count(0, len(BLOCK))

    def write(block: Sequence[object]) -> None:
        for _ in block:
            os.pwrite(file, BLOCK, next(places))
            os.fdatasync(file)

    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        os.posix_fallocate(file, 0, most * len(BLOCK))
        os.fsync(file)
        yield write
    finally:
        os.close(file)
