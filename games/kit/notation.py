"""Short forms: the shortest text that means an event, and a seat in front of a move."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from games import wire
from games.events import Event
from games.ruleset import IllegalAction

S = TypeVar("S")

_SEAT: Final = re.compile(r"(p\d+)\s*:\s*(.*)", re.DOTALL)


def shortest(
    state: S, event: Event, texts: Iterable[str], read: Callable[[S, str], tuple[Event, ...]]
) -> str:
    """Give the first of some texts that reads back as this event in this state, else its JSON."""
    return next((text for text in texts if _means(state, text, event, read)), wire.encode_event(event))


def _means(state: S, text: str, event: Event, read: Callable[[S, str], tuple[Event, ...]]) -> bool:
    try:
        return read(state, text) == (event,)
    except IllegalAction:
        return False


def split_seat(text: str) -> tuple[str | None, str]:
    """Take the seat off that stands in front of a move.

    >>> split_seat("p2: field 0"), split_seat("shuffle")
    (('p2', 'field 0'), (None, 'shuffle'))
    """
    found = _SEAT.fullmatch(text.strip())
    return (found[1], found[2].strip()) if found else (None, text.strip())
