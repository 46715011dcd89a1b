"""The log in an SQLite database: durable, shared between threads and processes."""

# ruff: noqa: S608 - the queries are joined from constants only

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from itertools import starmap
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from eventstore import schema
from eventstore.chain import ZERO, linked
from eventstore.errors import (
    CommandReused,
    Conflict,
    DatabaseMissing,
    DatabaseReadOnly,
    LogClosed,
    OlderSchema,
    TabletapeError,
    UnknownGame,
)
from eventstore.file_lock import FileLock
from eventstore.group_commit import GroupCommit
from eventstore.keyframes import SqliteKeyframes
from eventstore.log import admit, now
from eventstore.sqlite_faults import refusal, translated
from eventstore.stored_event import Append, Commit, Head, Receipt, StoredEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from eventstore.group_commit import Job
    from eventstore.stored_event import NewEvent

_T = TypeVar("_T")

_LAST = 2**63 - 1
"""Behind every seq that SQLite can hold."""
_CHECKPOINT_PAGES = 1000
"""Pages in the write-ahead log, as estimated, after which they are moved into the database."""
_WAL_BYTES = 64 * 1024 * 1024
"""What a long transaction may leave of the write-ahead log on disk."""

# All that an append must know, in one statement: the stream, its head, an earlier answer to this command.
_SITUATION = (
    "SELECT games.game, head.last_seq, head.hash, same.first_seq, same.last_seq, same.request, same.hash"
    " FROM games"
    " JOIN commits AS head ON head.game = games.game"
    " AND head.last_seq = (SELECT max(last_seq) FROM commits WHERE game = games.game)"
    " LEFT JOIN commits AS same ON same.game = games.game AND same.command_id = ?"
    " WHERE games.id = ?"
)
_NEW_STREAM = "INSERT INTO games(id) VALUES (?)"
_NEW_EVENT = "INSERT INTO events(game, seq, kind, by, recorded_at, payload) VALUES (?, ?, ?, ?, ?, ?)"
_NEW_COMMIT = (
    "INSERT INTO commits(game, first_seq, last_seq, command_id, request, hash) VALUES (?, ?, ?, ?, ?, ?)"
)

_OF_GAME = "game = (SELECT game FROM games WHERE id = ?)"
_EVENT = "position, ?, seq, kind, by, recorded_at, payload"
_COMMIT = "?, first_seq, last_seq, command_id, request, hash"
_EVENTS = f"SELECT {_EVENT} FROM events WHERE {_OF_GAME} AND seq BETWEEN ? AND ? ORDER BY seq"
_PAYLOADS = (
    "SELECT CAST('[' || coalesce(group_concat(payload), '') || ']' AS BLOB) FROM"
    f" (SELECT payload FROM events WHERE {_OF_GAME} AND seq BETWEEN ? AND ? ORDER BY seq)"
)
_REWRITES = (
    f"SELECT seq, payload FROM events INDEXED BY events_rewriting WHERE {_OF_GAME}"
    " AND kind IN ('record.undone', 'record.redone', 'record.amended') ORDER BY seq"
)
_COMMITS = f"SELECT {_COMMIT} FROM commits WHERE {_OF_GAME} ORDER BY last_seq"
_ANSWERED = f"SELECT {_COMMIT} FROM commits WHERE {_OF_GAME} AND command_id = ?"
_COMMAND_OF = f"SELECT {_COMMIT} FROM commits WHERE {_OF_GAME} AND last_seq >= ? AND first_seq <= ? LIMIT 1"
_HEAD = f"SELECT last_seq, hash FROM commits WHERE {_OF_GAME} ORDER BY last_seq DESC LIMIT 1"
_FOLLOW = (
    "SELECT position, games.id, seq, kind, by, recorded_at, payload FROM events JOIN games USING (game)"
    " WHERE position > ? ORDER BY position LIMIT ?"
)


