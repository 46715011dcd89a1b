"""The log in an SQLite database: durable, shared between threads and processes."""

# ruff: noqa: S608 - the queries are joined from constants only

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, nullcontext, suppress
from itertools import starmap
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from eventstore.errors import (
    DamagedDatabase,
    DatabaseLocked,
    DatabaseReadOnly,
    DatabaseReplaced,
    LogClosed,
    NoRoom,
    OlderSchema,
    TabletapeError,
)
from eventstore.files.atomic_file import real
from eventstore.log.contract import MARKING, REWRITING, admit
from eventstore.log.rows import Append, Commit, Details, Head, Opening, Receipt, StoredEvent
from eventstore.sqlite import database_check, foreign_wal, schema
from eventstore.sqlite.faults import FAULTS, needs_files, refusal, translated
from eventstore.sqlite.reader_copy import ReaderCopy, has_commits
from eventstore.sqlite.tables import changes
from eventstore.sqlite.tables.key_table import SqliteKeyTable
from eventstore.sqlite.tables.list_table import SqliteListTable
from eventstore.sqlite.tables.snapshots import SqliteSnapshots
from eventstore.sqlite.writer import Writer, connect, writable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType

    from eventstore.log.chain import ChainFault
    from eventstore.log.rows import NewEvent
    from eventstore.log.tables import TableChange

_T = TypeVar("_T")

_LAST = 2**63 - 1
"""Behind every seq that SQLite can hold."""
_OF_GAME = "game = (SELECT game FROM games WHERE id = ?)"
# One flipped bit of a row can make a text a blob, or nothing: whoever reads finds texts and numbers all the
# same, and `verify` finds what is wrong with them.
_TEXT = "coalesce(CAST({} AS TEXT), '')"
_NUMBER = "coalesce(CAST({} AS INTEGER), 0)"
_FACT = f"{_NUMBER.format('seq')}, {', '.join(map(_TEXT.format, ('kind', 'by', 'recorded_at', 'payload')))}"
_EVENT = f"position, ?, {_FACT}"
_VALUE = _TEXT.format("hash")
_COMMIT = (
    f"?, {_NUMBER.format('first_seq')}, {_NUMBER.format('last_seq')}, {_TEXT.format('command_id')},"
    f" {_TEXT.format('request')}, {_VALUE}, {_NUMBER.format('checksum')}"
)
_GAMES = f"SELECT {_TEXT.format('id')} FROM games ORDER BY game"
_IDS = "SELECT id FROM games WHERE id >= ? AND id < ? AND id NOT LIKE '%/%' ORDER BY id LIMIT ?"
_EVENTS = f"SELECT {_EVENT} FROM events WHERE {_OF_GAME} AND seq BETWEEN ? AND ? ORDER BY seq"
_PAYLOADS = (
    "SELECT CAST('[' || coalesce(group_concat(payload), '') || ']' AS BLOB) FROM"
    f" (SELECT payload FROM events WHERE {_OF_GAME} AND seq BETWEEN ? AND ? ORDER BY seq)"
)
# What `chain.line` gives, for many rows at once.
_LINES = (
    "SELECT CAST(coalesce(group_concat(line, ''), '') AS BLOB) FROM (SELECT"
    """ '{"seq":' || seq || ',"at":"' || recorded_at || '","by":"' || by || '","event":' || payload || '}'"""
    " || char(10) AS line FROM events WHERE game = (SELECT game FROM games WHERE id = ?)"
    " AND seq BETWEEN ? AND ? ORDER BY seq)"
)
_KIND = "kind = '{}'"
_REWRITES = (
    f"SELECT seq, {_TEXT.format('payload')} FROM events INDEXED BY events_of_record WHERE {_OF_GAME}"
    " AND kind > 'record.' AND kind < 'record/'"
    f" AND ({' OR '.join(map(_KIND.format, REWRITING))}) AND seq > ? ORDER BY seq"
)
_MARKS = (
    f"SELECT seq, kind FROM events INDEXED BY events_of_record WHERE {_OF_GAME}"
    " AND kind > 'record.' AND kind < 'record/'"
    f" AND ({' OR '.join(map(_KIND.format, MARKING))}) AND seq <= ? ORDER BY seq"
)
_STAMPS = (
    f"SELECT {_NUMBER.format('seq')}, {_TEXT.format('recorded_at')} FROM events WHERE {_OF_GAME}"
    " AND seq <= ? ORDER BY seq"
)
_COMMITS = f"SELECT {_COMMIT} FROM commits WHERE {_OF_GAME} ORDER BY last_seq"
_ANSWERED = f"SELECT {_COMMIT} FROM commits WHERE {_OF_GAME} AND command_id = ?"
_COMMAND_OF = f"SELECT {_COMMIT} FROM commits WHERE {_OF_GAME} AND last_seq >= ? AND first_seq <= ? LIMIT 1"
_HEAD = (
    f"SELECT {_NUMBER.format('last_seq')}, {_VALUE} FROM commits WHERE {_OF_GAME}"
    " ORDER BY commits.last_seq DESC LIMIT 1"
)
_OPENING = (
    f"SELECT {_NUMBER.format('last_seq')}, {_VALUE}, coalesce((SELECT last_seq FROM commits WHERE {_OF_GAME}"
    " ORDER BY commits.last_seq DESC LIMIT 1), 0),"
    " CAST(title AS TEXT), CAST(played_on AS TEXT), CAST(time_zone AS TEXT), CAST(place AS TEXT), hidden,"
    " (SELECT group_concat(CAST(seat AS TEXT) || char(31) || CAST(name AS TEXT), char(30)) FROM names"
    "  WHERE names.game = commits.game),"
    " EXISTS (SELECT 1 FROM events INDEXED BY events_of_record WHERE events.game = commits.game"
    f"  AND kind > 'record.' AND kind < 'record/' AND ({' OR '.join(map(_KIND.format, REWRITING))}))"
    f" FROM commits LEFT JOIN catalogue USING (game) WHERE commits.{_OF_GAME}"
    " ORDER BY commits.last_seq DESC LIMIT 1"
)
_VARIATIONS = (
    f"SELECT id, parent, title FROM catalogue JOIN games USING (game) WHERE {changes.OF_PARENT}"
    " AND hidden = 0 ORDER BY game"
)
_FOLLOW = (
    f"SELECT position, games.id, {_FACT} FROM events JOIN games USING (game)"
    " WHERE position > ? ORDER BY position LIMIT ?"
)


