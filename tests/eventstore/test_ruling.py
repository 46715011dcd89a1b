"""Rulings: what the table agreed on in spite of the rules."""

from __future__ import annotations

import pytest

from eventstore.recording.amending import HistoryEdit, Replace
from eventstore.recording.commands import Record, Rule, Undo
from eventstore.refusals import (
    BadDetail,
    NothingGiven,
    NothingToRule,
)
from eventstore.store import Store
from games.core.events import Change, RecordClosed, RecordRuled
from games.core.ruleset import IllegalAction
from games.examples.high_card import CardPassed, CardsDrawn

LOWER = HistoryEdit(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


def test_an_illegal_event_is_recorded_as_what_it_would_have_done(store: Store, game: str) -> None:
    with pytest.raises(IllegalAction):
        store.do(game, Record([CardPassed("p2", "c08")]))
    store.do(game, Rule("{p2} drew twice", event=CardsDrawn("p2", ("c09", "c10"))))
    now = store.game(game).position()
    assert isinstance(now.event, RecordRuled)
    assert now.event.instead_of is None
    assert now.state.hands["p2"].known == ("c05", "c06", "c08", "c09", "c10")
    said = "Ruling: Bo draws an unseen card, an unseen card. Bo drew twice."
    assert now.caption({"p2": "Bo"}) == said, "the cards are for nobody but them"
    assert store.do(game, Undo()).step == 8


def test_a_patch_of_the_state_is_typed_and_counted(store: Store, game: str) -> None:
    store.do(game, Rule("agreed", changes=[{"at": "/points/p1", "now": 3}]))
    assert store.game(game).position().event == RecordRuled("agreed", (Change("/points/p1", 0, 3),))
    for change, code in (
        ({"at": "/points/p3", "now": 3}, "no-such-place"),
        ({"at": "/points/p1", "was": 7, "now": 3}, "ruling-does-not-fit"),
        ({"at": "/points/p1", "now": "three"}, "ruling-mistyped"),
        ({"at": "/deck", "now": 3}, "ruling-breaks-the-count"),
    ):
        with pytest.raises(IllegalAction) as told:
            store.do(game, Rule("agreed", changes=[change]))
        assert told.value.code == code


def test_what_needs_no_ruling_or_cannot_be_one_is_refused(store: Store, game: str) -> None:
    with pytest.raises(NothingToRule):
        store.do(game, Rule("why not", event="p2: lay c08"))
    with pytest.raises(IllegalAction, match="cannot-be-kept"):
        store.do(game, Rule("a card in their hand already", event=CardsDrawn("p2", ("c05", "c10"))))
    with pytest.raises(BadDetail, match="reason"):
        store.do(game, Rule(" ", event=CardsDrawn("p2", ("c09", "c10"))))
    with pytest.raises(NothingGiven):
        store.do(game, Rule("nothing"))
    store.do(game, Record([RecordClosed("agreed")]))
    with pytest.raises(IllegalAction, match="record-closed"):
        store.do(game, Rule("too late", event=CardsDrawn("p2", ("c09", "c10"))))


def test_repeated_rulings_are_one(store: Store, game: str) -> None:
    first = store.do(game, Rule("r", changes=[{"at": "/points/p1", "now": 3}], id="r1"))
    again = store.do(game, Rule("r", changes=[{"at": "/points/p1", "now": 3}], id="r1"))
    assert (again.seq, again.repeated) == (first.seq, True)
