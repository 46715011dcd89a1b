"""Deciding and appending: everything checked on entry, all or none, repeats answered as at first."""

from __future__ import annotations

import dataclasses
import json
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from freezegun import freeze_time

from eventstore.access.actor import Actor
from eventstore.errors import CommandReused, Conflict, MalformedAppend, UnknownGame
from eventstore.log.rows import RECORDER
from eventstore.recording.amending import HistoryEdit, Remove, Replace
from eventstore.recording.commands import (
    Amend,
    Check,
    Deal,
    New,
    Record,
    Redo,
    Restore,
    Undo,
    WriteNote,
)
from eventstore.recording.typed_lines import read_line
from eventstore.refusals import (
    AlreadyThere,
    BadCount,
    BadDetail,
    BadId,
    BadLine,
    GameIdTaken,
    NotAVersion,
    NotDealt,
    NothingGiven,
    NothingToRedo,
    NothingToUndo,
    TextOnly,
    UndoPastDraw,
    UnknownEvent,
)
from eventstore.replay import folding
from eventstore.store import Store
from games.core import serialization
from games.core.events import (
    Change,
    Claim,
    RecordAmended,
    RecordChecked,
    RecordClosed,
    RecordRuled,
    RecordUndone,
)
from games.core.registry import UnknownRuleset, registry_of
from games.core.ruleset import BadData, IllegalAction
from games.examples.high_card import TOY, CardLaid, CardsTurned, HandDealt
from tests.eventstore.played import REGISTRY, begin, play

