"""The ruleset against a naive second one: every event is accepted, piles and points agree after each.

TABLETAPE_DIFFERENTIAL=500 plays so many games instead of 30.
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from games.core import fold, serialization
from games.core.events import Event
from games.core.start import started
from games.rulesets.monstropoly_battle import RULESETS
from tests.games.per_ruleset import GAMES
from tests.games.rulesets.monstropoly_battle.naive import Table

RULES = RULESETS[0]
READINGS = [
    {"dead_tie": dead, "tie_card": card, "phase2_tie": pair, "lordi_win": won, "declare": declare}
    for dead, card, pair, won, declare in product(
        ("lot", "redraw", "take-back"),
        ("replaces", "adds"),
        ("same-leads", "redraw", "split"),
        (25, 5),
        ("any", "maximum"),
    )
]
EYES = ("everything", "table", "p1", "p2")


def follow(options: dict[str, Any], seed: int, eyes: str) -> tuple[str, tuple[str, ...]]:
    """Record a game at the naive table with somebody's eyes, and compare after each event."""
    start = started(RULES, 2, options=options, seen_as=eyes)
    state = full = RULES.setup(start)
    plain = serialization.event_to(start)
    table = Table(plain["options"], plain["data"]["cards"], Random(seed))  # noqa: S311 - to be repeated
    for typed, sizes in table.play():
        assert RULES.outcome(state) is None
        event: Event = serialization.event_from(RULES, typed)
        noticed = fold.observe(RULES, full, event, eyes, state)
        RULES.check(state, noticed)
        state, full = fold.evolve(RULES, state, noticed), fold.evolve(RULES, full, event)
        RULES.invariants(state)
        scene = dict(RULES.scene(state).values())
        assert {key: scene[key] for key in sizes} == sizes, typed
    over = RULES.outcome(state)
    assert over is not None
    assert (over.reason, list(over.winners)) == table.result
    assert over.scores == table.points
    return over.reason, over.winners


def test_games_of_any_reading_agree_whoever_records_them() -> None:
    found = {
        follow(READINGS[7 * seed % len(READINGS)] if seed % 2 else {}, seed, EYES[seed // 2 % len(EYES)])[0]
        for seed in range(GAMES)
    }
    assert {"most-points", "automatic-loss"} <= found


@pytest.mark.parametrize("dead_tie", ["lot", "redraw", "take-back"])
@pytest.mark.parametrize("eyes", EYES)
def test_dead_ties_agree(eyes: str, dead_tie: str) -> None:
    for seed in range(max(2, GAMES // 60)):
        follow({"dead_tie": dead_tie, "tie_card": "adds"}, 900 + seed, eyes)
