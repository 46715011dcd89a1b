"""The ruleset against the naive table: what really happens is accepted, and every pile is as high.

TABLETAPE_DIFFERENTIAL=500 plays so many games of each number of players instead of 30.
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from games.core import fold, serialization
from games.core.start import started
from games.rulesets.monsters_of_war import RULESETS
from tests.games.per_ruleset import GAMES
from tests.games.rulesets.monsters_of_war.naive import Table

RULES = RULESETS[0]
OPTIONS = [
    {"tie_war": tie_war, "tie": tie, "short": short, "gambit_empty": empty}
    for tie_war, tie, short, empty in product(
        (True, False),
        ("keep", "carry"),
        ("keep-one", "last-card-attacks", "forfeit"),
        ("none", "reshuffle-discards"),
    )
]


def follow(players: int, options: dict[str, Any], rng: Random, *, seen: float) -> Any:
    """Record a real game; of the cards laid the recorder sees a part."""
    start = started(RULES, players, options=options)
    state = RULES.setup(start)
    table = Table(players, options, rng)
    for typed, piles in table.play():
        assert RULES.outcome(state) is None
        event = serialization.event_from(RULES, noticed(typed, table, rng, seen))
        RULES.check(state, event)
        state = fold.evolve(RULES, state, event)
        RULES.invariants(state)
        scene = dict(RULES.scene(state).values())
        assert {key: scene[key] for key in piles} == piles, typed
    totals = {seat: table.holds(seat) for seat in table.seats}
    over = RULES.outcome(state)
    assert over is not None
    assert over.scores == totals
    best = [seat for seat in totals if totals[seat] == max(totals.values())]
    assert over.winners == (tuple(best) if len(best) == 1 else ())
    assert (over.reason == "sudden-victory") == (max(totals.values()) == table.all)
    return over


def noticed(typed: dict[str, Any], table: Table, rng: Random, seen: float) -> dict[str, Any]:
    """Add the laid cards that the recorder saw."""
    if typed["kind"] != "cards_laid" or not seen:
        return typed
    cards = {s: [card if rng.random() < seen else None for card in row] for s, row in table.laid.items()}
    return {**typed, "cards": cards}


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(map(str, options.values())))
def test_two_play_as_at_a_real_table(options: dict[str, Any]) -> None:
    for seed in range(6):
        follow(2, options, Random(seed), seen=(0.0, 0.5, 1.0)[seed % 3])  # noqa: S311 - to be repeated


@pytest.mark.parametrize("players", RULES.seats)
def test_any_number_plays_as_at_a_real_table(players: int) -> None:
    for seed in range(GAMES):
        options = OPTIONS[seed % len(OPTIONS)]
        follow(players, options, Random(seed), seen=(0.0, 0.5, 1.0)[seed % 3])  # noqa: S311 - to be repeated


def test_many_days() -> None:
    for seed in range(10):
        follow(2, {"days": 9}, Random(seed), seen=0.5)  # noqa: S311 - to be repeated