DEAL = [HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06"))]


# --- new ---


def test_a_new_game_has_an_id_that_is_easy_to_read_aloud(store: Store) -> None:
    answer = store.do(None, New(TOY.id, ("Ann", "Bo")))
    assert re.fullmatch("[a-hjkmnp-z2-9]{10}", answer.game.id)
    assert (answer.seq, answer.step, answer.appended, answer.outcome, answer.repeated) == (
        1,
        0,
        1,
        None,
        False,
    )


def test_no_name_is_in_the_log(store: Store) -> None:
    game = begin(store, players=("Annika", "Bosse"), title="Friday")
    payload = store.log.events(game)[0].payload
    assert not re.search("Annika|Bosse|Friday", payload)
    assert payload.startswith(
        '{"kind":"record.started","ruleset":"high-card","version":2,"seats":["p1","p2"]'
    )


def test_a_repeated_new_is_one_game(store: Store) -> None:
    first = store.do(None, New(TOY.id, ("Ann", "Bo"), id="friday-1"))
    again = store.do(None, New(TOY.id, ("Ann", "Bo"), id="friday-1"))
    assert first.game.id == "friday-1"
    assert again == dataclasses.replace(first, repeated=True)
    with pytest.raises(CommandReused):
        store.do(None, New(TOY.id, ("Ann", "Bo"), title="another", id="friday-1"))
    assert store.log.games() == ["friday-1"]


def test_a_game_that_is_there_keeps_its_names(store: Store) -> None:
    begin(store, game="friday")
    for command_id in ("other", None):
        with pytest.raises(GameIdTaken, match="There is a game friday already") as told:
            begin(store, game="friday", command_id=command_id, players=("Eve", "Mallory"))
        assert told.value.exit_code == 3
    assert store.game("friday").names == {"p1": "Ann", "p2": "Bo"}


@freeze_time("2026-09-14T22:30:00Z")
def test_an_evening_session_has_the_day_of_its_own_zone(store: Store) -> None:
    there = begin(store, time_zone="Europe/Helsinki")
    assert store.catalogue.get(there).played_on == "2026-09-15"
    given = begin(store, time_zone="Europe/Helsinki", played_on="2026-09-14")
    assert store.catalogue.get(given).played_on == "2026-09-14"
    assert store.game(given).position().at == "2026-09-14T22:30:00.000000Z"


@pytest.mark.parametrize(
    ("given", "refusal", "code"),
    [
        ({"ruleset": "chess"}, UnknownRuleset, "unknown-ruleset"),
        ({"version": 9}, UnknownRuleset, "unknown-ruleset"),
        ({"players": ("Ann",)}, IllegalAction, "wrong-number-of-players"),
        ({"options": {"speed": 1}}, IllegalAction, "unknown-option"),
        ({"options": {"rounds": 0}}, IllegalAction, "bad-option"),
        ({"options": {"scores": "most"}}, IllegalAction, "bad-option"),
        ({"seen_as": "p3"}, IllegalAction, "unknown-viewer"),
        ({"data": b'{"source":"mine","cards":[{"id":"x","value":1}]}'}, BadData, "bad-data"),
        ({"data": b"cards"}, BadData, "bad-data"),
        ({"game": "A B"}, BadId, "bad-id"),
        ({"game": "abc"}, BadId, "bad-id"),
        ({"game": "x" * 65}, BadId, "bad-id"),
        ({"title": "x" * 201}, BadDetail, "bad-detail"),
        ({"players": ("Ann", "x" * 81)}, BadDetail, "bad-detail"),
        ({"players": ("Ann", "B\x00o")}, BadDetail, "bad-detail"),
        ({"players": ("Ann", "B\ud800o")}, BadDetail, "bad-detail"),
        ({"played_on": "14.9.2026"}, BadDetail, "bad-detail"),
        ({"played_on": "20260914"}, BadDetail, "bad-detail"),
        ({"played_on": "2026-02-30"}, BadDetail, "bad-detail"),
        ({"time_zone": "Helsinki"}, BadDetail, "bad-detail"),
        ({"time_zone": "../../etc/passwd"}, BadDetail, "bad-detail"),
        ({"by": "Ann Smith"}, MalformedAppend, "malformed-append"),
    ],
)
def test_what_is_wrong_with_a_new_game_is_said_and_nothing_is_begun(
    store: Store, given: dict[str, object], refusal: type[Exception], code: str
) -> None:
    by = str(given.get("by", RECORDER))
    given = {name: value for name, value in given.items() if name != "by"}
    wanted = {"ruleset": TOY.id, "players": ("Ann", "Bo"), **given}
    with pytest.raises(refusal) as told:
        store.do(None, New(**wanted), Actor(by))  # type: ignore[arg-type]
    assert getattr(told.value, "code", None) == code
    assert str(told.value)
    assert store.log.games() == []


# --- record ---


def test_several_events_are_one_command_each_checked_after_those_before(store: Store) -> None:
    game = begin(store)
    answer = store.do(game, Record([*DEAL, {"kind": "card_laid", "player": "p1", "card": "c02"}]))
    assert (answer.seq, answer.step, answer.appended) == (4, 3, 3)
    assert [(commit.first_seq, commit.last_seq) for commit in store.log.commits(game)] == [(1, 1), (2, 4)]
    assert store.game(game).position().state.laid == {"p1": "c02"}


def test_all_or_none_and_the_line_of_the_offender(store: Store) -> None:
    game = begin(store)
    wrong = {"kind": "card_laid", "player": "p2", "card": "c01"}
    with pytest.raises(IllegalAction) as told:
        store.do(game, Record([*DEAL, wrong]))
    assert (told.value.code, getattr(told.value, "line", None)) == ("card-elsewhere", 3)
    assert told.value.legal
    assert store.log.head(game).seq == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "dragon_flown"},
        {"kind": ["card_laid"]},
        ["card_laid"],
        "card_laid",
        None,
        {"kind": "record.closed", "how": "agreed", "reason": "half \ud800"},
        {"player": "p1"},
        {"kind": "card_laid", "player": "p1"},
        {"kind": "card_laid", "player": "p1", "card": 7},
        {"kind": "card_laid", "player": "p1", "card": "c01", "note": "!"},
    ],
)
def test_what_is_no_event_is_named_by_its_line(store: Store, wrong: Any) -> None:
    game = begin(store)
    with pytest.raises(BadLine) as told:
        store.do(game, Record([*DEAL, wrong]))
    assert told.value.line == 3
    assert str(told.value).startswith("Line 3 is no event that can be recorded: ")
    assert store.log.head(game).seq == 1  # type: ignore[union-attr]


def test_a_command_without_events_is_refused(store: Store) -> None:
    with pytest.raises(NothingGiven):
        store.do(begin(store), Record([]))


@pytest.mark.parametrize("event", [RecordUndone(1), RecordAmended((), "")])
def test_the_history_is_rewritten_by_undo_redo_and_amend_only(store: Store, event: RecordUndone) -> None:
    with pytest.raises(IllegalAction, match="rewrites-history"):
        store.do(begin(store), Record([event]))


