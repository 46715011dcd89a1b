"""The tables beside the events: details, parents of variations and snapshots, written with a commit."""

# ruff: noqa: S608 - the queries are joined from constants only

from __future__ import annotations

from typing import TYPE_CHECKING

from eventstore.log.names import folded
from eventstore.log.rows import Details
from eventstore.log.tables import PutDetails, PutHidden, PutParent, PutSnapshots
from eventstore.sqlite.tables.snapshots import SqliteSnapshots

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

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
    new = {receipt.game for receipt in receipts if not receipt.repeated}
    for change in changes:
        if change.game in new:
            _write(connection, change)


def _write(connection: sqlite3.Connection, change: TableChange) -> None:
    match change:
        case PutDetails(game=game, details=typed):
            put_details(connection, game, typed)
        case PutParent(game=game, parent=parent):
            connection.execute(_PARENT, (parent, game))
        case PutHidden(game=game):
            connection.execute(HIDE, (1, game))
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
