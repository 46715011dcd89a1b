"""The table: hands of cards and the Battlefield between them, for two face to face, for more all round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from games.core.scene import NOBODY, PUBLIC, Box, Card, Counter, Face, Scene
from games.core.scene import Zone as SceneZone
from games.kit.cards import CardZone
from games.rulesets.monsters_of_war.scoring import REASONS, outcome
from games.rulesets.monsters_of_war.state import State, total
from games.rulesets.monsters_of_war.zones import zone_at

_TITLES: Final = {
    "deck": "Battle Deck",
    "spoils": "Spoils",
    "laid": "face down",
    "field": "Battlefield",
    "gambit_deck": "Gambits",
    "gambit": "gambit",
    "gambit_discard": "discards",
}
_HEADLINES: Final = {
    "dealing": "The decks are dealt",
    "battle.flip": "Battle",
    "war.lay": "War: lay {lay} cards each",
    "war.rebuild": "War: a new Gambit Deck",
    "war.gambit": "War: gambits",
    "war.shuffle": "War: shuffle",
    "war.attack": "War: attack",
    "war.ruling": "War: what does the gambit do?",
    "day.shuffle": "The Day is over",
}
_PAIR: Final = 2


class Place(NamedTuple):
    """Where a seat's cards lie: left edge, top of its row of piles, top of its row on the Battlefield."""

    x: float
    piles: float
    front: float


def scene(state: State) -> Scene:
    """Draw the table as everybody sees it: face-up cards in the order turned, everything else as backs."""
    return Scene(
        size=_size(len(state.setup.seats)),
        counters=tuple(_counters(state)),
        zones=tuple(_zone(state, sort, seat, box) for sort, seat, box in _boxes(state)),
        headline=_headline(state),
    )


def _headline(state: State) -> str:
    ended = outcome(state)
    if ended is None:
        return f"Day {state.day}: {_HEADLINES[state.phase].format(lay=state.lay)}"
    winners = " ".join(f"{{{seat}}}" for seat in ended.winners)
    return f"{winners} wins ({REASONS[ended.reason]})" if winners else "Draw"


def _counters(state: State) -> Iterator[Counter]:
    yield Counter("day", "Day", state.day)
    for seat in state.setup.seats:
        label = "cards (out)" if seat in state.out else "cards"
        yield Counter(f"total.{seat}", label, total(state, seat), owner=seat)


# --- zones ----------------------------------------------------------------------------------------------


def _zone(state: State, sort: str, seat: str, box: Box) -> SceneZone:
    held = _held(state, sort, seat)
    gambits = sort.startswith("gambit")
    faces = _gambit_face if gambits else _battle_face
    face_up = sort in {"field", "gambit", "gambit_discard"}
    return SceneZone(
        key=f"{sort}.{seat}",
        label=_TITLES[sort],
        seen_by=PUBLIC if face_up else NOBODY,
        cards=tuple(Card(card, faces(state, card)) for card in held.known),
        unknown=held.unknown,
        place=box,
        owner=seat,
        spread="row" if sort == "field" else "stack",
        shown=face_up,
        back="gambit" if gambits else "monster",
    )


def _held(state: State, sort: str, seat: str) -> CardZone:
    if sort == "gambit":
        return CardZone((state.gambits[seat],) if seat in state.gambits else (), 0)
    zone = zone_at(state, f"{sort}.{seat}")
    return CardZone(zone.known[::-1], 0) if sort == "gambit_discard" else zone


def face(state: State, card: str) -> Face | None:
    """Show a card's front, wherever it lies."""
    if card in state.setup.battle:
        return _battle_face(state, card)
    return _gambit_face(state, card) if card in state.setup.gambits else None


def _battle_face(state: State, card: str) -> Face:
    monster = state.setup.battle[card]
    if monster is None:
        return Face("War", value="W", icon="war", tone="war")
    title = monster.name or f"Monster {monster.attack}"
    return Face(title, value=str(monster.attack), icon="monster", tone="monster")


