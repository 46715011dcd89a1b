"""The short forms: what is written reads back as the same event."""

from __future__ import annotations

import dataclasses
import random

import pytest

from games.core import fold, start
from games.core.ruleset import IllegalAction
from games.rulesets.monsters_forever import RULESETS
from games.rulesets.monsters_forever.events import (
    CreatureAttacked,
    CreatureMoved,
    CreatureRetreated,
    PantryOpened,
    PlayerResigned,
    RetreatDeclined,
    TurnEnded,
)
from games.rulesets.monsters_forever.state import State
from games.testing.playout import playout
from games.text import wording

RULES = RULESETS[0]
PLAIN = dataclasses.replace(RULES, bot=None)
START = RULES.setup(start.started(RULES, 3))


@pytest.mark.parametrize("retreat", ["must", "optional-stay", "decline-is-capture"])
@pytest.mark.parametrize("players", [2, 3, 6])
def test_what_is_written_reads_back(players: int, retreat: str) -> None:
    for rules in (RULES, PLAIN):
        started = start.started(rules, players, options={"retreat": retreat})
        state = rules.setup(started)
        rng = random.Random(players)  # noqa: S311 - repeatable on purpose
        for _event, after in playout(rules, started, rng, max_events=300):
            for seat in started.seats:
                for offer in rules.legal_actions(state, seat):
                    assert wording.read(rules, state, wording.write(rules, state, offer)) == (offer,)
            state = after


def reached(*moves: str) -> State:
    state = START
    for text in moves:
        for event in wording.read(RULES, state, text):
            RULES.check(state, event)
            state = fold.evolve(RULES, state, event)
    return state


def test_each_form() -> None:
    assert RULES.notation is not None
    read = RULES.notation.read
    attacked = reached("A6-A5", "A8xB8", ".", "B6-B8", "B8xA8")
    assert read(START, "A6-A5") == (CreatureMoved("A", "A6", "A5"),)
    assert read(START, " p1:  a6 - a5 ") == (CreatureMoved("A", "A6", "A5"),)
    assert read(START, "a8Xb8") == (CreatureAttacked("A", "A8", "B8"),)
    assert read(START, "A8xB8>B6") == (
        CreatureAttacked("A", "A8", "B8"),
        CreatureRetreated("B", "B8", "B6"),
    )
    assert read(START, "A8xB8>B8")[1] == RetreatDeclined("B", "B8")
    assert read(attacked, ">A6") == (CreatureRetreated("A", "A8", "A6"),)
    assert read(attacked, "p1: >A8") == (RetreatDeclined("A", "A8"),)
    assert read(START, "+2") == (PantryOpened("A", 2),)
    assert read(START, ".") == (TurnEnded("A"),)
    assert read(START, "p2: resign") == (PlayerResigned("p2"),)
    assert read(START, "RESIGN") == (PlayerResigned("p1"),)
    assert read(reached("A6-A5", "."), "resign") == (PlayerResigned("p2"),)


@pytest.mark.parametrize(
    "text", ["", "A6", "A6-", "A6-G1", "A6-A9", "+", "+x", "..", "A8xB8>", "resigns", "p2:"]
)
def test_anything_else_is_not_understood(text: str) -> None:
    assert RULES.notation is not None
    with pytest.raises(IllegalAction) as refused:
        RULES.notation.read(START, text)
    assert refused.value.code == "not-understood"
