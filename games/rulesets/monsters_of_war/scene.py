"""The table: hands of cards and the Battlefield between them, for two face to face, for more all round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from games.kit.cards import Zone
from games.rulesets.monsters_of_war.scoring import outcome
from games.rulesets.monsters_of_war.state import State, total
from games.rulesets.monsters_of_war.zones import zone_at
from games.scene import NOBODY, PUBLIC, Box, Card, Counter, Face, Scene
from games.scene import Zone as SceneZone

_TITLES: Final = {
    "deck": "Battle Deck",
    "spoils": "Spoils",
    "won": "last won",
    "laid": "face down",
    "field": "Battlefield",
    "gambit_deck": "Gambit Deck",
    "gambit": "gambit",
    "gambit_discard": "discarded gambits",
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
_TWO_ROWS: Final = 4
"""So many players still sit in two rows."""


class Place(NamedTuple):
    """Where a seat's cards lie: a corner, and whether its piles lie above the field."""

    x: float
    y: float
    piles_above: bool


def scene(state: State) -> Scene:
    """Draw the table as everybody sees it: face-up cards in the order turned, everything else as backs."""
    pair = len(state.setup.seats) == _PAIR
    boxes = _pair_boxes(state) if pair else _round_boxes(state)
    return Scene(
        size=_PAIR_SIZE if pair else _round_size(len(state.setup.seats)),
        counters=tuple(_counters(state)),
        zones=tuple(_zone(state, sort, seat, box) for sort, seat, box in boxes),
        headline=_headline(state),
    )


def _headline(state: State) -> str:
    ended = outcome(state)
    if ended is None:
        return f"Day {state.day}: {_HEADLINES[state.phase].format(lay=state.lay)}"
    winners = " ".join(f"{{{seat}}}" for seat in ended.winners)
    return f"{winners} wins ({ended.reason})" if winners else "Draw"


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
    face_up = sort in {"field", "won", "gambit", "gambit_discard"}
    return SceneZone(
        key=f"{sort}.{seat}",
        label=_TITLES[sort],
        seen_by=PUBLIC if face_up else NOBODY,
        cards=tuple(Card(card, faces(state, card)) for card in held.known),
        unknown=held.unknown,
        place=box,
        owner=seat,
        spread="row" if sort in {"field", "won"} else "stack",
        shown=face_up,
        back="gambit" if gambits else "monster",
    )


def _held(state: State, sort: str, seat: str) -> Zone:
    if sort == "won":
        return last_won(state, seat)
    if sort == "gambit":
        return Zone((state.gambits[seat],) if seat in state.gambits else (), 0)
    zone = zone_at(state, f"{sort}.{seat}")
    return Zone(zone.known[::-1], 0) if sort == "gambit_discard" else zone


def last_won(state: State, seat: str) -> Zone:
    """Give the cards that a player took last, as many as can have been turned at once.

    Everybody saw them before they went face down into the Spoils; there they are counted.
    """
    spoils = state.spoils[seat]
    shown = min(len(state.setup.seats) - len(state.aside), spoils.size)
    tail = spoils.known[max(0, len(spoils.known) - shown) :]
    return Zone(tail, shown - len(tail))


def _battle_face(state: State, card: str) -> Face:
    monster = state.setup.battle[card]
    if monster is None:
        return Face("War", value="W", icon="war", tone="war")
    title = monster.name or f"Monster {monster.attack}"
    return Face(title, value=str(monster.attack), icon="monster", tone="monster")


def _gambit_face(state: State, card: str) -> Face:
    gambit = state.setup.gambits[card]
    return Face(gambit.kind, icon=gambit.kind, lines=(gambit.effect,), tone="gambit")


# --- two players, face to face --------------------------------------------------------------------------

_CARD: Final = (100.0, 140.0)
_PAIR_SIZE: Final = (760.0, 780.0)
_PAIR_X: Final = {"deck": 20.0, "spoils": 135.0, "won": 250.0, "gambit_deck": 525.0, "gambit_discard": 640.0}
_PAIR_FIELD_X: Final = {"gambit": 20.0, "laid": 135.0, "field": 250.0}
_PAIR_WIDE: Final = {"won": 205.0, "field": 490.0}
_PAIR_Y: Final = {"p2": (30.0, 220.0), "p1": (610.0, 420.0)}
"""Top of the row of piles and of the row on the Battlefield, by seat."""


def _pair_boxes(state: State) -> Iterator[tuple[str, str, Box]]:
    for seat in state.setup.seats:
        piles, front = _PAIR_Y[seat]
        for sort, x in _PAIR_X.items():
            yield sort, seat, Box(x, piles, _PAIR_WIDE.get(sort, _CARD[0]), _CARD[1])
        for sort, x in _PAIR_FIELD_X.items():
            yield sort, seat, Box(x, front, _PAIR_WIDE.get(sort, _CARD[0]), _CARD[1])


# --- three to six, all round ----------------------------------------------------------------------------

_BLOCK: Final = (480.0, 320.0)
_GAP: Final = 20.0
_BIG: Final = (110.0, 154.0)
_SMALL: Final = (64.0, 90.0)
_ROUND_X: Final = {"deck": 0.0, "spoils": 78.0, "won": 156.0, "gambit_deck": 338.0, "gambit_discard": 416.0}
_ROUND_WON: Final = 168.0
_ROUND_FIELD_X: Final = {"gambit": 0.0, "laid": 120.0, "field": 240.0}
_SIDES: Final[dict[int, tuple[tuple[float, int], ...]]] = {
    3: ((0.5, 1), (0, 0), (1, 0)),
    4: ((0, 1), (0, 0), (1, 0), (1, 1)),
    5: ((0.5, 2), (0, 1), (0, 0), (1, 0), (1, 1)),
    6: ((0, 2), (0, 1), (0, 0), (1, 0), (1, 1), (1, 2)),
}
"""Column and row of each seat's block: p1 at the bottom, the others clockwise."""


def _rows(players: int) -> int:
    return 2 if players <= _TWO_ROWS else 3


def _round_size(players: int) -> tuple[float, float]:
    return 2 * _BLOCK[0] + 3 * _GAP, _rows(players) * (_BLOCK[1] + _GAP) + _GAP


def _places(players: int) -> Iterator[Place]:
    last = _rows(players) - 1
    for column, row in _SIDES[players]:
        x = _GAP + column * (_BLOCK[0] + _GAP)
        yield Place(x, _GAP + row * (_BLOCK[1] + _GAP), piles_above=row < last)


def _round_boxes(state: State) -> Iterator[tuple[str, str, Box]]:
    seats = state.setup.seats
    for seat, place in zip(seats, _places(len(seats)), strict=True):
        piles = place.y + (20.0 if place.piles_above else 225.0)
        front = place.y + (145.0 if place.piles_above else 30.0)
        for sort, x in _ROUND_X.items():
            width = _ROUND_WON if sort == "won" else _SMALL[0]
            yield sort, seat, Box(place.x + x, piles, width, _SMALL[1])
        for sort, x in _ROUND_FIELD_X.items():
            width = _BLOCK[0] - x if sort == "field" else _BIG[0]
            yield sort, seat, Box(place.x + x, front, width, _BIG[1])
