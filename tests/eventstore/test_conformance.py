"""Each law of the store rejects a ruleset that breaks it; the unbroken one keeps them all."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import pytest
from msgspec.structs import replace as changed

from eventstore.store import Store
from eventstore.testing.store_laws import LAWS, laws
from games.core.events import Event, RecordStarted
from games.core.registry import installed
from games.core.ruleset import Ruleset
from games.examples import high_card
from games.examples.high_card import RULESETS, TOY, CardLaid, CardsTurned, HighCard
from games.testing.laws import Law, LawBroken, recorded_games

IN_MEMORY = laws(Store.in_memory)
calls = itertools.count()


def counted(state: HighCard, event: CardLaid) -> HighCard:
    """Not the same twice: it looks at something that is neither state nor event."""
    return changed(high_card.card_laid(state, event), round=-next(calls))


def remembered_in_the_setup(state: HighCard, event: CardsTurned) -> HighCard:
    """Keeps something where no snapshot looks."""
    after = high_card.cards_turned(state, event)
    return changed(after, setup=changed(after.setup, values={**after.setup.values, f"r{state.round}": 0}))


def blanked_too_far(state: HighCard, event: Event, viewer: str) -> Event:
    """Tells the table of turned cards that nobody can have turned."""
    if isinstance(event, CardsTurned) and viewer == "table":
        return changed(event, cards=dict.fromkeys(event.cards, "c01"))
    return high_card.redact(state, event, viewer)


def minded(started: RecordStarted[Any, Any]) -> HighCard:
    """Begins otherwise where it is a variation."""
    begun = high_card.setup(started)
    return begun if started.parent is None else changed(begun, round=begun.round + 1)


@dataclass(frozen=True)
class Plant:
    law: str
    ruleset: Ruleset[Any]
    says: str


PLANTS = (
    Plant("undo", replace(TOY, evolve={**TOY.evolve, CardLaid: counted}), "undo"),
    Plant(
        "snapshots",
        replace(TOY, evolve={**TOY.evolve, CardsTurned: remembered_in_the_setup}),
        "kept and folded on it is another",
    ),
    Plant("amend", replace(TOY, evolve={**TOY.evolve, CardLaid: counted}), "is not what its events fold to"),
    Plant("branch", replace(TOY, setup=minded), "left there, it is another game"),
    Plant("record", replace(TOY, redact=blanked_too_far), "table's file is refused"),
)


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: f"version {ruleset.version}")
def test_the_toy_keeps_every_law(ruleset: Ruleset[Any]) -> None:
    games = recorded_games(ruleset)
    for law in (*LAWS, *IN_MEMORY):
        law.check(ruleset, games)


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize(("name", "version"), tuple(installed()))
def test_every_installed_ruleset_keeps_every_law(name: str, version: int, law: Law) -> None:
    ruleset = installed().find(name, version)
    law.check(ruleset, recorded_games(ruleset, seeds=(1,)))


@pytest.mark.parametrize("law", IN_MEMORY, ids=str)
@pytest.mark.parametrize("name", sorted({name for name, _ in installed()}))
def test_every_title_keeps_every_law_in_memory(name: str, law: Law) -> None:
    ruleset = installed().find(name)
    law.check(ruleset, recorded_games(ruleset, seeds=(1,)))


@pytest.mark.parametrize("store_laws", [LAWS, IN_MEMORY], ids=["database", "memory"])
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.law)
def test_each_law_rejects_a_breach(plant: Plant, store_laws: tuple[Law, ...]) -> None:
    (law,) = (law for law in store_laws if law.name == plant.law)
    with pytest.raises(LawBroken, match=plant.says) as told:
        law.check(plant.ruleset, recorded_games(TOY))
    assert told.value.law == plant.law


def test_every_law_has_a_plant() -> None:
    assert {plant.law for plant in PLANTS} == {law.name for law in LAWS}
