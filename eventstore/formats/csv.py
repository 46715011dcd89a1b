"""A game's steps as a table for spreadsheets: UTF-8, RFC 4180."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from eventstore.files import csv_text
from eventstore.formats.registry import Format
from eventstore.replay.observation import observations, observed_id
from games.core.ruleset import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from eventstore.store import Store

COLUMNS: Final = ("game", "seq", "step", "at", "by", "kind", "seat", "caption", "payload")


def export_csv(game: Game) -> Iterator[str]:
    """Give the table line by line, line ends included; captions with names.

    Rows:    the effective history; for a viewer other than `everything` under their record's id and numbers.
    Cells:   one that a spreadsheet would take for a formula begins with `'`.
    Errors:  `TextOnly`.
    """
    names = game.names
    if game.viewer == EVERYTHING:
        found = game.positions()
        rows = (_row(game.id, position.seq, position.payload, position, names) for position in found)
    else:
        own = observed_id(game.id, game.viewer)
        rows = (_row(own, seq, payload, position, names) for seq, payload, position in observations(game))
    return csv_text.lines(COLUMNS, rows)


def _write(_store: Store, game: Game) -> Iterator[bytes]:
    return (line.encode() for line in export_csv(game))


FORMAT: Final = Format(
    name="csv",
    suffix="csv",
    media_type="text/csv",
    label="Table",
    says="Give the steps as a table.",
    write=_write,
)


def _row(game: str, seq: int, payload: str, position: Position, names: Any) -> tuple[Any, ...]:
    seat = position.seat() or ""
    said = position.caption(names)
    return (game, seq, position.step, position.at, position.by, position.kind, seat, said, payload)
