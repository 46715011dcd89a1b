"""The file of the new database that a repair makes: begun, given its keys, and put in its place."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eventstore.errors import NotADatabase, TabletapeError
from eventstore.files import atomic_file
from eventstore.sqlite import schema
from eventstore.sqlite.backup import refuse_target
from eventstore.sqlite.faults import translated
from eventstore.sqlite.log import SqliteLog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.sqlite.repair.rows import SalvagedRows

_HEADER: Final = 100
"""Bytes of SQLite's header."""
_KEY: Final = (
    "INSERT OR IGNORE INTO keys(key, name, seat, hash, added_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?)"
)
_SESSION: Final = (
    "INSERT OR IGNORE INTO sessions(id, key, hash, began_at)"
    " SELECT ?, key, ?, ? FROM keys WHERE key = ? AND revoked_at IS NULL"
)


def refuse_source(source: str) -> None:
    """Refuse a file that is not ours; a file with a damaged header may still be.

    Errors:  `DatabaseMissing`, `NotADatabase`, `StorageFault`.
    """
    try:
        schema.recognise(source)
    except NotADatabase:
        place = Path(source)
        # `salvage.read` decides by the content.
        if not place.is_file() or place.stat().st_size <= _HEADER:
            raise


@contextmanager
def built_beside(target: Path, named: str) -> Iterator[tuple[Path, Path]]:
    """Lend two names in the target's folder: for the new database, and for a copy of the old one."""
    with atomic_file.building(target, named) as part:
        copied = Path(f"{part}-old")
        atomic_file.clear(copied)
        try:
            yield part, copied
        except TabletapeError as fault:
            # Nobody knows the part by its name.
            fault.args = tuple(str(one).replace(str(part), named) for one in fault.args)
            raise
        finally:
            atomic_file.clear(copied)


@contextmanager
def new_log(part: Path, named: str) -> Iterator[SqliteLog]:
    """Lend the log of a new database in this file; at the end nothing of it is left beside the file.

    named:   what the file is called in a refusal.
    """
    with translated(named), closing(sqlite3.connect(part, isolation_level=None)) as connection:
        schema.migrate(connection)
    with SqliteLog.open(part) as log:
        yield log
    with translated(named), closing(sqlite3.connect(part, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE").fetchone()


def bring_keys(log: SqliteLog, found: SalvagedRows) -> None:
    """Copy keys and sessions; those that contradict others are counted as unread."""

    def bring(connection: sqlite3.Connection) -> set[int]:
        connection.executemany(_KEY, found.keys)
        kept = {key for (key,) in connection.execute("SELECT key FROM keys")}
        sessions = ((row.id, row.hash, row.began_at, row.key) for row in found.sessions)
        connection.executemany(_SESSION, sessions)
        return kept

    kept = log.write(bring)
    for table, lost in (
        ("keys", len(found.keys) - len(kept)),
        ("sessions", sum(row.key not in kept for row in found.sessions)),
    ):
        if lost:
            found.unread[table] = found.unread.get(table, 0) + lost


def put_in_place(part: Path, target: Path, source: Path, named: str) -> None:
    """Give the new database its name, with the rights of the old one.

    Errors:  `FileExists` where something took the name meanwhile; `StorageFault`.
    """
    with translated(named):
        shutil.copymode(source, part)
        refuse_target(named, target, source)
        atomic_file.put(part, target)
