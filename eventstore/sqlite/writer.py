"""The one connection of a process that writes."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eventstore.errors import (
    DatabaseLocked,
    DatabaseMissing,
    DatabaseReadOnly,
    OutcomeUnknown,
    TabletapeError,
)
from eventstore.files import system
from eventstore.log.rows import Append, Receipt
from eventstore.sqlite import schema, unfinished
from eventstore.sqlite.appender import Appender, Heads
from eventstore.sqlite.faults import FAULTS, refusal, translated
from eventstore.sqlite.group_commit import GroupCommit
from eventstore.sqlite.lock import FileLock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eventstore.sqlite.group_commit import Job

    Also = Callable[[sqlite3.Connection, list[Receipt]], object]
    Work = Append | tuple[tuple[Append, ...], Also | None] | Callable[[sqlite3.Connection], object]

_TEXT = partial(str, encoding="utf-8", errors="replace")
"""Reads a text whatever became of it: SQLite would refuse the whole query, and quote the text.

The chain shows that it is not what was written.
"""
_CHECKPOINT_PAGES = 1000
"""Pages in the write-ahead log, as estimated, after which they are moved into the database."""
_SCARCE_BYTES = 4 * _CHECKPOINT_PAGES * 4096
"""Free room below which they are moved after each commit: the database may grow by what is in the log."""
_LOOK_PAGES = 64
"""Pages written between two looks at the free room, while there is enough."""
_NOTHING_DONE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CONSTRAINT})
"""Errors after which SQLite has written nothing of a transaction."""
_WAL_BYTES = 64 * 1024 * 1024
"""What a long transaction may leave of the write-ahead log on disk."""


def connect(path: str, mode: str, wait: float) -> sqlite3.Connection:
    """A connection that any thread may use, one at a time; transactions are ours."""
    uri = f"{Path(path).as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=wait)
    connection.text_factory = _TEXT
    return connection


def _refuse_what_cannot_be_written(path: str) -> None:
    folder = Path(path).parent
    if not folder.is_dir():
        raise DatabaseMissing(path, "its folder does not exist")
    if not writable(path):
        raise DatabaseReadOnly(path)


def writable(path: str) -> bool:
    """Whether this process may write the file, or make it, and make SQLite's files beside it."""
    places = [Path(path).parent, *([Path(path)] if Path(path).exists() else [])]
    return all(system.may(place, os.W_OK) for place in places)


