"""A form of what cannot be listed: filled in, and told from an event that is none of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from games.core import serialization
from games.core.events import Event, kind_of
from games.core.ruleset import Amount, Ask, Choice, OneOf, Random, SomeOf

TRIES: Final = 50
"""Within so many samples a form must give an event that is accepted."""


def fits(choice: Choice, event: Event) -> bool:
    """Tell whether an event is this form, filled in; a field left out is one that is null."""
    if kind_of(event) != choice.kind:
        return False
    payload = serialization.event_to(event)
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


def sample(choice: Choice, rng: Random) -> dict[str, Any]:
    """Fill a form in at random: the payload of one event, which `check` may still refuse."""
    return fill(choice, {ask.field: _answer(ask, rng) for ask in choice.asks})


def _answer(ask: Ask, rng: Random) -> Any:
    match ask:
        case OneOf():
            return rng.choice(ask.values)
        case Amount():
            return ask.least + ask.step * rng.randint(0, (ask.most - ask.least) // ask.step)
        case _:
            return rng.sample(ask.values, rng.randint(ask.least, min(ask.most, len(ask.values))))
