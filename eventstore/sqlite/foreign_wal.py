"""A `-wal` of another database, recognised before SQLite replays it over this one.

SQLite replays any intact `-wal` that lies beside a file: nothing in it names the database that it belongs to,
and the connection that closes last copies it into the file. Events are only ever added, so the last event of
the file alone is also in the file with its own `-wal`.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, nullcontext
from typing import Any, Final

from eventstore.errors import ForeignWal
from eventstore.sqlite.faults import needs_files
from eventstore.sqlite.lock import still
from eventstore.sqlite.reader_copy import has_commits
from eventstore.sqlite.writer import connect

_LAST: Final = (
    "SELECT position, id, seq, kind, by, recorded_at, payload FROM events JOIN games USING (game)"
    " ORDER BY position DESC LIMIT 1"
)
_AT: Final = (
    "SELECT position, id, seq, kind, by, recorded_at, payload FROM events JOIN games USING (game)"
    " WHERE position = ?"
)


def refuse(path: str, wait: float, *, held: bool = False) -> None:
    """Refuse a database whose `-wal` belongs to another; neither file is touched.

    Held:    the writers' lock is held already.

    Cost:    nothing without a `-wal`; otherwise one row, looked up twice under the writers' lock, so that no
             checkpoint changes the file meanwhile.
    Errors:  `ForeignWal`, `DatabaseLocked`.
    """
    if has_commits(path):
        with nullcontext() if held else still(path, wait):
            if has_commits(path) and _is_foreign(path, wait):
                raise ForeignWal(path)


def _is_foreign(path: str, wait: float) -> bool:
    last = _last(path, wait)
    if last is None:
        return False
    try:
        with closing(connect(path, "ro", wait)) as connection:
            return bool(connection.execute(_AT, last[:1]).fetchone() != last)
    except sqlite3.OperationalError as fault:
        # A locked file or a full disk says nothing about the `-wal`.
        return "no such" in str(fault) and not needs_files(fault)
    except sqlite3.DatabaseError:
        # The file alone can be read.
        return True


def _last(path: str, wait: float) -> tuple[Any, ...] | None:
    """The last event of the file alone; None without one, and where it cannot be trusted.

    A power cut in a checkpoint leaves pages of several moments, which the right `-wal` mends. A row of
    another table may then seem to be an event: one that is none has no texts where they belong.
    """
    try:
        with closing(connect(path, "ro&immutable=1", wait)) as connection:
            found: tuple[Any, ...] | None = connection.execute(_LAST).fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    if found is None or not all(isinstance(text, str) and text for text in (found[1], *found[3:])):
        return None
    return found if found[-1].startswith("{") else None
