"""Snapshots in the table `keyframes`."""

# ruff: noqa: S608 - the queries are joined from constants only

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from eventstore.errors import StorageFault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from eventstore.log.snapshots import Kept
    from eventstore.sqlite.database import OpenDatabase

_PUT = (
    "INSERT OR REPLACE INTO keyframes(game, viewer, step, digest, state)"
    " SELECT game, ?, ?, ?, ? FROM games WHERE id = ?"
)
_OF_GAME = "game = (SELECT game FROM games WHERE id = ?)"
_GET = f"SELECT state FROM keyframes WHERE {_OF_GAME} AND viewer = ? AND step = ? AND digest = ?"
_DOWN = f"SELECT step, digest FROM keyframes WHERE {_OF_GAME} AND viewer = ? AND step <= ? ORDER BY step DESC"
_NEAREST = f"{_DOWN.replace('digest', 'digest, state', 1)} LIMIT 1"
_BYTES = f"SELECT coalesce(sum(length(state)), 0) FROM keyframes WHERE {_OF_GAME}"


class SqliteSnapshots:
    """Snapshots in a table of the log's database; read-only or on a full disk it finds them and adds none."""

    def __init__(self, database: OpenDatabase) -> None:
        self._database = database

    def put_all(self, game: str, viewer: str, kept: Iterable[Kept]) -> None:
        """See `Snapshots`."""
        rows = list(kept)
        if rows and not self._database.read_only:
            # They only save time: a disk that does not take them keeps nobody from reading.
            with suppress(StorageFault):
                self._database.write(lambda connection: self.add(connection, game, viewer, rows))

    @staticmethod
    def add(connection: sqlite3.Connection, game: str, viewer: str, kept: Iterable[Kept]) -> None:
        """The same inside a transaction of the writer."""
        connection.executemany(_PUT, ((viewer, step, digest, state, game) for step, digest, state in kept))

    def get(
        self, game: str, viewer: str, candidates: Sequence[tuple[int, bytes]]
    ) -> tuple[int, bytes] | None:
        """See `Snapshots`."""
        with self._database.lent() as connection:
            for step, digest in sorted(candidates, reverse=True):
                row = connection.execute(_GET, (game, viewer, step, digest)).fetchone()
                if row:
                    return step, row[0]
        return None

    def nearest(
        self, game: str, viewer: str, step: int, digest_of: Callable[[int], bytes]
    ) -> tuple[int, bytes] | None:
        """See `Snapshots`."""
        # No transaction is needed: a state never changes, and one that is gone meanwhile is as good as none.
        with self._database.lent() as connection:
            first = connection.execute(_NEAREST, (game, viewer, step)).fetchone()
            if first is None or digest_of(first[0]) == first[1]:
                return first and (first[0], first[2])
            # It is of a line of play that was left: those below it are looked at without their states.
            for kept, digest in connection.execute(_DOWN, (game, viewer, step)):
                if digest_of(kept) == digest:
                    row = connection.execute(_GET, (game, viewer, kept, digest)).fetchone()
                    return None if row is None else (kept, row[0])
        return None

    def clear(self, game: str | None = None) -> int:
        """See `Snapshots`."""
        delete = "DELETE FROM keyframes" if game is None else f"DELETE FROM keyframes WHERE {_OF_GAME}"
        values = () if game is None else (game,)
        return self._database.write(lambda connection: connection.execute(delete, values).rowcount)

    def bytes_used(self, game: str) -> int:
        """See `Snapshots`."""
        with self._database.lent() as connection:
            return int(connection.execute(_BYTES, (game,)).fetchone()[0])
