"""Correcting a record in its middle: judged again, settled and appended as one command, or not at all."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eventstore.amending import Cut, Insert, Keep, Remove, Replace, Settlement, Wish
from eventstore.checking import drift
from eventstore.errors import CommandReused, Conflict
from eventstore.exchange.tape import export_tape, import_tapes
from eventstore.recorder import Amended
from eventstore.refusals import (
    BadAmendment,
    BadDetail,
    IllegalEdit,
    NothingGiven,
    NothingToRule,
    NotInHistory,
    TextOnly,
    UndoPastDraw,
    Unfinished,
)
from eventstore.tabletape import Tabletape
from eventstore.verify import verify
from games import playout, replay
from games.events import Change, Event, RecordChecked, RecordClosed, RecordRuled
from games.registry import installed, registry_of
from games.ruleset import IllegalAction
from games.toy import TOY, CardLaid, CardPassed, CardsDrawn, CardsTurned, HandDealt
from tests.eventstore.played import REGISTRY, ROUND, begin, damage, play

LOWER = Wish(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


@pytest.fixture
def game(tape: Tabletape) -> str:
    found = begin(tape)
    tape.recorder.record(found, ROUND)
    return found


def kinds(tape: Tabletape, game: str) -> list[str]:
    return [moment.kind for moment in tape.replayer.moments(game)]


def seqs(tape: Tabletape, game: str) -> list[int]:
    return list(tape.replayer.tape(game).runs)


def untouched(tape: Tabletape, game: str) -> bool:
    head = tape.log.head(game)
    return head is not None and head.seq == 9


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
    assert kinds(tape, game)[-2:] == ["card_laid", "card_laid"]
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


# --- what became impossible ---


def test_faults_are_listed_as_if_each_were_removed_and_nothing_is_appended(
    tape: Tabletape, game: str
) -> None:
    answer = tape.recorder.amend(game, [Wish(2, Replace([HandDealt("p1", ("c01", "c10", "c03"))]))])
    assert [(fault.seq, fault.step, fault.code, fault.keepable) for fault in answer.faults] == [
        (9, 8, "not-offered", False)
    ]
    assert CardLaid("p1", "c10") in answer.faults[0].legal
    assert (answer.seq, answer.step, answer.appended) == (9, 7, 0)
    assert untouched(tape, game)


def test_a_card_in_two_hands_cannot_be_kept(tape: Tabletape, game: str) -> None:
    edit = [Wish(2, Replace([HandDealt("p1", ("c01", "c02", "c07"))]))]
    first = tape.recorder.amend(game, edit).faults[0]
    assert (first.seq, first.message) == (7, "c07 cannot be meant: it is in {p1}'s hand.")
    assert not first.keepable
    with pytest.raises(IllegalEdit, match="cannot-be-kept") as told:
        tape.recorder.amend(game, edit, settle={7: Keep()})
    assert told.value.seq == 7
    assert untouched(tape, game)


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        (Keep(), "kept as played: {p2} draws an unseen card, an unseen card."),
        (Keep("as we played"), "as we played"),
    ],
)
def test_a_wrong_turn_can_be_kept_as_a_ruling(tape: Tabletape, game: str, kept: Keep, reason: str) -> None:
    answer = tape.recorder.amend(game, [LOWER], settle={7: kept})
    assert answer.faults == ()
    ruled = tape.replayer.at(game, 6).event
    assert isinstance(ruled, RecordRuled)
    assert (ruled.reason, ruled.instead_of) == (reason, 7)
    assert tape.replayer.at(game).state.hands["p1"].known == ("c03", "c07")
    assert verify(tape).faults == ()


@pytest.mark.parametrize(
    ("settled", "expected"),
    [
        (Remove(), [1, 11, 3, 4, 5, 6, 7, 8]),
        (Cut(), [1, 11, 3, 4, 5, 6, 7, 8]),
        (Replace([CardLaid("p1", "c10")]), [1, 11, 3, 4, 5, 6, 7, 8, 12]),
        (Replace(["p1: lay c10; p2: lay c08"]), [1, 11, 3, 4, 5, 6, 7, 8, 12, 13]),
    ],
)
def test_each_settlement_comes_with_the_command(
    tape: Tabletape, game: str, settled: Settlement, expected: list[int]
) -> None:
    edit = [Wish(2, Replace([HandDealt("p1", ("c01", "c10", "c03"))]))]
    answer = tape.recorder.amend(game, edit, settle={9: settled})
    assert answer.faults == ()
    assert seqs(tape, game) == expected
    assert len(tape.log.commits(game)) == 3


def test_a_cut_ends_the_history_there(tape: Tabletape, game: str) -> None:
    tape.recorder.amend(game, [Wish(5, Remove())], settle={6: Cut()})
    assert seqs(tape, game) == [1, 2, 3, 4]
    assert tape.log.events(game, 10, 10)[0].payload == (
        '{"kind":"record.amended","edits":[{"after":4,"drop":5,"put":0}],"reason":""}'
    )


def test_while_one_fault_is_left_nothing_is_appended(tape: Tabletape, game: str) -> None:
    answer = tape.recorder.amend(game, [Wish(6, Remove())], settle={7: Remove()})
    assert [fault.seq for fault in answer.faults] == [8, 9]
    assert untouched(tape, game)


def test_what_needed_no_settlement_stays_and_is_told(tape: Tabletape, game: str) -> None:
    answer = tape.recorder.amend(
        game, [Wish(7, Replace([CardsDrawn("p2", ("c07", "c12"))]))], settle={9: Remove()}
    )
    assert (answer.moot, seqs(tape, game)[-1]) == ((9,), 9)


def test_a_ruling_that_no_longer_fits_is_a_fault_and_can_be_made_for_what_is_there(tape: Tabletape) -> None:
    game = begin(tape)
    tape.recorder.record(game, ROUND)
    tape.recorder.rule(game, changes=[{"at": "/points/p2", "now": 5}], reason="a bet")
    edit = [Wish(6, Insert([RecordRuled("first", (Change("/points/p2", 1, 2),))]))]
    answer = tape.recorder.amend(game, edit)
    assert [(fault.seq, fault.code, fault.keepable) for fault in answer.faults] == [
        (10, "ruling-does-not-fit", True)
    ]
    tape.recorder.amend(game, edit, settle={10: Keep("a bet")})
    assert tape.replayer.at(game).state.points["p2"] == 5
    assert tape.replayer.at(game).event == RecordRuled("a bet", (Change("/points/p2", 2, 5),), 10)


def test_so_many_faults_that_the_rest_is_not_looked_at(tape: Tabletape) -> None:
    game = begin(tape)
    play(tape, game, 900)
    answer = tape.recorder.amend(game, [Wish(2, Remove())])
    assert len(answer.faults) == 200
    assert answer.unjudged == 900 - 1 - len(answer.faults)
    assert tape.recorder.amend(game, [Wish(2, Remove())], settle={3: Cut()}).step == 0


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


# --- who may know what ---


def test_the_reason_of_what_is_kept_says_nothing_of_hidden_cards(tape: Tabletape, game: str) -> None:
    tape.recorder.amend(game, [Wish(6, Remove())], settle={7: Keep(), 9: Cut()})
    told = tape.replayer.at(game, 5, viewer="p1")
    assert told.kind == "record.ruled"
    assert "c08" not in told.payload
    assert "c08" not in told.caption()


# --- dealt games ---


def test_a_dealt_game_asks_before_draws_go(tape: Tabletape) -> None:
    game = begin(tape, origin="dealt")
    tape.recorder.deal(game, random.Random(1))  # noqa: S311 - to be repeated
    own = tape.replayer.at(game).state.hands["p1"].known
    tape.recorder.record(game, [CardLaid("p1", own[0])])
    with pytest.raises(UndoPastDraw):
        tape.recorder.amend(game, [Wish(3, Remove())], settle={4: Remove()})
    tape.recorder.amend(game, [Wish(4, Replace([CardLaid("p1", own[1])]))])
    assert tape.recorder.undo(game).step == 3
    assert tape.recorder.amend(game, [Wish(3, Remove())], settle={4: Remove()}, again=True).step == 1


def test_taking_an_amendment_back_draws_nothing_anew(tape: Tabletape) -> None:
    game = begin(tape, origin="dealt")
    tape.recorder.deal(game, random.Random(1))  # noqa: S311 - to be repeated
    for seat in ("p1", "p2"):
        tape.recorder.record(game, [CardLaid(seat, tape.replayer.at(game).state.hands[seat].known[0])])
    table = tape.replayer.at(game).state
    tape.recorder.record(game, [CardsTurned(table.laid)])
    tape.recorder.deal(game, random.Random(2))  # noqa: S311 - to be repeated
    was = tape.replayer.at(game)
    tape.recorder.amend(game, [Wish(5, Insert([RecordRuled("a", (Change("/points/p1", 0, 1),))]))])
    tape.recorder.undo(game)
    assert (tape.replayer.at(game).state, was.kind) == (was.state, "cards_drawn")


# --- damaged and cut-off records ---


def test_an_event_that_cannot_be_read_is_mended(tape: Tabletape, path: Path, game: str) -> None:
    damage(path, "UPDATE events SET payload = '{\"kind\":\"card_lost\"}', kind = 'card_lost' WHERE seq = 9")
    tape.replayer.forget()
    assert tape.replayer.at(game).fault
    with pytest.raises(TextOnly):
        tape.recorder.record(game, [CardLaid("p1", "c02")])
    (fault,) = tape.recorder.amend(game, [Wish(8, Replace([CardPassed("p2", "c08")]))]).faults
    assert (fault.seq, fault.code, fault.keepable) == (9, "unknown-kind", False)
    tape.recorder.amend(game, [Wish(9, Replace([CardLaid("p1", "c02")]))])
    assert tape.replayer.at(game).readable


def test_a_game_without_its_ruleset_is_not_amended(tape: Tabletape, path: Path, game: str) -> None:
    with Tabletape.open(path, registry=registry_of(())) as other, pytest.raises(TextOnly):
        other.recorder.amend(game, [Wish(9, Remove())])


def test_a_file_that_ends_within_an_amendment_shows_the_version_before(
    tape: Tabletape, tmp_path: Path, game: str
) -> None:
    was = tape.replayer.at(game).state
    tape.recorder.amend(game, [Wish(9, Replace([CardLaid("p2", "c08"), CardLaid("p1", "c02")]))])
    lines = b"".join(export_tape(tape, game)).splitlines(keepends=True)
    assert len(lines) == 13
    with Tabletape.open(tmp_path / "other.db", registry=REGISTRY) as other:
        for end, appended in ((11, 1), (12, 1)):
            part = b"".join(lines[:end]) + b'{"seq":'
            assert import_tapes(other, [("part", part)])[0].events in {10, appended}
            assert other.replayer.at(game).state == was
            assert not other.replayer.tape(game).amended
            acts: tuple[Callable[[], object], ...] = (
                lambda: other.recorder.record(game, [CardLaid("p2", "c08")]),
                lambda: other.recorder.undo(game),
                lambda: other.recorder.amend(game, [Wish(9, Remove())]),
                lambda: other.recorder.rule(game, changes=[{"at": "/points/p2", "now": 5}], reason="r"),
            )
            for act in acts:
                with pytest.raises(Unfinished, match="ends within an amendment"):
                    act()
        assert import_tapes(other, [("whole", b"".join(lines))])[0].events == 1
        assert other.replayer.at(game).state == tape.replayer.at(game).state
        assert b"".join(export_tape(other, game)) == b"".join(lines)


# --- long games, keyframes, other rulesets ---


def test_a_long_game_is_judged_again_from_the_first_changed_step_only(path: Path) -> None:
    judged: list[object] = []

    def check(state: Any, event: Any) -> None:
        judged.append(event)
        TOY.check(state, event)

    with Tabletape.open(path, registry=registry_of((replace(TOY, check=check),))) as tape:
        _long(tape, judged)


def _long(tape: Tabletape, judged: list[object]) -> None:
    game = begin(tape, options={"rounds": 100_000})
    play(tape, game, 20_000)
    judged.clear()
    late = tape.replayer.at(game, 19_990)
    answer = tape.recorder.amend(game, [Wish(late.seq, Replace([late.event]))])  # type: ignore[list-item]
    assert (answer.faults, answer.step, answer.appended, len(judged)) == ((), 20_000, 2, 11)
    early = tape.replayer.at(game, 1)
    answer = tape.recorder.amend(game, [Wish(early.seq, Replace([early.event]))])  # type: ignore[list-item]
    assert (answer.faults, answer.step) == ((), 20_000)
    rng = random.Random(5)  # noqa: S311 - to be repeated
    for step in (rng.randint(0, 20_000) for _ in range(5)):
        assert tape.replayer.at(game, step).state == tape.replayer.replay(game, step)


def test_keyframes_of_an_amendment_are_those_of_its_own_history(tape: Tabletape) -> None:
    game = begin(tape, options={"rounds": 100_000})
    play(tape, game, 600)
    was = [tape.replayer.at(game, step).state for step in range(601)]
    tape.recorder.amend(
        game, [Wish(11, Insert([RecordRuled("a bet", (Change("/round", 2, 3),))]))], reason="x"
    )
    for _ in range(2):
        assert tape.replayer.at(game, 400).state == tape.replayer.replay(game, 400)
        assert tape.replayer.at(game, 601).state.round == was[600].round + 1
        assert verify(tape).faults == ()
        tape.recorder.undo(game)
        tape.replayer.forget()
        assert [tape.replayer.at(game, step).state for step in range(0, 601, 25)] == was[::25]
        assert verify(tape).faults == ()
        tape.recorder.redo(game)
        tape.replayer.forget()


@pytest.mark.parametrize(("name", "version"), [(TOY.id, TOY.version), *installed()])
def test_amended_games_of_every_ruleset_are_legal_for_every_viewer(
    tmp_path: Path, name: str, version: int
) -> None:
    registry = REGISTRY if name == TOY.id else installed()
    rules = registry.find(name, version)
    rng = random.Random(version)  # noqa: S311 - to be repeated
    with (
        Tabletape.open(tmp_path / "here.db", registry=registry) as tape,
        Tabletape.open(tmp_path / "there.db", registry=registry) as other,
    ):
        game = tape.recorder.new(name, ["x"] * rules.seats[0], version=version).game
        state = tape.replayer.at(game).state
        events: list[Event] = []
        while len(events) < 60 and rules.outcome(state) is None:
            events.append(playout.next_event(rules, state, rng))
            state = replay.evolve(rules, state, events[-1])
        tape.recorder.record(game, events)
        kept = 0
        for _ in range(8):
            if tape.replayer.at(game).step < 10:
                tape.recorder.undo(game)
            kept += _amended_at_random(tape, game, rng)
            step = rng.randint(0, tape.replayer.at(game).step)
            for viewer in replay.viewers(tape.replayer.tape(game).started):  # type: ignore[arg-type]
                file = b"".join(export_tape(tape, game, viewer))
                found = import_tapes(other, [(viewer, file)], copy=True)[0].game
                if viewer != "everything":
                    continue
                assert found == game
                assert b"".join(export_tape(other, game)) == file
                assert tape.replayer.at(game, step).state == tape.replayer.replay(game, step)
        assert kept
        assert verify(tape).faults == ()


def _amended_at_random(tape: Tabletape, game: str, rng: random.Random) -> int:
    """Remove an event; keep what can be kept of the rest, else remove it; give how many were kept."""
    steps = tape.replayer.at(game).step
    wish = Wish(tape.replayer.tape(game).runs.seq_at(rng.randint(max(1, steps - 25), steps)), Remove())
    settle: dict[int, Settlement] = {}
    answer = tape.recorder.amend(game, [wish], dry_run=True)
    while answer.faults:
        fault = answer.faults[0]
        settle[fault.seq] = Keep() if fault.keepable and rng.random() < 0.8 else Remove()
        answer = tape.recorder.amend(game, [wish], settle=settle, dry_run=True)
    tape.recorder.amend(game, [wish], settle=settle)
    return sum(isinstance(how, Keep) for how in settle.values())


# --- rulings ---


def test_an_illegal_event_is_recorded_as_what_it_would_have_done(tape: Tabletape, game: str) -> None:
    with pytest.raises(IllegalAction):
        tape.recorder.record(game, [CardPassed("p2", "c08")])
    tape.recorder.rule(game, event=CardsDrawn("p2", ("c09", "c10")), reason="{p2} drew twice")
    now = tape.replayer.at(game)
    assert isinstance(now.event, RecordRuled)
    assert now.event.instead_of is None
    assert now.state.hands["p2"].known == ("c05", "c06", "c08", "c09", "c10")
    assert now.caption({"p2": "Bo"}).startswith("Ruling: Bo drew twice")
    assert tape.recorder.undo(game).step == 8


def test_a_patch_of_the_state_is_typed_and_counted(tape: Tabletape, game: str) -> None:
    tape.recorder.rule(game, changes=[{"at": "/points/p1", "now": 3}], reason="agreed")
    assert tape.replayer.at(game).event == RecordRuled("agreed", (Change("/points/p1", 0, 3),))
    for change, code in (
        ({"at": "/points/p3", "now": 3}, "no-such-place"),
        ({"at": "/points/p1", "was": 7, "now": 3}, "ruling-does-not-fit"),
        ({"at": "/points/p1", "now": "three"}, "ruling-mistyped"),
        ({"at": "/deck", "now": 3}, "ruling-breaks-the-count"),
    ):
        with pytest.raises(IllegalAction) as told:
            tape.recorder.rule(game, changes=[change], reason="agreed")
        assert told.value.code == code


def test_what_needs_no_ruling_or_cannot_be_one_is_refused(tape: Tabletape, game: str) -> None:
    with pytest.raises(NothingToRule):
        tape.recorder.rule(game, event="p2: lay c08", reason="why not")
    with pytest.raises(IllegalAction, match="cannot-be-kept"):
        tape.recorder.rule(game, event=CardsDrawn("p2", ("c05", "c10")), reason="a card in his hand already")
    with pytest.raises(BadDetail, match="reason"):
        tape.recorder.rule(game, event=CardsDrawn("p2", ("c09", "c10")), reason=" ")
    with pytest.raises(NothingGiven):
        tape.recorder.rule(game, reason="nothing")
    tape.recorder.record(game, [RecordClosed("agreed")])
    with pytest.raises(IllegalAction, match="record-closed"):
        tape.recorder.rule(game, event=CardsDrawn("p2", ("c09", "c10")), reason="too late")


def test_repeated_rulings_are_one(tape: Tabletape, game: str) -> None:
    first = tape.recorder.rule(game, changes=[{"at": "/points/p1", "now": 3}], reason="r", command_id="r1")
    again = tape.recorder.rule(game, changes=[{"at": "/points/p1", "now": 3}], reason="r", command_id="r1")
    assert (again.seq, again.repeated) == (first.seq, True)


# --- table checks ---


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
