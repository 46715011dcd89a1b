"""Saved states that make seeking fast; every one may be deleted without loss."""

# ruff: noqa: S608 - the queries are joined from constants only

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from eventstore.errors import StorageFault

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

_T = TypeVar("_T")

Kept = tuple[int, bytes, bytes]
"""step, digest of what was folded up to it, state."""


class Snapshots(Protocol):
    """States keyed by game, viewer and digest of what was folded: no rewrite can make one stale."""

    def put_all(self, game: str, viewer: str, kept: Iterable[Kept]) -> None:
        """Keep states; the same key again replaces one. Ignored for a game that is not there."""
        ...

    def get(
        self, game: str, viewer: str, candidates: Sequence[tuple[int, bytes]]
    ) -> tuple[int, bytes] | None:
        """The state with the highest step among these (step, digest) keys."""
        ...

    def nearest(
        self, game: str, viewer: str, step: int, digest_of: Callable[[int], bytes]
    ) -> tuple[int, bytes] | None:
        """The kept state nearest below or at `step` whose digest is what `digest_of` gives for its step."""
        ...

    def clear(self, game: str | None = None) -> int:
        """Delete one game's or all; how many went."""
        ...

    def bytes_used(self, game: str) -> int:
        """The sum of the lengths of a game's states."""
        ...


class MemorySnapshots:
    """Snapshots in a dictionary, for the log in memory."""

    def __init__(self, known: Callable[[str], bool]) -> None:
        self._known = known
        self._kept: dict[tuple[str, str], dict[tuple[int, bytes], bytes]] = {}

    def put_all(self, game: str, viewer: str, kept: Iterable[Kept]) -> None:
        """See `Snapshots`."""
        if self._known(game):
            shelf = self._kept.setdefault((game, viewer), {})
            shelf.update({(step, digest): state for step, digest, state in kept})

    def get(
        self, game: str, viewer: str, candidates: Sequence[tuple[int, bytes]]
    ) -> tuple[int, bytes] | None:
        """See `Snapshots`."""
        shelf = self._kept.get((game, viewer), {})
        found = [(step, shelf[step, digest]) for step, digest in candidates if (step, digest) in shelf]
        return max(found, default=None)

    def nearest(
        self, game: str, viewer: str, step: int, digest_of: Callable[[int], bytes]
    ) -> tuple[int, bytes] | None:
        """See `Snapshots`."""
        shelf = dict(self._kept.get((game, viewer), {}))
        for key in sorted((key for key in shelf if key[0] <= step), reverse=True):
            if digest_of(key[0]) == key[1]:
                return key[0], shelf[key]
        return None

    def clear(self, game: str | None = None) -> int:
        """See `Snapshots`."""
        going = [key for key in tuple(self._kept) if game in (None, key[0])]
        return sum(len(self._kept.pop(key)) for key in going)

    def bytes_used(self, game: str) -> int:
        """See `Snapshots`."""
        return sum(
            len(state)
            for key, shelf in tuple(self._kept.items())
            if key[0] == game
            for state in tuple(shelf.values())
        )


class SnapshotDatabase(Protocol):
    """What the snapshots of a database need of its log."""

    @property
    def read_only(self) -> bool:
        """Nothing can be kept."""
        ...

    def write(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run it in the writer's transaction."""
        ...

    def reader(self) -> AbstractContextManager[sqlite3.Connection]:
        """Lend a connection for reading."""
        ...


_PUT = (
    "INSERT OR REPLACE INTO keyframes(game, viewer, step, digest, state)"
    " SELECT game, ?, ?, ?, ? FROM games WHERE id = ?"
)
_OF_GAME = "game = (SELECT game FROM games WHERE id = ?)"
_GET = f"SELECT state FROM keyframes WHERE {_OF_GAME} AND viewer = ? AND step = ? AND digest = ?"
_DOWN = f"SELECT step, digest FROM keyframes WHERE {_OF_GAME} AND viewer = ? AND step <= ? ORDER BY step DESC"
_BYTES = f"SELECT coalesce(sum(length(state)), 0) FROM keyframes WHERE {_OF_GAME}"


class SqliteSnapshots:
    """Snapshots in a table of the log's database; read-only or on a full disk it finds them and adds none."""

    def __init__(self, store: SnapshotDatabase) -> None:
        self._store = store

    def put_all(self, game: str, viewer: str, kept: Iterable[Kept]) -> None:
        """See `Snapshots`."""
        rows = list(kept)
        if rows and not self._store.read_only:
            # They only save time: a disk that does not take them keeps nobody from reading.
            with suppress(StorageFault):
                self._store.write(lambda connection: self.add(connection, game, viewer, rows))

    @staticmethod
    def add(connection: sqlite3.Connection, game: str, viewer: str, kept: Iterable[Kept]) -> None:
        """The same inside a transaction of the writer."""
        connection.executemany(_PUT, ((viewer, step, digest, state, game) for step, digest, state in kept))

    def get(
        self, game: str, viewer: str, candidates: Sequence[tuple[int, bytes]]
    ) -> tuple[int, bytes] | None:
        """See `Snapshots`."""
        with self._store.reader() as connection:
            for step, digest in sorted(candidates, reverse=True):
                row = connection.execute(_GET, (game, viewer, step, digest)).fetchone()
                if row:
                    return step, row[0]
        return None

    def nearest(
        self, game: str, viewer: str, step: int, digest_of: Callable[[int], bytes]
    ) -> tuple[int, bytes] | None:
        """See `Snapshots`."""
        with self._store.reader() as connection:
            for kept, digest in connection.execute(_DOWN, (game, viewer, step)):
                if digest_of(kept) == digest:
                    return kept, connection.execute(_GET, (game, viewer, kept, digest)).fetchone()[0]
        return None

    def clear(self, game: str | None = None) -> int:
        """See `Snapshots`."""
        if game is None:
            return self._store.write(lambda connection: connection.execute("DELETE FROM keyframes").rowcount)
        delete = f"DELETE FROM keyframes WHERE {_OF_GAME}"
        return self._store.write(lambda connection: connection.execute(delete, (game,)).rowcount)

    def bytes_used(self, game: str) -> int:
        """See `Snapshots`."""
        with self._store.reader() as connection:
            return int(connection.execute(_BYTES, (game,)).fetchone()[0])
