"""The log in an SQLite database keeps the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventstore.sqlite.log import SqliteLog
from eventstore.testing.log_contract import EventLogContract
from eventstore.testing.tables_contract import TablesContract

if TYPE_CHECKING:
    from pathlib import Path


class TestSqliteLog(EventLogContract):
    def make_log(self, place: Path) -> SqliteLog:
        return SqliteLog.open(place / "games.db")


class TestSqliteLogTables(TablesContract):
    def make_log(self, place: Path) -> SqliteLog:
        return SqliteLog.open(place / "games.db")
