"""The laws on games that the general suite does not play: options that go together, cards read at a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import games.rulesets.legend_of_monopoly as package
from games.core import start
from games.rulesets.legend_of_monopoly import RULESETS
from games.testing.laws import LAWS, Law, RecordedGame, play

RULES = RULESETS[0]
LONGEST = 200


def manual_cards() -> bytes:
    """Give the shipped board with every third card to be read by the table."""
    board: dict[str, Any] = json.loads((Path(package.__path__[0]) / "data" / "board.json").read_bytes())
    for cards in board["magic"].values():
        for card in cards[::3]:
            card |= {"effect": "manual", "value": None}
    return json.dumps(board).encode()


def starts() -> Iterator[Any]:
    rounds = {"win": "wealthiest-after-rounds", "rounds": 6}
    yield start.started(RULES, 3, options=rounds, origin="simulated")
    stock = {"stock": {"cottages": 4, "inns": 1}, "madame_denna": "p1", "mother_confessor": "p2"}
    yield start.started(RULES, 2, options=stock, origin="simulated")
    yield start.started(RULES, 5, options={"treasurer": "table", "magic": "optional"}, origin="simulated")
    yield start.started(RULES, 3, data=manual_cards(), origin="table")


@cache
def played() -> tuple[RecordedGame, ...]:
    manners: tuple[Any, ...] = ("bot", "random", "restless")
    return tuple(play(RULES, event, 1, manner, longest=LONGEST) for event in starts() for manner in manners)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_law_holds(law: Law) -> None:
    law.check(RULES, played())


def test_cards_are_read_in_some_of_them() -> None:
    kinds = {type(event).__name__ for game in played() for event in game.events}
    assert {"CardEffectEntered", "MagicDeclined", "BrothelBuilt"} <= kinds
