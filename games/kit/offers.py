"""Judging an event by what is offered: listed actions and the forms of what cannot be listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from games.core.choices import fits
from games.core.events import Event, kind_of
from games.core.ruleset import Choice, IllegalAction, Pending

S = TypeVar("S")


def offered(
    state: S,
    event: Event,
    *,
    pending: Callable[[S], tuple[Pending, ...]],
    legal_actions: Callable[[S, str], Iterator[Event]],
    open_choices: Callable[[S, str], Iterator[Choice]] | None = None,
) -> None:
    """Accept an event that is listed or fits a form of somebody who may act now.

    Errors: `IllegalAction` `game-over` (nothing is pending), `not-due` (no such kind now), `not-offered`.
    """
    kind = kind_of(event)
    due = pending(state)
    if not due:
        raise IllegalAction("game-over", "The game is over; nothing more can be recorded but a correction.")
    seats = tuple(item.seat for item in due if kind in item.kinds)
    if not seats:
        kinds = [spoken(name) for name in sorted({name for item in due for name in item.kinds})]
        raise IllegalAction(
            "not-due",
            f"{spoken(kind)} is not due now; due is {', '.join(kinds)}.",
            legal=_all_legal(state, due, legal_actions),
        )
    for seat in seats:
        if event in legal_actions(state, seat):
            return
        if open_choices is not None and any(fits(choice, event) for choice in open_choices(state, seat)):
            return
    legal = (item for seat in seats for item in legal_actions(state, seat) if kind_of(item) == kind)
    raise IllegalAction("not-offered", f"This is not possible now: {spoken(kind)}.", legal=legal)


def spoken(kind: str) -> str:
    """Write a kind of event as words.

    >>> spoken("land_declined")
    'land declined'
    """
    return kind.replace("_", " ")


def _all_legal(
    state: S, due: tuple[Pending, ...], legal_actions: Callable[[S, str], Iterator[Event]]
) -> Iterator[Event]:
    for seat in dict.fromkeys(item.seat for item in due):
        yield from legal_actions(state, seat)
