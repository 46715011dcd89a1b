"""Seats in order round the table."""

from __future__ import annotations

import pytest

from games.kit.seats import in_turn_after, next_in, why_stays

SEATS = ("p1", "p2", "p3", "p4")


@pytest.mark.parametrize(
    ("seat", "others"), [("p1", ["p2", "p3", "p4"]), ("p3", ["p4", "p1", "p2"]), ("p4", ["p1", "p2", "p3"])]
)
def test_the_others_follow_round_the_table(seat: str, others: list[str]) -> None:
    assert list(in_turn_after(SEATS, seat)) == others


def test_nobody_follows_the_only_one() -> None:
    assert list(in_turn_after(("p1",), "p1")) == []


@pytest.mark.parametrize(
    ("seat", "playing", "following"),
    [
        ("p1", {"p1", "p3"}, "p3"),
        ("p3", {"p1", "p3"}, "p1"),
        ("p2", {"p1"}, "p1"),
        ("p1", {"p1"}, None),
        ("p1", (), None),
    ],
)
def test_next_is_the_next_that_still_plays(seat: str, playing: set[str], following: str | None) -> None:
    assert next_in(SEATS, seat, playing) == following


@pytest.mark.parametrize(
    ("seat", "seats", "said"),
    [
        ("p1", SEATS[:2], "With two players a concession closes the record (record.closed, conceded)."),
        ("p1", SEATS, "One resigns at night; now it is day."),
        ("p4", SEATS, "'p4' is not in the game; in it are {p1}, {p2}."),
    ],
)
def test_who_cannot_resign_is_told_why(seat: str, seats: tuple[str, ...], said: str) -> None:
    assert why_stays(seat, seats, ("p1", "p2"), "at night", "it is day") == said
