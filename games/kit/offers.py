"""Judging an event by what is offered: listed actions and the forms of what cannot be listed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from games import wire
from games.events import Event, kind_of
from games.ruleset import Amount, Ask, Choice, IllegalAction, OneOf, Pending, SomeOf

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


def fits(choice: Choice, event: Event) -> bool:
    """Tell whether an event is this form, filled in; a field left out is one that is null."""
    if kind_of(event) != choice.kind:
        return False
    payload = wire.event_to(event)
    answers = {ask.field: _take(payload, ask.field) for ask in choice.asks}
    payload.pop("kind")
    return _given(payload) == _given(choice.fixed) and all(
        _answers(ask, answers[ask.field]) for ask in choice.asks
    )


def fill(choice: Choice, answers: Mapping[str, Any]) -> dict[str, Any]:
    """Put answers (by dotted path) into a form: the payload of the event, kind first."""
    payload: dict[str, Any] = {"kind": choice.kind, **_copied(choice.fixed)}
    for ask in choice.asks:
        *path, last = ask.field.split(".")
        box = payload
        for step in path:
            box = box.setdefault(step, {})
        box[last] = answers[ask.field]
    return payload


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return value


def _take(payload: dict[str, Any], path: str) -> Any:
    *steps, last = path.split(".")
    box: Any = payload
    for step in steps:
        box = box.get(step) if isinstance(box, dict) else None
    return box.pop(last, None) if isinstance(box, dict) else None


def _given(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out fields that are null, as an event does, and boxes from which every answer was taken."""
    kept: dict[str, Any] = _without_empty({key: item for key, item in payload.items() if item is not None})
    return kept


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: kept for key, item in value.items() if (kept := _without_empty(item)) != {}}
    return list(value) if isinstance(value, tuple) else value


def _answers(ask: Ask, value: Any) -> bool:
    match ask:
        case OneOf():
            return value in ask.values
        case Amount():
            whole = isinstance(value, int) and not isinstance(value, bool)
            return whole and ask.least <= value <= ask.most and (value - ask.least) % ask.step == 0
        case SomeOf():
            return (
                isinstance(value, list)
                and ask.least <= len(value) <= ask.most
                and all(item in ask.values for item in value)
                and all(value.count(item) == 1 for item in value)
            )