def test_after_the_closing_only_undo_goes_on(store: Store) -> None:
    game = begin(store)
    answer = store.do(game, Record([*DEAL, RecordClosed("conceded", seat="p1")]))
    assert answer.outcome is not None
    assert (answer.outcome.reason, answer.outcome.winners) == ("conceded", ("p2",))
    with pytest.raises(IllegalAction, match="record-closed"):
        store.do(game, Record([CardLaid("p1", "c01")]))
    assert store.game(game).position().pending() == ()
    assert store.do(game, Undo()).outcome is None
    assert store.do(game, Record([CardLaid("p1", "c01")])).step == 3


def test_an_unknown_game_is_said(store: Store) -> None:
    for command in (
        lambda: store.do("nowhere", Record(DEAL)),
        lambda: store.do("nowhere", Undo()),
        lambda: store.do("nowhere", Deal()),
    ):
        with pytest.raises(UnknownGame, match="There is no game nowhere"):
            command()


def test_ids_that_cannot_be_are_of_nothing(store: Store) -> None:
    game = begin(store)
    for odd in ("\udcff", "a/notes", f"{game}/notes", "", "x" * 999):
        with pytest.raises(UnknownGame):
            store.do(odd, Record(DEAL, id="c1"))
        with pytest.raises(UnknownGame):
            store.do(odd, WriteNote(1, text="x"))
    for odd in ("\udcff", "two words", "x" * 129):
        with pytest.raises(MalformedAppend):
            store.do(game, Record(DEAL, id=odd))
        with pytest.raises(MalformedAppend):
            store.do(game, WriteNote(1, text="x", id=odd))
    assert store.log.games() == [game]


def test_a_stale_head_is_refused_with_the_head_and_nothing_is_recorded(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(DEAL, after=1))
    for command in (
        lambda: store.do(game, Record([CardLaid("p1", "c01")], after=1)),
        lambda: store.do(game, Undo(after=2)),
        lambda: store.do(game, Redo(after=9)),
    ):
        with pytest.raises(Conflict) as told:
            command()
        assert told.value.head == 3
    assert store.log.head(game).seq == 3  # type: ignore[union-attr]


def test_a_repeat_gets_the_first_answer_whatever_came_after(store: Store) -> None:
    game = begin(store)
    first = store.do(game, Record(DEAL, after=1, id="deal-1"))
    play(store, game, 3)
    undone = store.do(game, Undo(id="undo-1"))
    play(store, game, 2)
    repeated = store.do(game, Record(DEAL, after=1, id="deal-1"))
    assert repeated == dataclasses.replace(first, repeated=True)
    assert store.do(game, Undo(id="undo-1")) == dataclasses.replace(undone, repeated=True)
    with pytest.raises(CommandReused):
        store.do(game, Undo(2, id="undo-1"))
    with pytest.raises(CommandReused):
        store.do(game, Record(DEAL[:1], id="deal-1"))


