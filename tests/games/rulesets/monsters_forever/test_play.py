"""Whole games by the core's random player: each ends, and nothing gets lost on the way."""

from __future__ import annotations

import dataclasses
import random

import pytest

from games import replay, start, wire
from games.playout import playout
from games.rulesets.monsters_forever import RULESETS

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
        frozen = wire.freeze(before)
        assert replay.evolve(PLAIN, before, event) == after
        assert wire.freeze(before) == frozen
        assert PLAIN.describe(before, event)
        PLAIN.invariants(after)
        before = after
    over = PLAIN.outcome(before)
    assert over is not None
    assert over.reason == "last-player"
    assert len(over.winners) == 1
    assert PLAIN.pending(before) == ()
    assert not any(list(PLAIN.legal_actions(before, seat)) for seat in started.seats)