class Writer:
    """The one connection of this process that writes, and moves the write-ahead log into the database.

    Faults: what a transaction learns is remembered after its COMMIT has returned, and not otherwise. A new
            connection takes over where the old one cannot commit after a disk fault.
    """

    def __init__(self, path: str, wait: float, *, again: bool = False) -> None:
        """`again`: the file was recognised before, and none is to be made."""
        self._path = path
        self._again = again
        _refuse_what_cannot_be_written(path)
        self._pages = 0
        self._next_look = 0
        """Pages at which the free room is looked at again."""
        self._wait = wait
        self._heads: Heads = {}
        self._committing = False
        """SQLite was told to commit, and has not said that it did."""
        self._doubtful = False
        """A fault came up since the last commit."""
        self._group = GroupCommit(self._commit, self._tidy)
        with translated(path):
            try:
                self._lock = FileLock(path, wait)
            except PermissionError:
                raise DatabaseReadOnly(path, f"{path}.lock may not be opened") from None
        try:
            self._connection = self._opened()
        except BaseException:
            self._lock.close()
            raise

    def _opened(self) -> sqlite3.Connection:
        with translated(self._path), self._lock.held():
            if not self._again:
                if not Path(self._path).exists():
                    schema.make(self._path)
                schema.recognise(self._path)
            return self._connected()

    def _connected(self) -> sqlite3.Connection:
        connection = connect(self._path, "rw", self._wait)
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

    def do(self, work: Work) -> Any:
        """The answer to a command, to several with something beside them, or to a function."""
        return self._group.do(work)

    def _commit(self, jobs: Sequence[Job]) -> None:
        try:
            try:
                self._lock.take()
            except OSError:
                with translated(self._path):
                    raise
            try:
                self._transact(jobs)
            finally:
                self._lock.give()
        except BaseException as fault:
            error = self._refusal(fault) if isinstance(fault, sqlite3.Error) else fault
            for job in jobs:
                job.error = error
            if not isinstance(fault, Exception):
                raise

    def _refusal(self, fault: sqlite3.Error) -> TabletapeError:
        if self._committing and self._doubtful:
            return OutcomeUnknown(self._path, str(fault))
        return refusal(self._path, fault)

    def _transact(self, jobs: Sequence[Job]) -> None:
        self._committing = False
        if self._doubtful:
            self._settle()
        # Whatever does not commit is forgotten, whoever rolled it back: the heads come back after a COMMIT.
        self._appender, self._heads = Appender(self._connection, self._heads), {}
        try:
            committed = self._written(jobs)
        except sqlite3.Error as fault:
            if getattr(fault, "sqlite_errorcode", 0) & 0xFF not in _NOTHING_DONE:
                self._doubtful = True
                with suppress(TabletapeError, sqlite3.Error, OSError):
                    self._settle()
            raise
        if committed:
            self._heads = self._appender.committed()

    def _settle(self) -> None:
        """Make sure that nothing of a failed commit can be found again.

        All of its pages may stand in the write-ahead log: nobody reads them now, but who opens the database
        after everybody has closed it would take them for committed. A commit that changes nothing is written
        in their place. A full disk may have no room for one; then they are made invalid where they are.

        Call it with the lock held, for another process may be writing where they are.
        """
        try:
            self._write_over_or_anew()
        except (TabletapeError, sqlite3.Error, OSError):
            with translated(self._path):
                unfinished.wipe(self._path)
        self._doubtful = False

    def _write_over_or_anew(self) -> None:
        """Write over it, with a new connection if need be.

        The old connection is closed when the new one is there: to close the last one and open another would
        be an opening that takes the pages for committed.
        """
        try:
            self._write_over()
        except sqlite3.Error:
            old, self._connection = self._connection, self._connected()
            old.close()
            self._write_over()

    def _write_over(self) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            connection.execute(f"PRAGMA user_version={version}")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _written(self, jobs: Sequence[Job]) -> bool:
        """Do the jobs in one transaction; whether it was committed."""
        if len(jobs) == 1 and isinstance(jobs[0].work, Append) and self._alone(jobs[0]):
            self._pages += 4
            return True
        connection = self._connection
        before = connection.total_changes
        try:
            connection.execute("BEGIN IMMEDIATE")
            rest = self._at_once(jobs)
            kept = [self._run(job, alone=len(jobs) == 1) for job in rest]
            committed = len(jobs) > 1 or all(kept)
            if committed:
                self._committing = True
                connection.execute("COMMIT")
                self._committing = False
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        self._pages += 2 + 2 * len(jobs) + (connection.total_changes - before) // 8
        return committed

    def _alone(self, job: Job) -> bool:
        """Do what is simply one more event of its game, in a statement that is a transaction by itself."""
        self._committing = True
        try:
            job.answer = self._appender.alone(job.work)
        except sqlite3.IntegrityError:
            self._appender.forget()
        self._committing = False
        return job.answer is not None

    def _at_once(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """Do what is simply the next event of its game; the others are left."""
        simple = [job for job in jobs if isinstance(job.work, Append)]
        try:
            receipts = self._appender.at_once([job.work for job in simple])
        except sqlite3.IntegrityError:
            self._connection.execute("ROLLBACK")
            self._appender.forget()
            self._connection.execute("BEGIN IMMEDIATE")
            return jobs
        for job, receipt in zip(simple, receipts, strict=True):
            job.answer = receipt
        return [job for job in jobs if job.answer is None]

    def _run(self, job: Job, *, alone: bool) -> bool:
        """Do one job; whether what it wrote is kept. It takes nothing of the others away."""
        connection = self._connection
        if not alone:
            connection.execute("SAVEPOINT job")
        try:
            job.answer = self._answer(job.work)
        except Exception as fault:
            # A full disk or the like takes the whole transaction away, and with it what the others wrote.
            if not connection.in_transaction:
                raise
            job.error = refusal(self._path, fault) if isinstance(fault, FAULTS) else fault
            self._appender.forget()
            if not alone:
                connection.execute("ROLLBACK TO job")
        if not alone:
            connection.execute("RELEASE job")
        return job.error is None

    def _answer(self, work: Work) -> object:
        if isinstance(work, Append):
            return self._appender.append(work)
        if isinstance(work, tuple):
            commands, also = work
            receipts = [self._appender.append(command) for command in commands]
            if also:
                also(self._connection, receipts)
            return receipts
        try:
            return work(self._connection)
        finally:
            # It may have written anything.
            self._appender.forget()

    def _tidy(self) -> None:
        """Move the write-ahead log into the database; what fails is tried again after the next append.

        Whoever is answered by then has their events on the disk, and is not to hear that they have not.
        """
        if self._pages < self._next_look or (self._pages < _CHECKPOINT_PAGES and not self._scarce()):
            return
        with suppress(TabletapeError, sqlite3.Error, OSError), self._lock.held():
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            self._pages = self._next_look = 0

    def _scarce(self) -> bool:
        """Whether room runs out: on a full disk the log could not be moved any more, and would take the rest.

        Moved in time, it is written anew from its start, and does not grow.
        """
        if not self._pages:
            return False
        try:
            scarce = system.free_bytes(self._path) < _SCARCE_BYTES
        except OSError:
            return False
        # Where there is room, to ask at each commit would cost a tenth of it.
        self._next_look = 0 if scarce else min(self._pages + _LOOK_PAGES, _CHECKPOINT_PAGES)
        return scarce

    def close(self) -> None:
        """Answer who waits, then give the database back."""
        if not self._group.close():
            return
        # The last connection to a database also moves the write-ahead log into it. Whoever keeps the lock
        # for so long has a connection too.
        with translated(self._path), closing(self._lock):
            try:
                with suppress(DatabaseLocked):
                    self._lock.take()
                    if self._doubtful:
                        with suppress(TabletapeError, sqlite3.Error, OSError):
                            self._settle()
            finally:
                self._connection.close()
