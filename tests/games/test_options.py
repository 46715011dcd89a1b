"""What a person is told about an option: meaning, values, what a new game gets, source."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec
import pytest

from games.core import ruleset
from games.core.options import RulesetOption, ruleset_options
from games.core.registry import installed
from games.examples.high_card import TOY

SOURCE = "ruling R7"


def reading(kind: Any, suggested: Any) -> RulesetOption:
    """Give the one option of a toy whose option is of this type."""
    described = Annotated[kind, msgspec.Meta(description="What it is.", extra={"source": SOURCE})]
    made = msgspec.defstruct("Options", [("it", described)], frozen=True)
    (found,) = ruleset_options(
        replace(TOY, options=made, suggested=lambda _seats: made(suggested)), ("p1", "p2")
    )
    return found


def test_an_option_is_told_with_meaning_and_source() -> None:
    found = reading(Literal["keep", "carry"], "keep")
    assert found == RulesetOption("it", "What it is.", SOURCE, "keep", ("keep", "carry"), "keep or carry")


Coin = Literal["100", "5", "20"]
Seats = dict[str, Literal["red", "blue"]]


@pytest.mark.parametrize(
    ("kind", "suggested", "values", "right"),
    [
        (Literal["a", "b", "c"], "b", ("b", "a", "c"), "b, a or c"),
        (Literal[25, 5], 25, (25, 5), "25 or 5"),
        (bool, True, (True, False), "true or false"),
        (Annotated[int, msgspec.Meta(ge=1, le=9)], 3, (), "a whole number from 1 to 9"),
        (Annotated[int, msgspec.Meta(ge=1)] | None, None, (), "a whole number from 1 or null"),
        (str, "p1", (), "a word such as p1"),
        (str | None, None, (), "a word or null"),
        (dict[Coin, int], {"5": 1}, (), "a JSON object with 5, 20 and 100; each value is a whole number"),
        (Seats, {"p1": "red"}, (), "a JSON object; each value is blue or red"),
    ],
)
def test_what_an_option_takes(kind: Any, suggested: Any, values: tuple[Any, ...], right: str) -> None:
    found = reading(kind, suggested)
    assert (found.values, found.right) == (values, right)


def test_a_whole_number_is_told_with_its_limits() -> None:
    found = reading(Annotated[int, msgspec.Meta(ge=1, le=9)], 3)
    assert (found.whole, found.least, found.most) == (True, 1, 9)
    assert not reading(Annotated[int, msgspec.Meta(ge=1)] | None, None).whole


class Stock(msgspec.Struct, frozen=True):
    cottages: int
    inns: int


def test_a_struct_is_told_by_its_fields() -> None:
    assert reading(Stock | None, None).right == "a JSON object with cottages and inns or null"


@pytest.mark.parametrize("rules", installed().newest().values(), ids=lambda rules: rules.id)
def test_every_option_of_a_ruleset_says_what_it_means_and_where_it_comes_from(rules: Any) -> None:
    for found in ruleset_options(rules, ruleset.seat_names(rules.seats[0])):
        assert found.meaning.endswith("."), found.name
        assert found.source.startswith(("rulebook", "ruling R")), found.name
        assert found.suggested in found.values or not found.values, found.name
