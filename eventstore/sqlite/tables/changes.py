"""The tables beside the events: details, parents of variations and snapshots, written with a commit."""

# ruff: noqa: S608 - the queries are joined from constants only

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eventstore.log.names import folded
from eventstore.log.rows import Details
from eventstore.log.tables import PutDetails, PutHidden, PutParent, PutSnapshots, PutStanding
from eventstore.sqlite.tables.snapshots import SqliteSnapshots

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from eventstore.log.list_table import Followed, StandingRow
    from eventstore.log.rows import Receipt
    from eventstore.log.tables import TableChange

_OF_GAME = "game = (SELECT game FROM games WHERE id = ?)"
_BEGIN = (
    "INSERT INTO catalogue(game, title, played_on, time_zone, place)"
    " SELECT game, ?, ?, ?, ? FROM games WHERE id = ?"
    " ON CONFLICT DO UPDATE SET title = excluded.title, played_on = excluded.played_on,"
    " time_zone = excluded.time_zone, place = excluded.place"
)
_NAME = "INSERT INTO names(game, seat, name, folded) SELECT game, ?, ?, ? FROM games WHERE id = ?"
_TYPED = (
    "INSERT INTO texts(game, typed, notes, captions) SELECT game, ?, '', '' FROM games WHERE id = ?"
    " ON CONFLICT(game) DO UPDATE SET typed = excluded.typed"
)
# Damage can make a text a blob.
_DETAILS = (
    f"SELECT {', '.join(map('CAST({} AS TEXT)'.format, ('title', 'played_on', 'time_zone', 'place')))}"
    f" FROM catalogue WHERE {_OF_GAME}"
)
_NAMES = f"SELECT CAST(seat AS TEXT), CAST(name AS TEXT) FROM names WHERE {_OF_GAME}"
_PARENT = f"UPDATE catalogue SET parent = ? WHERE {_OF_GAME}"

_STANDING = (
    "INSERT INTO catalogue(game, ruleset, version, origin, parent, seats, steps, seq, status, result,"
    " created_at)"
    " SELECT game, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
    " (SELECT CAST(recorded_at AS TEXT) FROM events WHERE events.game = games.game AND seq = 1)"
    " FROM games WHERE id = ?"
    " ON CONFLICT DO UPDATE SET ruleset = excluded.ruleset, version = excluded.version,"
    " origin = excluded.origin, parent = excluded.parent, seats = excluded.seats, steps = excluded.steps,"
    " seq = excluded.seq, status = excluded.status, result = excluded.result,"
    " created_at = excluded.created_at"
    # Another process may have seen more of the game meanwhile.
    " WHERE seq IS NULL OR excluded.seq >= seq"
)
_FOLLOWED = (
    "INSERT INTO followed(what, position) VALUES (?, ?)"
    " ON CONFLICT DO UPDATE SET position = max(position, excluded.position)"
)
_CATCH_UP = (
    "INSERT INTO followed(what, position) SELECT what, (SELECT max(position) FROM events) FROM"
    " (SELECT 'standings' AS what UNION ALL SELECT 'texts') AS new WHERE"
    " coalesce((SELECT position FROM followed WHERE followed.what = new.what), 0)"
    " = (SELECT max(position) FROM events) - ?"
    " ON CONFLICT DO UPDATE SET position = excluded.position"
)

HIDE = (
    "INSERT INTO catalogue(game, hidden) SELECT game, ? FROM games WHERE id = ?"
    " ON CONFLICT DO UPDATE SET hidden = excluded.hidden"
)
OF_PARENT = "parent > ? AND parent < ?"
"""The variations of a game in the catalogue, see `parents_of`."""


def parents_of(game: str) -> tuple[str, str]:
    """Between what the catalogue keeps of the parents of this game's variations: found by an index.

    >>> parents_of("k7m2")
    ('{"game":"k7m2",', '{"game":"k7m2"-')
    """
    return f'{{"game":"{game}",', f'{{"game":"{game}"-'


def write(
    connection: sqlite3.Connection, changes: Sequence[TableChange], receipts: Sequence[Receipt]
) -> None:
    """Write what belongs to the commands that added something."""
    new = [receipt for receipt in receipts if not receipt.repeated]
    games = {receipt.game for receipt in new}
    for change in changes:
        if change.game in games:
            _write(connection, change)
    if new and games <= {change.game for change in changes if isinstance(change, PutStanding)}:
        # Where nothing else is to be followed up, these need not be folded.
        count = sum(receipt.last_seq - receipt.first_seq + 1 for receipt in new)
        connection.execute(_CATCH_UP, (count,))


def _write(connection: sqlite3.Connection, change: TableChange) -> None:
    match change:
        case PutDetails(game=game, details=typed):
            put_details(connection, game, typed)
        case PutParent(game=game, parent=parent):
            connection.execute(_PARENT, (parent, game))
        case PutHidden(game=game):
            connection.execute(HIDE, (1, game))
        case PutStanding(standing=standing):
            put_standings(connection, [standing])
        case PutSnapshots(game=game, viewer=viewer, kept=kept):
            SqliteSnapshots.add(connection, game, viewer, kept)


def details(connection: sqlite3.Connection, game: str) -> Details:
    """What is kept of a game; nothing for an unknown one."""
    title, played_on, time_zone, place = connection.execute(_DETAILS, (game,)).fetchone() or (None,) * 4
    return Details(title, played_on, time_zone, place, dict(connection.execute(_NAMES, (game,)).fetchall()))


def put_details(connection: sqlite3.Connection, game: str, typed: Details) -> None:
    """Keep them for a game that is there, in the place of what was kept."""
    connection.execute(_BEGIN, (typed.title, typed.played_on, typed.time_zone, typed.place, game))
    connection.execute(f"DELETE FROM names WHERE {_OF_GAME}", (game,))
    connection.executemany(_NAME, [(seat, name, folded(name), game) for seat, name in typed.names.items()])
    texts = (typed.title, typed.place, *typed.names.values())
    connection.execute(_TYPED, ("\n".join(text for text in texts if text), game))


def put_standings(connection: sqlite3.Connection, rows: Iterable[StandingRow]) -> None:
    """Keep what follows from the events of games; a standing of an earlier head is left out."""
    connection.executemany(_STANDING, [(*msgspec.structs.astuple(row)[1:], row.game) for row in rows])


def follow(connection: sqlite3.Connection, what: Followed, position: int) -> None:
    """Say that everything up to this position is followed up."""
    connection.execute(_FOLLOWED, (what, position))