def test_a_repeat_that_overtakes_the_look_up_is_found_by_the_log(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = begin(store, game="friday")
    first = store.do(game, Record(DEAL, id="deal-1"))
    undone = store.do(game, Undo(id="undo-1"))
    store.set_details(game, names={"p1": "Anna"})
    monkeypatch.setattr(store.log, "answered", lambda *_: None)
    again = begin(store, game="friday")
    assert (again, store.game(game).names["p1"]) == ("friday", "Anna")
    store.do(game, Redo())
    store.do(game, Undo())
    assert store.do(game, Undo(id="undo-1")).plain() == {**undone.plain(), "repeated": True}
    store.do(game, Redo())
    store.do(game, Undo(2))
    assert store.do(game, Record(DEAL, id="deal-1")).plain() == {**first.plain(), "repeated": True}


def test_who_entered_it_is_a_key(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(DEAL), Actor("u3"))
    assert [row.by for row in store.log.events(game)] == ["recorder", "u3", "u3"]


def test_fifty_threads_on_one_game_leave_no_gap(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(DEAL))
    start = threading.Barrier(50)
    faults: list[Exception] = []

    def one() -> None:
        start.wait()
        try:
            store.do(game, Record([{"kind": "record.checked", "claims": [{"at": "deck", "value": 6}]}]))
        except Exception as fault:  # noqa: BLE001 - whatever a thread met
            faults.append(fault)

    threads = [threading.Thread(target=one) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert [row.seq for row in store.log.events(game)] == list(range(1, 54))


# --- the asker's view ---


def test_a_refusal_tells_no_more_than_the_asker_may_know(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(DEAL))
    mine = {"kind": "card_laid", "player": "p2", "card": "c01"}
    with pytest.raises(IllegalAction) as told:
        store.do(game, Record([mine]), viewer="table")
    assert (told.value.code, told.value.sentence) == ("not-possible", "This is not possible.")
    with pytest.raises(IllegalAction, match="card-elsewhere"):
        store.do(game, Record([mine]))
    turned = CardsTurned({"p1": "c01", "p2": "c04"})
    asked = [CardLaid("p2", "c04"), CardLaid("p1", "c01"), turned]
    assert store.do(game, Record(asked), viewer="p2").step == 5


def test_what_only_the_full_record_refuses_is_not_explained(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(DEAL))
    # p2 cannot know where c01 is; the record can.
    with pytest.raises(IllegalAction) as told:
        store.do(game, Record([CardLaid("p1", "c04")]), viewer="table")
    assert told.value.code == "not-possible"
    assert told.value.sentence == "This is not possible."
    assert told.value.legal == ()


def test_one_who_records_for_a_seat_is_answered_by_what_it_knows(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(DEAL))
    told = set()
    for card in ("c04", "c05", "c09", "c12"):
        with pytest.raises(IllegalAction) as refused:
            store.do(
                game,
                Record([CardLaid("p1", "c01"), CardLaid("p2", card)]),
                Actor(seat="p1", sees_all=False),
                viewer="p1",
            )
        told.add((refused.value.code, refused.value.sentence, getattr(refused.value, "line", 0)))
    assert [(code, line) for code, _, line in told] == [("not-yours", 2)]
    laid = [CardLaid("p1", "c01"), RecordClosed("conceded", seat="p1")]
    assert store.do(game, Record(laid), Actor(seat="p1", sees_all=False), viewer="p1").appended == 2
    closed = [RecordClosed("conceded", seat="p1")]
    with pytest.raises(IllegalAction, match="record-closed"):
        store.do(game, Record(closed), Actor(seat="p1", sees_all=False), viewer="p1")


def test_a_seat_is_answered_by_its_own_view_whatever_else_is_asked_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = begin(store)
    store.do(game, Record(DEAL))
    told = set()
    for viewer in ("table", "p1"):
        with pytest.raises(IllegalAction) as refused:
            store.do(game, Record([CardLaid("p1", "c04")]), Actor(seat="p1", sees_all=False), viewer=viewer)
        told.add((refused.value.code, refused.value.sentence, refused.value.legal))
    ((code, sentence, legal),) = told
    assert (code, "p2" in sentence, len(legal)) == ("not-offered", False, 3)
    looked: list[str] = []
    check = "eventstore.recording.commands.check.drift"
    monkeypatch.setattr(check, lambda game, _step: looked.append(game.viewer) or ())
    store.do(game, Check({"hand.p2": 2}), Actor(seat="p1", sees_all=False))
    assert looked == ["p1"]
    with pytest.raises(IllegalAction, match="not-yours"):
        store.do(game, Record([CardLaid("p1", "c01")]), Actor(seat="p3", sees_all=False))


def test_a_seat_takes_back_what_it_entered(store: Store) -> None:
    game = begin(store, origin="dealt")
    store.do(game, Deal(), Actor("p1"))
    with pytest.raises(UndoPastDraw):
        store.do(game, Undo(again=True), Actor("p1", "p1", sees_all=False))
    with pytest.raises(IllegalAction, match="not-yours"):
        store.do(game, Undo(again=True), Actor("p2", "p2", sees_all=False))
    mine = store.game(game).position().state.hands["p1"].known[0]
    store.do(game, Record([CardLaid("p1", mine)]), Actor("p1", "p1", sees_all=False), viewer="p1")
    assert store.do(game, Undo(), Actor("p1", "p1", sees_all=False)).step == 2
    with pytest.raises(IllegalAction, match="not-yours"):
        store.do(game, Redo(), Actor("p2", "p2", sees_all=False))
    assert store.do(game, Redo(), Actor("p1", "p1", sees_all=False)).step == 3
    assert store.do(game, Undo(), Actor("p2")).step == 2


def test_a_ruling_is_recorded_by_who_is_shown_everything(store: Store) -> None:
    game = begin(store)
    ruled = [RecordRuled("agreed", (Change("/points/p1", 0, 9),))]
    with pytest.raises(IllegalAction, match="corrections-hidden"):
        store.do(game, Record(ruled), viewer="table")
    with pytest.raises(IllegalAction, match="not-yours"):
        store.do(game, Record(ruled), Actor(seat="p1", sees_all=False), viewer="p1")
    assert store.do(game, Record(ruled)).appended == 1


@pytest.mark.parametrize("reason", ["", " \n", "\u200b", "a\x00", "x" * 10_001])
def test_a_ruling_that_is_recorded_as_an_event_has_a_reason(store: Store, reason: str) -> None:
    game = begin(store)
    with pytest.raises(BadLine, match="reason cannot be kept"):
        store.do(game, Record([RecordRuled(reason, (Change("/points/p1", 0, 9),))]))


def test_texts_of_an_event_hold_no_control_characters(store: Store) -> None:
    game = begin(store)
    with pytest.raises(BadLine, match=r"Line 2 .* the cards cannot be kept: character 2 is a control"):
        store.do(game, Record([DEAL[0], HandDealt("p2", ("c\x1b", None, None))]))
    answered = store.do(game, Record([RecordClosed("agreed", reason="late\r\nand tired")]))
    assert store.game(game).position().event == RecordClosed("agreed", reason="late\nand tired")
    assert store.answer_to(store.game(game), "never") is None
    assert answered.appended == 1


# --- undo, redo, restore ---


def test_three_undone_are_one_command_with_three_rows(store: Store) -> None:
    game = begin(store)
    play(store, game, 6)
    answer = store.do(game, Undo(3))
    assert (answer.seq, answer.step, answer.appended) == (10, 3, 3)
    assert [row.payload for row in store.log.events(game, 8)] == [
        f'{{"kind":"record.undone","to":{to}}}' for to in (6, 5, 4)
    ]
    assert len(store.log.commits(game)) == 3


def test_undone_moves_stay_and_come_back_with_one_command(store: Store) -> None:
    game = begin(store)
    play(store, game, 6)
    was = store.game(game).position().state
    store.do(game, Undo(3))
    play(store, game, 1, seed=7)
    tape_now = store.game(game)
    (line,) = tape_now.history.lines(tape_now.head)
    assert list(line.runs)[-3:] == [5, 6, 7]
    assert store.do(game, Restore(line.tip)).step == 6
    assert store.game(game).position().state == was


def test_at_its_first_step_nothing_can_be_undone(store: Store) -> None:
    game = begin(store)
    with pytest.raises(NothingToUndo):
        store.do(game, Undo())
    play(store, game, 2)
    with pytest.raises(NothingToUndo, match="only 2 can be undone"):
        store.do(game, Undo(3))
    assert store.log.head(game).seq == 3  # type: ignore[union-attr]


@pytest.mark.parametrize("n", [0, -1])
def test_fewer_than_one_is_not_undone(store: Store, n: int) -> None:
    game = begin(store)
    play(store, game, 2)
    store.do(game, Undo())
    for command in (Undo(n), Redo(n)):
        with pytest.raises(BadCount, match=f"^{n} actions cannot be undone or redone: say how many, 1 or m"):
            store.do(game, command)
    assert store.log.head(game).seq == 4  # type: ignore[union-attr]


def test_a_new_event_ends_redo(store: Store) -> None:
    game = begin(store)
    play(store, game, 5)
    store.do(game, Undo(2))
    assert store.do(game, Redo()).step == 4
    with pytest.raises(NothingToRedo, match="only 1 can be redone"):
        store.do(game, Redo(2))
    play(store, game, 1, seed=9)
    with pytest.raises(NothingToRedo):
        store.do(game, Redo())


def test_going_back_to_where_the_game_is_appends_nothing(store: Store) -> None:
    game = begin(store)
    play(store, game, 6)
    store.do(game, Undo(3))
    store.do(game, Restore(6))
    for to in (6, store.game(game).head):
        with pytest.raises(AlreadyThere, match=f"^There is nothing to bring back: .* after event {to}"):
            store.do(game, Restore(to))
    assert store.game(game).head == 11


def test_restore_names_a_version_that_was(store: Store) -> None:
    game = begin(store)
    play(store, game, 3)
    with pytest.raises(UnknownEvent):
        store.do(game, Restore(9))


# --- dealt games ---


def test_a_dealt_game_draws_until_a_player_decides(store: Store) -> None:
    game = begin(store, origin="dealt")
    answer = store.do(game, Deal())
    assert (answer.step, answer.appended) == (2, 2)
    assert all(due.seat in {"p1", "p2"} for due in store.game(game).position().pending())
    assert store.do(game, Deal()).appended == 0
    hands = store.game(game).position().state.hands
    assert sum(len(hand.known) for hand in hands.values()) == 6


def test_one_draw_at_a_time_when_asked(store: Store) -> None:
    game = begin(store, origin="dealt")
    assert store.do(game, Deal(until_decision=False)).appended == 1


def test_a_repeated_deal_does_not_draw_anew(store: Store) -> None:
    game = begin(store, origin="dealt")
    first = store.do(game, Deal(id="d1"))
    again = store.do(game, Deal(id="d1"))
    assert again == dataclasses.replace(first, repeated=True)


def test_a_game_at_a_table_is_not_dealt(store: Store) -> None:
    with pytest.raises(NotDealt):
        store.do(begin(store), Deal())


def test_a_dealt_game_asks_before_it_undoes_a_draw(store: Store) -> None:
    game = begin(store, origin="dealt")
    store.do(game, Deal())
    own = store.game(game).position().state.hands["p1"].known[0]
    store.do(game, Record([CardLaid("p1", own)]))
    assert store.do(game, Undo()).step == 2
    with pytest.raises(UndoPastDraw) as told:
        store.do(game, Undo())
    assert told.value.code == "undo-past-draw"
    assert store.do(game, Undo(again=True)).step == 1


def test_a_dealt_game_asks_before_an_older_line_takes_draws_back(store: Store) -> None:
    game = begin(store, origin="dealt")
    store.do(game, Deal())
    own = store.game(game).position().state.hands["p1"].known
    store.do(game, Record([CardLaid("p1", own[0])]))
    store.do(game, Undo())
    store.do(game, Record([CardLaid("p1", own[1])]))
    assert store.do(game, Restore(4)).step == 3, "both lines have the same draws"
    with pytest.raises(UndoPastDraw) as told:
        store.do(game, Restore(2))
    assert told.value.seq == 3
    assert store.game(game).position().step == 3
    assert store.do(game, Restore(2, again=True)).step == 1


def test_whether_draws_go_is_asked_of_what_goes_only(path: Path) -> None:
    asked: list[object] = []

    def pending(state: Any) -> Any:
        asked.append(state)
        return TOY.pending(state)

    rules = replace(TOY, pending=pending, check=lambda _state, _event: None)
    with Store.open(path, registry=registry_of((rules,))) as store:
        game = begin(store, origin="dealt")
        looked = RecordChecked((Claim("deck", 12),))
        store.do(game, Record([looked] * 300))
        asked.clear()
        store.do(game, Amend([HistoryEdit(2, Remove()), HistoryEdit(290, Remove())]))
        assert len(asked) < 10


# --- snapshots ---


@pytest.mark.database
def test_a_command_without_snapshots_goes_the_short_way_into_the_log(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = begin(store)
    both = {name: [] for name in ("append", "append_all")}  # type: dict[str, list[int]]
    for name, asked in both.items():
        does = getattr(store.log, name)
        monkeypatch.setattr(
            store.log, name, lambda *a, does=does, asked=asked, **k: (asked.append(1), does(*a, **k))[1]
        )
    play(store, game, 26, at_once=False)
    store.do(game, Undo())
    assert store.log.snapshots.bytes_used(game)
    assert {name: len(asked) for name, asked in both.items()} == {"append": 26, "append_all": 1}


def test_no_state_is_saved_where_none_is_kept(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    game = begin(store)
    quiet = Store(store.log, REGISTRY, keep=False)
    monkeypatch.setattr(serialization, "freeze", lambda _: pytest.fail("a state was saved"))
    looked = RecordChecked((Claim("deck", 12),))
    assert quiet.do(game, Record([looked] * 100)).step == 100


def kept_steps(store: Store) -> set[int]:
    with store.log.reader() as connection:
        return {row[0] for row in connection.execute("SELECT step FROM keyframes")}


@pytest.mark.database
def test_a_large_first_event_makes_no_more_snapshots(store: Store) -> None:
    cards = [{"id": f"c{number:03}", "value": number} for number in range(1, 500)]
    data = json.dumps({"source": "mine", "cards": cards}).encode()
    game = begin(store, options={"rounds": 100_000}, data=data)
    play(store, game, 150)
    as_recorded = kept_steps(store)
    store.log.snapshots.clear()
    assert len(store.game(game).position(0).payload) > 10_000
    answer = store.do(game, Amend([HistoryEdit(1, Replace([{"kind": "record.started"}]))]))
    assert (answer.result.faults, answer.appended) == ((), 2)
    assert kept_steps(store) <= as_recorded < {25, 50, 75, 100, 125, 150}


def test_of_the_states_of_a_long_command_few_are_held() -> None:
    states: list[tuple[int, Any]] = [(3, "c")]
    for step in range(4, 61):
        folding.passed(states, step, "s")
    assert [step for step, _ in states] == [25, 50, 59, 60]


# --- typed lines ---


def test_a_typed_line_may_hold_several_moves_and_json(store: Store) -> None:
    game = begin(store)
    typed = 'p1: deal c01,c02,c03; {"kind":"hand_dealt","player":"p2","cards":["c04",null,null]} ; lay c01;'
    events = read_line(store.game(game), typed)
    assert events == (DEAL[0], HandDealt("p2", ("c04", None, None)), CardLaid("p1", "c01"))
    assert store.do(game, Record(events)).step == 3


@pytest.mark.parametrize("typed", ["fly", "{", '{"kind":"x;y"}', "deal c01,c02,c03; fly"])
def test_a_line_that_is_not_understood_says_so(store: Store, typed: str) -> None:
    with pytest.raises(IllegalAction, match="not-understood"):
        read_line(store.game(begin(store)), typed)


# --- old versions and what is not installed ---


def test_a_game_of_an_older_version_goes_on_in_its_own_form(store: Store) -> None:
    game = begin(store, version=1)
    store.do(game, Record([*DEAL, {"kind": "card_laid", "seat": "p1", "card": "c02"}]))
    assert store.log.events(game, 4)[0].payload == '{"kind":"card_laid","seat":"p1","card":"c02"}'
    assert store.game(game).position().state.laid == {"p1": "c02"}


def test_a_game_without_its_ruleset_takes_no_events(store: Store, path: Path) -> None:
    game = begin(store)
    play(store, game, 3)
    with Store.open(path, registry=registry_of()) as bare:
        for command in (
            lambda: bare.do(game, Record(DEAL)),
            lambda: bare.do(game, Undo()),
            lambda: read_line(bare.game(game), "fly"),
        ):
            with pytest.raises(TextOnly, match="version 2, is not installed here"):
                command()
    assert store.log.head(game).seq == 4  # type: ignore[union-attr]


def test_two_openings_of_one_file_go_on_from_one_another(store: Store, path: Path) -> None:
    game = begin(store)
    with Store.open(path, registry=REGISTRY) as other:
        store.do(game, Record(DEAL))
        assert other.do(game, Record([CardLaid("p1", "c01")])).step == 3
        assert store.do(game, Undo()).step == 2
        assert other.game(game).position().step == 2


def test_an_event_inside_an_amendment_is_no_version(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(DEAL))
    amend(store, game, '{"kind":"record.amended","edits":[{"after":1,"drop":1,"put":2}],"reason":"x"}', DEAL)
    with pytest.raises(NotAVersion):
        store.do(game, Restore(5))


def amend(store: Store, game: str, amendment: str, put: list[HandDealt]) -> None:
    from eventstore.log.rows import NewEvent  # noqa: PLC0415
    from games.core import serialization  # noqa: PLC0415

    rows = [
        NewEvent("record.amended", amendment),
        *(NewEvent("hand_dealt", serialization.encode_event(e)) for e in put),
    ]
    head = store.log.head(game)
    assert head is not None
    store.log.append(game, rows, after=head.seq, command_id="amend", request="x")
