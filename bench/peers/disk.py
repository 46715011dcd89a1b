"""The floor below every durable log: write 4 KB, fdatasync."""

from __future__ import annotations

import os
from pathlib import Path

from bench.measure import stopwatch

BLOCK = b"x" * 4096


def synced_writes(path: Path, count: int) -> float:
    """Give the seconds of so many writes, each synced, into room that was reserved before."""
    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    try:
        os.posix_fallocate(file, 0, count * len(BLOCK))
        os.fsync(file)
        with stopwatch() as seconds:
            for number in range(count):
                os.pwrite(file, BLOCK, number * len(BLOCK))
                os.fdatasync(file)
    finally:
        os.close(file)
    return seconds()
