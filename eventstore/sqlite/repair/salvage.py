"""What can still be read of a database, however damaged; the file itself is only ever read."""

from __future__ import annotations

import errno
import mmap
import os
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eventstore import system
from eventstore.errors import (
    DamagedDatabase,
    DatabaseLocked,
    ForeignWal,
    NewerSchema,
    NotADatabase,
    TabletapeError,
)
from eventstore.log.chain import verify_chain
from eventstore.log.ids import is_stream, is_time
from eventstore.log.rows import UNCHECKED, Commit, Details, StoredEvent
from eventstore.sqlite import foreign_wal, schema
from eventstore.sqlite.database_check import damage_by_sqlite, key_flaw, session_flaw
from eventstore.sqlite.faults import FAULTS, translated
from eventstore.sqlite.lock import still
from eventstore.sqlite.pages import SIZE, DatabasePages
from eventstore.sqlite.schema.migrations import MIGRATIONS
from games.core.ruleset import is_seat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventstore.sqlite.pages import Row, Value

_AT_ONCE: Final = 1 << 20
_TRIES: Final = 5
_SIZES: Final = (SIZE, *(1 << power for power in range(9, 17)))
_FIXED: Final = (
    (0, b"SQLite format 3\0"),
    (20, b"\0"),
    (21, b"\x40\x20\x20"),
    (44, b"\0\0\0\4"),
    (56, b"\0\0\0\1"),
    (68, schema.APPLICATION_ID.to_bytes(4, "big")),
)
"""What stands at the same place in the header of each of our databases."""
_EVENT: Final = 7
_CATALOGUE: Final = 16
_KEY: Final = 6


@dataclass
class Found:
    """What was read, by the number of the stream; rows by seq."""

    streams: dict[int, str] = field(default_factory=dict)
    events: dict[int, list[StoredEvent]] = field(default_factory=dict)
    commits: dict[int, list[Commit]] = field(default_factory=dict)
    gone: dict[int, set[int]] = field(default_factory=dict)
    """Seqs that the index lists, and that no row could be read for."""
    abouts: dict[int, Details] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)
    listed: dict[int, int] = field(default_factory=dict)
    """The last seq that the list of games had seen."""
    keys: list[tuple[Value | str, ...]] = field(default_factory=list)
    sessions: list[tuple[Value | str, ...]] = field(default_factory=list)
    said: str | None = None
    """What SQLite says of the file; None where it is sound."""
    unread: dict[str, int] = field(default_factory=dict)
    """How many pages of a table could not be read."""


# --- the copy --------------------------------------------------------------------------------------------


def copy(path: str, copied: Path, *, named: str, wait: float = 10.0) -> None:
    """Copy a database with its write-ahead log as both are at one moment; nothing is written beside it.

    Sectors that the disk cannot read any more become zeros.
    named:   what the copy is called if there is no room for it.
    Errors:  `DatabaseLocked` if others never stop writing; `StorageFault`.
    """
    for _ in range(_TRIES):
        with still(path, wait):
            before = _stats(path)
            for end in ("", "-wal", "-journal"):
                Path(f"{copied}{end}").unlink(missing_ok=True)
                if before[end]:
                    _copy_file(f"{path}{end}", f"{copied}{end}", named)
            if before == _stats(path):
                return
    raise DatabaseLocked(path)


def _stats(path: str) -> dict[str, tuple[int, int, int] | None]:
    found: dict[str, tuple[int, int, int] | None] = {}
    for end in ("", "-wal", "-journal"):
        try:
            stat = os.stat(f"{path}{end}")  # noqa: PTH116 - a Path would be made for each
        except OSError:
            found[end] = None
        else:
            found[end] = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return found


def _copy_file(path: str, copied: str, named: str) -> None:
    with translated(path):
        source = os.open(path, os.O_RDONLY | system.BINARY)
    try:
        with translated(path):
            size = os.fstat(source).st_size
        with translated(named), open(copied, "xb", opener=_private) as target:
            for start in range(0, size, _AT_ONCE):
                with translated(path):
                    data = _piece(source, start, min(_AT_ONCE, size - start))
                target.write(data)
    finally:
        if path.endswith(("-wal", "-journal")):
            os.close(source)
        # Otherwise it stays open: to close any handle of a database drops the locks that SQLite has on it in
        # this process.


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _piece(source: int, start: int, length: int) -> bytes:
    """Read a piece; of one that the disk cannot read, whatever sectors it can."""
    try:
        return system.read_at(source, length, start)
    except OSError as fault:
        if fault.errno != errno.EIO:
            raise
        if length <= SIZE:
            return bytes(length)
        pieces = range(start, start + length, SIZE)
        return b"".join(_piece(source, piece, min(SIZE, start + length - piece)) for piece in pieces)


