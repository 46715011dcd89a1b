"""What SQLite reports, as this store's own refusals."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eventstore.errors import (
    DamagedDatabase,
    DatabaseLocked,
    DatabaseReadOnly,
    NotADatabase,
    StorageFault,
    TabletapeError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


_FULL = "the disk is full, and nothing of this was kept"
_UNWRITTEN = "the disk takes no more (it is full, or a limit is reached), and nothing of this was kept"
_NO_ROOM = {
    "SQLITE_FULL": _FULL,
    "SQLITE_IOERR_WRITE": _UNWRITTEN,
    "SQLITE_IOERR_SHMSIZE": _UNWRITTEN,
    "SQLITE_IOERR_FSYNC": _UNWRITTEN,
    "SQLITE_IOERR_TRUNCATE": _UNWRITTEN,
}
"""How SQLite says that nothing more can be written."""


FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What a query may raise; the second where SQLite quotes what it stumbled over, and that is no text."""


def refusal(path: str, fault: sqlite3.Error | UnicodeDecodeError) -> TabletapeError:
    """The refusal that tells a user what SQLite reports."""
    code = getattr(fault, "sqlite_errorcode", 0) & 0xFF
    match sqlite3.SQLITE_CORRUPT if isinstance(fault, UnicodeDecodeError) else code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return DatabaseLocked(path)
        case sqlite3.SQLITE_READONLY:
            return DatabaseReadOnly(path)
        case sqlite3.SQLITE_NOTADB:
            return NotADatabase(path, "SQLite cannot read it")
        case sqlite3.SQLITE_CORRUPT:
            return DamagedDatabase(path, "SQLite finds pages that do not fit together")
        case sqlite3.SQLITE_CONSTRAINT:
            return DamagedDatabase(path, f"its tables contradict one another ({fault})")
    return StorageFault(path, _NO_ROOM.get(getattr(fault, "sqlite_errorname", ""), str(fault)))


@contextmanager
def room_wanted(path: str) -> Iterator[None]:
    """Say of the file that was written to that there is no room, where another is read meanwhile."""
    try:
        yield
    except sqlite3.Error as fault:
        if getattr(fault, "sqlite_errorname", "") not in _NO_ROOM:
            raise
        raise refusal(path, fault) from fault


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn SQLite's errors and the operating system's into refusals."""
    try:
        yield
    except FAULTS as fault:
        raise refusal(path, fault) from fault
    except OSError as fault:
        raise StorageFault(path, (fault.strerror or str(fault)).lower()) from fault
