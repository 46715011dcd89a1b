"""What an amendment would come to, looked at before it is made, is what it comes to."""

from __future__ import annotations

import pytest

from eventstore.recording.amending import Cut, HistoryEdit, Insert, Keep, Remove, Replace, Settlement
from eventstore.recording.commands import Amend
from eventstore.recording.commands.amend import plan
from eventstore.recording.preview import positions
from eventstore.replay.disclosure import shown_to
from eventstore.store import Store
from games.examples.high_card import CardLaid, CardsDrawn

LOWER = HistoryEdit(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


@pytest.mark.parametrize(
    ("wish", "settle"),
    [
        (HistoryEdit(7, Replace([CardsDrawn("p2", ("c07", "c12"))])), {}),
        (HistoryEdit(9, Insert([CardLaid("p2", "c05")])), {}),
        (HistoryEdit(6, Remove()), {7: Keep(), 9: Cut()}),
        (LOWER, {7: Keep()}),
        (HistoryEdit(1, Replace([{"kind": "record.started", "options": {"rounds": 5}}])), {}),
    ],
    ids=["replaced", "put behind", "taken out", "kept", "begun otherwise"],
)
def test_proposed_steps_are_those_that_the_amendment_makes(
    store: Store, game: str, wish: HistoryEdit, settle: dict[int, Settlement]
) -> None:
    proposal = plan(store.game(game), Amend([wish], settle=settle))
    told = list(positions(proposal))
    head = store.log.head(game)
    assert head is not None
    assert head.seq == 9, "nothing was appended"
    store.do(game, Amend([wish], settle=settle))
    made = list(store.game(game).positions(proposal.amendment.first))
    assert [(one.step, one.event, one.before, one.state) for one in told] == [
        (one.step, one.event, one.before, one.state) for one in made
    ]
    assert told[-1].steps == made[-1].steps
    assert [one.seq for one in told if one.seq] == [one.seq for one in made if one.seq <= 9]


def test_what_cannot_stand_is_named_settled_or_not_with_the_step_that_would_be_its(
    store: Store, game: str
) -> None:
    bare = plan(store.game(game), Amend([HistoryEdit(6, Remove())])).amendment
    assert [(met.fault.seq, met.step) for met in bare.met] == [(7, 5), (8, 5), (9, 5)]
    assert [met.fault for met in bare.met] == list(bare.faults)
    kept = plan(store.game(game), Amend([HistoryEdit(6, Remove())], settle={7: Keep()})).amendment
    assert [(met.fault.seq, met.step) for met in kept.met] == [(7, 5), (9, 7)]
    assert [fault.seq for fault in kept.faults] == [9]


def test_who_was_shown_a_card(store: Store, game: str) -> None:
    shown = [shown_to(store.game(game).positions(step, step)) for step in range(9)]
    assert shown == [(), ("p1",), ("p2",), (), (), ("table",), ("p2",), ("p1",), ()]
