"""Whose turn it is agrees with who must act, but where the rulebook lets somebody else act in a turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from games.core import fold
from games.core.registry import installed, registry_of
from games.core.ruleset import Ruleset
from games.examples import high_card
from games.testing.laws import recorded_games

ELSEWHERE: dict[str, Callable[[Any], bool]] = {
    "legend-of-monopoly": lambda state: bool(state.debts) or state.phase == "auction",
    "monsters-forever": lambda state: state.retreat is not None,
    "monster-maker": lambda state: state.phase == "monsters",
    "high-card": lambda state: state.phase == "laying",
}
"""Where another may have to act: they owe money or hold an auction; their creature is attacked; they choose a
monster before the first turn; they lay a card of their own beside one that is laid."""
COUNTED = {"legend-of-monopoly", "monsters-forever", "monsters-of-war", "monstropoly-battle", "high-card"}
"""Rulesets whose rulebook counts rounds, or Days."""
REGISTRY = registry_of(*((ruleset,) for ruleset in installed().newest().values()), high_card.RULESETS)
RULESETS = tuple(REGISTRY.newest().values())


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_the_only_seat_that_must_act_has_the_turn(ruleset: Ruleset[Any]) -> None:
    elsewhere = ELSEWHERE.get(ruleset.id, lambda _state: False)
    compared = 0
    for game in recorded_games(ruleset):
        for state in fold.states(ruleset, game.started, game.events):
            must = {due.seat for due in ruleset.pending(state) if due.must}
            if len(must) == 1 and must <= set(game.started.seats) and not elsewhere(state):
                assert {ruleset.turn(state)} == must
                compared += 1
    assert compared or ruleset.id == "monsters-of-war"  # nobody ever must decide there


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_rounds_are_counted_where_the_rulebook_counts_them(ruleset: Ruleset[Any]) -> None:
    games = recorded_games(ruleset)
    numbers = {
        ruleset.round(state) for game in games for state in fold.states(ruleset, game.started, game.events)
    }
    assert (numbers != {None}) == (ruleset.id in COUNTED)
