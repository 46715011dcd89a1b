"""The scene: a neutral drawable view of a state, from which every picture and every board in text is made.

Lengths are in drawing units, x to the right and y downwards, from the top left corner of the scene.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

PUBLIC: tuple[str, ...] = ("table",)
NOBODY: tuple[str, ...] = ()

Point = tuple[float, float]
Value = int | str | None

_COLOUR: Final = re.compile("#[0-9a-f]{6}")
_NAME: Final = re.compile("[a-z][a-z0-9-]*")


class Tone(msgspec.Struct, frozen=True):
    """A colour on a light page and on a dark one.

    Units:   `#rrggbb`, in small letters.
    Errors:  `ValueError` for what is no such colour.
    """

    light: str
    dark: str

    def __post_init__(self) -> None:
        """Refuse what no style sheet could take."""
        for colour in (self.light, self.dark):
            if _COLOUR.fullmatch(colour) is None:
                raise ValueError(f"{colour!r} is not a colour; use #rrggbb, such as #4a55b8")


class Back(msgspec.Struct, frozen=True):
    """The back of a deck: the colour of its cloth, and the name of the icon on its seal."""

    cloth: Tone
    icon: str = ""


class Look(msgspec.Struct, frozen=True):
    """The tones, backs and icons that a ruleset brings, by name.

    Names:   small letters, digits and hyphens, a letter first.  If two rulesets use one name, the first by id
             has it: begin yours with the name of your game.
    Icons:   SVG markup round its centre, 32 by 32, filled in the tone of the card.  The class `line` draws a
             line, `hole` cuts one out, `hole-line` cuts out a line.
    Errors:  `ValueError` for another name.
    """

    tones: dict[str, Tone] = {}
    backs: dict[str, Back] = {}
    icons: dict[str, str] = {}

    def __post_init__(self) -> None:
        """Refuse names that no style sheet could take, and those of the teams."""
        for name in (*self.tones, *self.backs, *self.icons):
            if _NAME.fullmatch(name) is None:
                raise ValueError(f"{name!r} is not a name; use a-z, 0-9 and hyphens, a letter first")


class Box(msgspec.Struct, frozen=True):
    """A rectangle in drawing units."""

    x: float
    y: float
    w: float
    h: float


class Face(msgspec.Struct, frozen=True):
    """What is printed on a card's front.

    `value` is the big figure in the corner, `mark` the small sign in the other corner, `icon` the name of an
    icon of the ruleset's look, `lines` small print, `values` a row of (icon, figure) pairs, `tone` a name
    from the look or a team's (`0` … `5`).  If the look has no such icon, the value is drawn large.
    """

    title: str
    value: str = ""
    mark: str = ""
    icon: str = ""
    lines: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    tone: str = ""


class Card(msgspec.Struct, frozen=True):
    """A known card in a zone: `key` is its identity (the id in the data)."""

    key: str
    face: Face


class Zone(msgspec.Struct, frozen=True):
    """A place for cards: the known ones in order (top first in a stack) and how many unknown ones.

    `seen_by` holds who may look at the identities there: seats, or `table` for everybody (`PUBLIC`).
    `shown` says whether known cards are drawn with the face up; a stack shows only its top card or back
    and its size.  A zone's value in a table check is its size.  `outline`, a name from the renderer's icon
    set, says what one card belongs here: an empty place shows it in lines, with the label inside.
    `widest`, unless it is 0, keeps the cards of a row to this width, so that few of them do not grow and
    many hardly cover one another.
    """

    key: str
    label: str
    seen_by: tuple[str, ...]
    cards: tuple[Card, ...]
    unknown: int
    place: Box
    owner: str | None = None
    spread: Literal["stack", "row", "fan", "none"] = "stack"
    shown: bool = False
    back: str = ""
    outline: str = ""
    widest: float = 0

    @property
    def size(self) -> int:
        """Count the cards, known and unknown."""
        return len(self.cards) + self.unknown

    def visible_to(self, viewer: str) -> bool:
        """Tell whether this viewer may look at the identities here."""
        return viewer == "everything" or "table" in self.seen_by or viewer in self.seen_by


class Cell(msgspec.Struct, frozen=True):
    """A place on a board; its value in a table check is the mark of the piece on it, or null.

    `start_of` says whose or what part of the board it is; such a cell is tinted more strongly.  A board
    whose cells have a `name` is written as a list of them; `lines` is what is printed on the cell.
    """

    key: str
    label: str
    points: tuple[Point, ...]
    centre: Point
    tone: str = ""
    start_of: str = ""
    lines: tuple[str, ...] = ()
    name: str = ""


class Piece(msgspec.Struct, frozen=True):
    """A thing on a cell; its team colour `tone` (`0` … `5`) never stands alone: `mark` says it too.

    `label` says what it is, and behind the first comma how it stands (`{p1}'s, indebted`).
    """

    key: str
    cell: str
    mark: str
    label: str
    tone: str
    shape: Literal["hexagon", "circle", "square", "house", "token"] = "hexagon"
    crowned: bool = False
    dimmed: bool = False
    dx: float = 0
    dy: float = 0
    size: float = 1


class Counter(msgspec.Struct, frozen=True):
    """A figure beside the board that a table check may name.

    `said` is the figure in words where a board is text, `quiet` leaves it out there while it is 0 or null.
    """

    key: str
    label: str
    value: Value
    owner: str | None = None
    tone: str = ""
    said: str = ""
    quiet: bool = False


class Scene(msgspec.Struct, frozen=True):
    """All that can be drawn of one state.  Keys are public and unique over counters, zones and cells.

    `crowned` and `dimmed` are what the game calls such a piece.
    """

    size: tuple[float, float]
    counters: tuple[Counter, ...] = ()
    zones: tuple[Zone, ...] = ()
    cells: tuple[Cell, ...] = ()
    pieces: tuple[Piece, ...] = ()
    turn: str | None = None
    headline: str = ""
    crowned: str = "crowned"
    dimmed: str = "dimmed"

    def values(self) -> Iterator[tuple[str, Value]]:
        """Give every key that a table check may name, with its present value; `labels` says what it is."""
        for counter in self.counters:
            yield counter.key, counter.value
        for zone in self.zones:
            yield zone.key, zone.size
        on = {piece.cell: piece.mark for piece in self.pieces}
        for cell in self.cells:
            yield cell.key, on.get(cell.key)

    def labels(self) -> Iterator[tuple[str, str]]:
        """Call each of the same keys in words, and say whose it is; seats stand as `{p1}`."""
        owned = [(item.key, item.label, item.owner) for item in self.counters]
        owned += [(item.key, item.label, item.owner) for item in self.zones]
        for key, label, owner in owned:
            said = owner is None or f"{{{owner}}}" in label
            yield key, label if said else f"{{{owner}}}: {label}"
        for cell in self.cells:
            yield cell.key, cell.label
