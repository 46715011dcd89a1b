"""Judging by what is offered, and forms: filled in, taken apart, refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from games.events import Event
from games.kit.offers import fill, fits, offered
from games.ruleset import Amount, Choice, IllegalAction, OneOf, Pending, SomeOf


class Passed(Event, frozen=True, tag="passed"):
    player: str


class Bid(Event, frozen=True, tag="bid"):
    player: str
    amount: int
    on: str | None = None


class Dealt(Event, frozen=True, tag="dealt"):
    give: dict[str, list[str]]
    take: dict[str, int]
    note: str | None


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
    refused = refusal(Dealt({}, {}, None))
    assert refused.code == "not-due"
    assert refused.sentence == "dealt is not due now; due is bid, passed."
    assert refused.legal == (Passed("p1"), Passed("p2"))


def test_nothing_is_accepted_where_nothing_is_pending() -> None:
    assert refusal(Passed("p1"), ()).code == "game-over"


def test_forms_are_not_needed() -> None:
    with pytest.raises(IllegalAction, match="not-offered"):
        offered("state", Bid("p1", 10), pending=lambda _state: DUE, legal_actions=passing)


DEAL = Choice(
    "dealt",
    {"give": {"lands": ["a"]}, "note": None},
    (SomeOf("give.cards", ("x", "y", "z"), 1, 2), Amount("take.money", 0, 5)),
)


@pytest.mark.parametrize(
    ("cards", "money", "fit"),
    [
        (["x"], 0, True),
        (["x", "z"], 5, True),
        ([], 0, False),
        (["x", "y", "z"], 0, False),
        (["x", "x"], 0, False),
        (["w"], 0, False),
        (["x"], 6, False),
        (["x"], -1, False),
    ],
)
def test_form_with_dotted_fields(cards: list[str], money: int, *, fit: bool) -> None:
    event = Dealt({"lands": ["a"], "cards": cards}, {"money": money}, None)
    assert fits(DEAL, event) is fit


@pytest.mark.parametrize(
    "event",
    [
        Passed("p1"),
        Dealt({"lands": ["b"], "cards": ["x"]}, {"money": 0}, None),
        Dealt({"cards": ["x"]}, {"money": 0}, None),
        Dealt({"lands": ["a"], "cards": ["x"], "more": ["y"]}, {"money": 0}, None),
        Dealt({"lands": ["a"], "cards": ["x"]}, {"money": 0, "more": 1}, None),
        Dealt({"lands": ["a"], "cards": ["x"]}, {}, None),
        Dealt({"lands": ["a"], "cards": ["x"]}, {"money": 0}, "psst"),
    ],
)
def test_form_fixes_what_it_does_not_ask(event: Event) -> None:
    assert not fits(DEAL, event)


def test_filling_a_form_leaves_the_form_alone() -> None:
    payload = fill(DEAL, {"give.cards": ["x"], "take.money": 3})
    assert payload == {
        "kind": "dealt",
        "give": {"lands": ["a"], "cards": ["x"]},
        "note": None,
        "take": {"money": 3},
    }
    assert next(iter(payload)) == "kind"
    assert DEAL.fixed == {"give": {"lands": ["a"]}, "note": None}


@pytest.mark.parametrize("amount", [True, 10.0, "10", None])
def test_amount_is_a_whole_number(amount: Any) -> None:
    choice = Choice("bid", {"player": "p1"}, (Amount("amount", 0, 50),))
    assert not fits(choice, Bid("p1", amount))


def test_null_fixed_by_a_form_is_the_field_left_out() -> None:
    choice = Choice("bid", {"player": "p1", "on": None}, (Amount("amount", 0, 50),))
    assert fits(choice, Bid("p1", 10))
    assert not fits(choice, Bid("p1", 10, "land"))
