"""A lock between processes: the database's writers and checkpoints, one at a time."""

from __future__ import annotations

import fcntl
import os
from contextlib import closing, contextmanager, suppress
from time import sleep
from typing import TYPE_CHECKING

from eventstore.errors import DatabaseLocked

if TYPE_CHECKING:
    from collections.abc import Iterator

_AT_ONCE = fcntl.LOCK_EX | fcntl.LOCK_NB
_PAUSE = 0.001
"""Seconds between two tries."""


class FileLock:
    """`flock` on `<database>.lock`; the file stays, empty. Not for two threads at once."""

    def __init__(self, path: str, wait: float, *, make: bool = True) -> None:
        """`make` off opens the lock file that is there, and need not be allowed to write it."""
        self._path = path
        self._tries = max(1, round(wait / _PAUSE))
        how = os.O_RDWR | os.O_CREAT if make else os.O_RDONLY
        self._handle = os.open(f"{path}.lock", how | os.O_CLOEXEC, 0o666)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Wait for it, then hold it."""
        self.take()
        try:
            yield
        finally:
            self.give()

    def take(self) -> None:
        """Wait for it; `DatabaseLocked` when somebody keeps it too long."""
        try:
            fcntl.flock(self._handle, _AT_ONCE)
        except BlockingIOError:
            self._wait()

    def _wait(self) -> None:
        # Counted tries instead of a deadline: the clock may be frozen or set while we wait.
        for _ in range(self._tries):
            sleep(_PAUSE)
            with suppress(BlockingIOError):
                fcntl.flock(self._handle, _AT_ONCE)
                return
        raise DatabaseLocked(self._path)

    def give(self) -> None:
        """Let the next have it."""
        fcntl.flock(self._handle, fcntl.LOCK_UN)

    def close(self) -> None:
        """Give the file back."""
        os.close(self._handle)


@contextmanager
def still(path: str, wait: float) -> Iterator[None]:
    """Keep writers out, if there is a lock to do it with; where nobody ever wrote, there is none."""
    try:
        lock = FileLock(path, wait, make=False)
    except OSError:
        yield
        return
    with closing(lock), lock.held():
        yield
