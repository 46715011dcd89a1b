"""A database copied whole while others write, and brought back from such a copy."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from eventstore.errors import (
    DatabaseMissing,
    DatabaseReadOnly,
    StorageFault,
    TabletapeError,
    unwritten,
)
from eventstore.files import atomic_file, system
from eventstore.log.chain import ChainFault, verify_chain
from eventstore.sqlite import database_check, foreign_wal, schema
from eventstore.sqlite.faults import room_wanted, translated
from eventstore.sqlite.lock import FileLock
from eventstore.sqlite.log import SqliteLog
from eventstore.sqlite.writer import connect, writable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Watch = Callable[[str, int, int], object]

_PAGES: Final = 1024
"""Copied between two looks at the progress."""
_NAMED: Final = 5
_GAMES: Final = "SELECT count(*) FROM games WHERE instr(id, '/') = 0"
_EVENTS: Final = "SELECT count(*) FROM events JOIN games USING (game) WHERE instr(id, '/') = 0"
# `hash` is that of the row which has the greatest `last_seq`.
_HEADS: Final = (
    "SELECT id, max(last_seq), hash FROM commits JOIN games USING (game) GROUP BY game ORDER BY game"
)
_REVOKE: Final = "UPDATE keys SET revoked_at = ? WHERE hash = ? AND revoked_at IS NULL RETURNING name, key"
_KEYS_SINCE: Final = 4
"""The schema that has keys."""
_REVOKED: Final = "SELECT hash, revoked_at FROM keys WHERE revoked_at IS NOT NULL"
_KEPT: Final = "SELECT id, last_seq, hash FROM commits JOIN games USING (game)"


class BackupReport(msgspec.Struct, frozen=True):
    """A database that was copied."""

    games: int
    events: int
    """Those of the games, without their notes."""
    bytes: int
    faults: tuple[ChainFault, ...]
    """What is damaged in it, and was so before."""


class RestoreReport(msgspec.Struct, frozen=True):
    """A database that was brought back."""

    copied: BackupReport
    kept: str | None
    """Where what was there before is now."""
    revoked: tuple[str, ...] = ()
    """Keys that are good in the backup, and were revoked in the database: they stay revoked."""


class NoPlace(TabletapeError):
    """A backup cannot be put there; nothing was written."""

    code: ClassVar[str] = "no-place"

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"{file} {why}.")
        self.file = file


class FileExists(TabletapeError):
    """A file of this name is there already; nothing was written."""

    code: ClassVar[str] = "file-exists"

    def __init__(self, file: str) -> None:
        super().__init__(f"{file} is there already.")
        self.file = file


class DamagedBackup(TabletapeError):
    """What is in the backup is not as it was recorded; nothing was restored."""

    code: ClassVar[str] = "damaged-backup"
    exit_code: ClassVar[int] = 4

    def __init__(self, file: str, faults: tuple[ChainFault, ...]) -> None:
        more = f" ({len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(f"{file} is damaged: {in_words(faults[0])}{more}")
        self.file = file
        self.faults = faults


class WouldLose(TabletapeError):
    """The database has what the backup lacks, or cannot be compared with it; nothing was restored."""

    code: ClassVar[str] = "would-lose"
    exit_code: ClassVar[int] = 3

    def __init__(self, path: str, why: str, games: tuple[str, ...] = ()) -> None:
        super().__init__(f"{path} {why}.")
        self.path = path
        self.games = games


def in_words(fault: ChainFault) -> str:
    """Say what is damaged, and in which game."""
    return f"{fault.game}: {fault.message}" if fault.game else fault.message


# --- backing up ------------------------------------------------------------------------------------------


def back_up(
    log: SqliteLog, file: str | os.PathLike[str], *, force: bool = False, watch: Watch | None = None
) -> BackupReport:
    """Copy the database as it is at one moment; who writes to it meanwhile is not kept waiting.

    The copy is one file without others beside it, gone through before it is put in place, and synced.
    force:   take the place of a file that is there.
    watch:   is told what is done, how much of it, and of how much.
    Errors:  `NoPlace`, `FileExists`, `StorageFault`; nothing is left of the copy then.
    """
    target = Path(atomic_file.real(file))
    refuse_target(str(file), target, Path(log.path), force=force)
    with unwritten(f"the backup {file} was not made"), atomic_file.building(target, str(target)) as part:
        with log.reader() as connection, translated(str(file)):
            _copy(connection, part, watch)
            shutil.copymode(log.path, part)
        found = _looked_through(part, log, watch)
        refuse_target(str(file), target, Path(log.path), force=force)
        with translated(str(file)):
            atomic_file.put(part, target)
    return found


def refuse_target(named: str, target: Path, database: Path, *, force: bool = False) -> None:
    """Refuse a place for a new database where something else is, or lies beside it.

    force:   a file that is there may be replaced.
    Errors:  `NoPlace`, `FileExists`.
    """
    if not target.parent.is_dir():
        raise NoPlace(named, "cannot be written: its folder does not exist")
    for end in atomic_file.BESIDE:
        own = Path(f"{database}{end}")
        if target == own or (target.exists() and own.exists() and target.samefile(own)):
            raise NoPlace(named, "belongs to the database: name another file")
    if target.exists() and not target.is_file():
        raise NoPlace(named, "is not a file: name one")
    if os.path.lexists(target) and not force:
        raise FileExists(named)
    for end in ("-wal", "-journal"):
        if Path(f"{target}{end}").exists():
            # SQLite would take it for part of the new database.
            raise NoPlace(named, f"is a database in use: {target.name}{end} lies beside it")


def _copy(connection: sqlite3.Connection, part: Path, watch: Watch | None) -> None:
    def step(_: int, remaining: int, total: int) -> None:
        if watch:
            watch("Copying", total - remaining, total)

    # Once something is read, this connection shows one moment, and no commit makes the copy begin anew.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    with closing(sqlite3.connect(part, isolation_level=None)) as copy:
        # Nobody depends on it before it has its name; one sync at the end is enough.
        copy.execute("PRAGMA synchronous=OFF")
        connection.backup(copy, pages=_PAGES, progress=step)
        _make_one_file(copy)


def _make_one_file(connection: sqlite3.Connection) -> None:
    """Have a database read without files beside it, and where nothing can be written.

    Errors:  SQLite's, while any other connection is open, one that only reads or is idle too.
    """
    connection.execute("PRAGMA journal_mode=DELETE").fetchone()


def _looked_through(part: Path, original: SqliteLog, watch: Watch | None) -> BackupReport:
    """Go through the chain of every game of the copy.

    Errors:  `StorageFault` when something is damaged that is whole in the original.
    """
    with SqliteLog.open(part, read_only=True) as copy:
        games = copy.games()
        faults = tuple(_faults(copy, games, watch))
        counts = _counts(copy)
    if faults:
        # Those of the original: they name its file.
        known = tuple(_faults(original, list(dict.fromkeys(fault.game for fault in faults if fault.game))))
        if {_place(fault) for fault in faults} - {_place(fault) for fault in known}:
            raise StorageFault(original.path, "its copy is not what was copied")
        faults = known
    return BackupReport(*counts, part.stat().st_size, faults)


def _place(fault: ChainFault) -> tuple[str, int, str]:
    return fault.game, fault.seq, fault.code


def _counts(log: SqliteLog) -> tuple[int, int]:
    with log.reader() as connection:
        games, events = (connection.execute(query).fetchone()[0] for query in (_GAMES, _EVENTS))
    return games, events


def _faults(
    log: SqliteLog, games: list[str], watch: Watch | None = None, named: str | None = None
) -> Iterator[ChainFault]:
    """What is damaged in the file, `named` if need be, and in the records of these games and their notes."""
    name = named or log.path
    yield from database_check.faults(log, named=named, caught=TabletapeError)
    for number, game in enumerate(games, 1):
        try:
            yield from verify_chain(*log.record(game))
        except TabletapeError as fault:
            yield ChainFault(game, 0, 0, fault.code, str(fault).replace(log.path, name))
        if watch:
            watch("Checking", number, len(games))


# --- bringing back ---------------------------------------------------------------------------------------


def restore(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str],
    *,
    force: bool = False,
    wait: float = 10.0,
    watch: Watch | None = None,
) -> RestoreReport:
    """Put what is in a backup in the place of a database; what was there is kept beside it.

    The backup is copied, brought up to this version's schema and gone through before anything is touched.
    Triggers that have gone from it are given back, and a key that was revoked stays revoked.
    force:   restore a damaged backup too, and where the database has what the backup lacks.
    wait:    seconds for another program that has the database open.
    Errors:  `NotADatabase`, `DatabaseMissing`, `NewerSchema`, `DamagedBackup`, `WouldLose`,
             `DatabaseLocked`, `DatabaseReadOnly`; the database is then as it was before.
    """
    target, source = Path(atomic_file.real(path)), atomic_file.real(file)
    if target.exists() and Path(source).exists() and target.samefile(source):
        raise NoPlace(str(file), "is the database itself: name a backup of it")
    schema.recognise(source)
    foreign_wal.refuse(source, wait)
    _refuse_unwritable(target)
    left = f"{path} was not restored, and is as it was"
    with unwritten(left), atomic_file.building(target, str(target)) as part:
        with translated(str(file)), closing(connect(source, _mode(source), wait)) as connection:
            schema.version(connection, str(file))
            connection.execute("BEGIN")
            with room_wanted(str(target)):
                _copy(connection, part, watch)
        shutil.copymode(target if target.exists() else source, part)
        with SqliteLog.open(part) as copy:
            faults = tuple(_faults(copy, copy.games(), watch, named=str(file)))
            counts, heads = _counts(copy), _heads(copy)
        if faults and not force:
            raise DamagedBackup(str(file), faults)
        with translated(str(target)), closing(connect(str(part), "rw", wait)) as connection:
            schema.guard(connection)
            _make_one_file(connection)
        copied = BackupReport(*counts, part.stat().st_size, faults)
        return RestoreReport(copied, *_put_in_place(target, part, heads, force=force, wait=wait))


def _refuse_unwritable(target: Path) -> None:
    if not target.parent.is_dir():
        raise DatabaseMissing(str(target), "its folder does not exist")
    if target.exists() and not target.is_file():
        schema.recognise(str(target))
    if not writable(str(target)):
        raise DatabaseReadOnly(str(target))


def _mode(source: str) -> str:
    """Leave no file beside a backup that nobody writes to."""
    return "ro" if Path(f"{source}-wal").exists() else "ro&immutable=1"


def _put_in_place(
    target: Path, part: Path, heads: dict[str, dict[int, str]], *, force: bool, wait: float
) -> tuple[str | None, tuple[str, ...]]:
    """Give the copy the database's name; where what had it is now, and which keys stay revoked."""
    revoked: tuple[str, ...] = ()
    with translated(str(target)), closing(FileLock(str(target), wait)) as lock, lock.held():
        if target.exists():
            revoked = _revoked_again(part, _settle(target, heads, force=force, wait=wait))
        system.sync(part)
        kept = _kept_beside(target, Path(f"{part}-shm"))  # which is removed with the part
        for end in ("-wal", "-shm"):
            # They belong to what was there, and would be read as if they were the backup's.
            Path(f"{target}{end}").unlink(missing_ok=True)
        # The new name may outlive a power loss that takes back the changes before it. Then the copy that is
        # kept would be lost, or the old database's journal would come back and be played into the new one.
        system.sync(target.parent)
        part.replace(target)
        system.sync(target.parent)
    return kept, revoked