# --- reading it ------------------------------------------------------------------------------------------


def read(copied: Path, path: str) -> Found:
    """Read everything that can be read of a copy; SQLite may write to it.

    path:    what the database is called.
    Errors:  `NotADatabase`, `NewerSchema`, `DamagedDatabase` where nothing can be read.
    """
    wal = Path(f"{copied}-wal")
    if not _seems_foreign(copied):
        return _read(copied, path)
    # A damaged file may only seem to have the `-wal` of another: whatever keeps more records is right.
    kept = wal.read_bytes()
    wal.unlink()
    alone = _read(copied, path)
    wal.write_bytes(kept)
    try:
        both = _read(copied, path)
    except (NotADatabase, DamagedDatabase):
        return alone
    if _intact_events(both) > _intact_events(alone):
        return both
    alone.said = f"{path}-wal belongs to another database, and was left out"
    return alone


def _seems_foreign(copied: Path) -> bool:
    try:
        foreign_wal.refuse(str(copied), 0)
    except ForeignWal:
        return True
    except TabletapeError:
        return False
    return False


def _intact_events(found: Found) -> int:
    """How many events stand in records whose chain holds."""
    return sum(
        len(rows)
        for number, rows in found.events.items()
        if not verify_chain(rows, found.commits.get(number, []))
    )


def _read(copied: Path, path: str) -> Found:
    ours, header = _header(copied)
    said = _settled(copied) or header
    wal = Path(f"{copied}-wal")
    with copied.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        pages, roots = _pages(mapped, wal.read_bytes() if wal.exists() else b"")
        if not {"events", "games"} <= roots.keys():
            if not ours:
                raise NotADatabase(path, "it has no table of events")
            if said is None:
                raise DamagedDatabase(path, "it has no table of events")
        _refuse_newer(pages, roots, mapped, path)
        return _found(pages, roots, said)


def _header(copied: Path) -> tuple[bool, str | None]:
    """Whether the header says that the file is ours, and a sentence where it is damaged."""
    with copied.open("rb") as file:
        header = file.read(100)
    ours = header[68:72] == schema.APPLICATION_ID.to_bytes(4, "big")
    wrong = any(header[place : place + len(fixed)] != fixed for place, fixed in _FIXED)
    return ours, "The header of the file is damaged" if wrong else None


