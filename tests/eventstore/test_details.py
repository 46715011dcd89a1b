"""Names, titles and notes: what can be kept, and what is wrong with the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eventstore.library import details
from eventstore.library.details import checked
from eventstore.log.rows import Details
from eventstore.refusals import BadDetail

if TYPE_CHECKING:
    from collections.abc import Callable

UNSEEN = (
    "\u200b",
    "\u2060\ufeff",
    "\u202e",
    "\u3164",
    "\u2800 \u2800",
    "\U000e0041",
    "\u0301",
    "\u00ad",
)
SEEN = ("Zoë", "אבג", "علی\u200cرضا", "👩\u200d👧", "❤\ufe0f", "\u202eAnn", "⠁", "\U0001fae9", "-", "e\u0301")


@pytest.mark.parametrize("text", UNSEEN)
@pytest.mark.parametrize(
    "keep",
    [
        lambda text: details.line("name", text, details.NAME),
        lambda text: details.passage("text", text),
        lambda text: details.tags((text,)),
        lambda text: checked(Details(title=text)),
        lambda text: checked(Details(place=text)),
        lambda text: checked(Details(names={"p1": text})),
    ],
)
def test_what_nobody_can_see_is_no_name(keep: Callable[[str], object], text: str) -> None:
    with pytest.raises(BadDetail, match="nothing of it can be seen"):
        keep(text)


@pytest.mark.parametrize("text", SEEN)
def test_what_can_be_seen_is_kept_to_the_letter(text: str) -> None:
    assert details.line("name", text, details.NAME) == text
    assert details.passage("text", text) == text


def test_nothing_is_no_name_and_no_fault() -> None:
    assert details.line("name", " \t ", details.NAME) is None
    assert details.passage("text", "\n") == "\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a\x07", "The title cannot be kept: character 2 is a control character."),
        ("\udcff", "The title cannot be kept: character 1 is half of one, or a byte that is no UTF-8."),
    ],
)
def test_a_character_that_cannot_be_kept_is_named(text: str, says: str) -> None:
    with pytest.raises(BadDetail) as refused:
        details.line("title", text, details.TITLE)
    assert str(refused.value) == says
