"""What tests of the database do behind the back of its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from eventstore.log.rows import Append, Receipt
    from eventstore.sqlite.log import SqliteLog


def append_with(
    log: SqliteLog,
    commands: Sequence[Append],
    also: Callable[[sqlite3.Connection, list[Receipt]], object],
) -> list[Receipt]:
    """Append several commands, with other work in their transaction, as `append_all` writes its tables."""
    done: Any = log._writing().do((tuple(commands), also))
    return done  # type: ignore[no-any-return]