def _settled(copied: Path) -> str | None:
    """Have SQLite take in the write-ahead log; what it says of the file, None where it is sound."""
    try:
        with closing(sqlite3.connect(copied, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("PRAGMA journal_mode = DELETE").fetchone()
            return damage_by_sqlite(connection)
    except FAULTS as fault:
        return f"SQLite cannot read the file: {' '.join(str(fault).split())}"


def _pages(file: mmap.mmap, wal: bytes) -> tuple[DatabasePages, dict[str, int]]:
    """The pages by the size that the header says, or by the one that makes sense; where tables begin."""
    for size in (0, *_SIZES):
        pages = DatabasePages(file, wal, size=size)  # type: ignore[arg-type]  # it is sliced as bytes are
        roots = _roots(pages.walk(1))
        if "events" not in roots:
            roots |= _roots(pages.adrift())
        if "events" in roots:
            return pages, roots
    return DatabasePages(file, wal), {}  # type: ignore[arg-type]  # as above


def _roots(rows: Iterable[Row]) -> dict[str, int]:
    return {
        _text(columns[1]): columns[3]
        for _, columns in rows
        if len(columns) == 5 and columns[0] in {b"table", b"index"} and isinstance(columns[3], int)  # noqa: PLR2004
    }


def _refuse_newer(pages: DatabasePages, roots: dict[str, int], file: mmap.mmap, path: str) -> None:
    """Refuse what a newer Tabletape made: its header and its list of steps say so; one may be damaged."""
    said = int.from_bytes(file[60:64], "big")
    rows = pages.walk(roots["_sqlite_migrations"]) if "_sqlite_migrations" in roots else ()
    taken = {_text(columns[2]) for _, columns in rows if len(columns) > 2}  # noqa: PLR2004 - set, name
    if said > schema.VERSION and not taken <= {step.__name__ for step in MIGRATIONS}:
        raise NewerSchema(path, said, schema.VERSION)


def _found(pages: DatabasePages, roots: dict[str, int], said: str | None) -> Found:
    found = Found(said=said)
    numbers = _Rows(found)
    old = "commits" in roots
    for name, take in (
        ("games", numbers.game),
        ("sqlite_autoindex_games_1", numbers.indexed_game),
        ("events", numbers.event),
        ("commits", numbers.commit),
        ("sqlite_autoindex_events_1", numbers.indexed_event),
        ("catalogue", numbers.about),
        ("names", numbers.name),
        ("keys", numbers.key),
        ("sessions", numbers.session),
    ):
        if name not in roots:
            continue
        before = len(pages.unread)
        for row in pages.walk(roots[name], index=_is_index(pages, roots[name], name)):
            take(*row)
        if len(pages.unread) > before:
            found.unread[name] = len(pages.unread) - before
    if said is not None or pages.unread:
        for name, root in roots.items():
            for _ in pages.walk(root, index=_is_index(pages, root, name)):
                pass
        for row in pages.adrift():
            numbers.adrift(*row)
    numbers.finish(old=old)
    return found


def _is_index(pages: DatabasePages, root: int, name: str) -> bool:
    """Tell from the page whether it is an index or a table stored as one."""
    if name in {"games", "events", "catalogue", "keys"}:
        return False
    try:
        return pages.page(root)[0] in {2, 10}
    except IndexError:
        return True


class _Rows:
    """Sorts rows into `Found`; the first of two that have one number stands."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._indexed: dict[int, str] = {}
        self._events: dict[int, tuple[Value, ...]] = {}
        self._places: dict[int, tuple[int, int]] = {}
        self._old: dict[tuple[int, int], tuple[Value, ...]] = {}
        self._names: dict[int, dict[str, str]] = {}

    def game(self, number: int, columns: tuple[Value, ...]) -> None:
        name = _text(columns[1]) if len(columns) > 1 else ""
        if number > 0 and (is_stream(name) or number not in self._found.streams):
            self._found.streams.setdefault(number, name)

    def indexed_game(self, _: int, columns: tuple[Value, ...]) -> None:
        match columns:
            case (bytes(), int(number)) if number > 0:
                self._indexed.setdefault(number, _text(columns[0]))

    def event(self, position: int, columns: tuple[Value, ...]) -> None:
        match columns:
            case (_, int(game), int(seq), *rest) if game > 0 and len(rest) + 3 >= _EVENT and seq > 0:
                self._events.setdefault(position, columns)
            case _:
                self._unread("rows")

    def commit(self, _: int, columns: tuple[Value, ...]) -> None:
        match columns:
            case (int(game), int(last), first, command, request, value, *_):
                self._old.setdefault((game, last), (first, command, request, value))

    def indexed_event(self, _: int, columns: tuple[Value, ...]) -> None:
        match columns:
            case (int(game), int(seq), int(position)) if seq > 0:
                self._places.setdefault(position, (game, seq))

    def about(self, number: int, columns: tuple[Value, ...]) -> None:
        if len(columns) < _CATALOGUE:
            self._unread("catalogue")
        if len(columns) < _CATALOGUE or number in self._found.abouts:
            return
        title, played_on, time_zone, place = map(_typed, columns[1:5])
        self._found.abouts[number] = Details(title, played_on, time_zone, place)
        if columns[5] and isinstance(columns[5], int):
            self._found.hidden.add(number)
        if isinstance(columns[13], int):
            self._found.listed[number] = columns[13]

    def name(self, _: int, columns: tuple[Value, ...]) -> None:
        match columns:
            case (int(game), bytes(seat), bytes(name), *_):
                self._names.setdefault(game, {}).setdefault(_text(seat), _text(name))
            case _:
                self._unread("names")

    def _unread(self, table: str) -> None:
        """Count a row that cannot be read."""
        self._found.unread[table] = self._found.unread.get(table, 0) + 1

    def key(self, number: int, columns: tuple[Value, ...]) -> None:
        if len(columns) != _KEY:
            self._unread("keys")
            return
        row = (_as_typed(columns[1]), _as_typed(columns[2]), columns[3], *map(_as_typed, columns[4:]))
        if key_flaw(*row):
            self._unread("keys")
        else:
            self._found.keys.append((number, *row))

    def session(self, _: int, columns: tuple[Value, ...]) -> None:
        match columns:
            case (bytes(name), int(key), bytes(value), bytes(began)) if not session_flaw(
                _text(name), value, _text(began)
            ):
                self._found.sessions.append((_text(name), key, value, _text(began)))
            case _:
                self._unread("sessions")

    def adrift(self, number: int, columns: tuple[Value, ...]) -> None:
        """A row that no table leads to, by what it looks like; no key, for it may have been revoked since."""
        match columns:
            case (None, bytes(name)) if number > 0 and is_stream(_text(name)):
                self._found.streams.setdefault(number, _text(name))
            case (None, int(game), int(seq), bytes(), bytes(), bytes(at), bytes(), *_) if (
                number > 0 and game > 0 and seq > 0 and is_time(_text(at))
            ):
                self._events.setdefault(number, columns)
            case (int(game), bytes(seat), bytes(name), bytes()) if is_seat(_text(seat)):
                self._names.setdefault(game, {}).setdefault(_text(seat), _text(name))
            case (None, None | bytes(), *rest) if number > 0 and len(rest) == _CATALOGUE - 2:
                self.about(number, columns)

    def finish(self, *, old: bool) -> None:
        """Put events and names to their streams."""
        found = self._found
        for number, name in self._indexed.items():
            if not is_stream(found.streams.get(number, "")):
                found.streams[number] = name
        for position, (game, seq) in self._places.items():
            if position not in self._events:
                found.gone.setdefault(game, set()).add(seq)
        there = Counter((int(row[1] or 0), int(row[2] or 0)) for row in self._events.values())
        for position, columns in self._events.items():
            game, seq = _likelier(
                (int(columns[1] or 0), int(columns[2] or 0)), self._places.get(position), there
            )
            self._put(position, (None, game, seq, *columns[3:], None, None, None, None, None), old=old)
        for game, events in found.events.items():
            unique = {event.seq: event for event in reversed(events)}
            found.events[game] = [unique[seq] for seq in sorted(unique)]
            commits = {commit.last_seq: commit for commit in reversed(found.commits.get(game, []))}
            found.commits[game] = [commits[seq] for seq in sorted(commits)]
            found.gone.get(game, set()).difference_update(unique)
        for game, names in self._names.items():
            about = found.abouts.get(game, Details())
            found.abouts[game] = Details(
                about.title, about.played_on, about.time_zone, about.place, dict(sorted(names.items()))
            )

    def _put(self, position: int, columns: tuple[Value, ...], *, old: bool) -> None:
        game, seq = int(columns[1] or 0), int(columns[2] or 0)
        name = self._found.streams.get(game, "")
        event = StoredEvent(position, name, seq, *map(_text, columns[3:7]))
        self._found.events.setdefault(game, []).append(event)
        first, command, request, value = self._old.get((game, seq), (None,) * 4) if old else columns[7:11]
        if command is not None:
            begun = first if isinstance(first, int) else 0
            # A row from before there were checksums is shorter.
            checksum = sealed if not old and isinstance(sealed := columns[11], int) else UNCHECKED
            kept = Commit(name, begun, seq, _text(command), _text(request), _text(value), checksum)
            self._found.commits.setdefault(game, []).append(kept)


def _likelier(
    row: tuple[int, int], index: tuple[int, int] | None, there: Counter[tuple[int, int]]
) -> tuple[int, int]:
    """Game and seq of a row where it and its index differ: the place that fits between other rows."""
    if index is None or index == row:
        return row

    def fits(place: tuple[int, int], others: int) -> int:
        game, seq = place
        return 0 if others else 1 + (there[game, seq - 1] > 0 or seq == 1) + (there[game, seq + 1] > 0)

    return index if fits(index, there[index]) > fits(row, there[row] - 1) else row


def _text(value: Value) -> str:
    """As every reader of the store takes a text: what is no UTF-8 is replaced."""
    if value is None:
        return ""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _typed(value: Value) -> str | None:
    return None if value is None else _text(value)


def _as_typed(value: Value) -> str | int | float | None:
    """As `_typed`, but a number stays one."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
