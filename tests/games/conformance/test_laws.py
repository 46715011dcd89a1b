"""Each law rejects, by its name, a ruleset that breaks it; the unbroken one keeps them all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from games.core.ruleset import Ruleset
from games.examples import high_card
from games.examples.high_card import CardLaid
from games.testing.laws import LAWS, LawBroken, recorded_games
from tests.games.conformance import folding, observing, playing, showing
from tests.games.conformance.planted import BY_NAME, Plant

ROOT = Path(__file__).resolve().parents[3]
PLANTS = (*playing.PLANTS, *folding.PLANTS, *showing.PLANTS, *observing.PLANTS)


@pytest.mark.parametrize("ruleset", high_card.RULESETS, ids=lambda item: f"version {item.version}")
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_unbroken_ruleset_keeps_every_law(ruleset: Ruleset[Any], law: Any) -> None:
    law.check(ruleset, recorded_games(ruleset))


@pytest.mark.parametrize("plant", PLANTS, ids=lambda item: f"{item.law}: {item.fault}")
def test_law_rejects(plant: Plant) -> None:
    games = recorded_games(plant.ruleset)
    with pytest.raises(LawBroken, match=plant.says) as broken:
        BY_NAME[plant.law].check(plant.ruleset, games)
    assert f"breaks the {plant.law} law" in str(broken.value)


def test_notation_law_types_what_is_offered_and_never_happened() -> None:
    broken = showing.reading_of(showing.write_value)
    dealt = [replace(game, events=game.events[:2]) for game in recorded_games(broken)[:1]]
    assert not any(isinstance(event, CardLaid) for event in dealt[0].events)
    with pytest.raises(LawBroken, match="not read back"):
        BY_NAME["notation"].check(broken, dealt)


def test_each_law_has_a_ruleset_that_it_rejects() -> None:
    assert {law.name for law in LAWS} == {plant.law for plant in PLANTS} | {"repeatable"}


def test_each_law_is_documented() -> None:
    text = (ROOT / "games" / "README.md").read_text(encoding="utf-8")
    missing = [law.name for law in LAWS if f"| {law.name} | {law.says} |" not in text]
    assert missing == []
