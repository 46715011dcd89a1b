"""Whole games: each ends, no card gets lost, what is written reads back, the figures are the known ones."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import pytest

from games.core import fold
from games.core.start import started
from games.rulesets.monsters_of_war import RULESETS
from games.rulesets.monsters_of_war.events import BattleFlipped, CardsLaid
from games.testing.playout import playout
from games.text.wording import read, write

RULES = RULESETS[0]
MANUAL = msgspec.json.decode(
    (Path(__file__).parent / "scenarios" / "manual-waits-for-the-table.json").read_bytes()
)["data"]


def play(players: int, options: Mapping[str, Any], data: Any, seed: int) -> Any:
    """Play at a table, by chance and, for what the table says, by the core's random player."""
    file = None if data is None else msgspec.json.encode(data)
    start = started(RULES, players, options=options, data=file)
    before = RULES.setup(start)
    for event, after in playout(RULES, start, random.Random(seed)):  # noqa: S311 - to be repeated
        RULES.check(before, event)
        assert read(RULES, before, write(RULES, before, event)) == (event,)
        assert "\n" not in RULES.describe(before, event)
        RULES.invariants(after)
        before = after
    over = RULES.outcome(before)
    assert over is not None
    assert RULES.pending(before) == ()
    return over


@pytest.mark.parametrize("players", RULES.seats)
@pytest.mark.parametrize(
    "options",
    [
        {
            "tie_war": False,
            "tie": "carry",
            "short": "last-card-attacks",
            "gambit_empty": "reshuffle-discards",
        },
        {"tie_war": False, "short": "forfeit", "days": 1},
        {"days": 9, "gambit_empty": "reshuffle-discards"},
    ],
    ids=str,
)
def test_games_of_any_size_end_under_mixed_options(players: int, options: dict[str, Any]) -> None:
    assert play(players, options, None, seed=players).reason in {"most-cards", "sudden-victory", "draw"}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("players", [2, 3])
def test_games_with_manual_gambits_end(players: int, seed: int) -> None:
    assert play(players, {}, MANUAL, seed).scores


def test_a_record_that_saw_no_laid_card_is_played_on() -> None:
    start = started(RULES, 2)
    for seed in range(10):
        state = RULES.setup(start)
        for event, _ in playout(RULES, start, random.Random(seed)):  # noqa: S311 - to be repeated
            missed = CardsLaid(event.counts) if isinstance(event, CardsLaid) else event
            RULES.check(state, missed)
            state = fold.evolve(RULES, state, missed)
            RULES.invariants(state)
        assert RULES.outcome(state) is not None


def test_random_games_have_the_figures_of_the_analysis() -> None:
    battles: list[int] = []
    reasons: Counter[str] = Counter()
    start = started(RULES, 2, origin="simulated")
    for seed in range(120):
        events = list(playout(RULES, start, random.Random(seed)))  # noqa: S311 - to be repeated
        battles.append(sum(isinstance(event, BattleFlipped) for event, _ in events))
        over = RULES.outcome(events[-1][1])
        assert over is not None
        reasons[over.reason] += 1
    assert 20 <= median(battles) <= 24
    assert 8 <= reasons["sudden-victory"] <= 32
    assert reasons["draw"] <= 10
    assert reasons["most-cards"] >= 80


def test_the_same_seed_plays_the_same_game() -> None:
    start = started(RULES, 4, origin="simulated")
    one, two = ([event for event, _ in playout(RULES, start, random.Random(3))] for _ in range(2))  # noqa: S311
    assert one == two
