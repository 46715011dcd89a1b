"""What is known of a game beside its events: title, names, date and place, which can be corrected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eventstore.library import details
from eventstore.library.names import folded

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from eventstore.log.snapshots import Store

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
_TEXTS = ("title", "played_on", "time_zone", "place")
_OF_GAME = "game = (SELECT game FROM games WHERE id = ?)"
# Damage can make a text a blob.
_ABOUT = f"SELECT {', '.join(map('CAST({} AS TEXT)'.format, _TEXTS))} FROM catalogue WHERE {_OF_GAME}"  # noqa: S608
_NAMES = f"SELECT CAST(seat AS TEXT), CAST(name AS TEXT) FROM names WHERE {_OF_GAME}"  # noqa: S608


@dataclass(frozen=True)
class About:
    """Titles and names as typed; `names` by seat, without those that have none."""

    title: str | None = None
    played_on: str | None = None
    time_zone: str | None = None
    place: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)


def checked(about: About) -> About:
    """The same, stripped.

    Errors:  `BadDetail` for what cannot be kept.
    """
    names = {seat: details.line("name", name, details.NAME) for seat, name in about.names.items()}
    return About(
        title=details.line("title", about.title, details.TITLE),
        played_on=details.day("date", about.played_on),
        time_zone=details.zone("time zone", about.time_zone),
        place=details.line("place", about.place, details.TITLE),
        names={seat: name for seat, name in names.items() if name},
    )


def read(connection: sqlite3.Connection, game: str) -> About:
    """What is kept of a game; nothing for an unknown one."""
    title, played_on, time_zone, place = connection.execute(_ABOUT, (game,)).fetchone() or (None,) * 4
    return About(title, played_on, time_zone, place, dict(connection.execute(_NAMES, (game,)).fetchall()))


def write(connection: sqlite3.Connection, game: str, about: About) -> None:
    """Keep it for a game that is there, in the place of what was kept."""
    connection.execute(_BEGIN, (about.title, about.played_on, about.time_zone, about.place, game))
    connection.execute(f"DELETE FROM names WHERE {_OF_GAME}", (game,))  # noqa: S608
    connection.executemany(_NAME, [(seat, name, folded(name), game) for seat, name in about.names.items()])
    typed = "\n".join(text for text in (about.title, about.place, *about.names.values()) if text)
    connection.execute(_TYPED, (typed, game))


def names(store: Store, game: str) -> dict[str, str]:
    """Seat → name, of the seats that have one."""
    with store.reader() as connection:
        return dict(connection.execute(_NAMES, (game,)).fetchall())
