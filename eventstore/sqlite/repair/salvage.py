"""What can still be read of a database, however damaged; the file itself is only ever read."""

from __future__ import annotations

import errno
import mmap
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eventstore.errors import (
    DamagedDatabase,
    DatabaseLocked,
    ForeignWal,
    NewerSchema,
    NotADatabase,
    TabletapeError,
)
from eventstore.files import system
from eventstore.log.chain import verify_chain
from eventstore.sqlite import foreign_wal, schema
from eventstore.sqlite.database_check import damage_by_sqlite
from eventstore.sqlite.faults import FAULTS, translated
from eventstore.sqlite.repair.pages import SIZE, DatabasePages
from eventstore.sqlite.repair.rows import RowSorter, SalvagedRows, text_of
from eventstore.sqlite.schema.migrations import MIGRATIONS
from eventstore.sqlite.still_copy import ENDS, copy_still

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventstore.sqlite.repair.pages import Row
    from eventstore.sqlite.still_copy import FileStates

_AT_ONCE: Final = 1 << 20
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


# --- the copy --------------------------------------------------------------------------------------------


def copy(path: str, copied: Path, *, named: str, wait: float = 10.0) -> None:
    """Copy a database with its write-ahead log as both are at one moment; nothing is written beside it.

    Sectors that the disk cannot read any more become zeros.
    named:   what the copy is called if there is no room for it.
    Errors:  `DatabaseLocked` if others never stop writing; `StorageFault`.
    """

    def fill(found: FileStates) -> None:
        for end in ENDS:
            Path(f"{copied}{end}").unlink(missing_ok=True)
            if end in found:
                _copy_file(f"{path}{end}", f"{copied}{end}", named)

    if copy_still(path, wait, fill) is None:
        raise DatabaseLocked(path)


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


def read(copied: Path, path: str) -> SalvagedRows:
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


def _intact_events(found: SalvagedRows) -> int:
    """How many events stand in records whose chain holds."""
    return sum(
        len(rows)
        for number, rows in found.events.items()
        if not verify_chain(rows, found.commits.get(number, []))
    )


def _read(copied: Path, path: str) -> SalvagedRows:
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
    found = {}
    for _, columns in rows:
        match columns:
            case (b"table" | b"index", name, _, int(root), _):
                found[text_of(name)] = root
    return found


def _refuse_newer(pages: DatabasePages, roots: dict[str, int], file: mmap.mmap, path: str) -> None:
    """Refuse what a newer Tabletape made: its header and its list of steps say so; one may be damaged."""
    said = int.from_bytes(file[60:64], "big")
    rows = pages.walk(roots["_sqlite_migrations"]) if "_sqlite_migrations" in roots else ()
    taken = set()
    for _, columns in rows:
        match columns:
            case (_, _, name, *_):
                taken.add(text_of(name))
    if said > schema.VERSION and not taken <= {step.__name__ for step in MIGRATIONS}:
        raise NewerSchema(path, said, schema.VERSION)


def _found(pages: DatabasePages, roots: dict[str, int], said: str | None) -> SalvagedRows:
    found = SalvagedRows(said=said)
    rows = RowSorter(found)
    old = "commits" in roots
    for name, take in (
        ("games", rows.game),
        ("sqlite_autoindex_games_1", rows.indexed_game),
        ("events", rows.event),
        ("commits", rows.commit),
        ("sqlite_autoindex_events_1", rows.indexed_event),
        ("catalogue", rows.about),
        ("names", rows.name),
        ("keys", rows.key),
        ("sessions", rows.session),
    ):
        if name not in roots:
            continue
        before = len(pages.unread)
        for number, columns in pages.walk(roots[name], index=_is_index(pages, roots[name], name)):
            take(number, columns)
        if len(pages.unread) > before:
            found.unread[name] = len(pages.unread) - before
    if said is not None or pages.unread:
        for name, root in roots.items():
            for _ in pages.walk(root, index=_is_index(pages, root, name)):
                pass
        for number, columns in pages.adrift():
            rows.adrift(number, columns)
    rows.finish(old=old)
    return found


def _is_index(pages: DatabasePages, root: int, name: str) -> bool:
    """Tell from the page whether it is an index or a table stored as one."""
    if name in {"games", "events", "catalogue", "keys"}:
        return False
    try:
        return pages.page(root)[0] in {2, 10}
    except IndexError:
        return True
