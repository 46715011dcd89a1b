"""The one place that says which kind of log a name leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from eventstore.log.contract import EventLog


def open_log(path: str | os.PathLike[str], *, create: bool = True, read_only: bool = False) -> EventLog:
    """Open the log of a database; make it, or bring it up to date, if that is needed and allowed.

    Errors:  `NotADatabase`, `DatabaseMissing`, `NewerSchema`, `OlderSchema`, `DatabaseReadOnly`,
             `DatabaseLocked`, `NoRoom`; the file is then as it was before.
    """
    from eventstore.sqlite.log import SqliteLog  # noqa: PLC0415 - a log in memory needs no SQLite

    return SqliteLog.open(path, create=create, read_only=read_only)
