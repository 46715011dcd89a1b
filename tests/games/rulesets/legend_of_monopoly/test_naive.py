"""The ruleset against a naive second one: the same money, lands, cards and winners in played games.

TABLETAPE_DIFFERENTIAL=500 plays so many games of each number of players instead of 30.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from games.core import serialization, start
from games.core.events import Event
from games.rulesets.legend_of_monopoly import RULESETS
from games.rulesets.legend_of_monopoly.state import State
from games.testing import playout
from tests.games.per_ruleset import GAMES
from tests.games.rulesets.legend_of_monopoly import naive

RULES = RULESETS[0]
PLAIN = replace(RULES, bot=None)
LONGEST = 3_000
RANDOM_LONGEST = 300
READINGS: tuple[dict[str, Any], ...] = (
    {},
    {"scale": "full-set-double", "madame_denna": "p2"},
    {"doubles": "no-extra", "shadow_water": "escape-once", "stock": {"cottages": 12, "inns": 3}},
    {"win": "wealthiest-after-rounds", "rounds": 12, "mother_confessor": "p2", "loans": "none"},
    {"magic": "optional", "auction": "mandatory"},
    {"win": "fellowship", "auction": "mandatory", "madame_denna": "p1"},
)


def games(players: int) -> Iterator[tuple[naive.Game, State, Event | None]]:
    for seed in range(GAMES):
        by_chance = seed % 5 == 4
        ruleset, longest = (PLAIN, RANDOM_LONGEST) if by_chance else (RULES, LONGEST)
        options = READINGS[seed % len(READINGS)]
        started = start.started(ruleset, players, options=options, origin="simulated")
        game = naive.Game(serialization.event_to(started))
        rng = random.Random(f"{players} {seed}")  # noqa: S311 - repeatable on purpose
        last = ruleset.setup(started)
        for event, state in playout.playout(ruleset, started, rng, max_events=longest):
            game.play(serialization.event_to(event))
            last = state
            yield game, state, event
        yield game, last, None


@pytest.mark.parametrize("players", RULES.seats)
def test_both_tables_look_the_same(players: int) -> None:
    ends: Counter[str] = Counter()
    for step, (game, state, event) in enumerate(games(players)):
        if event is None:
            same_end(state, game)
            ends[game.over] += 1
        if event is None or step % 7 == 0:
            same_table(state, game)
    assert ends["last-player"]
    assert ends["rounds"]


def same_table(state: State, game: naive.Game) -> None:
    left = game.alive()
    assert list(state.out) == game.gone
    assert state.cash == {seat: game.purse[seat] for seat in left}
    assert state.loans == {seat: game.borrowed[seat] for seat in left}
    assert state.water == {seat: game.bottles[seat] for seat in left}
    assert state.space == {seat: game.place[seat] for seat in left}
    assert state.held == game.prison
    assert {seat: sorted(cards) for seat, cards in state.cards.items()} == {
        seat: sorted(game.keeps[seat]) for seat in left
    }
    built = {
        int(key): (item.owner, {None: item.cottages, "inn": 5, "brothel": 6}[item.house], item.indebted)
        for key, item in state.lands.items()
    }
    assert built == {pos: (plot.owner, plot.built, plot.pawned) for pos, plot in game.plots.items()}
    if not game.over:
        assert (state.turn, state.round) == (game.turn, game.number)
        assert sorted((debt.from_, debt.to, debt.amount) for debt in state.debts) == sorted(game.unpaid)
        charge = state.charge
        asking = None if charge is None else (charge.owner, charge.from_, charge.land, charge.amount)
        assert asking == game.asking


def same_end(state: State, game: naive.Game) -> None:
    over = RULES.outcome(state)
    assert (over is not None) == bool(game.over)
    assert RULES.scores(state) == {seat: game.wealth(seat) for seat in game.seats}
    if over is not None:
        assert (over.reason, list(over.winners)) == game.result()


def test_readings_are_those_of_the_options() -> None:
    for options in READINGS:
        start.started(RULES, 2, options=options)
