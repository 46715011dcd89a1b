"""The log in memory keeps the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventstore.log_contract import EventLogContract
from eventstore.memory_log import MemoryLog

if TYPE_CHECKING:
    from pathlib import Path


class TestMemoryLog(EventLogContract):
    def make_log(self, place: Path) -> MemoryLog:
        return MemoryLog()
