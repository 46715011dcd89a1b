"""Forms: filled in, taken apart, refused."""

from __future__ import annotations

from typing import Any

import pytest

from games.core.choices import fill, fits
from games.core.events import Event
from games.core.ruleset import Amount, Choice, SomeOf


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
