"""Table checks: whether the record holds, and since when it does not."""

from __future__ import annotations

import pytest

from eventstore.recording.amending import HistoryEdit, Insert, Replace
from eventstore.recording.commands import Amend, Check, Record
from eventstore.recording.table_checks import drift
from eventstore.refusals import (
    NothingGiven,
)
from eventstore.store import Store
from games.core.events import Change, RecordChecked, RecordRuled
from games.core.ruleset import IllegalAction
from tests.eventstore.played import ROUND, begin, untouched

LOWER = HistoryEdit(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


def test_a_check_names_the_stretch_in_which_the_record_drifted(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(ROUND[:2]))
    assert store.do(game, Check({"deck": 6, "points.p1": 0})).result.drifts == ()
    store.do(game, Record(ROUND[2:5]))
    assert store.do(game, Check({"points.p1": 0})).result.drifts == ()
    store.do(game, Record(ROUND[5:7]))
    answer = store.do(game, Check({"deck": 5, "points.p1": 1, "points.p2": 1, "discards": 3}))
    found = {one.at: (one.claimed, one.recorded, one.since, one.step) for one in answer.result.drifts}
    assert found == {
        "deck": (5, 4, 3, 10), "points.p1": (1, 0, 7, 10), "discards": (3, 2, None, 10),
    }  # fmt: skip
    assert (answer.step, answer.appended) == (10, 1)
    assert store.game(game).position().caption().startswith("Table check: Deck is 5, the record has 4")


def test_a_check_that_failed_before_is_no_place_to_look_from(store: Store, game: str) -> None:
    store.do(game, Check({"deck": 5, "points.p1": 0}))
    (again,) = store.do(game, Check({"deck": 5})).result.drifts
    assert again.since is None
    (other,) = store.do(game, Check({"points.p1": 2})).result.drifts
    assert (other.since, other.step) == (9, 11)


def test_checks_are_judged_anew_after_an_amendment(store: Store, game: str) -> None:
    store.do(game, Check({"points.p1": 1}))
    assert drift(store.game(game), 9)
    store.do(
        game, Amend([HistoryEdit(8, Insert([RecordRuled("first blood", (Change("/points/p1", 0, 1),))]))])
    )
    assert store.game(game).position(10).kind == "record.checked"
    assert drift(store.game(game), 10) == ()
    assert drift(store.game(game), 9) == ()


def test_a_check_of_nothing_or_of_what_is_not_there_is_refused(store: Store, game: str) -> None:
    with pytest.raises(NothingGiven):
        store.do(game, Check({}))
    with pytest.raises(IllegalAction, match="unknown-claim"):
        store.do(game, Check({"gold": 3}))
    assert untouched(store, game)


def test_a_check_in_a_batch_is_the_same_event(store: Store, game: str) -> None:
    store.do(game, Record([{"kind": "record.checked", "claims": [{"at": "deck", "value": 4}]}]))
    assert isinstance(store.game(game).position().event, RecordChecked)
