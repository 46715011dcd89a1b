"""The door: what is installed, and what a broken or a double ruleset does to the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from games.core import registry
from games.core.registry import Registry, UnknownRuleset, installed, registry_of
from games.examples import high_card
from games.examples.high_card import TOY

OTHER = replace(TOY, id="other", version=1)


@pytest.fixture
def doors(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    found: list[EntryPoint] = []
    monkeypatch.setattr(registry, "entry_points", lambda group: found if group == registry.GROUP else [])
    installed.cache_clear()
    yield found
    installed.cache_clear()


def door(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, registry.GROUP)


def test_rulesets_are_found_by_id_and_version() -> None:
    found = registry_of(high_card.RULESETS, (OTHER,))
    assert sorted(found) == [("high-card", 1), ("high-card", 2), ("other", 1)]
    assert len(found) == 3
    assert found["high-card", 1] is high_card.RULESETS[1]
    assert ("high-card", 3) not in found


def test_newest_version_is_taken_unless_one_is_named() -> None:
    found = registry_of(high_card.RULESETS)
    assert found.find("high-card") is TOY
    assert found.find("high-card", 1) is high_card.RULESETS[1]


def test_newest_are_listed_by_id() -> None:
    assert list(registry_of((OTHER,), high_card.RULESETS).newest()) == ["high-card", "other"]
    tenth = replace(TOY, version=10)
    assert registry_of((TOY, tenth, high_card.RULESETS[1])).newest() == {"high-card": tenth}


@pytest.mark.parametrize(
    ("found", "name", "version", "says"),
    [
        (
            registry_of(high_card.RULESETS),
            "chess",
            None,
            "No ruleset is called 'chess'; installed are high-card.",
        ),
        (registry_of(), "chess", None, "installed are none."),
        (
            registry_of(high_card.RULESETS),
            "high-card",
            7,
            "high-card has no version 7 here; installed: 1, 2.",
        ),
    ],
)
def test_unknown_ruleset_is_refused_with_what_there_is(
    found: Registry, name: str, version: int | None, says: str
) -> None:
    with pytest.raises(UnknownRuleset) as refused:
        found.find(name, version)
    assert says in str(refused.value)
    assert refused.value.code == "unknown-ruleset"


def test_a_family_comes_through_the_door(doors: list[EntryPoint]) -> None:
    doors.append(door("high-card", "games.examples.high_card:RULESETS"))
    assert set(installed()) == {("high-card", 1), ("high-card", 2)}
    assert installed().faults == {}
    assert installed() is installed()


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("no_such_module:RULESETS", "ModuleNotFoundError"),
        ("games.examples.high_card:NOTHING", "AttributeError"),
        ("games.examples.high_card:TOY", "TypeError: games.examples.high_card:TOY is no tuple of rulesets"),
        ("games.examples.high_card:_WORDS", "is no tuple of rulesets"),
    ],
)
def test_broken_ruleset_does_not_keep_the_others_out(doors: list[EntryPoint], value: str, says: str) -> None:
    doors += [door("broken", value), door("high-card", "games.examples.high_card:RULESETS")]
    assert installed().find("high-card") is TOY
    assert list(installed().faults) == ["broken"]
    assert says in installed().faults["broken"]


def test_second_ruleset_of_a_name_is_a_fault_and_takes_no_place(
    doors: list[EntryPoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger: Any = (replace(TOY, version=3), replace(TOY, title="Another"))
    monkeypatch.setattr(high_card, "STRANGER", stranger, raising=False)
    doors += [
        door("high-card", "games.examples.high_card:RULESETS"),
        door("stranger", "games.examples.high_card:STRANGER"),
    ]
    assert installed().find("high-card", 2) is TOY
    assert ("high-card", 3) not in installed()
    assert "high-card 2 is installed already" in installed().faults["stranger"]


def test_a_family_is_loaded_when_somebody_asks_for_its_name(doors: list[EntryPoint]) -> None:
    doors += [
        door("broken", "no_such_module:RULESETS"),
        door("high-card", "games.examples.high_card:RULESETS"),
    ]
    found = installed()
    assert found.names() == ["broken", "high-card"]
    assert (found.offers("high-card", 1), found.offers("chess-of-others", 1)) == (True, False)
    doors.append(door("nim", "games.examples.nim:RULESETS"))
    installed.cache_clear()
    found = installed()
    assert found.find("high-card") is TOY
    assert found["high-card", 1] is high_card.RULESETS[1]
    assert ("high-card", 9) not in found
    assert found._faults == {}, "nobody asked for the broken one"
    assert list(found.faults) == ["broken"]
    assert [*found] == [("high-card", 1), ("high-card", 2), ("nim", 1)]


def test_a_list_learns_of_a_later_version_by_loading_it(doors: list[EntryPoint]) -> None:
    doors.append(door("high-card", "games.examples.high_card:RULESETS"))
    assert [installed().offers("high-card", version) for version in (1, 2, 3)] == [True, True, False]


def test_a_list_learns_of_a_name_that_no_entry_point_bears(doors: list[EntryPoint]) -> None:
    doors.append(door("of-another-name", "games.examples.high_card:RULESETS"))
    assert installed().offers("high-card", 1)
    assert not installed().offers("of-another-name", 1)
    assert installed().find("high-card") is TOY


def test_an_id_belongs_to_the_entry_point_that_bears_it(
    doors: list[EntryPoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(high_card, "STRANGER", (replace(TOY, version=3),), raising=False)
    doors += [
        door("stranger", "games.examples.high_card:STRANGER"),
        door("high-card", "games.examples.high_card:RULESETS"),
    ]
    assert [*installed()] == [("high-card", 1), ("high-card", 2)]
    assert "high-card 3 is installed already" in installed().faults["stranger"]
