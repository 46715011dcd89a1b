"""The repeatable law: what another process must find is written into a module of its own."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from games.core.ruleset import Ruleset
from games.examples.high_card import TOY
from games.testing.laws import LawBroken, recorded_games
from tests.games.conformance.planted import BY_NAME

BY_HASH = """
from dataclasses import replace
from games.examples import high_card as toy
from games.examples.high_card import TOY, CardsDrawn, CardsTurned
from msgspec.structs import replace as changed

def turned(state, event):
    after = toy.cards_turned(state, event)
    return changed(after, discards=tuple(set(after.discards)))

def deal(state, rng):
    if state.phase != "drawing":
        return toy.deal(state, rng)
    return CardsDrawn(state.taker, tuple(rng.sample(list(set(toy._unplaced(state))), 2)))

def told_apart(state, event):
    return changed(toy.cards_turned(state, event), round=state.round + next(COUNT))

class Count:
    def __init__(self):
        self.at = 0
    def __next__(self):
        self.at += 1
        return self.at

COUNT = Count()
FOLD = replace(TOY, evolve={**TOY.evolve, CardsTurned: turned})
DEAL = replace(TOY, deal=deal)
FAMILY = (replace(TOY, version=4), replace(TOY, version=3, evolve={**TOY.evolve, CardsTurned: told_apart}))
"""


@pytest.fixture
def by_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "planted_by_hash.py").write_text(BY_HASH, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("planted_by_hash")
    del sys.modules["planted_by_hash"]


def breach_of_repeatable(ruleset: Ruleset[Any]) -> str:
    with pytest.raises(LawBroken) as broken:
        BY_NAME["repeatable"].check(ruleset, recorded_games(ruleset))
    assert broken.value.law == "repeatable"
    return str(broken.value)


def test_repeatable_law_rejects_a_fold_by_hash_order(by_hash: ModuleType) -> None:
    said = breach_of_repeatable(by_hash.FOLD)
    assert "the state or what is offered is another in another process" in said


def test_repeatable_law_rejects_a_deal_by_hash_order(by_hash: ModuleType) -> None:
    assert "the playout from its seed is another one in another process" in breach_of_repeatable(by_hash.DEAL)


def test_repeatable_law_rejects_a_fold_that_remembers(by_hash: ModuleType) -> None:
    assert "another the second time" in breach_of_repeatable(by_hash.FAMILY[1])


def test_repeatable_law_finds_a_version_in_its_family(by_hash: ModuleType) -> None:
    BY_NAME["repeatable"].check(by_hash.FAMILY[0], recorded_games(by_hash.FAMILY[0]))


def test_repeatable_law_rejects_what_no_other_process_can_import() -> None:
    assert "stands in no module by name" in breach_of_repeatable(replace(TOY, version=9))


def test_repeatable_law_says_what_went_wrong_elsewhere(
    by_hash: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = recorded_games(by_hash.FOLD)
    Path(str(by_hash.__file__)).write_text("raise ValueError('no more')", encoding="utf-8")
    with pytest.raises(LawBroken, match="ValueError: no more"):
        BY_NAME["repeatable"].check(by_hash.FOLD, games)
