"""Where in a picture everything of a scene lies: pieces, cards side by side, stacks and their counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from games.core.scene import Box, Card, Cell, Piece, Scene, Zone
from games.scene.card_art import back, face, stack
from games.scene.piece_art import TALLY, chip
from games.text.naming import card_name
from games.text.wording import put_names
from games.words import counted

CARD: Final = (63.0, 88.0)
"""Width and height of a card's symbol, which lies round its centre."""
CHIP: Final = 20.0
"""Inner radius of a piece's symbol."""
FAN: Final = 5.0
"""Degrees between two cards of a fan."""
FAN_MOST: Final = 24.0
"""Degrees between the outer cards of a fan."""
FREE: Final = 0.48
"""The part of a covered card's width that stays in sight."""
FREE_APART: Final = 0.9
"""The same where cards are kept to a width."""

Names = Mapping[str, str]


class Spot(NamedTuple):
    """A place in the picture: middle, degrees turned, size against the symbol's."""

    x: float
    y: float
    turn: float = 0
    scale: float = 1


class Thing(msgspec.Struct, frozen=True):
    """A piece, a card or a count, with its place, before it is known whether it moved."""

    key: str
    where: str
    spot: Spot
    symbol: str
    label: str
    sort: str
    text: str = ""
    drawn: bool = True


def things(scene: Scene, names: Names) -> Iterator[Thing]:
    """Give every piece, card and count of a scene."""
    cells = {cell.key: cell for cell in scene.cells}
    for piece in sorted(scene.pieces, key=lambda item: item.key):
        if piece.cell in cells:
            yield _piece(piece, cells[piece.cell], names)
    for zone in scene.zones:
        yield from _zone(zone, names)


def _piece(piece: Piece, cell: Cell, names: Names) -> Thing:
    radius = room(cell) * 0.9 * piece.size
    x, y = cell.centre
    return Thing(
        key=f"piece:{piece.key}",
        where=cell.key,
        spot=Spot(x + piece.dx * radius, y + piece.dy * radius, scale=radius / CHIP),
        symbol=chip(piece.shape, piece.tone, piece.mark, crowned=piece.crowned, dimmed=piece.dimmed),
        label=put_names(piece.label, names),
        sort="piece",
    )


@lru_cache(maxsize=512)
def room(cell: Cell) -> float:
    """Give the distance from a cell's centre to its nearest edge."""
    cx, cy = cell.centre
    edges = zip(cell.points, (*cell.points[1:], *cell.points[:1]), strict=True)
    return min(
        abs((x2 - x1) * (y1 - cy) - (x1 - cx) * (y2 - y1)) / (((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1)
        for (x1, y1), (x2, y2) in edges
    )


def _zone(zone: Zone, names: Names) -> Iterator[Thing]:
    label = called(zone, names)
    return _spread(zone, label) if zone.spread in {"row", "fan"} else _stack(zone, label)


def called(zone: Zone, names: Names) -> str:
    """Call a place by its owner too, where the label does not."""
    label = put_names(zone.label, names)
    return (
        label
        if zone.owner is None or zone.label != label
        else f"{names.get(zone.owner, zone.owner)}: {label}"
    )


def _stack(zone: Zone, label: str) -> Iterator[Thing]:
    """Lay a stack: its pile, its top card where that is shown, how many; what lies inside is only placed."""
    spot = middle(zone.place)
    seen = zone.spread == "stack"
    top = zone.cards[0] if zone.shown and zone.cards else None
    if zone.size and seen:
        said = f"{label}: {cards(zone.size)}"
        yield Thing(f"pile:{zone.key}", zone.key, spot, stack(zone.back, zone.size), said, "pile")
    for card in reversed(zone.cards):
        yield _card(card, zone, spot, label, drawn=seen and card is top)
    if seen and zone.size > (top is not None):
        corner = Spot(spot.x + CARD[0] * spot.scale / 2 - 10, spot.y - CARD[1] * spot.scale / 2 + 8)
        yield Thing(f"tally:{zone.key}", zone.key, corner, TALLY, "", "tally", text=str(zone.size))


def _spread(zone: Zone, label: str) -> Iterator[Thing]:
    spots = list(places(zone.place, zone.size, fan=zone.spread == "fan", widest=zone.widest))
    for card, spot in zip(zone.cards, spots, strict=False):
        yield _card(card, zone, spot, label, drawn=True)
    for number, spot in enumerate(spots[len(zone.cards) :]):
        said = f"{label}: a card face down"
        yield Thing(f"back:{zone.key}:{number}", zone.key, spot, back(zone.back), said, "card")


def _card(card: Card, zone: Zone, spot: Spot, label: str, *, drawn: bool) -> Thing:
    said = f"{label}: {card_name(card)}{'' if zone.shown else ', face down'}"
    symbol = face(card.face) if zone.shown else back(zone.back)
    return Thing(f"card:{card.key}", zone.key, spot, symbol, said, "card", drawn=drawn)


def middle(place: Box) -> Spot:
    """Give the spot of a card that fills a place."""
    scale = min(place.w / CARD[0], place.h / CARD[1])
    return Spot(place.x + place.w / 2, place.y + place.h / 2, scale=scale)


def places(place: Box, count: int, *, fan: bool, widest: float = 0) -> Iterator[Spot]:
    """Give the spots of so many cards side by side: overlapping, smaller and in rows where room is short.

    Of a covered card enough stays free to read its figure.
    """
    fits = {rows: _width(place, -(-count // rows), rows, widest) for rows in (1, 2, 3)}
    rows = max(fits, key=lambda number: (fits[number], -number))
    width, scale = fits[rows], fits[rows] / CARD[0]
    lines = [
        range(start, min(start + -(-count // rows), count))
        for start in range(0, count, -(-count // rows) or 1)
    ]
    spread = min(FAN, FAN_MOST / max(count - 1, 1)) if fan and rows == 1 else 0
    for row, line in enumerate(lines):
        step = min(width * 1.08, (place.w - width) / (len(line) - 1)) if len(line) > 1 else 0
        middle = place.y + place.h * (row + 0.5) / len(lines)
        for number in range(len(line)):
            off = number - (len(line) - 1) / 2
            dip = off**2 * spread * scale / 6
            yield Spot(place.x + place.w / 2 + off * step, middle + dip, off * spread, scale)


def _width(place: Box, across: int, rows: int, widest: float = 0) -> float:
    """Give the widest card of which so many fit across, in so many rows."""
    high = (place.h - 4 * (rows - 1)) / rows * CARD[0] / CARD[1]
    free = FREE_APART if widest else FREE
    return max(min(high, place.w / (1 + free * max(across - 1, 0)), widest or high), 1)


def cards(count: int) -> str:
    """Say a number of cards.

    >>> cards(1), cards(26)
    ('1 card', '26 cards')
    """
    return counted(count, "card")
