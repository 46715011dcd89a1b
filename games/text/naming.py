"""What the values in an event are called where it is offered: seats, cards, cells, dice and plain words."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from games.core import serialization
from games.core.choices import fill
from games.core.ruleset import Amount, OneOf, SomeOf
from games.core.serialization import Path, leaves
from games.text.wording import caption, label, put_names

if TYPE_CHECKING:
    from games.core.events import Event
    from games.core.ruleset import Ask, Choice, Ruleset
    from games.core.scene import Card, Cell, Face, Scene

UNSEEN: Final = "unseen"
NAME_ENDS: Final = " · "
"""Between the name of a card and its figure."""
_DIE: Final = range(1, 7)
_ONE: Final = {"dice": "die"}
"""What one of several is called where their name is no plural in s."""


class ValueName(msgspec.Struct, frozen=True):
    """A value as a person reads it; `face` of a card, `die` of a die, `unseen` of a card that nobody saw."""

    text: str
    face: Face | None = None
    die: int = 0
    unseen: bool = False


class ObservedPosition(Protocol):
    """A step of a game as somebody sees it."""

    @property
    def ruleset(self) -> Ruleset[Any] | None: ...  # noqa: D102 - the rules that it is played by
    @property
    def state(self) -> Any: ...  # noqa: D102 - as in a ruleset
    def scene(self) -> Scene | None: ...  # noqa: D102 - None: it can only be shown as text


class Naming:
    """Names what stands in the events of one step; it knows scenes and fronts, and no game."""

    def __init__(self, position: ObservedPosition, names: Mapping[str, str]) -> None:
        self._position = position
        self._names = names
        self._faces: dict[str, Face | None] = {}
        self._on_cells: dict[Path, bool] = {}

    def sentence(self, event: Event) -> str:
        """Say what an event would do."""
        rules = self._position.ruleset
        return (
            put_names(caption(rules, self._position.state, event), self._names) if rules is not None else ""
        )

    def command(self, event: Event) -> str:
        """Say an event as the button for it does."""
        rules = self._position.ruleset
        return put_names(label(rules, self._position.state, event), self._names) if rules is not None else ""

    def face(self, value: Any) -> Face | None:
        """Give the front of a card; None for what is no card."""
        rules = self._position.ruleset
        if not isinstance(value, str) or rules is None or value in self._names:
            return None
        if value not in self._faces:
            self._faces[value] = rules.face(self._position.state, value)
        return self._faces[value]

    def called(self, path: Path, value: Any) -> ValueName:
        """Name the value at a path of an event."""
        face = self.face(value)
        if face is not None:
            return ValueName(face_name(face), face=face)
        if value is None:
            return ValueName(UNSEEN, unseen=True)
        if value in _DIE and type(value) is int and "dice" in path:
            return ValueName(str(value), die=value)
        return ValueName(self._text(path, value))

    def like(self, value: Any) -> bytes:
        """Give what is equal for values that nobody can tell apart: cards with the same front."""
        face = self.face(value)
        if face is not None:
            return b"=" + msgspec.json.encode(face)
        match value:
            case dict():
                return b"{" + b",".join(key.encode() + self.like(item) for key, item in sorted(value.items()))
            case list():
                return b"[" + b",".join(map(self.like, value))
            case _:
                return msgspec.json.encode(value)

    def _text(self, path: Path, value: Any) -> str:
        match value:
            case bool():
                return "yes" if value else "no"
            case dict():
                return self._parts(path, value)
            case list() | tuple():
                return ", ".join(self.called((*path, 0), item).text for item in value) or "none"
            case _ if value in self._names:
                return self._names[value]
        cell = self._cell(path, value)
        return cell if cell is not None else spoken(str(value))

    def _parts(self, path: Path, value: dict[str, Any]) -> str:
        said = {key: self.called((*path, key), item).text for key, item in value.items()}
        whose = next(
            (key for key, item in value.items() if isinstance(item, str) and item in self._names), None
        )
        rest = ", ".join(f"{spoken(key)} {text}" for key, text in said.items() if key != whose)
        return f"{said[whose]}: {rest}" if whose is not None else rest

    # --- forms -----------------------------------------------------------------------------------

    def label(self, path: Path) -> str:
        """Name a field of an event: whose it is, its place in a list, or its words."""
        last = path[-1]
        if isinstance(last, int):
            return f"{_ONE.get(str(path[-2]), spoken(str(path[-2])))} {last + 1}"
        if last in self._names:
            return self._names[last]
        behind = max((place + 1 for place, step in enumerate(path) if isinstance(step, int)), default=0)
        return spoken(" ".join(map(str, path[behind:])))

    def part(self, name: str) -> str:
        """Name a part of a state: a seat, a card, the cell of a number, or its word."""
        face, cell = self.face(name), self._cells.get(name)
        if face is not None:
            return face_name(face)
        return self._names.get(name) or (cell_name(cell) if cell and name.isdecimal() else spoken(name))

    def form(self, choice: Choice) -> str:
        """Say what is to be done with a form: its sentence, else what is settled of it."""
        if choice.says:
            return put_names(choice.says, self._names)
        said = [
            self.called(path, value).text
            for path, value in leaves(choice.fixed)
            if value is not None and path[0] != "kind"
        ]
        return " · ".join(said)

    # --- the board -------------------------------------------------------------------------------

    @cached_property
    def _cells(self) -> dict[str, Cell]:
        scene = self._position.scene()
        found: dict[str, Cell] = {}
        for cell in scene.cells if scene is not None else ():
            for name in (cell.key, cell.key.rpartition(".")[2], cell.label):
                found.setdefault(name, cell)
        return found

    @cached_property
    def _lying(self) -> frozenset[str]:
        scene = self._position.scene()
        zones = scene.zones if scene is not None else ()
        return frozenset(card.key for zone in zones for card in zone.cards)

    def _cell(self, path: Path, value: Any) -> str | None:
        cell = self._cells.get(str(value))
        if cell is None or (isinstance(value, int) and not self._on_cells.get(_shape(path), False)):
            return None
        return cell_name(cell)

    def learn(self, event: Event, payload: Mapping[str, Any]) -> None:
        """Find out which numbers of an event mean cells: those whose cell its sentence names."""
        said: str | None = None
        for path, value in leaves(payload):
            cell = self._cells.get(str(value)) if type(value) is int else None
            if cell is None or self._on_cells.get(_shape(path)):
                continue
            said = self.sentence(event) if said is None else said
            name = cell_name(cell)
            self._on_cells[_shape(path)] = not name.isdecimal() and name in said

    def learn_form(self, choice: Choice) -> None:
        """Find out the same of a form, from the sentence of it filled in with the first of its answers."""
        rules = self._position.ruleset
        payload = fill(choice, {ask.field: _some_answer(ask) for ask in choice.asks})
        if rules is not None:
            with suppress(Exception):  # what the rules would refuse may not have a sentence
                self.learn(serialization.event_from(rules, payload), payload)

    def places(self, payload: Mapping[str, Any]) -> tuple[str, ...]:
        """Name the cells and cards of the picture that an event names, in its order."""
        return tuple(
            dict.fromkeys(place for path, value in leaves(payload) if (place := self.place(path, value)))
        )

    def place(self, path: Path, value: Any) -> str:
        """Name where the picture shows a value; empty where it does not."""
        if isinstance(value, str) and value in self._lying:
            return f"card:{value}"
        cell = self._cells.get(str(value)) if isinstance(value, (str, int)) else None
        if cell is None or path == ("kind",) or value in self._names:
            return ""
        if isinstance(value, int) and not self._on_cells.get(_shape(path), False):
            return ""
        return cell.key


def _some_answer(ask: Ask) -> Any:
    match ask:
        case Amount():
            return ask.least
        case OneOf():
            return next((value for value in ask.values if value is not None), None)
        case SomeOf():
            return list(ask.values[: max(1, ask.least)])


def spoken(word: str) -> str:
    """Write a word of the record as people say it.

    >>> spoken("top_card_taken")
    'top card taken'
    """
    return word.replace("_", " ")


def card_name(card: Card) -> str:
    """Name a card as printed: its title, and its figure where the title does not say it."""
    return face_name(card.face)


def face_name(face: Face) -> str:
    """Name what is printed; the number behind `no.` tells cards apart and is never the figure.

    >>> from games.core.scene import Face
    >>> face_name(Face("Amen no. 5", value="5")), face_name(Face("Trade 2", value="2"))
    ('Amen no. 5 · 5', 'Trade 2')
    """
    words = face.title.partition(" no. ")[0].split()
    said = face.title.startswith(face.value) or face.value in words
    return face.title if said else f"{face.title}{NAME_ENDS}{face.value}"


def cell_name(cell: Cell) -> str:
    """Call a cell by its label, or by what is written on it where the label is a number.

    >>> from games.core.scene import Cell
    >>> cell_name(Cell("cell.19", "19", (), (0, 0), lines=("Mud People", "Village", "160")))
    'Mud People Village'
    """
    if not cell.label.isdecimal():
        return cell.label
    return " ".join(line for line in cell.lines if not line.lstrip("−+").isdecimal()) or cell.label


def _shape(path: Path) -> Path:
    return tuple(0 if isinstance(step, int) else step for step in path)
