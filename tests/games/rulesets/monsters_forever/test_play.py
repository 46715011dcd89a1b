"""Whole games by the core's random player: each ends, and nothing gets lost on the way."""

from __future__ import annotations

import dataclasses
import random

import pytest

from games.core import fold, serialization, start
from games.core.events import Change, RecordRuled
from games.core.ruleset import IllegalAction
from games.rulesets.monsters_forever import RULESETS
from games.testing.playout import playout
from games.text import wording

RULES = RULESETS[0]
PLAIN = dataclasses.replace(RULES, bot=None)
"""Without its bot, so that the core's random player plays."""


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("seed", range(3))
def test_random_games_end_and_no_creature_is_lost(players: int, seed: int) -> None:
    started = start.started(PLAIN, players)
    before = PLAIN.setup(started)
    for event, after in playout(PLAIN, started, random.Random(seed)):  # noqa: S311 - repeatable on purpose
        PLAIN.check(before, event)
        frozen = serialization.freeze(before)
        assert fold.evolve(PLAIN, before, event) == after
        assert serialization.freeze(before) == frozen
        assert PLAIN.describe(before, event)
        PLAIN.invariants(after)
        before = after
    over = PLAIN.outcome(before)
    assert over is not None
    assert over.reason == "last-player"
    assert len(over.winners) == 1
    assert PLAIN.pending(before) == ()
    assert not any(list(PLAIN.legal_actions(before, seat)) for seat in started.seats)


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("seed", range(5))
def test_games_of_the_bot_end_without_a_resignation(players: int, seed: int) -> None:
    started = start.started(RULES, players)
    events = list(playout(RULES, started, random.Random(seed), max_events=3_000))  # noqa: S311 - as above
    over = RULES.outcome(events[-1][1])
    assert over is not None
    assert over.reason == "last-player"
    assert "player_resigned" not in {serialization.event_to(event)["kind"] for event, _ in events}


@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_four_opening_moves_and_nothing_else_but_resigning(players: int) -> None:
    state = RULES.setup(start.started(RULES, players))
    offered = [
        wording.write(RULES, state, event)
        for seat in state.setup.seats
        for event in RULES.legal_actions(state, seat)
    ]
    resigning = [f"{seat}: resign" for seat in state.setup.seats if players > 2]
    assert sorted(offered) == sorted(["A2-A5", "A4-A7", "A6-A5", "A6-A7", *resigning])


def test_twelve_opening_turns_of_the_first_team_before_any_pantry() -> None:
    state = RULES.setup(start.started(RULES, 2))
    ended = 0
    for first in RULES.legal_actions(state, "p1"):
        moved = fold.evolve(RULES, state, first)
        for second in RULES.legal_actions(moved, "p1"):
            after = fold.evolve(RULES, moved, second)
            ended += any(
                wording.write(RULES, after, event) == "." for event in RULES.legal_actions(after, "p1")
            )
            ended += wording.write(RULES, moved, second) == "." and 1
    assert ended == 12


@pytest.mark.parametrize(
    ("at", "now"),
    [
        ("/pantry/A", 1),
        ("/eaten", -1),
        ("/pieces/A6/team", "B"),
        ("/pieces/A1/king", False),
        ("/pieces/A2/id", "a3"),
        ("/frozen", {"z9": 1}),
        ("/frozen", {"a2": 3}),
        ("/retreat", "B8"),
        ("/out", ["B"]),
        ("/move", 2),
        ("/runs", {}),
    ],
)
def test_a_ruling_that_breaks_the_count_is_refused(at: str, now: object) -> None:
    state = RULES.setup(start.started(RULES, 2))
    was = serialization.plain_state(state)
    for step in at.split("/")[1:]:
        was = was[step]
    ruled = RecordRuled("so agreed", (Change(at, was, now),))
    with pytest.raises(IllegalAction) as refused:
        fold.check(RULES, state, ruled, seats=("p1", "p2"), closed=False)
    assert refused.value.code == "ruling-breaks-the-count"


def test_a_ruling_that_keeps_the_count_is_followed() -> None:
    state = RULES.setup(start.started(RULES, 2))
    pieces = serialization.plain_state(state)["pieces"]
    moved = {**pieces, "A5": pieces["A6"]}
    del moved["A6"]
    ruled = RecordRuled("a slip of the hand", (Change("/pieces", pieces, moved),))
    after = fold.evolve(RULES, state, ruled)
    assert after.pieces["A5"].id == "a6"
    assert after.setup == state.setup
