"""What a correction makes impossible: judged again, listed, and settled in the same command."""

from __future__ import annotations

import random

import pytest

from eventstore.audit.verify import verify
from eventstore.recording.amending import Cut, HistoryEdit, Insert, Keep, Remove, Replace, Settlement
from eventstore.recording.commands import Amend, Deal, Record, Rule, Undo
from eventstore.refusals import (
    IllegalEdit,
    UndoPastDraw,
)
from eventstore.store import Store
from games.core.events import Change, RecordRuled
from games.examples.high_card import CardLaid, CardsDrawn, CardsTurned, HandDealt
from tests.eventstore.played import ROUND, begin, play, seqs, untouched

LOWER = HistoryEdit(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


# --- what became impossible ---


def test_faults_are_listed_as_if_each_were_removed_and_nothing_is_appended(store: Store, game: str) -> None:
    answer = store.do(game, Amend([HistoryEdit(2, Replace([HandDealt("p1", ("c01", "c10", "c03"))]))]))
    assert [(fault.seq, fault.step, fault.code, fault.keepable) for fault in answer.result.faults] == [
        (9, 8, "not-offered", False)
    ]
    assert CardLaid("p1", "c10") in answer.result.faults[0].legal
    assert (answer.seq, answer.step, answer.appended) == (9, 7, 0)
    assert untouched(store, game)


def test_a_card_in_two_hands_cannot_be_kept(store: Store, game: str) -> None:
    edit = [HistoryEdit(2, Replace([HandDealt("p1", ("c01", "c02", "c07"))]))]
    first = store.do(game, Amend(edit)).result.faults[0]
    assert (first.seq, first.message) == (7, "c07 cannot be meant: it is in {p1}'s hand.")
    assert not first.keepable
    with pytest.raises(IllegalEdit, match="cannot-be-kept") as told:
        store.do(game, Amend(edit, settle={7: Keep()}))
    assert told.value.seq == 7
    assert untouched(store, game)


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        (Keep(), "kept as played"),
        (Keep("as we played"), "as we played"),
    ],
)
def test_a_wrong_turn_can_be_kept_as_a_ruling(store: Store, game: str, kept: Keep, reason: str) -> None:
    answer = store.do(game, Amend([LOWER], settle={7: kept}))
    assert answer.result.faults == ()
    ruled = store.game(game).position(6).event
    assert isinstance(ruled, RecordRuled)
    assert (ruled.reason, ruled.instead_of) == (reason, 7)
    assert ruled.says == "{p2} draws an unseen card, an unseen card.", "what the table saw, and no more"
    assert store.game(game).position().state.hands["p1"].known == ("c03", "c07")
    assert verify(store).faults == ()


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
    store: Store, game: str, settled: Settlement, expected: list[int]
) -> None:
    edit = [HistoryEdit(2, Replace([HandDealt("p1", ("c01", "c10", "c03"))]))]
    answer = store.do(game, Amend(edit, settle={9: settled}))
    assert answer.result.faults == ()
    assert seqs(store, game) == expected
    assert len(store.log.commits(game)) == 3


def test_a_cut_ends_the_history_there(store: Store, game: str) -> None:
    store.do(game, Amend([HistoryEdit(5, Remove())], settle={6: Cut()}))
    assert seqs(store, game) == [1, 2, 3, 4]
    assert store.log.events(game, 10, 10)[0].payload == (
        '{"kind":"record.amended","edits":[{"after":4,"drop":5,"put":0}],"reason":""}'
    )


def test_while_one_fault_is_left_nothing_is_appended(store: Store, game: str) -> None:
    answer = store.do(game, Amend([HistoryEdit(6, Remove())], settle={7: Remove()}))
    assert [fault.seq for fault in answer.result.faults] == [8, 9]
    assert untouched(store, game)


def test_what_needed_no_settlement_stays_and_is_told(store: Store, game: str) -> None:
    answer = store.do(
        game, Amend([HistoryEdit(7, Replace([CardsDrawn("p2", ("c07", "c12"))]))], settle={9: Remove()})
    )
    assert (answer.result.moot, seqs(store, game)[-1]) == ((9,), 9)


def test_a_ruling_that_no_longer_fits_is_a_fault_and_can_be_made_for_what_is_there(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(ROUND))
    store.do(game, Rule("a bet", changes=[{"at": "/points/p2", "now": 5}]))
    edit = [HistoryEdit(6, Insert([RecordRuled("first", (Change("/points/p2", 1, 2),))]))]
    answer = store.do(game, Amend(edit))
    assert [(fault.seq, fault.code, fault.keepable) for fault in answer.result.faults] == [
        (10, "ruling-does-not-fit", True)
    ]
    store.do(game, Amend(edit, settle={10: Keep("a bet")}))
    assert store.game(game).position().state.points["p2"] == 5
    assert store.game(game).position().event == RecordRuled("a bet", (Change("/points/p2", 2, 5),), 10)


def test_so_many_faults_that_the_rest_is_not_looked_at(store: Store) -> None:
    game = begin(store)
    play(store, game, 900)
    answer = store.do(game, Amend([HistoryEdit(2, Remove())]))
    assert len(answer.result.faults) == 200
    assert answer.result.unjudged == 900 - 1 - len(answer.result.faults)
    assert store.do(game, Amend([HistoryEdit(2, Remove())], settle={3: Cut()})).step == 0


# --- who may know what ---


def test_the_reason_of_what_is_kept_says_nothing_of_hidden_cards(store: Store, game: str) -> None:
    store.do(game, Amend([HistoryEdit(6, Remove())], settle={7: Keep(), 9: Cut()}))
    told = store.game(game, viewer="p1").position(5)
    assert told.kind == "record.ruled"
    assert "c08" not in told.payload
    assert "c08" not in told.caption()


# --- dealt games ---


def test_a_dealt_game_asks_before_draws_go(store: Store) -> None:
    game = begin(store, origin="dealt")
    store.do(game, Deal(), chance=random.Random(1))  # noqa: S311 - to be repeated
    own = store.game(game).position().state.hands["p1"].known
    store.do(game, Record([CardLaid("p1", own[0])]))
    with pytest.raises(UndoPastDraw):
        store.do(game, Amend([HistoryEdit(3, Remove())], settle={4: Remove()}))
    store.do(game, Amend([HistoryEdit(4, Replace([CardLaid("p1", own[1])]))]))
    assert store.do(game, Undo()).step == 3
    assert store.do(game, Amend([HistoryEdit(3, Remove())], settle={4: Remove()}, again=True)).step == 1


def test_taking_an_amendment_back_draws_nothing_anew(store: Store) -> None:
    game = begin(store, origin="dealt")
    store.do(game, Deal(), chance=random.Random(1))  # noqa: S311 - to be repeated
    for seat in ("p1", "p2"):
        store.do(game, Record([CardLaid(seat, store.game(game).position().state.hands[seat].known[0])]))
    table = store.game(game).position().state
    store.do(game, Record([CardsTurned(table.laid)]))
    store.do(game, Deal(), chance=random.Random(2))  # noqa: S311 - to be repeated
    was = store.game(game).position()
    store.do(game, Amend([HistoryEdit(5, Insert([RecordRuled("a", (Change("/points/p1", 0, 1),))]))]))
    store.do(game, Undo())
    assert (store.game(game).position().state, was.kind) == (was.state, "cards_drawn")