class SqliteLog:
    """See `EventLog`. One connection writes, in groups, under a lock between processes; others only read."""

    def __init__(
        self, path: str, writer: Writer | None, readers: _Readers, *, later: float | None = None
    ) -> None:
        """Use `open`; `later` has each write try to open the file for writing, and wait so long for it."""
        self.path = path
        self.snapshots = SqliteSnapshots(self)
        self.keys = SqliteKeyTable(self)
        self.listing = SqliteListTable(self)
        self._writer = writer
        self._readers = readers
        self._later = later
        self._opening = Lock()
        self._file = _file_of(path)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, create: bool = True, read_only: bool = False, wait: float = 10.0
    ) -> SqliteLog:
        """Open a database; make it, or bring it up to date, if that is needed and allowed.

        Full:    a database that is there and up to date is opened all the same: it can be read, and each
                 write tries anew.
        Wait:    seconds for another program that keeps the database, then `DatabaseLocked`.
        Errors:  `NotADatabase`, `DatabaseMissing`, `NewerSchema`, `OlderSchema`, `DatabaseReadOnly`,
                 `DatabaseLocked`, `NoRoom`; the file is then as it was before.
        """
        name = real(path)
        if not create or read_only or Path(name).exists():
            schema.recognise(name)
            # A process that holds the lock has checked this already, and a reader waits for nobody.
            with suppress(DatabaseLocked) if read_only else nullcontext():
                foreign_wal.refuse(name, 0 if read_only else wait)
        if read_only:
            return cls(name, None, _readers_up_to_date(name, wait))
        try:
            writer = Writer(name, wait)
        except NoRoom as fault:
            if not Path(name).exists():
                raise
            return cls(name, None, _readers_of_full(name, wait, fault), later=wait)
        return cls(name, writer, _Readers(name, wait))

    @property
    def read_only(self) -> bool:
        """See `EventLog`."""
        return self._writer is None and self._later is None

    def must_be_in_place(self) -> None:
        """See `EventLog`; one question to the operating system."""
        if self._file is None or _file_of(self.path) != self._file:
            raise DatabaseReplaced(self.path)

    def storage_faults(self) -> Iterator[ChainFault]:
        """See `EventLog`."""
        return database_check.faults(self)

    def append(
        self, game: str, events: Sequence[NewEvent], *, after: int, command_id: str, request: str
    ) -> Receipt:
        """See `EventLog`."""
        command = Append(game, tuple(events), after, command_id, request)
        admit(command)
        receipt: Receipt = self._writing().do(command)
        return receipt

    def append_all(self, commands: Sequence[Append], *, tables: Sequence[TableChange] = ()) -> list[Receipt]:
        """See `EventLog`."""
        for command in commands:
            admit(command)

        def write(connection: sqlite3.Connection, receipts: list[Receipt]) -> None:
            changes.write(connection, tables, receipts)

        receipts: list[Receipt] = self._writing().do((tuple(commands), write if tables else None))
        return receipts

    def opening(self, game: str) -> Opening | None:
        """See `EventLog`."""
        try:
            found = self._rows(_OPENING, (f"{game}/notes", game))
        except DamagedDatabase as damage:
            return self._opening_without_details(game, damage)
        return None if not found else _opened(*found[0])

    def _opening_without_details(self, game: str, damage: DamagedDatabase) -> Opening | None:
        """A game whose details cannot be read: its events may be whole."""
        head, notes = self.head(game), self.head(f"{game}/notes")
        if head is None:
            return None
        last = 0 if notes is None else notes.seq
        return Opening(head, last, Details(), hidden=False, rewritten=True, details_damage=damage)

    def set_hidden(self, game: str, hidden: bool) -> None:  # noqa: FBT001 - see `EventLog`
        """See `EventLog`."""
        self.write(lambda connection: connection.execute(changes.HIDE, (int(hidden), game)))

    def variations(self, game: str) -> list[tuple[str, str, str | None]]:
        """See `EventLog`."""
        found = self._rows(_VARIATIONS, changes.parents_of(game))
        return [tuple(row) for row in found if isinstance(row[0], str) and isinstance(row[1], str)]

    def set_details(self, game: str, change: Callable[[Details], Details]) -> Details:
        """See `EventLog`."""

        def work(connection: sqlite3.Connection) -> Details:
            kept = change(changes.details(connection, game))
            changes.put_details(connection, game, kept)
            return kept

        return self.write(work)

    def write(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run `work` in a transaction of the one writer, shared with other callers; durable when it returns.

        For projections and other tables that may change; `work` neither commits nor calls this log, and may
        run in another thread. If it raises, nothing of it is kept, and the error comes out here.
        """
        answer: _T = self._writing().do(work)
        return answer

    def _writing(self) -> Writer:
        if self._writer is not None:
            return self._writer
        if self._later is None:
            raise DatabaseReadOnly(self.path)
        with self._opening:
            if self._readers.closed:
                raise LogClosed
            if self._writer is None:
                self._writer = Writer(self.path, self._later, again=True)
            return self._writer

    def lent(self) -> AbstractContextManager[sqlite3.Connection]:
        """A read-only connection; each statement shows the database of its own moment."""
        return self._readers.lent()

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection that shows one moment of the database for as long as it is lent."""
        with self._readers.lent() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                # After a fault SQLite may have ended it by itself.
                if connection.in_transaction:
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

    def lines(self, game: str, first: int, last: int) -> bytes:
        """See `EventLog`."""
        return cast("bytes", self._rows(_LINES, (game, first, last))[0][0])

    def rewrites(self, game: str, after: int = 0) -> list[tuple[int, str]]:
        """See `EventLog`."""
        return self._rows(_REWRITES, (game, after))

    def marks(self, game: str, last: int) -> list[tuple[int, str]]:
        """See `EventLog`."""
        return self._rows(_MARKS, (game, last))

    def stamps(self, game: str, last: int | None = None) -> list[tuple[int, str]]:
        """See `EventLog`."""
        return self._rows(_STAMPS, (game, _LAST if last is None else last))

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
        return [row[0] for row in self._rows(_GAMES, ())]

    def ids(self, prefix: str = "", *, limit: int) -> list[str]:
        """See `EventLog`."""
        # No character of an id is greater than ~.
        return [row[0] for row in self._rows(_IDS, (prefix, f"{prefix}\x7f", max(limit, 0)))]

    def follow(self, position: int, limit: int = 1000) -> list[StoredEvent]:
        """See `EventLog`."""
        return list(starmap(StoredEvent, self._rows(_FOLLOW, (position, limit))))

    def _rows(self, query: str, values: tuple[object, ...]) -> list[Any]:
        # As `lent`, without its generators: most of what reads is a short query, and there are many.
        connection = self._readers.take()
        try:
            return connection.execute(query, values).fetchall()
        except FAULTS as fault:
            raise refusal(self.path, fault) from fault
        finally:
            self._readers.give(connection)

    def close(self) -> None:
        """See `EventLog`."""
        self._readers.close()
        with self._opening:
            if self._writer:
                self._writer.close()
        self._readers.forget()

    def __enter__(self) -> Self:
        """See `EventLog`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """See `EventLog`."""
        self.close()


def _opened(seq: int, chain: str, notes: int, *typed: Any) -> Opening:
    title, played_on, time_zone, place, hidden, names, rewritten = typed
    pairs = (pair.partition("\x1f") for pair in names.split("\x1e")) if names else ()
    details = Details(title, played_on, time_zone, place, {seat: name for seat, _, name in pairs})
    return Opening(Head(seq, chain), notes, details, hidden=bool(hidden), rewritten=bool(rewritten))


def _file_of(path: str) -> tuple[int, int] | None:
    """Tell files apart, whatever they are called; None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - once for each request: a third of the price of a Path
    except OSError:
        return None
    return found.st_dev, found.st_ino


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


def _readers_of_full(path: str, wait: float, fault: NoRoom) -> _Readers:
    try:
        return _readers_up_to_date(path, wait)
    except OlderSchema:
        older = "the database was not brought up to date, and cannot be read before that"
        raise NoRoom(path, fault.why, older) from fault


class _Lent:
    """A connection on loan; no generator, for most of what reads is short, and there is much of it."""

    __slots__ = ("_connection", "_path", "_readers")

    def __init__(self, readers: _Readers, path: str) -> None:
        self._readers = readers
        self._path = path

    def __enter__(self) -> sqlite3.Connection:
        self._connection = self._readers.take()
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._readers.give(self._connection)
        if fault is not None:
            translated(self._path).__exit__(kind, fault, trace)


class _Readers:
    """Read-only connections, lent to one thread at a time; as many as there are readers at once."""

    def __init__(self, path: str, wait: float) -> None:
        self._path = path
        self._wait = wait
        self._writable = writable(path)
        self._mutex = Lock()
        self._idle: list[sqlite3.Connection] = []
        self._passing: set[sqlite3.Connection] = set()
        self._snapshot = ReaderCopy(path, wait)
        self.closed = False

    def lent(self) -> AbstractContextManager[sqlite3.Connection]:
        return _Lent(self, self._path)

    def take(self) -> sqlite3.Connection:
        """Give it back with `give`."""
        with self._mutex:
            if self.closed:
                raise LogClosed
            if self._idle:
                return self._idle.pop()
        with translated(self._path):
            return self._opened()

    def _opened(self) -> sqlite3.Connection:
        if self._writable or Path(f"{self._path}-wal").exists():
            try:
                return _tried(connect(self._path, "ro", self._wait))
            except sqlite3.Error as fault:
                if not needs_files(fault):
                    raise
        return self._without_files()

    def _without_files(self) -> sqlite3.Connection:
        """Where SQLite cannot make its files, and so nobody writes: a connection for one use.

        The next one looks again: somebody may write by then.
        """
        with self._mutex:
            if has_commits(self._path):
                connection = connect(self._snapshot.current(), "rw", self._wait)
                connection.execute("PRAGMA query_only=ON")
            else:
                connection = connect(self._path, "ro&immutable=1", self._wait)
            self._passing.add(_tried(connection))
        return connection

    def give(self, connection: sqlite3.Connection) -> None:
        """Keep it for the next."""
        with self._mutex:
            if connection not in self._passing and not self.closed:
                self._idle.append(connection)
                return
            self._passing.discard(connection)
        connection.close()

    def close(self) -> None:
        with self._mutex:
            self.closed = True
            going, self._idle = self._idle, []
        for connection in going:
            connection.close()

    def forget(self) -> None:
        """Remove what was copied; call it when nothing else of this process has the database open."""
        with self._mutex:
            self._snapshot.close()


def _tried(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A connection that was seen to read: SQLite looks for its files no sooner."""
    try:
        # What is sorted needs no room on a disk that may be full.
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute("PRAGMA user_version").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection
