"""Every law on every installed ruleset."""

from __future__ import annotations

from collections import deque
from functools import cache
from importlib.metadata import entry_points
from itertools import islice
from random import Random
from typing import Any

import pytest

from games.core import fold, serialization
from games.core.events import kind_of
from games.core.registry import GROUP, installed
from games.core.ruleset import Ruleset
from games.testing.laws import LAWS, Law, RecordedGame, player_counts, recorded_games, some_offered
from games.text import wording

INSTALLED = tuple(installed())


@cache
def games_of(name: str, version: int) -> tuple[Ruleset[Any], tuple[RecordedGame, ...]]:
    ruleset = installed().find(name, version)
    return ruleset, recorded_games(ruleset)


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize(("name", "version"), INSTALLED)
def test_law_holds(name: str, version: int, law: Law) -> None:
    law.check(*games_of(name, version))


@pytest.mark.parametrize(("name", "version"), INSTALLED)
def test_games_cover_each_sort_of_player_and_an_end(name: str, version: int) -> None:
    ruleset, games = games_of(name, version)
    assert {game.manner for game in games} >= {"random"} | ({"bot"} if ruleset.bot else set())
    lasts = [deque(fold.states(ruleset, game.started, game.events), maxlen=1)[0] for game in games]
    ended = [game for game, last in zip(games, lasts, strict=True) if ruleset.outcome(last) is not None]
    assert {len(game.started.seats) for game in ended} == set(player_counts(ruleset))


@pytest.mark.parametrize(("name", "version"), INSTALLED)
def test_whatever_is_offered_can_be_typed_in_short(name: str, version: int) -> None:
    ruleset, games = games_of(name, version)
    rng = Random(1)  # noqa: S311 - to be repeated
    offered: set[str] = set()
    for game in games[:: max(1, len(games) // 6)]:
        for state in islice(fold.states(ruleset, game.started, game.events), 200):
            for event in some_offered(ruleset, state, rng):
                offered.add(kind_of(event))
                assert not wording.write(ruleset, state, event).startswith("{"), serialization.encode_event(
                    event
                )
    assert len(offered) > 3


@pytest.mark.parametrize("point", entry_points(group=GROUP), ids=lambda point: point.name)
def test_every_ruleset_at_the_door_is_judged(point: Any) -> None:
    assert point.name not in installed().faults, installed().faults[point.name]
    assert {(item.id, item.version) for item in point.load()} <= set(INSTALLED)
