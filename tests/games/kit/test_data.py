"""A file that does not fit is refused by its row, in a sentence."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from games.kit.data import decoded
from games.ruleset import BadData


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
        (b'{"cards": [], "races": {"A": 1}}', "races", '[...] takes a text, not {"A":1}.'),
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
