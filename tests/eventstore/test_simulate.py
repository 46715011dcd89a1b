"""Simulated games are the same whoever plays them, and are saved as any other game."""

from __future__ import annotations

import pickle

import pytest

from eventstore import simulation as module
from eventstore.audit.verify import verify
from eventstore.simulation import SimulatedGame, game_seed, save, simulate
from eventstore.store import Store
from games.core.registry import UnknownRuleset
from games.core.ruleset import IllegalAction
from games.examples.high_card import TOY
from tests.eventstore.played import REGISTRY, begin, play


def one(number: int = 0, **given: object) -> SimulatedGame:
    return simulate(TOY.id, 2, game_seed(7, number), registry=REGISTRY, **given)  # type: ignore[arg-type]


def test_the_same_seed_plays_the_same_game() -> None:
    assert one() == one()
    assert one() != one(1)
    assert pickle.loads(pickle.dumps(one())) == one()  # noqa: S301 - as between two processes


def test_a_game_is_played_to_its_end_or_to_the_limit() -> None:
    assert one().outcome is not None
    short = one(max_events=4)
    assert (len(short.events), short.outcome) == (5, None)
    assert one(options={"rounds": 1}).events[0][1].count('"rounds":1,') == 1


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(UnknownRuleset):
        simulate("chess", 2, 1, registry=REGISTRY)
    with pytest.raises(IllegalAction, match="wrong-number-of-players"):
        simulate(TOY.id, 5, 1, registry=REGISTRY)
    with pytest.raises(IllegalAction, match="unknown-option"):
        one(options={"speed": 1})


def test_saved_games_are_whole_and_marked(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", 3)
    games = [one(number) for number in range(7)]
    ids = save(store, games)
    assert len(set(ids)) == 7
    assert verify(store).faults == ()
    for game, played in zip(ids, games, strict=True):
        position = store.game(game).position()
        assert (position.outcome(), position.seq) == (played.outcome, len(played.events))
        assert position.started.origin == "simulated"  # type: ignore[union-attr]
    assert store.catalogue.list() == []
    assert [entry.game for entry in store.catalogue.list(origin="simulated")] == ids[::-1]
    assert save(store, []) == []


def test_saved_games_need_not_be_folded_to_be_listed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    save(store, [one(0, max_events=4), one(1)])
    noted = begin(store)
    store.catalogue.list()
    save(store, [one(2)])
    monkeypatch.setattr("eventstore.library.catalogue.standing_of", None)
    saved = store.catalogue.list(origin="simulated")
    monkeypatch.undo()
    assert [(entry.steps, entry.status, entry.result) for entry in saved] == [
        (entry.steps, entry.status, entry.result)
        for entry in map(store.catalogue.get, [e.game for e in saved])
    ]
    assert saved[2].status == "playing"
    play(store, noted, 3)
    save(store, [one(3)])
    assert store.catalogue.list()[0].steps == 3
    assert len(store.catalogue.list(origin="simulated")) == 4
    assert [entry.game for entry in store.catalogue.search("dealt")] == [noted]