class SqliteLog:
    """See `EventLog`. One connection writes, in groups, under a lock between processes; others only read."""

    def __init__(self, path: str, writer: _Writer | None, readers: _Readers) -> None:
        """Use `open`."""
        self.path = path
        self.keyframes = SqliteKeyframes(self)
        self._writer = writer
        self._readers = readers

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, create: bool = True, read_only: bool = False, wait: float = 10.0
    ) -> SqliteLog:
        """Open a database; make it, or bring it up to date, if that is needed and allowed.

        Wait:    seconds for another program that keeps the database, then `DatabaseLocked`.
        Errors:  `NotADatabase`, `DatabaseMissing`, `NewerSchema`, `OlderSchema`, `DatabaseReadOnly`,
                 `DatabaseLocked`; the file is then as it was before.
        """
        name = os.path.realpath(path)
        if not create or read_only or Path(name).exists():
            schema.recognise(name)
        if read_only:
            return cls(name, None, _readers_up_to_date(name, wait))
        writer = _Writer(name, wait)
        return cls(name, writer, _Readers(name, wait))

    @property
    def read_only(self) -> bool:
        """Nothing can be appended through this opening."""
        return self._writer is None

    def append(
        self, game: str, events: Sequence[NewEvent], *, after: int, command_id: str, request: str
    ) -> Receipt:
        """See `EventLog`."""
        return self.append_all((Append(game, tuple(events), after, command_id, request),))[0]

    def append_all(
        self,
        commands: Sequence[Append],
        *,
        also: Callable[[sqlite3.Connection, list[Receipt]], object] | None = None,
    ) -> list[Receipt]:
        """See `EventLog`; `also` is work for the same transaction, as in `write`, given the answers."""
        for command in commands:
            admit(command)

        def work(connection: sqlite3.Connection) -> list[Receipt]:
            receipts = [_append(connection, command) for command in commands]
            if also:
                also(connection, receipts)
            return receipts

        return self.write(work)

    def write(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run `work` in a transaction of the one writer, shared with other callers; durable when it returns.

        For projections and other tables that may change; `work` neither commits nor calls this log, and may
        run in another thread. If it raises, nothing of it is kept, and the error comes out here.
        """
        if self._writer is None:
            raise DatabaseReadOnly(self.path)
        return self._writer.write(work)

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection that shows one moment of the database for as long as it is lent."""
        with self._readers.lent() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    def answered(self, game: str, command_id: str) -> Commit | None:
        """See `EventLog`."""
        found = self._rows(_ANSWERED, (game, game, command_id))
        return Commit(*found[0]) if found else None

    def head(self, game: str) -> Head | None:
        """See `EventLog`."""
        found = self._rows(_HEAD, (game,))
        return Head(*found[0]) if found else None

    def events(self, game: str, first: int = 1, last: int | None = None) -> list[StoredEvent]:
        """See `EventLog`."""
        return list(
            starmap(StoredEvent, self._rows(_EVENTS, (game, game, first, _LAST if last is None else last)))
        )

    def payload_array(self, game: str, first: int = 1, last: int | None = None) -> bytes:
        """See `EventLog`."""
        return cast("bytes", self._rows(_PAYLOADS, (game, first, _LAST if last is None else last))[0][0])

    def rewrites(self, game: str) -> list[tuple[int, str]]:
        """See `EventLog`."""
        return self._rows(_REWRITES, (game,))

    def commits(self, game: str) -> list[Commit]:
        """See `EventLog`."""
        return list(starmap(Commit, self._rows(_COMMITS, (game, game))))

    def command_of(self, game: str, seq: int) -> Commit | None:
        """See `EventLog`."""
        found = self._rows(_COMMAND_OF, (game, game, seq, seq))
        return Commit(*found[0]) if found else None

    def record(self, game: str) -> tuple[list[StoredEvent], list[Commit]]:
        """See `EventLog`."""
        with self.reader() as connection:
            events = connection.execute(_EVENTS, (game, game, 1, _LAST)).fetchall()
            commits = connection.execute(_COMMITS, (game, game)).fetchall()
        return list(starmap(StoredEvent, events)), list(starmap(Commit, commits))

    def games(self) -> list[str]:
        """See `EventLog`."""
        return [row[0] for row in self._rows("SELECT id FROM games ORDER BY game", ())]

    def follow(self, position: int, limit: int = 1000) -> list[StoredEvent]:
        """See `EventLog`."""
        return list(starmap(StoredEvent, self._rows(_FOLLOW, (position, limit))))

    def _rows(self, query: str, values: tuple[object, ...]) -> list[Any]:
        with self._readers.lent() as connection:
            return connection.execute(query, values).fetchall()

    def close(self) -> None:
        """See `EventLog`."""
        self._readers.close()
        if self._writer:
            self._writer.close()

    def __enter__(self) -> Self:
        """See `EventLog`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """See `EventLog`."""
        self.close()


def _append(connection: sqlite3.Connection, command: Append) -> Receipt:
    """One command inside an open transaction."""
    row = connection.execute(_SITUATION, (command.command_id, command.game)).fetchone()
    if row is None:
        return _add(connection, command, None, 0, ZERO)
    game, head, value, *same = row
    if same[0] is not None:
        return _again(command, *same)
    return _add(connection, command, game, head, bytes.fromhex(value))


def _again(command: Append, first: int, last: int, request: str, value: str) -> Receipt:
    if request != command.request:
        raise CommandReused(command.command_id, command.game)
    return Receipt(command.game, first, last, value, repeated=True)


def _add(
    connection: sqlite3.Connection, command: Append, game: int | None, head: int, prev: bytes
) -> Receipt:
    if game is None and command.after:
        raise UnknownGame(command.game)
    if command.after != head:
        raise Conflict(head, command.game)
    if game is None:
        game = connection.execute(_NEW_STREAM, (command.game,)).lastrowid
    rows, value = linked(head, prev, command.events, now())
    connection.executemany(_NEW_EVENT, [(game, *row) for row in rows])
    first, last, text = head + 1, head + len(rows), value.hex()
    connection.execute(_NEW_COMMIT, (game, first, last, command.command_id, command.request, text))
    return Receipt(command.game, first, last, text, repeated=False)


def _connect(path: str, mode: str, wait: float) -> sqlite3.Connection:
    uri = f"{Path(path).as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=wait)


def _refuse_what_cannot_be_written(path: str) -> None:
    folder = Path(path).parent
    if not folder.is_dir():
        raise DatabaseMissing(path, "its folder does not exist")
    if not _writable(path):
        raise DatabaseReadOnly(path)


def _writable(path: str) -> bool:
    """Whether this process may write the file, or make it, and make SQLite's files beside it."""
    places = [Path(path).parent, *([Path(path)] if Path(path).exists() else [])]
    return all(os.access(place, os.W_OK, effective_ids=True) for place in places)


def _readers_up_to_date(path: str, wait: float) -> _Readers:
    readers = _Readers(path, wait)
    try:
        with readers.lent() as connection:
            found = schema.version(connection, path)
        if found < schema.VERSION:
            raise OlderSchema(path, found, schema.VERSION)
    except TabletapeError:
        readers.close()
        raise
    return readers


class _Readers:
    """Read-only connections, lent to one thread at a time; as many as there are readers at once."""

    def __init__(self, path: str, wait: float) -> None:
        self._path = path
        self._wait = wait
        self._writable = _writable(path)
        self._mutex = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False

    @contextmanager
    def lent(self) -> Iterator[sqlite3.Connection]:
        with translated(self._path):
            connection = self._take()
            try:
                yield connection
            finally:
                self._give(connection)

    def _take(self) -> sqlite3.Connection:
        with self._mutex:
            if self._closed:
                raise LogClosed
            if self._idle:
                return self._idle.pop()
        return _connect(self._path, "ro&immutable=1" if self._untouchable() else "ro", self._wait)

    def _untouchable(self) -> bool:
        """Whether SQLite cannot make its `-shm` file here, and nobody writes, so that it needs none."""
        return not self._writable and not Path(f"{self._path}-wal").exists()

    def _give(self, connection: sqlite3.Connection) -> None:
        with self._mutex:
            # Somebody else may begin to write; a connection that counts on stillness is not used again.
            if not self._closed and self._writable:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._mutex:
            self._closed = True
            going, self._idle = self._idle, []
        for connection in going:
            connection.close()


class _Writer:
    """The one connection of this process that writes, and moves the write-ahead log into the database."""

    def __init__(self, path: str, wait: float) -> None:
        self._path = path
        _refuse_what_cannot_be_written(path)
        self._pages = 0
        self._group = GroupCommit(self._commit, self._tidy)
        with translated(path):
            self._lock = FileLock(path, wait)
        try:
            self._connection = self._opened(wait)
        except BaseException:
            self._lock.close()
            raise

    def _opened(self, wait: float) -> sqlite3.Connection:
        with translated(self._path), self._lock.held():
            if not Path(self._path).exists():
                schema.make(self._path)
            schema.recognise(self._path)
            connection = _connect(self._path, "rw", wait)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        found = schema.version(connection, self._path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        # Checkpoints run under the lock: racing a writer elsewhere can lose commits (SQLite < 3.51.3).
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute(f"PRAGMA journal_size_limit={_WAL_BYTES}")
        if found < schema.VERSION:
            schema.migrate(connection)
        # INSERT OR REPLACE would walk past the triggers that refuse DELETE.
        connection.execute("PRAGMA recursive_triggers=ON")

    def write(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        return cast("_T", self._group.do(work))

    def _commit(self, jobs: Sequence[Job]) -> None:
        try:
            with self._lock.held():
                self._transact(jobs)
        except BaseException as fault:
            error = refusal(self._path, fault) if isinstance(fault, sqlite3.Error) else fault
            for job in jobs:
                job.error = error
            if not isinstance(fault, Exception):
                raise

    def _transact(self, jobs: Sequence[Job]) -> None:
        connection = self._connection
        before = connection.total_changes
        connection.execute("BEGIN IMMEDIATE")
        try:
            for job in jobs:
                self._run(job)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        self._pages += 4 + (connection.total_changes - before) // 4

    def _run(self, job: Job) -> None:
        connection = self._connection
        connection.execute("SAVEPOINT job")
        try:
            job.answer = job.work(connection)
        except Exception as fault:
            # A full disk or the like takes the whole transaction away, and with it everybody's savepoint.
            if not connection.in_transaction:
                raise
            connection.execute("ROLLBACK TO job")
            job.error = refusal(self._path, fault) if isinstance(fault, sqlite3.Error) else fault
        connection.execute("RELEASE job")

    def _tidy(self) -> None:
        if self._pages < _CHECKPOINT_PAGES:
            return
        self._pages = 0
        with self._lock.held():
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def close(self) -> None:
        try:
            self._group.do(lambda _: None, last=True)
        except LogClosed:
            return
        with translated(self._path):
            # The last connection to a database also moves the write-ahead log into it.
            try:
                with self._lock.held():
                    self._connection.close()
            finally:
                self._connection.close()
                self._lock.close()
