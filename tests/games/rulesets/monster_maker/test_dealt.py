"""A game that Tabletape deals: who may do something else is asked, and draws when they say so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from eventstore.recording.commands import Deal, New, Record, Undo
from eventstore.recording.typed_lines import read_line
from eventstore.refusals import UndoPastDraw
from eventstore.store import Store
from games.core.registry import registry_of
from games.rulesets.monster_maker import RULESETS


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "games.db", registry=registry_of(RULESETS)) as opened:
        yield opened


def to_a_choice(store: Store) -> str:
    """Deal and throw drawn pieces away until the one on turn may take the top of the garbage instead."""
    game = store.do(None, New("monster-maker", ["Ann", "Bo"], origin="dealt")).game.id
    rng = Random(4)  # noqa: S311 - to be repeated
    for _ in range(20):
        store.do(game, Deal(), chance=rng)
        state = store.game(game).position().state
        if state.phase == "turn":
            return game
        move = "save" if state.drawn in state.setup.trades else "x"
        store.do(game, Record(read_line(store.game(game), move)))
    raise AssertionError("nobody ever had a choice")


def test_dealing_on_stops_where_a_player_has_a_choice(store: Store) -> None:
    game = to_a_choice(store)
    assert store.do(game, Deal()).appended == 0


def test_a_player_with_a_choice_draws_when_they_say_so(store: Store) -> None:
    game = to_a_choice(store)
    assert store.do(game, Deal(until_decision=False)).appended == 1
    now = store.game(game).position()
    assert now.kind == "part_drawn"
    assert store.do(game, Deal(until_decision=False)).appended == 0
    with pytest.raises(UndoPastDraw):
        store.do(game, Undo())
