"""A lock between processes: the database's writers and checkpoints, one at a time."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from functools import partial
from time import sleep
from typing import TYPE_CHECKING

from eventstore.errors import DatabaseLocked

try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
except ImportError:  # Windows
    HAS_FLOCK = False
else:
    HAS_FLOCK = True

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PAUSE = 0.001
"""Seconds between two tries."""


class FileLock:
    """A lock on `<database>.lock`; the file stays, empty. Not for two threads at once.

    The system drops it when the process ends, however it ends.
    """

    give: Callable[[], None]
    """Let the next have it."""

    def __init__(self, path: str, wait: float, *, make: bool = True) -> None:
        """`make` off opens the lock file that is there, and need not be allowed to write it."""
        self._path = path
        self._tries = max(1, round(wait / _PAUSE))
        kind: type[_LockedFile | _LockedDatabase] = _LockedFile if HAS_FLOCK else _LockedDatabase
        self._held = kind(f"{path}.lock", make=make)
        # Every append takes it and gives it: both are one call into the system.
        self._take, self.give = self._held.take, self._held.give

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
            self._take()
        except BlockingIOError:
            self._wait()

    def _wait(self) -> None:
        # Counted tries instead of a deadline: the clock may be frozen or set while we wait.
        for _ in range(self._tries):
            sleep(_PAUSE)
            with suppress(BlockingIOError):
                self._take()
                return
        raise DatabaseLocked(self._path)

    def close(self) -> None:
        """Give the file back."""
        self._held.close()


class _LockedFile:
    """By `flock`: 1 to 2 µs."""

    def __init__(self, file: str, *, make: bool) -> None:
        self._handle = os.open(file, os.O_RDWR | os.O_CREAT if make else os.O_RDONLY, 0o666)
        self.take: Callable[[], None] = partial(flock, self._handle, LOCK_EX | LOCK_NB)
        """Take it at once; `BlockingIOError` where somebody else has it."""
        self.give: Callable[[], None] = partial(flock, self._handle, LOCK_UN)

    def close(self) -> None:
        os.close(self._handle)


class _LockedDatabase:
    """Where there is no `flock`, SQLite locks the empty file, for it knows how on every system.

    A transaction that writes nothing leaves the file empty.  One that may only read keeps writers out, too.
    """

    def __init__(self, file: str, *, make: bool) -> None:
        if not make and not os.path.exists(file):  # noqa: PTH110 - it is called for each opening
            raise FileNotFoundError(file)
        self._begin = ("BEGIN EXCLUSIVE",) if make else ("BEGIN", "SELECT count(*) FROM sqlite_schema")
        try:
            self._connection = sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
        except sqlite3.OperationalError as fault:
            raise PermissionError(None, str(fault), file) from None

    def take(self) -> None:
        try:
            for statement in self._begin:
                self._connection.execute(statement).fetchall()
        except sqlite3.OperationalError as fault:
            self.give()
            if fault.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise BlockingIOError from None
            raise

    def give(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()


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
