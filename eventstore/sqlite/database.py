"""An open database, as the modules see it that read and write its tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from contextlib import AbstractContextManager

_T = TypeVar("_T")


class OpenDatabase(Protocol):
    """Lends connections; a table neither opens nor keeps one."""

    path: str

    @property
    def read_only(self) -> bool:
        """Nothing can be written."""
        ...

    def write(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run it in a transaction of the writer."""
        ...

    def reader(self) -> AbstractContextManager[sqlite3.Connection]:
        """Lend a connection for reading, which shows one moment."""
        ...

    def lent(self) -> AbstractContextManager[sqlite3.Connection]:
        """Lend a connection for reading, of which each statement shows its own moment."""
        ...
