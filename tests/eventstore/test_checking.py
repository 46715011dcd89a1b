"""Table checks: whether the record holds, and since when it does not."""

from __future__ import annotations

import pytest

from eventstore.recording.amending import Insert, Replace, Wish
from eventstore.recording.table_checks import drift
from eventstore.refusals import (
    NothingGiven,
)
from eventstore.store import Tabletape
from games.core.events import Change, RecordChecked, RecordRuled
from games.core.ruleset import IllegalAction
from tests.eventstore.played import ROUND, begin, untouched

LOWER = Wish(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


def test_a_check_names_the_stretch_in_which_the_record_drifted(tape: Tabletape) -> None:
    game = begin(tape)
    tape.recorder.record(game, ROUND[:2])
    assert tape.recorder.checked(game, {"deck": 6, "points.p1": 0}).drifts == ()
    tape.recorder.record(game, ROUND[2:5])
    assert tape.recorder.checked(game, {"points.p1": 0}).drifts == ()
    tape.recorder.record(game, ROUND[5:7])
    answer = tape.recorder.checked(game, {"deck": 5, "points.p1": 1, "points.p2": 1, "discards": 3})
    found = {one.at: (one.claimed, one.recorded, one.since, one.step) for one in answer.drifts}
    assert found == {
        "deck": (5, 4, 3, 10), "points.p1": (1, 0, 7, 10), "discards": (3, 2, None, 10),
    }  # fmt: skip
    assert (answer.step, answer.appended) == (10, 1)
    assert tape.replayer.at(game).caption().startswith("Table check: Deck is 5, the record has 4")


def test_a_check_that_failed_before_is_no_place_to_look_from(tape: Tabletape, game: str) -> None:
    tape.recorder.checked(game, {"deck": 5, "points.p1": 0})
    (again,) = tape.recorder.checked(game, {"deck": 5}).drifts
    assert again.since is None
    (other,) = tape.recorder.checked(game, {"points.p1": 2}).drifts
    assert (other.since, other.step) == (9, 11)


def test_checks_are_judged_anew_after_an_amendment(tape: Tabletape, game: str) -> None:
    tape.recorder.checked(game, {"points.p1": 1})
    assert drift(tape.replayer, game, 9)
    tape.recorder.amend(game, [Wish(8, Insert([RecordRuled("first blood", (Change("/points/p1", 0, 1),))]))])
    assert tape.replayer.at(game, 10).kind == "record.checked"
    assert drift(tape.replayer, game, 10) == ()
    assert drift(tape.replayer, game, 9) == ()


def test_a_check_of_nothing_or_of_what_is_not_there_is_refused(tape: Tabletape, game: str) -> None:
    with pytest.raises(NothingGiven):
        tape.recorder.checked(game, {})
    with pytest.raises(IllegalAction, match="unknown-claim"):
        tape.recorder.checked(game, {"gold": 3})
    assert untouched(tape, game)


def test_a_check_in_a_batch_is_the_same_event(tape: Tabletape, game: str) -> None:
    tape.recorder.record(game, [{"kind": "record.checked", "claims": [{"at": "deck", "value": 4}]}])
    assert isinstance(tape.replayer.at(game).event, RecordChecked)
