"""Whether the file of a database is sound and its rows belong together; no record is read here."""

# ruff: noqa: S608 - the queries are joined from constants only

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventstore.errors import DamagedDatabase
from eventstore.log.chain import ChainFault
from eventstore.log.ids import is_game_id, is_key, is_time
from eventstore.log.rows import UNCHECKED
from eventstore.sqlite import schema
from eventstore.sqlite.faults import integrity
from games.words import counted

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from eventstore.errors import TabletapeError
    from eventstore.sqlite.database import OpenDatabase

_TOLD: Final = 20
"""Faults of the file that SQLite looks for before it stops."""
_NOTES: Final = "/notes"
# A row of the catalogue is written with the words for the search, or when the list follows the events: a game
# that a program appended by itself has none before.
_STREAMS: Final = (
    "SELECT coalesce(CAST(id AS TEXT), ''), (SELECT count(*) FROM events WHERE events.game = games.game),"
    " NOT EXISTS (SELECT 1 FROM catalogue WHERE catalogue.game = games.game)"
    " AND (EXISTS (SELECT 1 FROM texts WHERE texts.game = games.game)"
    " OR EXISTS (SELECT 1 FROM names WHERE names.game = games.game)"
    " OR (SELECT min(position) FROM events WHERE events.game = games.game)"
    " <= (SELECT position FROM followed WHERE what = 'standings'))"
    " FROM games ORDER BY game"
)
_EVENTS_OF_NO_GAME: Final = (
    "SELECT game, count(*) FROM events WHERE game NOT IN (SELECT game FROM games) GROUP BY game ORDER BY game"
)
_WORDS_OF_NO_GAME: Final = "SELECT count(*) FROM texts WHERE game NOT IN (SELECT game FROM games)"
# No row is ever deleted, and a position is one more than the greatest: so they are 1, 2, 3 … without gaps.
_POSITIONS: Final = "SELECT count(*), min(position), max(position) FROM events"
_GAP: Final = (
    "SELECT min(position) + 1 FROM (SELECT 0 AS position UNION ALL SELECT position FROM events) AS here"
    " WHERE position >= 0 AND NOT EXISTS (SELECT 1 FROM events WHERE events.position = here.position + 1)"
)
_PARTS: Final = (
    "SELECT coalesce(CAST(id AS TEXT), ''), seq FROM events LEFT JOIN games USING (game)"
    " WHERE command_id IS NULL AND (coalesce(first_seq, request, hash) IS NOT NULL"
    f" OR checksum IS NOT {UNCHECKED}) ORDER BY position"
)
_KEYS: Final = "SELECT key, name, seat, hash, added_at, revoked_at FROM keys ORDER BY key"
_SESSIONS: Final = "SELECT id, hash, began_at FROM sessions ORDER BY id"
_HASH: Final = 32
"""Bytes of what is kept of a key or a session."""


def faults(
    database: OpenDatabase, *, named: str | None = None, caught: type[TabletapeError] = DamagedDatabase
) -> Iterator[ChainFault]:
    """What is wrong with the file as a whole; the game of a fault is empty where it concerns no single one.

    Finds:   pages and indexes that SQLite finds damaged, triggers that are gone, rows that belong to no game,
             games without rows, ids that no game can have, notes without their game, positions that are
             missing, parts of a command in a row that has none, games that the catalogue lacks, keys and
             sessions that nothing here wrote.
    named:   what the file is called in what is said; its path if it is not given.
    caught:  refusals that are told as a fault of the file.
    """
    damaged = False
    try:
        with database.reader() as connection:
            for fault in (*_guards(connection), *_by_sqlite(connection)):
                damaged = damaged or fault.code == DamagedDatabase.code
                yield fault
            for check in (_orphans, _streams, _positions, _parts, _keys):
                yield from check(connection)
    except caught as refusal:
        if not damaged:
            yield ChainFault(
                "", 0, 0, refusal.code, str(refusal).replace(database.path, named or database.path)
            )


def _by_sqlite(connection: sqlite3.Connection) -> Iterator[ChainFault]:
    said = damage_by_sqlite(connection)
    if said:
        yield ChainFault("", 0, 0, DamagedDatabase.code, said)


def damage_by_sqlite(connection: sqlite3.Connection) -> str | None:
    """What SQLite finds wrong with the pages and indexes of a file, as a sentence; None where it is sound."""
    rows = connection.execute(f"PRAGMA integrity_check({_TOLD})")
    return integrity((str(line) for (line,) in rows), _TOLD)


def quick_fault(database: OpenDatabase) -> str | None:
    """The first thing that a quick look finds wrong with the pages, as a sentence; None for a sound file."""
    with database.reader() as connection:
        return integrity((str(line) for (line,) in connection.execute("PRAGMA quick_check(1)")), 1)


