"""Nim, the smallest complete ruleset: it stays small, keeps every law, and is recorded like any other."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from eventstore import New, Record, Store
from games.core.registry import registry_of
from games.core.ruleset import BadData, BrokenInvariant, IllegalAction
from games.core.start import started
from games.examples import nim
from games.testing.laws import LAWS, Law, recorded_games

GAMES = recorded_games(nim.NIM)
LONGEST = 150


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_keeps_every_law(law: Law) -> None:
    law.check(nim.NIM, GAMES)


def test_is_short_enough_to_be_read_at_once() -> None:
    assert len(inspect.getsource(nim).splitlines()) < LONGEST


def test_whoever_takes_the_last_match_wins() -> None:
    state = nim.setup(started(nim.NIM, 3, options={"matches": 4}))
    for seat, count in (("p1", 1), ("p2", 1), ("p3", 2)):
        event = nim.MatchesTaken(seat, count)
        nim.check(state, event)
        state = nim.matches_taken(state, event)
    ended = nim.outcome(state)
    assert ended is not None
    assert (ended.winners, ended.scores, nim.turn(state)) == (("p3",), {"p1": 1, "p2": 1, "p3": 2}, None)
    assert state.round == 2


def test_more_than_the_limit_is_refused() -> None:
    state = nim.setup(started(nim.NIM, 2))
    with pytest.raises(IllegalAction, match="offered") as refused:
        nim.check(state, nim.MatchesTaken("p1", 4))
    assert refused.value.legal == tuple(nim.MatchesTaken("p1", count) for count in (1, 2, 3))


def test_takes_no_file_and_loses_no_match() -> None:
    with pytest.raises(BadData, match="no file"):
        started(nim.NIM, 2, data=b"{}")
    state = nim.setup(started(nim.NIM, 2))
    with pytest.raises(BrokenInvariant):
        nim.invariants(nim.replace(state, heap=20))


def test_is_recorded_through_the_registry(tmp_path: Path) -> None:
    with Store.open(tmp_path / "g.db", registry=registry_of(nim.RULESETS)) as store:
        store.do(None, New("nim", ["Ann", "Bo"], game="heap", options={"matches": 2}))
        store.do("heap", Record([nim.MatchesTaken("p1", 2)]))
        outcome = store.game("heap").position().outcome()
        assert outcome is not None
        assert outcome.winners == ("p1",)
