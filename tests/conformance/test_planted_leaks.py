"""Whatever a ruleset keeps from anybody is planted as a leak, one kind of event at a time: each must fall."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from games.core import fold, serialization
from games.core.events import Event, kind_of
from games.core.registry import installed
from games.core.ruleset import Ruleset
from games.testing.laws import LAWS, LawBroken, RecordedGame, as_observed, identities, recorded_games

LEAK = next(law for law in LAWS if law.name == "leak")
RULESETS = list(installed().values())
HIDING = [ruleset for ruleset in RULESETS if ruleset.has_hidden_information]


@cache
def games_of(ruleset_id: str, version: int) -> tuple[RecordedGame, ...]:
    return recorded_games(installed()[ruleset_id, version], seeds=(1,))


def kept_back(ruleset: Ruleset[Any]) -> Iterator[str]:
    """Name each kind in which the record names a card that some viewer is not told."""
    for game in games_of(ruleset.id, ruleset.version):
        cards = identities(ruleset, game)
        for view in as_observed(ruleset, game):
            for full, told in zip(game.events, view.events, strict=True):
                if full != told and any(card in cards for card in words(full) - words(told)):
                    yield kind_of(full)


def words(event: Event) -> set[str]:
    return set(re.findall(r'"([^"]+)"', serialization.encode_event(event)))


def blabbing(ruleset: Ruleset[Any], kind: str) -> Ruleset[Any]:
    """Make the ruleset tell everything in one kind of event."""

    def redact(state: Any, event: Event, viewer: str) -> Event:
        return event if kind_of(event) == kind else ruleset.redact(state, event, viewer)

    return replace(ruleset, redact=redact)


PLANTS = [
    pytest.param(ruleset, kind, id=f"{ruleset.id} {ruleset.version}: {kind}")
    for ruleset in HIDING
    for kind in sorted(set(kept_back(ruleset)))
]


@pytest.mark.parametrize(("ruleset", "kind"), PLANTS)
def test_the_leak_law_finds_what_one_kind_of_event_tells(ruleset: Ruleset[Any], kind: str) -> None:
    with pytest.raises(LawBroken) as broken:
        LEAK.check(blabbing(ruleset, kind), games_of(ruleset.id, ruleset.version))
    assert broken.value.law == "leak"
    assert kind in str(broken.value)


@pytest.mark.parametrize("ruleset", HIDING, ids=lambda ruleset: f"{ruleset.id} {ruleset.version}")
def test_a_ruleset_that_hides_keeps_something_back(ruleset: Ruleset[Any]) -> None:
    assert set(kept_back(ruleset))
    assert any(identities(ruleset, game) for game in games_of(ruleset.id, ruleset.version))


@pytest.mark.parametrize(
    "ruleset",
    [ruleset for ruleset in RULESETS if not ruleset.has_hidden_information],
    ids=lambda ruleset: f"{ruleset.id} {ruleset.version}",
)
def test_an_open_game_is_told_whole(ruleset: Ruleset[Any]) -> None:
    for game in games_of(ruleset.id, ruleset.version)[:2]:
        for viewer in fold.viewers(game.started):
            assert tuple(fold.observed(ruleset, game.started, game.events, viewer)) == game.events
