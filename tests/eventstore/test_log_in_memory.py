"""The log in memory keeps the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventstore.log.in_memory import MemoryLog
from eventstore.testing.log_contract import EventLogContract
from eventstore.testing.tables_contract import TablesContract

if TYPE_CHECKING:
    from pathlib import Path


class TestMemoryLog(EventLogContract):
    def make_log(self, place: Path) -> MemoryLog:
        return MemoryLog()


class TestMemoryLogTables(TablesContract):
    def make_log(self, place: Path) -> MemoryLog:
        return MemoryLog()
