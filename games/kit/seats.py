"""Seats in order round the table."""

from __future__ import annotations

from collections.abc import Collection, Iterator


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
