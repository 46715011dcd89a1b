"""Each conservation law, broken once."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from games.core.ruleset import BrokenInvariant
from games.core.start import started
from games.kit.cards import CardZone
from games.rulesets.monster_maker import RULESETS
from games.rulesets.monster_maker.state import State
from games.testing.playout import playout

RULES = RULESETS[0]
START = RULES.setup(started(RULES, 3, origin="simulated"))
GAME = started(RULES, 3, origin="simulated")
STATES = [state for _, state in playout(RULES, GAME, random.Random(1))]  # noqa: S311 - to be repeated
BEGUN = next(
    state for state in STATES if state.phase == "turn" and state.garbage and any(state.trades.values())
)
DEALT = next(state for state in STATES if state.phase == "bonus")
DRAWN = next(state for state in STATES if state.phase == "drawn")
OVER = STATES[-1]
HOLDER = next(seat for seat, cards in BEGUN.trades.items() if cards)
TOP, TRADE = BEGUN.garbage[0], BEGUN.trades[HOLDER][0]
FIRST = BEGUN.draw[0]


def pieces(state: State, **changed: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {**state.pieces, **changed}


BROKEN: list[tuple[State, dict[str, Any], str]] = [
    (BEGUN, {"pieces": {"p1": BEGUN.pieces["p1"]}}, "pieces are told of p1, not of p1, p2, p3"),
    (BEGUN, {"out": ("p4",)}, "out are p4"),
    (BEGUN, {"out": ("p1", "p1")}, "out are p1, p1"),
    (BEGUN, {"monsters": {**BEGUN.monsters, "p9": "petey"}}, "monsters are told of"),
    (BEGUN, {"monsters": {**BEGUN.monsters, "p1": "dracula"}}, "a monster is none of this game"),
    (BEGUN, {"monsters": {**BEGUN.monsters, "p1": BEGUN.monsters["p2"]}}, "two seats have the same monster"),
    (BEGUN, {"garbage": (TRADE, *BEGUN.garbage[1:])}, "is no piece"),
    (BEGUN, {"trade_discard": (TOP,)}, "is no trade card"),
    (BEGUN, {"draw": (CardZone(("joker",), FIRST.unknown - 1),)}, "joker is no card of this game"),
    (BEGUN, {"draw": (CardZone((TOP,), FIRST.unknown - 1),)}, "lies in two places"),
    (BEGUN, {"draw": (CardZone((), FIRST.unknown - 1),)}, "there are 78 Parts cards, not 79"),
    (BEGUN, {"draw": (FIRST, CardZone((), 0))}, "a layer of the Draw Pile has no card"),
    (BEGUN, {"pieces": pieces(BEGUN, p1=BEGUN.pieces["p1"][:5]), "draw": (CardZone((), FIRST.unknown + 1),)},
     "p1 holds 5 pieces, not 6"),
    (BEGUN, {"out": ("p1",)}, "p1 has resigned and still holds cards"),
    (BEGUN, {"turn": None}, "None is on turn in the phase turn"),
    (BEGUN, {"turn": "p7"}, "p7 is on turn and not in the game"),
    (BEGUN, {"phase": "garbage", "garbage": (), "draw": (CardZone((), FIRST.unknown + len(BEGUN.garbage)),)},
     "the Garbage Pile is open and empty"),
    (BEGUN, {"phase": "over"}, "the game is over and nobody has a complete monster"),
    (BEGUN, {"phase": "drawn"}, "the drawn card is None in the phase drawn"),
    (DRAWN, {"phase": "turn"}, "in the phase turn"),
    (BEGUN, {"monsters": {"p1": "petey"}}, "1 seat has a monster in the phase turn"),
    (DEALT, {"phase": "deal"}, "everybody has cards, and they are still dealt"),
    (DEALT, {"phase": "turn", "turn": "p1"}, "pieces, not 6"),
    (START, {"phase": "deal"}, "0 seats have a monster in the phase deal"),
    (START, {"draw": (CardZone((), 39), CardZone((), 40))}, "the Draw Pile has layers before the first turn"),
    (START, {"phase": "bonus", "monsters": BEGUN.monsters}, "a bonus is due to nobody"),
]  # fmt: skip


@pytest.mark.parametrize(("state", "fields", "says"), BROKEN, ids=[says for _, _, says in BROKEN])
def test_each_law_is_kept(state: State, fields: dict[str, Any], says: str) -> None:
    RULES.invariants(state)
    with pytest.raises(BrokenInvariant, match=says):
        RULES.invariants(replace(state, **fields))


def test_one_player_left_is_the_end() -> None:
    rest = [card for seat in ("p2", "p3") for card in BEGUN.pieces[seat]]
    cards = [card for seat in ("p2", "p3") for card in BEGUN.trades[seat]]
    gone: dict[str, tuple[str, ...]] = {"p2": (), "p3": ()}
    left = replace(
        BEGUN,
        turn="p1",
        out=("p2", "p3"),
        pieces={**BEGUN.pieces, **gone},
        trades={**BEGUN.trades, **gone},
        trade_discard=(*BEGUN.trade_discard, *cards),
        draw=(*BEGUN.draw, CardZone(tuple(rest), 0)),
    )
    with pytest.raises(BrokenInvariant, match="one player is left and the game is not over"):
        RULES.invariants(left)
    RULES.invariants(replace(left, phase="over"))
    assert RULES.outcome(replace(left, phase="over")) is not None
    assert RULES.outcome(OVER) is not None
