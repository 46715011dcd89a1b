"""Correcting a record in its middle: one command, or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eventstore.errors import CommandReused, Conflict
from eventstore.recording.amending import Cut, HistoryEdit, Insert, Keep, Remove, Replace, Settlement
from eventstore.recording.commands import Amend, Record, Redo, Restore, Undo, WriteNote
from eventstore.refusals import (
    BadAmendment,
    BadDetail,
    IllegalEdit,
    NothingGiven,
    NotInHistory,
)
from eventstore.store import Store
from games.core.events import RecordClosed
from games.core.registry import registry_of
from games.examples.high_card import TOY, CardLaid, CardPassed, CardsDrawn
from tests.eventstore.played import ROUND, begin, seqs, untouched

LOWER = HistoryEdit(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


# --- replace, remove, insert ---


@pytest.mark.parametrize("do", [Replace([";"]), Insert([" ; "]), Replace([""])])
def test_a_text_without_a_move_amends_nothing(store: Store, game: str, do: Replace | Insert) -> None:
    with pytest.raises(NothingGiven):
        store.do(game, Amend([HistoryEdit(7, do)]))
    with pytest.raises(NothingGiven):
        store.do(game, Amend([HistoryEdit(6, Remove())], settle={7: Replace([";"])}))
    assert untouched(store, game)


def test_texts_that_cannot_be_kept_are_amended_in_by_nobody(store: Store, game: str) -> None:
    with pytest.raises(BadAmendment, match="control character"):
        store.do(game, Amend([HistoryEdit(9, Insert([RecordClosed("agreed", reason="a\x1b[2J")]))]))
    assert untouched(store, game)


def test_an_event_in_the_middle_is_replaced_and_the_rest_stays(store: Store, game: str) -> None:
    answer = store.do(
        game, Amend([HistoryEdit(7, Replace([CardsDrawn("p2", ("c07", "c12"))]))], reason="misread")
    )
    assert (answer.seq, answer.step, answer.appended, answer.result.faults) == (11, 8, 2, ())
    assert seqs(store, game) == [1, 2, 3, 4, 5, 6, 11, 8, 9]
    row = store.log.events(game, 10, 10)[0]
    assert row.payload == (
        '{"kind":"record.amended","edits":[{"after":6,"drop":1,"put":1}],"reason":"misread"}'
    )
    assert store.game(game).position().state.hands["p2"].known == ("c05", "c06", "c12")
    assert len(store.log.commits(game)) == 3


def test_what_was_there_stays_in_the_log_and_undo_takes_the_whole_back(store: Store, game: str) -> None:
    was = store.game(game).position().state
    store.do(game, Amend([HistoryEdit(7, Replace([CardsDrawn("p2", ("c07", "c12"))]))]))
    now = store.game(game).position().state
    assert (
        store.log.events(game, 7, 7)[0].payload
        == '{"kind":"cards_drawn","player":"p2","cards":["c07","c08"]}'
    )
    assert store.game(game).amended
    assert store.do(game, Undo()).appended == 1
    assert store.game(game).position().state == was
    assert not store.game(game).amended
    store.do(game, Redo())
    assert store.game(game).position().state == now


def test_several_edits_are_one_command(store: Store, game: str) -> None:
    store.do(
        game,
        Amend(
            [
                HistoryEdit(9, Remove()),
                HistoryEdit(8, Insert([CardLaid("p2", "c08")])),
                HistoryEdit(7, Replace([CardsDrawn("p2", ("c08", "c09"))])),
                HistoryEdit(8, Replace([CardPassed("p2", "c09")])),
            ]
        ),
    )
    assert seqs(store, game) == [1, 2, 3, 4, 5, 6, 11, 12, 13]
    assert [commit.first_seq for commit in store.log.commits(game)] == [1, 2, 10]


def test_one_event_becomes_two_and_two_become_none(store: Store, game: str) -> None:
    store.do(game, Amend([HistoryEdit(9, Replace([CardLaid("p2", "c08"), CardLaid("p1", "c02")]))]))
    assert [position.kind for position in store.game(game).positions()][-2:] == ["card_laid", "card_laid"]
    store.do(game, Amend([HistoryEdit(11, Remove()), HistoryEdit(12, Remove())]))
    assert seqs(store, game) == list(range(1, 9))


def test_moves_are_typed_as_at_that_step(store: Store, game: str) -> None:
    store.do(
        game,
        Amend(
            [HistoryEdit(8, Replace(["p2: pass c08; p2: lay c07"])), HistoryEdit(9, Replace(["p1: lay c08"]))]
        ),
    )
    assert [position.notation() for position in store.game(game).positions(7)] == [
        "p2: pass c08", "p2: lay c07", "p1: lay c08",
    ]  # fmt: skip


def test_objects_and_typed_objects_are_read_as_in_a_batch(store: Store, game: str) -> None:
    item = {"kind": "card_laid", "player": "p1", "card": "c03"}
    assert store.do(game, Amend([HistoryEdit(9, Replace([item]))])).appended == 2
    assert (
        store.do(
            game, Amend([HistoryEdit(11, Replace(['{"kind":"card_laid","player":"p1","card":"c02"}']))])
        ).step
        == 8
    )


def test_an_amended_event_is_amended_again(store: Store, game: str) -> None:
    store.do(game, Amend([HistoryEdit(9, Replace([CardLaid("p1", "c03")]))]))
    with pytest.raises(NotInHistory, match="event 11 stands in its place") as told:
        store.do(game, Amend([HistoryEdit(9, Replace([CardLaid("p1", "c07")]))]))
    assert told.value.instead == 11
    store.do(game, Amend([HistoryEdit(11, Replace([CardLaid("p1", "c07")]))]))
    assert seqs(store, game)[-1] == 13


def test_notes_follow_the_event_that_they_were_meant_for(store: Store, game: str) -> None:
    for seq in (6, 7, 8, 9):
        store.do(game, WriteNote(seq, text=f"on {seq}"))
    store.do(game, Amend([LOWER, HistoryEdit(8, Remove())], settle={7: Keep(), 9: Remove()}))
    placed = {
        step: sorted(note.text for note in notes)
        for step, notes in store.game(game).all_notes_by_step().items()
    }
    assert placed == {5: ["on 6"], 6: ["on 7"], None: ["on 8", "on 9"]}
    store.do(game, Undo())
    assert set(store.game(game).all_notes_by_step()) == {5, 6, 7, 8}


# --- what is refused ---


def test_a_wish_that_is_itself_illegal_is_refused_with_its_seq(store: Store, game: str) -> None:
    with pytest.raises(IllegalEdit) as told:
        store.do(game, Amend([HistoryEdit(9, Replace([CardLaid("p1", "c09")]))]))
    assert (told.value.seq, told.value.code) == (9, "not-offered")
    assert told.value.legal
    with pytest.raises(IllegalEdit):
        store.do(game, Amend([HistoryEdit(9, Insert([CardLaid("p1", "c03")]))]))
    assert untouched(store, game)


@pytest.mark.parametrize(
    ("edits", "settle", "said"),
    [
        ([HistoryEdit(1, Remove())], {}, "event 1 begins the game"),
        ([HistoryEdit(9, Remove()), HistoryEdit(9, Replace(["p1: lay c03"]))], {}, "event 9 is edited twice"),
        ([HistoryEdit(9, Remove())], {9: Remove()}, "event 9 is edited"),
        ([HistoryEdit(9, Replace([]))], {}, "give at least one event"),
        ([HistoryEdit(9, Insert([{"kind": "card_played"}]))], {}, "has no kind 'card_played'"),
        ([HistoryEdit(9, Insert(['{"kind":']))], {}, "no JSON object"),
        ([HistoryEdit(6, Remove()), HistoryEdit(9, Remove())], {7: Cut()}, "event 9 is to be edited"),
        ([HistoryEdit(1, Replace(["p1: lay c03"]))], {}, "this cannot be the first event"),
        ([HistoryEdit(1, Replace([CardLaid("p1", "c03")]))], {}, "a game begins with record.started"),
        ([HistoryEdit(1, Replace([{"kind": "record.started", "ruleset": "go"}]))], {}, "its ruleset stays"),
        ([HistoryEdit(1, Replace([{"kind": "record.started", "seats": ["p1"]}]))], {}, "its seats stays"),
        ([HistoryEdit(1, Replace([{"kind": "record.started", "origin": "dealt"}]))], {}, "its origin stays"),
        ([HistoryEdit(1, Replace([{"kind": "record.started", "seen_as": "p3"}]))], {}, "'p3' is no viewer"),
        ([HistoryEdit(1, Replace([{"kind": "record.started", "options": {"speed": 1}}]))], {}, "speed"),
    ],
)  # fmt: skip
def test_an_amendment_that_does_not_fit_together_is_refused(
    store: Store, game: str, edits: list[HistoryEdit], settle: dict[int, Settlement], said: str
) -> None:
    with pytest.raises((BadAmendment, IllegalEdit), match=said):
        store.do(game, Amend(edits, settle=settle))
    assert untouched(store, game)


@pytest.mark.parametrize("seq", [0, 10, 999])
def test_an_event_that_is_no_step_is_refused(store: Store, game: str, seq: int) -> None:
    with pytest.raises(NotInHistory, match=f"Event {seq} is no step"):
        store.do(game, Amend([HistoryEdit(seq, Remove())]))
    with pytest.raises(NotInHistory):
        store.do(game, Amend([HistoryEdit(9, Remove())], settle={seq: Remove()}))


def test_nothing_and_a_reason_that_cannot_be_kept_are_refused(store: Store, game: str) -> None:
    with pytest.raises(NothingGiven):
        store.do(game, Amend([]))
    with pytest.raises(BadDetail, match="The reason cannot be kept"):
        store.do(game, Amend([HistoryEdit(9, Remove())], reason="\x1b[2J"))
    assert untouched(store, game)


@pytest.mark.parametrize("kind", ["record.undone", "record.amended", "record.started"])
def test_what_rewrites_or_begins_cannot_be_put(store: Store, game: str, kind: str) -> None:
    bodies: dict[str, Any] = {
        "record.undone": {"to": 3},
        "record.amended": {"edits": [], "reason": ""},
        "record.started": msgspec.json.decode(store.game(game).position(0).payload),
    }
    with pytest.raises(IllegalEdit):
        store.do(game, Amend([HistoryEdit(9, Insert([{"kind": kind, **bodies[kind]}]))]))
    assert untouched(store, game)


# --- the first event ---


def test_a_wrong_option_is_mended_later(store: Store, game: str) -> None:
    lower = HistoryEdit(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
    answer = store.do(game, Amend([lower]))
    assert [fault.seq for fault in answer.result.faults] == [7, 8, 9]
    assert store.do(game, Amend([lower], settle={7: Cut()})).result.faults == ()
    now = store.game(game).position()
    assert now.state.points == {"p1": 1, "p2": 0}
    assert now.started is not None
    assert (now.started.options.scores, now.started.options.rounds) == ("lower", 1000)
    assert seqs(store, game) == [11, 2, 3, 4, 5, 6]
    assert store.do(game, Undo()).step == 8
    assert store.game(game).position().state.points == {"p1": 0, "p2": 1}


def test_a_repeat_after_the_first_event_was_replaced_gets_the_first_answer(store: Store) -> None:
    game = begin(store, options={"rounds": 1})
    first = store.do(game, Record(ROUND[:5], id="round"))
    assert first.outcome is not None
    store.do(game, Amend([HistoryEdit(1, Replace([{"kind": "record.started", "options": {"rounds": 4}}]))]))
    assert store.game(game).position().outcome() is None
    again = store.do(game, Record(ROUND[:5], id="round"))
    assert (again.outcome, again.step, again.repeated) == (first.outcome, 5, True)


def test_behind_a_new_first_event_something_may_be_put(store: Store) -> None:
    game = begin(store)
    edits = [
        HistoryEdit(1, Insert([ROUND[0]])),
        HistoryEdit(1, Replace([{"kind": "record.started", "options": {"rounds": 2}}])),
    ]
    assert store.do(game, Amend(edits)).step == 1
    assert seqs(store, game) == [3, 4]


def test_shipped_data_are_those_of_the_new_options_and_own_data_stay(path: Path) -> None:
    def load_data(file: bytes | None, seats: Any, options: Any, origin: Any) -> Any:
        data = TOY.load_data(file, seats, options, origin)
        return data if file else msgspec.structs.replace(data, source=f"shipped: {options.scores}")

    own = b'{"source":"mine","cards":[%s]}' % b",".join(b'{"id":"x%d","value":%d}' % (n, n) for n in range(9))
    lower = {"kind": "record.started", "options": {"scores": "lower"}}
    with Store.open(path, registry=registry_of((replace(TOY, load_data=load_data),))) as store:
        for data, source in ((None, "shipped: lower"), (own, "mine")):
            game = begin(store, data=data)
            store.do(game, Amend([HistoryEdit(1, Replace([lower]))]))
            started = store.game(game).position().started
            assert started is not None
            assert (started.data.source, started.options.scores) == (source, "lower")


# --- commands ---


def test_a_dry_run_says_what_would_come_of_it(store: Store, game: str) -> None:
    answer = store.do(game, Amend([HistoryEdit(9, Remove())], dry_run=True))
    assert (answer.seq, answer.step, answer.appended, answer.result.faults) == (9, 7, 0, ())
    assert untouched(store, game)


def test_a_repeat_is_answered_and_another_request_refused(store: Store, game: str) -> None:
    first = store.do(game, Amend([HistoryEdit(9, Remove())], id="fix"))
    again = store.do(game, Amend([HistoryEdit(9, Remove())], id="fix"))
    assert (again.seq, again.step, again.appended, again.repeated) == (first.seq, 7, 1, True)
    with pytest.raises(CommandReused):
        store.do(game, Amend([HistoryEdit(9, Remove())], reason="other", id="fix"))


def test_after_names_the_head_that_it_was_made_for(store: Store, game: str) -> None:
    with pytest.raises(Conflict):
        store.do(game, Amend([HistoryEdit(9, Remove())], after=8))
    assert untouched(store, game)


def test_a_closed_record_is_amended_and_stays_closed(store: Store, game: str) -> None:
    store.do(game, Record([RecordClosed("agreed")]))
    with pytest.raises(IllegalEdit, match="record-closed"):
        store.do(game, Amend([HistoryEdit(10, Insert([CardLaid("p2", "c08")]))]))
    answer = store.do(game, Amend([HistoryEdit(9, Replace([CardLaid("p1", "c03")]))]))
    assert answer.outcome is not None
    assert answer.outcome.reason == "agreed"
    assert store.do(game, Amend([HistoryEdit(10, Remove())])).outcome is None
    assert store.do(game, Record([CardLaid("p2", "c08")])).appended == 1


def test_behind_a_closing_in_the_middle_nothing_can_be_kept(store: Store, game: str) -> None:
    answer = store.do(game, Amend([HistoryEdit(7, Insert([RecordClosed("agreed")]))]))
    assert [(fault.seq, fault.code, fault.keepable) for fault in answer.result.faults] == [
        (8, "record-closed", False), (9, "record-closed", False),
    ]  # fmt: skip


# --- lines ---


def test_an_undone_line_is_read_step_by_step(store: Store, game: str) -> None:
    store.do(game, Undo(2))
    store.do(game, Record([CardPassed("p2", "c05")]))
    opened = store.game(game)
    (line,) = opened.history.lines(opened.head)
    found = list(store.game(game).at_head(line.tip).positions(line.fork))
    assert [(position.step, position.seq) for position in found] == [(7, 8), (8, 9)]
    assert found[-1].caption() == "p1 lays c02."
    hidden = list(store.game(game, viewer="p2").at_head(line.tip).positions(line.fork))
    assert hidden[-1].caption() == "p1 lays an unseen card."
    store.do(game, Restore(line.tip))
    assert seqs(store, game)[-1] == 9


def test_the_line_before_an_amendment_of_the_first_event_has_its_own_options(store: Store, game: str) -> None:
    store.do(
        game,
        Amend(
            [HistoryEdit(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))],
            settle={7: Cut()},
        ),
    )
    store.do(game, Undo())
    (line,) = store.game(game).history.lines(11 + 1)
    found = list(store.game(game).at_head(line.tip).positions())
    assert found[-1].state.points == {"p1": 1, "p2": 0}