def _revoked_again(part: Path, revoked: list[tuple[bytes, str]]) -> tuple[str, ...]:
    """Revoke in the copy what was revoked in the database."""
    names = []
    with closing(sqlite3.connect(part, isolation_level=None)) as copy:
        for value, stamp in revoked:
            for name, key in copy.execute(_REVOKE, (stamp, value)).fetchall():
                copy.execute("DELETE FROM sessions WHERE key = ?", (key,))
                names.append(name)
    return tuple(names)


def _settle(
    target: Path, heads: dict[str, dict[int, str]], *, force: bool, wait: float
) -> list[tuple[bytes, str]]:
    """Make sure that nobody has the database open, that it is one file, and that nothing is lost.

    Gives:   the keys that were revoked in it, by hash, with the moment; none where it cannot be read.
    """
    revoked: list[tuple[bytes, str]] = []
    try:
        schema.recognise(str(target))
        foreign_wal.refuse(str(target), wait, held=True)
        with translated(str(target)), closing(connect(str(target), "rw", wait)) as connection:
            if schema.version(connection, str(target)) >= _KEYS_SINCE:
                revoked = connection.execute(_REVOKED).fetchall()
            lost = tuple(_lost(connection, heads))
            if lost and not force:
                more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
                raise WouldLose(
                    str(target), f"has what the backup lacks: {', '.join(lost[:_NAMED])}{more}", lost
                )
            _make_one_file(connection)
    except TabletapeError as fault:
        if isinstance(fault, WouldLose) or fault.code == "database-locked":
            raise
        if not force:
            why = f"cannot be compared with the backup ({str(fault).rstrip('.')})"
            raise WouldLose(str(target), why) from fault
    return revoked


