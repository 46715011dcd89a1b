"""Correcting a record in its middle: one command, or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eventstore.errors import CommandReused, Conflict
from eventstore.recording.amending import Cut, Insert, Keep, Remove, Replace, Settlement, Wish
from eventstore.recording.recorder import Amended
from eventstore.refusals import (
    BadAmendment,
    BadDetail,
    IllegalEdit,
    NothingGiven,
    NotInHistory,
)
from eventstore.store import Tabletape
from games.core.events import RecordClosed
from games.core.registry import registry_of
from games.examples.high_card import TOY, CardLaid, CardPassed, CardsDrawn
from tests.eventstore.played import ROUND, begin, seqs, untouched

LOWER = Wish(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


# --- replace, remove, insert ---


@pytest.mark.parametrize("do", [Replace([";"]), Insert([" ; "]), Replace([""])])
def test_a_text_without_a_move_amends_nothing(tape: Tabletape, game: str, do: Replace | Insert) -> None:
    with pytest.raises(NothingGiven):
        tape.recorder.amend(game, [Wish(7, do)])
    with pytest.raises(NothingGiven):
        tape.recorder.amend(game, [Wish(6, Remove())], settle={7: Replace([";"])})
    assert untouched(tape, game)


def test_texts_that_cannot_be_kept_are_amended_in_by_nobody(tape: Tabletape, game: str) -> None:
    with pytest.raises(BadAmendment, match="control character"):
        tape.recorder.amend(game, [Wish(9, Insert([RecordClosed("agreed", reason="a\x1b[2J")]))])
    assert untouched(tape, game)


def test_an_event_in_the_middle_is_replaced_and_the_rest_stays(tape: Tabletape, game: str) -> None:
    answer = tape.recorder.amend(
        game, [Wish(7, Replace([CardsDrawn("p2", ("c07", "c12"))]))], reason="misread"
    )
    assert (answer.seq, answer.step, answer.appended, answer.faults) == (11, 8, 2, ())
    assert seqs(tape, game) == [1, 2, 3, 4, 5, 6, 11, 8, 9]
    row = tape.log.events(game, 10, 10)[0]
    assert row.payload == (
        '{"kind":"record.amended","edits":[{"after":6,"drop":1,"put":1}],"reason":"misread"}'
    )
    assert tape.replayer.at(game).state.hands["p2"].known == ("c05", "c06", "c12")
    assert len(tape.log.commits(game)) == 3


def test_what_was_there_stays_in_the_log_and_undo_takes_the_whole_back(tape: Tabletape, game: str) -> None:
    was = tape.replayer.at(game).state
    tape.recorder.amend(game, [Wish(7, Replace([CardsDrawn("p2", ("c07", "c12"))]))])
    now = tape.replayer.at(game).state
    assert (
        tape.log.events(game, 7, 7)[0].payload == '{"kind":"cards_drawn","player":"p2","cards":["c07","c08"]}'
    )
    assert tape.replayer.tape(game).amended
    assert tape.recorder.undo(game).appended == 1
    assert tape.replayer.at(game).state == was
    assert not tape.replayer.tape(game).amended
    tape.recorder.redo(game)
    assert tape.replayer.at(game).state == now


def test_several_edits_are_one_command(tape: Tabletape, game: str) -> None:
    tape.recorder.amend(
        game,
        [
            Wish(9, Remove()),
            Wish(8, Insert([CardLaid("p2", "c08")])),
            Wish(7, Replace([CardsDrawn("p2", ("c08", "c09"))])),
            Wish(8, Replace([CardPassed("p2", "c09")])),
        ],
    )
    assert seqs(tape, game) == [1, 2, 3, 4, 5, 6, 11, 12, 13]
    assert [commit.first_seq for commit in tape.log.commits(game)] == [1, 2, 10]


def test_one_event_becomes_two_and_two_become_none(tape: Tabletape, game: str) -> None:
    tape.recorder.amend(game, [Wish(9, Replace([CardLaid("p2", "c08"), CardLaid("p1", "c02")]))])
    assert [moment.kind for moment in tape.replayer.moments(game)][-2:] == ["card_laid", "card_laid"]
    tape.recorder.amend(game, [Wish(11, Remove()), Wish(12, Remove())])
    assert seqs(tape, game) == list(range(1, 9))


def test_moves_are_typed_as_at_that_step(tape: Tabletape, game: str) -> None:
    tape.recorder.amend(
        game, [Wish(8, Replace(["p2: pass c08; p2: lay c07"])), Wish(9, Replace(["p1: lay c08"]))]
    )
    assert [moment.notation() for moment in tape.replayer.moments(game, 7)] == [
        "p2: pass c08", "p2: lay c07", "p1: lay c08",
    ]  # fmt: skip


def test_objects_and_typed_objects_are_read_as_in_a_batch(tape: Tabletape, game: str) -> None:
    item = {"kind": "card_laid", "player": "p1", "card": "c03"}
    assert tape.recorder.amend(game, [Wish(9, Replace([item]))]).appended == 2
    assert (
        tape.recorder.amend(
            game, [Wish(11, Replace(['{"kind":"card_laid","player":"p1","card":"c02"}']))]
        ).step
        == 8
    )


def test_an_amended_event_is_amended_again(tape: Tabletape, game: str) -> None:
    tape.recorder.amend(game, [Wish(9, Replace([CardLaid("p1", "c03")]))])
    with pytest.raises(NotInHistory, match="event 11 stands in its place") as told:
        tape.recorder.amend(game, [Wish(9, Replace([CardLaid("p1", "c07")]))])
    assert told.value.instead == 11
    tape.recorder.amend(game, [Wish(11, Replace([CardLaid("p1", "c07")]))])
    assert seqs(tape, game)[-1] == 13


def test_notes_follow_the_event_that_they_were_meant_for(tape: Tabletape, game: str) -> None:
    for seq in (6, 7, 8, 9):
        tape.notes.write(game, seq, text=f"on {seq}")
    tape.recorder.amend(game, [LOWER, Wish(8, Remove())], settle={7: Keep(), 9: Remove()})
    placed = {step: sorted(note.text for note in notes) for step, notes in tape.notes.at_steps(game).items()}
    assert placed == {5: ["on 6"], 6: ["on 7"], None: ["on 8", "on 9"]}
    tape.recorder.undo(game)
    assert set(tape.notes.at_steps(game)) == {5, 6, 7, 8}


# --- what is refused ---


def test_a_wish_that_is_itself_illegal_is_refused_with_its_seq(tape: Tabletape, game: str) -> None:
    with pytest.raises(IllegalEdit) as told:
        tape.recorder.amend(game, [Wish(9, Replace([CardLaid("p1", "c09")]))])
    assert (told.value.seq, told.value.code) == (9, "not-offered")
    assert told.value.legal
    with pytest.raises(IllegalEdit):
        tape.recorder.amend(game, [Wish(9, Insert([CardLaid("p1", "c03")]))])
    assert untouched(tape, game)


@pytest.mark.parametrize(
    ("edits", "settle", "said"),
    [
        ([Wish(1, Remove())], {}, "event 1 begins the game"),
        ([Wish(9, Remove()), Wish(9, Replace(["p1: lay c03"]))], {}, "event 9 is edited twice"),
        ([Wish(9, Remove())], {9: Remove()}, "event 9 is edited"),
        ([Wish(9, Replace([]))], {}, "give at least one event"),
        ([Wish(9, Insert([{"kind": "card_played"}]))], {}, "has no kind 'card_played'"),
        ([Wish(9, Insert(['{"kind":']))], {}, "no JSON object"),
        ([Wish(6, Remove()), Wish(9, Remove())], {7: Cut()}, "event 9 is to be edited"),
        ([Wish(1, Replace(["p1: lay c03"]))], {}, "this cannot be the first event"),
        ([Wish(1, Replace([CardLaid("p1", "c03")]))], {}, "a game begins with record.started"),
        ([Wish(1, Replace([{"kind": "record.started", "ruleset": "go"}]))], {}, "its ruleset stays"),
        ([Wish(1, Replace([{"kind": "record.started", "seats": ["p1"]}]))], {}, "its seats stays"),
        ([Wish(1, Replace([{"kind": "record.started", "origin": "dealt"}]))], {}, "its origin stays"),
        ([Wish(1, Replace([{"kind": "record.started", "seen_as": "p3"}]))], {}, "'p3' is no viewer"),
        ([Wish(1, Replace([{"kind": "record.started", "options": {"speed": 1}}]))], {}, "speed"),
    ],
)  # fmt: skip
def test_an_amendment_that_does_not_fit_together_is_refused(
    tape: Tabletape, game: str, edits: list[Wish], settle: dict[int, Settlement], said: str
) -> None:
    with pytest.raises((BadAmendment, IllegalEdit), match=said):
        tape.recorder.amend(game, edits, settle=settle)
    assert untouched(tape, game)


@pytest.mark.parametrize("seq", [0, 10, 999])
def test_an_event_that_is_no_step_is_refused(tape: Tabletape, game: str, seq: int) -> None:
    with pytest.raises(NotInHistory, match=f"Event {seq} is no step"):
        tape.recorder.amend(game, [Wish(seq, Remove())])
    with pytest.raises(NotInHistory):
        tape.recorder.amend(game, [Wish(9, Remove())], settle={seq: Remove()})


def test_nothing_and_a_reason_that_cannot_be_kept_are_refused(tape: Tabletape, game: str) -> None:
    with pytest.raises(NothingGiven):
        tape.recorder.amend(game, [])
    with pytest.raises(BadDetail, match="The reason cannot be kept"):
        tape.recorder.amend(game, [Wish(9, Remove())], reason="\x1b[2J")
    assert untouched(tape, game)


@pytest.mark.parametrize("kind", ["record.undone", "record.amended", "record.started"])
def test_what_rewrites_or_begins_cannot_be_put(tape: Tabletape, game: str, kind: str) -> None:
    bodies: dict[str, Any] = {
        "record.undone": {"to": 3},
        "record.amended": {"edits": [], "reason": ""},
        "record.started": msgspec.json.decode(tape.replayer.at(game, 0).payload),
    }
    with pytest.raises(IllegalEdit):
        tape.recorder.amend(game, [Wish(9, Insert([{"kind": kind, **bodies[kind]}]))])
    assert untouched(tape, game)


# --- the first event ---


def test_a_wrong_option_is_mended_later(tape: Tabletape, game: str) -> None:
    lower = Wish(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
    answer = tape.recorder.amend(game, [lower])
    assert [fault.seq for fault in answer.faults] == [7, 8, 9]
    assert tape.recorder.amend(game, [lower], settle={7: Cut()}).faults == ()
    now = tape.replayer.at(game)
    assert now.state.points == {"p1": 1, "p2": 0}
    assert now.started is not None
    assert (now.started.options.scores, now.started.options.rounds) == ("lower", 1000)
    assert seqs(tape, game) == [11, 2, 3, 4, 5, 6]
    assert tape.recorder.undo(game).step == 8
    assert tape.replayer.at(game).state.points == {"p1": 0, "p2": 1}


def test_a_repeat_after_the_first_event_was_replaced_gets_the_first_answer(tape: Tabletape) -> None:
    game = begin(tape, options={"rounds": 1})
    first = tape.recorder.record(game, ROUND[:5], command_id="round")
    assert first.outcome is not None
    tape.recorder.amend(game, [Wish(1, Replace([{"kind": "record.started", "options": {"rounds": 4}}]))])
    assert tape.replayer.at(game).outcome() is None
    again = tape.recorder.record(game, ROUND[:5], command_id="round")
    assert (again.outcome, again.step, again.repeated) == (first.outcome, 5, True)


def test_behind_a_new_first_event_something_may_be_put(tape: Tabletape) -> None:
    game = begin(tape)
    edits = [
        Wish(1, Insert([ROUND[0]])),
        Wish(1, Replace([{"kind": "record.started", "options": {"rounds": 2}}])),
    ]
    assert tape.recorder.amend(game, edits).step == 1
    assert seqs(tape, game) == [3, 4]


def test_shipped_data_are_those_of_the_new_options_and_own_data_stay(path: Path) -> None:
    def load_data(file: bytes | None, seats: Any, options: Any, origin: Any) -> Any:
        data = TOY.load_data(file, seats, options, origin)
        return data if file else msgspec.structs.replace(data, source=f"shipped: {options.scores}")

    own = b'{"source":"mine","cards":[%s]}' % b",".join(b'{"id":"x%d","value":%d}' % (n, n) for n in range(9))
    lower = {"kind": "record.started", "options": {"scores": "lower"}}
    with Tabletape.open(path, registry=registry_of((replace(TOY, load_data=load_data),))) as tape:
        for data, source in ((None, "shipped: lower"), (own, "mine")):
            game = begin(tape, data=data)
            tape.recorder.amend(game, [Wish(1, Replace([lower]))])
            started = tape.replayer.at(game).started
            assert started is not None
            assert (started.data.source, started.options.scores) == (source, "lower")


# --- commands ---


def test_a_dry_run_says_what_would_come_of_it(tape: Tabletape, game: str) -> None:
    answer = tape.recorder.amend(game, [Wish(9, Remove())], dry_run=True)
    assert (answer.seq, answer.step, answer.appended, answer.faults) == (9, 7, 0, ())
    assert untouched(tape, game)


def test_a_repeat_is_answered_and_another_request_refused(tape: Tabletape, game: str) -> None:
    first = tape.recorder.amend(game, [Wish(9, Remove())], command_id="fix")
    again = tape.recorder.amend(game, [Wish(9, Remove())], command_id="fix")
    assert isinstance(again, Amended)
    assert (again.seq, again.step, again.appended, again.repeated) == (first.seq, 7, 1, True)
    with pytest.raises(CommandReused):
        tape.recorder.amend(game, [Wish(9, Remove())], command_id="fix", reason="other")


def test_after_names_the_head_that_it_was_made_for(tape: Tabletape, game: str) -> None:
    with pytest.raises(Conflict):
        tape.recorder.amend(game, [Wish(9, Remove())], after=8)
    assert untouched(tape, game)


def test_a_closed_record_is_amended_and_stays_closed(tape: Tabletape, game: str) -> None:
    tape.recorder.record(game, [RecordClosed("agreed")])
    with pytest.raises(IllegalEdit, match="record-closed"):
        tape.recorder.amend(game, [Wish(10, Insert([CardLaid("p2", "c08")]))])
    answer = tape.recorder.amend(game, [Wish(9, Replace([CardLaid("p1", "c03")]))])
    assert answer.outcome is not None
    assert answer.outcome.reason == "agreed"
    assert tape.recorder.amend(game, [Wish(10, Remove())]).outcome is None
    assert tape.recorder.record(game, [CardLaid("p2", "c08")]).appended == 1


def test_behind_a_closing_in_the_middle_nothing_can_be_kept(tape: Tabletape, game: str) -> None:
    answer = tape.recorder.amend(game, [Wish(7, Insert([RecordClosed("agreed")]))])
    assert [(fault.seq, fault.code, fault.keepable) for fault in answer.faults] == [
        (8, "record-closed", False), (9, "record-closed", False),
    ]  # fmt: skip


# --- lines ---


def test_an_undone_line_is_read_step_by_step(tape: Tabletape, game: str) -> None:
    tape.recorder.undo(game, 2)
    tape.recorder.record(game, [CardPassed("p2", "c05")])
    opened = tape.replayer.tape(game)
    (line,) = opened.history.lines(opened.head.seq)
    found = list(tape.replayer.line(game, line.tip, "everything", line.fork))
    assert [(moment.step, moment.seq) for moment in found] == [(7, 8), (8, 9)]
    assert found[-1].caption() == "p1 lays c02."
    hidden = list(tape.replayer.line(game, line.tip, "p2", line.fork))
    assert hidden[-1].caption() == "p1 lays an unseen card."
    tape.recorder.restore(game, line.tip)
    assert seqs(tape, game)[-1] == 9


def test_the_line_before_an_amendment_of_the_first_event_has_its_own_options(
    tape: Tabletape, game: str
) -> None:
    tape.recorder.amend(
        game,
        [Wish(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))],
        settle={7: Cut()},
    )
    tape.recorder.undo(game)
    (line,) = tape.replayer.tape(game).history.lines(11 + 1)
    found = list(tape.replayer.line(game, line.tip))
    assert found[-1].state.points == {"p1": 1, "p2": 0}
