"""Seats in order round the table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

MANY: Final = 3
"""From so many players on one may leave the game to the others."""


def in_turn_after(seats: tuple[str, ...], seat: str) -> Iterator[str]:
    """Give the other seats in order, from the one after `seat` on.

    >>> list(in_turn_after(("p1", "p2", "p3"), "p2"))
    ['p3', 'p1']
    """
    place = seats.index(seat)
    yield from seats[place + 1 :]
    yield from seats[:place]


def next_in(seats: tuple[str, ...], seat: str, playing: Collection[str]) -> str | None:
    """Give the next seat that is still playing; None when nobody else is."""
    return next((other for other in in_turn_after(seats, seat) if other in playing), None)


def why_stays(seat: str, seats: Sequence[str], playing: Collection[str], when: str, now: str) -> str:
    """Say why somebody cannot resign: `when` one can, and what is due `now`.

    >>> why_stays("p1", ("p1", "p2", "p3"), ("p1", "p2"), "between battles only", "a card is turned")
    'One resigns between battles only; now a card is turned.'
    """
    if len(seats) < MANY:
        return "With two players a concession closes the record (record.closed, conceded)."
    if seat in playing:
        return f"One resigns {when}; now {now}."
    names = ", ".join(f"{{{other}}}" for other in playing)
    return f"{seat!r} is not in the game; in it are {names}."