def missing_guards(database: OpenDatabase) -> str | None:
    """A sentence where the triggers that keep events as they are have gone."""
    with database.reader() as connection:
        return schema.unguarded(connection)


def _guards(connection: sqlite3.Connection) -> Iterator[ChainFault]:
    unguarded = schema.unguarded(connection)
    if unguarded:
        yield ChainFault("", 0, 0, "unguarded", unguarded)


def _orphans(connection: sqlite3.Connection) -> Iterator[ChainFault]:
    """Rows that refer to a row which is not there."""
    for number, count in connection.execute(_EVENTS_OF_NO_GAME).fetchall():
        belong = counted(count, "event belongs", "events belong")
        yield _orphaned(f"{belong} to no game: there is no game number {number}.")
    counts: dict[tuple[str, str], int] = {}
    for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check").fetchall():
        counts[table, parent] = counts.get((table, parent), 0) + 1
    words = connection.execute(_WORDS_OF_NO_GAME).fetchone()[0]
    if words:
        counts["texts", "games"] = words
    for (table, parent), count in counts.items():
        if table != "events":
            refer = counted(count, f"row of table {table} refers", f"rows of table {table} refer")
            yield _orphaned(f"{refer} to a row of table {parent} that is not there.")


def _orphaned(what: str) -> ChainFault:
    return ChainFault("", 0, 0, "orphaned", what)


def _streams(connection: sqlite3.Connection) -> Iterator[ChainFault]:
    """Ids without events, ids that nothing can have, notes and games that lack the other row they need."""
    rows = connection.execute(_STREAMS).fetchall()
    known = {name for name, _, _ in rows}
    for name, events, unlisted in rows:
        game = name.removesuffix(_NOTES)
        what = f"The stream of notes of game {game!r}" if name != game else f"Game {game!r}"
        if not is_game_id(game):
            said = f"{name!r} is not an id that a game can have; its events: {events}."
            yield ChainFault("", 0, 0, "missing", said)
        elif not events:
            yield ChainFault("", 0, 0, "missing", f"{what} has no events.")
        elif game not in known:
            yield _orphaned(f"There are notes of game {game!r}, and there is no such game.")
        elif name == game and unlisted:
            yield ChainFault(game, 0, 0, "catalogue-missing", "The catalogue has no row for this game.")


def _positions(connection: sqlite3.Connection) -> Iterator[ChainFault]:
    count, least, most = connection.execute(_POSITIONS).fetchone()
    if count and (least, most) != (1, count):
        gap = connection.execute(_GAP).fetchone()[0]
        what = f"The positions of {counted(count, 'event')} are 1 to {count:,}; here they are"
        what += f" {least:,} to {most:,}"
        yield ChainFault("", 0, 0, "position-missing", f"{what}, and position {gap} is missing.")


def _parts(connection: sqlite3.Connection) -> Iterator[ChainFault]:
    for game, seq in connection.execute(_PARTS).fetchall():
        what = f"Event {seq} holds part of a command, without the command's id."
        yield ChainFault(game, seq, seq, "command-incomplete", what)


def _keys(connection: sqlite3.Connection) -> Iterator[ChainFault]:
    for number, *row in connection.execute(_KEYS).fetchall():
        wrong = key_flaw(*row)
        if wrong:
            what = f"{wrong} of key number {number} cannot be read. Make a new key with `tabletape key add`."
            yield ChainFault("", 0, 0, "key-damaged", what)
    flaws = [session_flaw(*row) for row in connection.execute(_SESSIONS).fetchall()]
    count = sum(map(bool, flaws))
    if count:
        session = counted(count, "session")
        yield ChainFault("", 0, 0, "session-damaged", f"{session} cannot be read. Sign in again.")


def key_flaw(name: object, seat: object, value: object, added_at: object, revoked_at: object) -> str:
    """Name the part of a key that nothing here wrote; empty where there is none.

    >>> key_flaw("phone", None, bytes(32), "x", None)
    'The time'
    """
    if not (isinstance(name, str) and is_key(name)):
        return "The name"
    if not (seat is None or isinstance(seat, str)):
        return "The seat"
    if not (isinstance(value, bytes) and len(value) == _HASH):
        return "The hash"
    if not _is_moment(added_at):
        return "The time"
    return "" if revoked_at is None or _is_moment(revoked_at) else "The time of revocation"


def session_flaw(name: object, value: object, began_at: object) -> str:
    """As `key_flaw`, of a session."""
    if not (isinstance(name, str) and name):
        return "The id"
    if not (isinstance(value, bytes) and len(value) == _HASH):
        return "The hash"
    return "" if _is_moment(began_at) else "The time"


def _is_moment(value: object) -> bool:
    return isinstance(value, str) and is_time(value)
