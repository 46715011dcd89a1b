"""A file that does not fit is refused by its row, in a sentence."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from games.core.ruleset import BadData
from games.kit.data import decoded, wrong_id, wrong_ids, wrong_name, wrong_text


class Card(msgspec.Struct):
    strike: int


class File(msgspec.Struct):
    cards: tuple[Card, ...]
    races: dict[str, str] = {}


def read(file: bytes) -> File:
    return decoded(file, "card file", lambda plain: msgspec.convert(plain, File))


def test_a_file_that_fits_is_what_is_made_of_it() -> None:
    assert read(b'{"cards": [{"strike": 3}]}') == File((Card(3),))


@pytest.mark.parametrize(
    ("file", "row", "says"),
    [
        (b'{"cards": [{"strike": 3}, {"strike": "x"}]}', "cards[1]", 'strike takes a whole number, not "x".'),
        (b'{"cards": [], "races": {"A": 1}}', "races", "A takes a text, not 1."),
        (b'{"cards": [], "races": {"A": "x", "B": 2, "C": 3}}', "races", "B takes a text, not 2."),
        (b'{"cards": [], "races": {"A b": 1}}', "races", '[...] takes a text, not {"A b":1}.'),
        (b"{}", "", "The field cards is missing."),
        (b"[", "", "The card file is no JSON: "),
        (b'{"cards": "\xff"}', "", "The card file is no JSON: "),
    ],
)
def test_a_file_that_does_not_fit_is_refused_by_its_row(file: bytes, row: str, says: str) -> None:
    with pytest.raises(BadData) as refused:
        read(file)
    assert refused.value.row == row
    assert says in refused.value.sentence


def test_what_a_ruleset_says_of_a_file_comes_through() -> None:
    def made(_plain: Any) -> File:
        raise BadData("cards[0]", "It is there twice.")

    with pytest.raises(BadData, match="there twice"):
        decoded(b"{}", "card file", made)


@pytest.mark.parametrize("name", ["Ox", "Ox no. 2", "Île", "x" * 40, "12", "\u0d05\u0d35\u0d28\u0d4d\u200d"])
def test_a_name_that_can_be_shown_is_taken(name: str) -> None:
    assert list(wrong_name("cards[0]", name)) == []


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "one line of 1 to 40 characters"),
        (" Ox", "without space around it"),
        ("x" * 41, "1 to 40 characters"),
        ("a\nb", "one line"),
        ("a\x1b[31mb", "one line"),
        ("a\u202eb", "one line"),
        ("a\u200bb", "one line"),
        ("\u200d", "one line"),
        ("{p1} red", "with one of { } , in it"),
        ("a,b", "with one of { } , in it"),
        ("12", "means something else"),
        ("#6", "means something else"),
        ("-3", "means something else"),
        ("War", "means something else"),
    ],
)
def test_a_name_that_cannot_be_shown_or_typed_is_refused(name: str, says: str) -> None:
    ((row, said),) = wrong_name("cards[0]", name, "{},", ("war",))
    assert row == "cards[0]"
    assert said.startswith(f"{name!r} is no name: ")
    assert says in said


def test_a_text_may_be_longer() -> None:
    assert list(wrong_text("source", "x" * 400)) == []
    assert [row for row, _ in wrong_text("source", "x" * 401)] == ["source"]


def test_each_id_is_one_and_its_own() -> None:
    ids = [("cards[0]", "ox-1"), ("cards[1]", "ox-2"), ("cards[2]", "ox-1"), ("cards[3]", "take")]
    assert list(wrong_ids(ids, ("take",))) == [
        ("cards[2]", "The id 'ox-1' stands in cards[0] already; each card has its own."),
        ("cards[3]", "'take' cannot be an id: it is a word that moves are typed with."),
    ]


@pytest.mark.parametrize("name", ["", "Ox", "1x", "ox--1", "ox-", "ox_1", "ox\n", "\u00e9", "x" * 101])
def test_what_is_no_id_is_refused(name: str) -> None:
    ((_, said),) = wrong_id("cards[0]", name)
    assert said.startswith(f"{name!r} cannot be an id: write up to 100 lower-case letters and digits")