def _gambit_face(state: State, card: str) -> Face:
    gambit = state.setup.gambits[card]
    return Face(gambit.kind, icon=gambit.kind, lines=(gambit.effect,), tone="gambit")


# --- where it lies ----------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A row of places: where each begins, its card's size, and the widths of those wider than a card."""

    starts: dict[str, float]
    card: tuple[float, float]
    wide: dict[str, float]


def _boxes(state: State) -> Iterator[tuple[str, str, Box]]:
    """Give each seat's piles and, before them, its part of the Battlefield; a gambit has a place in a War."""
    pair = len(state.setup.seats) == _PAIR
    piles, front = (_PAIR_PILES, _PAIR_FRONT) if pair else (_ROUND_PILES, _ROUND_FRONT)
    places = _PAIR_PLACES if pair else _round_places(len(state.setup.seats))
    for seat, place in zip(state.setup.seats, places, strict=True):
        yield from _row(seat, piles, place.x, place.piles)
        for sort, owner, box in _row(seat, front, place.x, place.front):
            if sort != "gambit" or state.lay:
                yield sort, owner, box


def _row(seat: str, row: Row, x: float, y: float) -> Iterator[tuple[str, str, Box]]:
    for sort, start in row.starts.items():
        yield sort, seat, Box(x + start, y, row.wide.get(sort, row.card[0]), row.card[1])


# Two sit face to face: each has their piles before them, and the Battlefield lies between.
_PAIR_SIZE: Final = (760.0, 780.0)
_PAIR_CARD: Final = (100.0, 140.0)
_PAIR_PILES: Final = Row(
    {"deck": 0.0, "spoils": 130.0, "gambit_deck": 490.0, "gambit_discard": 620.0}, _PAIR_CARD, {}
)
_PAIR_FRONT: Final = Row({"laid": 0.0, "field": 130.0, "gambit": 620.0}, _PAIR_CARD, {"field": 460.0})
_PAIR_PLACES: Final = (Place(20.0, 610.0, 420.0), Place(20.0, 30.0, 220.0))

# Three to six sit round the table in blocks: piles at the edge, smaller, and the field towards the middle.
_BLOCK: Final = (470.0, 320.0)
_GAP: Final = 20.0
_ROUND_PILES: Final = Row(
    {"deck": 0.0, "spoils": 122.0, "gambit_deck": 244.0, "gambit_discard": 366.0}, (64.0, 90.0), {}
)
_ROUND_FRONT: Final = Row({"laid": 0.0, "field": 122.0, "gambit": 360.0}, (110.0, 154.0), {"field": 226.0})
_SIDES: Final[dict[int, tuple[tuple[float, int], ...]]] = {
    3: ((0.5, 1), (0, 0), (1, 0)),
    4: ((0, 1), (0, 0), (1, 0), (1, 1)),
    5: ((0.5, 2), (0, 1), (0, 0), (1, 0), (1, 1)),
    6: ((0, 2), (0, 1), (0, 0), (1, 0), (1, 1), (1, 2)),
}
"""Column and row of each seat's block: p1 at the bottom, the others clockwise."""


def _size(players: int) -> tuple[float, float]:
    if players == _PAIR:
        return _PAIR_SIZE
    rows = 1 + max(row for _, row in _SIDES[players])
    return 2 * _BLOCK[0] + 3 * _GAP, rows * (_BLOCK[1] + _GAP) + _GAP


def _round_places(players: int) -> Iterator[Place]:
    last = max(row for _, row in _SIDES[players])
    for column, row in _SIDES[players]:
        x, y = _GAP + column * (_BLOCK[0] + _GAP), _GAP + row * (_BLOCK[1] + _GAP)
        yield Place(x, y + 225.0, y + 30.0) if row == last else Place(x, y + 20.0, y + 145.0)
