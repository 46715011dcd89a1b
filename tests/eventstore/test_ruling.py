"""Rulings: what the table agreed on in spite of the rules."""

from __future__ import annotations

import pytest

from eventstore.recording.amending import Replace, Wish
from eventstore.refusals import (
    BadDetail,
    NothingGiven,
    NothingToRule,
)
from eventstore.store import Tabletape
from games.core.events import Change, RecordClosed, RecordRuled
from games.core.ruleset import IllegalAction
from games.examples.high_card import CardPassed, CardsDrawn

LOWER = Wish(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


def test_an_illegal_event_is_recorded_as_what_it_would_have_done(tape: Tabletape, game: str) -> None:
    with pytest.raises(IllegalAction):
        tape.recorder.record(game, [CardPassed("p2", "c08")])
    tape.recorder.rule(game, event=CardsDrawn("p2", ("c09", "c10")), reason="{p2} drew twice")
    now = tape.replayer.at(game)
    assert isinstance(now.event, RecordRuled)
    assert now.event.instead_of is None
    assert now.state.hands["p2"].known == ("c05", "c06", "c08", "c09", "c10")
    said = "Ruling: Bo draws an unseen card, an unseen card. Bo drew twice."
    assert now.caption({"p2": "Bo"}) == said, "the cards are for nobody but him"
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
