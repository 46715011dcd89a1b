"""Make the database, recognise it, and bring it up to date."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from eventstore.errors import DatabaseMissing, NewerSchema, NotADatabase, StorageFault
from eventstore.files import system
from eventstore.sqlite.faults import translated
from eventstore.sqlite.schema.migrations import MIGRATIONS
from games.words import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlite_utils import Database

APPLICATION_ID = 0x54617065
"""`Tape`, in the file's header: tells our databases from others."""

VERSION = len(MIGRATIONS)
"""The schema that this code reads and writes."""

_GUARDS = {
    f"events_no_{act.lower()}": f"CREATE TRIGGER events_no_{act.lower()} BEFORE {act} ON events"
    " BEGIN SELECT raise(ABORT, 'events are append-only'); END"
    for act in ("DELETE", "UPDATE")
}
"""Triggers, as the migrations make them."""
_HEADER = 100


def recognise(path: str) -> None:
    """Refuse a file that is not ours, by its header alone: without a lock or a file beside it.

    SQLite reads the header. If we opened the file by hand and closed it again, the system would drop every
    POSIX lock that SQLite holds on it in this process. Another process would then take itself for the last
    user of the database and delete the write-ahead log, into which this one goes on writing.
    """
    place = Path(path)
    if place.is_dir():
        raise NotADatabase(path, "it is a folder")
    if place.exists() and not place.is_file():
        # To open a pipe would wait for somebody at its other end.
        raise NotADatabase(path, "it is a pipe or a device")
    try:
        length = place.stat().st_size
    except FileNotFoundError:
        raise DatabaseMissing(path, "there is no such file") from None
    except OSError as fault:
        raise StorageFault(path, (fault.strerror or str(fault)).lower()) from fault
    if not system.may(path, os.R_OK):
        raise StorageFault(path, os.strerror(errno.EACCES).lower())
    if not length:
        raise NotADatabase(path, "it is empty; remove it to start a new one")
    found = _application_id(place) if length >= _HEADER else None
    if found is None:
        raise NotADatabase(path, "it is another kind of file", maybe_damaged=length > _HEADER)
    if found != APPLICATION_ID:
        raise NotADatabase(path, "it is an SQLite database of another program", maybe_damaged=True)


def _application_id(place: Path) -> int | None:
    """What stands in the header of an SQLite database; None where the file is none."""
    uri = f"{place.absolute().as_uri()}?mode=ro&immutable=1"
    with translated(str(place)), closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        try:
            # The file may be shorter than its header says: its last pages may be in the write-ahead log yet.
            connection.execute("PRAGMA writable_schema=ON")
            return int(connection.execute("PRAGMA application_id").fetchone()[0])
        except sqlite3.DatabaseError as fault:
            if getattr(fault, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_NOTADB:
                return None
            raise


def version(connection: sqlite3.Connection, path: str) -> int:
    """The schema version of one of our databases; a newer one than we know is refused."""
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if found > VERSION:
        raise NewerSchema(path, found, VERSION)
    if found < 1:
        why = f"it has schema version {found}, which no Tabletape writes"
        raise NotADatabase(path, why, maybe_damaged=True)
    return found


def unguarded(connection: sqlite3.Connection) -> str | None:
    """A sentence where the triggers that keep events as they are have gone."""
    gone = _gone(connection)
    if not gone:
        return None
    what = f"triggers {joined(gone)} are" if len(gone) > 1 else f"trigger {gone[0]} is"
    return (
        f"SQLite does not protect events against changes: {what} missing."
        " Compare each game's head with one kept elsewhere."
    )


def guard(connection: sqlite3.Connection) -> None:
    """Give back the triggers that have gone."""
    for name in _gone(connection):
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
        connection.execute(_GUARDS[name])


def _gone(connection: sqlite3.Connection) -> list[str]:
    kept = (
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'"
        " AND instr(sql, 'raise(ABORT') > 0"
    )
    return sorted(_GUARDS.keys() - {name for (name,) in connection.execute(kept)})


def make(path: str, steps: Sequence[Callable[[Database], None]] = MIGRATIONS) -> None:
    """Make a new database whole or not at all: it is built under another name and then put in place.

    Call it under the lock, and only where no file is.
    """
    built = Path(f"{path}.new")
    built.unlink(missing_ok=True)
    with translated(path):
        try:
            connection = sqlite3.connect(built, isolation_level=None)
            try:
                # Nobody depends on the file before it is renamed; one sync at the end is enough.
                connection.execute("PRAGMA synchronous=OFF")
                connection.execute("PRAGMA journal_mode=WAL")
                migrate(connection, steps)
                # To close it does the same, and says nothing where that fails.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                connection.close()
            system.sync(built)
            built.rename(path)
        finally:
            for end in ("", "-wal", "-shm"):
                Path(f"{built}{end}").unlink(missing_ok=True)
        system.sync(Path(path).parent)


def migrate(connection: sqlite3.Connection, steps: Sequence[Callable[[Database], None]] = MIGRATIONS) -> None:
    """Take the steps that are not taken yet, all in one transaction. Call it under the lock."""
    # It takes a tenth of a second to import, and most openings have nothing to migrate.
    from sqlite_utils import Database, Migrations  # noqa: PLC0415

    plan = Migrations("tabletape")
    for step in steps:
        plan()(step)
    db = Database(connection, execute_plugins=False)
    connection.execute("BEGIN IMMEDIATE")
    try:
        plan.apply(db)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
