"""What SQLite reports, as this store's own refusals."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from eventstore.errors import (
    REPAIR,
    DamagedDatabase,
    DatabaseLocked,
    DatabaseReadOnly,
    NoRoom,
    NotADatabase,
    StorageFault,
    TabletapeError,
)
from eventstore.files import system
from eventstore.files.disk_faults import FULL, NO_MORE, of_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager
    from types import TracebackType


_NO_ROOM = {
    "SQLITE_FULL": FULL,
    "SQLITE_IOERR_WRITE": NO_MORE,
    "SQLITE_IOERR_SHMSIZE": NO_MORE,
    "SQLITE_IOERR_FSYNC": NO_MORE,
    "SQLITE_IOERR_TRUNCATE": NO_MORE,
    # A database that is not there or may not be read is refused before SQLite is asked.
    "SQLITE_CANTOPEN": "the disk takes no more files (it is full, or a limit is reached)",
}
"""How SQLite says that nothing more can be written."""
_UNREADABLE = frozenset({"SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS"})
"""How SQLite says that the disk cannot read a page."""
_SHM_BYTES = 32 * 1024
"""What SQLite needs beside a database before it reads or writes."""
_NEEDS_FILES = frozenset(
    {
        *_NO_ROOM,
        "SQLITE_IOERR_SHMMAP",
        "SQLITE_IOERR_SHMOPEN",
        "SQLITE_READONLY_CANTINIT",
        "SQLITE_READONLY_DIRECTORY",
        "SQLITE_READONLY_RECOVERY",
    }
)
"""How SQLite says that it cannot make, fill or mend its `-wal` and `-shm` beside a database."""


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
            return NotADatabase(path, "SQLite cannot read it", maybe_damaged=True)
        case sqlite3.SQLITE_CORRUPT:
            return DamagedDatabase(path, "SQLite finds pages that do not fit together")
        case sqlite3.SQLITE_CONSTRAINT:
            return DamagedDatabase(path, f"its tables contradict one another ({fault})")
    return _of_disk(path, fault)


def _of_disk(path: str, fault: Exception) -> StorageFault:
    why = _NO_ROOM.get(_name(fault))
    if why is not None:
        return NoRoom(path, FULL if _is_full(path) else why)
    found = StorageFault(path, str(fault))
    found.advice = REPAIR if _name(fault) in _UNREADABLE else ""
    return found


def _is_full(path: str) -> bool:
    """Whether the disk has no room for SQLite's files: it reports a write that fell short in many ways."""
    try:
        return system.free_bytes(Path(path).parent) < _SHM_BYTES
    except OSError:
        return False


def integrity(lines: Iterable[str], most: int) -> str | None:
    r"""Say in one sentence what a check of the file found; None if nothing. SQLite stops after `most` faults.

    >>> integrity(["*** in database main ***\nTree 6 page 6: wrong\nTree 7 page 9: wrong"], 20)
    'SQLite finds the file damaged: Tree 6 page 6: wrong (1 more).'
    >>> integrity(["a", "b"], 2), integrity(["ok"], 20)
    ('SQLite finds the file damaged: a (at least 1 more).', None)
    """
    # Some releases give all faults in one row. Some cannot look into a search index without writing to it,
    # and report that as a fault.
    found = [
        " ".join(line.split())
        for row in lines
        for line in row.splitlines()
        if line.strip() and row != "ok" and not line.startswith(("*** in database", "unable to validate"))
    ]
    if not found:
        return None
    count = f"{'at least ' * (len(found) >= most)}{len(found) - 1} more"
    return f"SQLite finds the file damaged: {found[0]}{f' ({count})' if len(found) > 1 else ''}."


def needs_files(fault: sqlite3.Error) -> bool:
    """Whether reading failed only for want of the files that SQLite has beside a database."""
    return _name(fault) in _NEEDS_FILES


def _name(fault: BaseException) -> str:
    return getattr(fault, "sqlite_errorname", "")


@contextmanager
def room_wanted(path: str) -> Iterator[None]:
    """Say of the file that was written to that there is no room, where another is read meanwhile."""
    try:
        yield
    except sqlite3.Error as fault:
        if _name(fault) not in _NO_ROOM:
            raise
        raise refusal(path, fault) from fault


class _Translation:
    """The context of `translated`; each read enters one, and this costs a third of a generator's."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(fault, FAULTS):
            raise refusal(self._path, fault) from fault
        if isinstance(fault, OSError):
            raise of_system(self._path, fault) from fault


def translated(path: str) -> AbstractContextManager[None]:
    """Turn SQLite's errors and the operating system's into refusals."""
    return _Translation(path)