def _heads(log: SqliteLog) -> dict[str, dict[int, str]]:
    """The values of every game's chain that its commands kept, by seq."""
    found: dict[str, dict[int, str]] = {}
    with log.reader() as connection:
        for game, seq, value in connection.execute(_KEPT):
            found.setdefault(game, {})[seq] = value
    return found


def _lost(here: sqlite3.Connection, there: dict[str, dict[int, str]]) -> Iterator[str]:
    """Name each game of which the backup has not all."""
    for game, seq, value in here.execute(_HEADS):
        kept = there.get(game, {})
        if kept.get(seq) == value:
            continue
        record, _, notes = game.partition("/")
        what = f"the notes of {record}" if notes else record
        unit = "changes" if notes else "events"
        last = max(kept, default=0)
        if last >= seq:
            yield f"{what} (it goes on otherwise there)"
        else:
            yield f"{what} ({seq} {unit} here, {last} there)" if last else what


def _kept_beside(target: Path, built: Path) -> str | None:
    """Copy what has the database's name; a second name of it could be opened as if it were another.

    built:   what a copy is called until it is whole.
    """
    ends = [end for end in ("-wal", "") if Path(f"{target}{end}").exists()]
    if not ends:
        return None
    kept = next(place for place in _free_names(target) if not _taken(place))
    for end in ends:
        # It has its name once it is whole, and the database after what belongs to it.
        shutil.copy2(f"{target}{end}", built)
        system.sync(built)
        built.replace(Path(f"{kept}{end}"))
    return str(kept)


def _taken(place: Path) -> bool:
    return any(Path(f"{place}{end}").exists() for end in ("", "-wal"))


def _free_names(target: Path) -> Iterator[Path]:
    number = 1
    while True:
        yield target.with_name(f"{target.name}.before-restore-{number}")
        number += 1
