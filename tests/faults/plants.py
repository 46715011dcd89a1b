"""Faults that a kill must bring to light, planted into a process of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli.commands import export
from eventstore.files import atomic_file
from eventstore.sqlite.log import SqliteLog
from eventstore.sqlite.tables import changes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def exports_in_place() -> None:
    """Write an export over the old one, a piece at a time."""

    def write(_named: str, target: Path, chunks: Iterable[bytes]) -> int:
        with target.open("wb", buffering=0) as opened:
            return sum(opened.write(chunk) for chunk in chunks)

    vars(export)["_write"] = write


def names_later() -> None:
    """Append a new game in one transaction, and its names in the next."""
    append_all = SqliteLog.append_all

    def append(self: SqliteLog, commands: Any, *, tables: Any = ()) -> Any:
        receipts = append_all(self, commands)
        if tables:
            self.write(lambda connection: changes.write(connection, tables, receipts))
        return receipts

    SqliteLog.append_all = append  # type: ignore[method-assign]


def nothing_swept() -> None:
    """Leave what a killed process has left."""
    atomic_file._sweep = lambda _folder: None  # type: ignore[assignment]
