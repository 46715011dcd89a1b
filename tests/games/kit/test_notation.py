"""The shortest text that means an event."""

from __future__ import annotations

import pytest

from games.core.events import Event
from games.core.ruleset import IllegalAction
from games.examples.high_card import CardLaid, DeckRebuilt
from games.kit.notation import shortest


def read(state: str, text: str) -> tuple[Event, ...]:
    if text == "?":
        raise IllegalAction("not-understood", "What?")
    return (CardLaid("p1", state + text),)


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (("1", "01"), "01"),
        (("?", "01", "1"), "01"),
        (("1",), '{"kind":"card_laid","player":"p1","card":"c01"}'),
        ((), '{"kind":"card_laid","player":"p1","card":"c01"}'),
    ],
)
def test_the_first_text_that_reads_back_is_taken(texts: tuple[str, ...], found: str) -> None:
    assert shortest("c", CardLaid("p1", "c01"), texts, read) == found


def test_what_nothing_means_is_json() -> None:
    assert shortest("c", DeckRebuilt(3), ("01", "?"), read) == '{"kind":"deck_rebuilt","count":3}'
