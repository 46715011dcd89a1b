"""A game's steps as a table for spreadsheets: UTF-8, RFC 4180."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, Final

from eventstore.formats.registry import Format
from eventstore.replay.observation import observations, observed_id
from games.core.ruleset import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from eventstore.store import Store

COLUMNS: Final = ("game", "seq", "step", "at", "by", "kind", "seat", "caption", "payload")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a cell begins with that a spreadsheet would run; the last four are the wide forms of the first."""


class _Line:
    """What `csv.writer` writes a row into: it hands the row back."""

    @staticmethod
    def write(text: str) -> str:
        return text


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
    return lines(COLUMNS, rows)


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


def lines(columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Give a table line by line, its header first; nothing in it is a formula."""
    writer: Any = csv.writer(_Line(), lineterminator="\r\n")
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([_harmless(cell) for cell in row])


def _row(game: str, seq: int, payload: str, position: Position, names: Any) -> tuple[Any, ...]:
    seat = position.seat() or ""
    said = position.caption(names)
    return (game, seq, position.step, position.at, position.by, position.kind, seat, said, payload)


def _harmless(cell: Any) -> Any:
    """Leave no cell that is run when the table is opened.

    >>> _harmless("=1+1")
    "'=1+1"
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
