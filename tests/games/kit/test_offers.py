"""Judging by what is offered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.core.events import Event
from games.core.ruleset import Amount, Choice, IllegalAction, OneOf, Pending
from games.kit.offers import offered


class Passed(Event, frozen=True, tag="passed"):
    player: str


class Bid(Event, frozen=True, tag="bid"):
    player: str
    amount: int
    on: str | None = None


class Dealt(Event, frozen=True, tag="dealt"):
    pass


DUE = (Pending("p1", ("passed", "bid")), Pending("p2", ("passed",), must=False))


def passing(_state: str, seat: str) -> Iterator[Event]:
    yield Passed(seat)


def bidding(_state: str, seat: str) -> Iterator[Choice]:
    if seat == "p1":
        yield Choice("bid", {"player": "p1"}, (Amount("amount", 10, 50, 10), OneOf("on", ("land", None))))


def judge(event: Event, due: tuple[Pending, ...] = DUE) -> None:
    offered("state", event, pending=lambda _state: due, legal_actions=passing, open_choices=bidding)


def refusal(event: Event, due: tuple[Pending, ...] = DUE) -> IllegalAction:
    with pytest.raises(IllegalAction) as refused:
        judge(event, due)
    return refused.value


@pytest.mark.parametrize(
    "event", [Passed("p1"), Passed("p2"), Bid("p1", 10), Bid("p1", 50, "land"), Bid("p1", 20, None)]
)
def test_what_is_listed_or_fits_a_form_is_accepted(event: Event) -> None:
    judge(event)


@pytest.mark.parametrize(
    "event", [Bid("p1", 0), Bid("p1", 60), Bid("p1", 15), Bid("p2", 10), Bid("p1", 10, "sea"), Passed("p3")]
)
def test_what_is_neither_is_refused(event: Event) -> None:
    assert refusal(event).code == "not-offered"


def test_refusal_lists_what_of_that_kind_is_possible() -> None:
    assert refusal(Passed("p3")).legal == (Passed("p1"), Passed("p2"))


def test_kind_that_is_not_due_is_refused_with_what_is() -> None:
    refused = refusal(Dealt())
    assert refused.code == "not-due"
    assert refused.sentence == "dealt is not due now; due is bid, passed."
    assert refused.legal == (Passed("p1"), Passed("p2"))


def test_nothing_is_accepted_where_nothing_is_pending() -> None:
    assert refusal(Passed("p1"), ()).code == "game-over"


def test_forms_are_not_needed() -> None:
    with pytest.raises(IllegalAction, match="not-offered"):
        offered("state", Bid("p1", 10), pending=lambda _state: DUE, legal_actions=passing)
