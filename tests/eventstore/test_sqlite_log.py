"""The log in an SQLite database keeps the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventstore.log_contract import EventLogContract
from eventstore.sqlite_log import SqliteLog

if TYPE_CHECKING:
    from pathlib import Path


class TestSqliteLog(EventLogContract):
    def make_log(self, place: Path) -> SqliteLog:
        return SqliteLog.open(place / "games.db")
