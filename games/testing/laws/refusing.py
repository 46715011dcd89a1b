"""What is not offered is refused: events of other steps, and events with other values in them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

import msgspec

from games.core import serialization
from games.core.choices import fits
from games.core.events import Event, kind_of
from games.core.ruleset import Choice
from games.core.serialization import Path, leaves
from games.testing.laws.law import AnyRuleset, RecordedGame
from games.testing.laws.playing import refusal_of
from games.testing.laws.walking import ObservedStep

OFTEN: Final = 3
"""At each third step that is judged something is tried."""
ELSEWHERE: Final = 4
"""So many events of other steps are tried there."""
CHANGED: Final = 3
"""So many values are changed in each event that could be next."""
_LOOKED_AT: Final = 60
"""So many of a seat's listed events one is chosen from, to change it."""


def nothing_else(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Try what is not offered."""
    state = position.full.after
    if position.step % OFTEN or ruleset.outcome(state) is not None:
        return
    rng = random.Random(position.step)  # noqa: S311 - to be repeated, not to be secret
    for event in _tried(ruleset, position, rng):
        if not refusal_of(ruleset, state, event) and not _is_offered(ruleset, state, event):
            yield f"{serialization.encode_event(event)} is accepted, and nobody is offered it"


def _tried(ruleset: AnyRuleset, position: ObservedStep, rng: random.Random) -> Iterator[Event]:
    events = position.game.events
    yield from rng.sample(events, min(ELSEWHERE, len(events)))
    nexts = [*events[position.step : position.step + 1]]
    for due in ruleset.pending(position.full.after):
        listed = list(islice(ruleset.legal_actions(position.full.after, due.seat), _LOOKED_AT))
        nexts += rng.sample(listed, min(1, len(listed)))
    for event in nexts:
        for _ in range(CHANGED):
            yield from _with_another_value(ruleset, position.game, event, rng)


def _with_another_value(
    ruleset: AnyRuleset, game: RecordedGame, event: Event, rng: random.Random
) -> Iterator[Event]:
    """Change one value to what stands there in another event of the game, or to another seat."""
    payload = serialization.event_to(event)
    at, was = rng.choice(list(leaves(payload)))
    if was in game.started.seats:
        values: Sequence[Any] = game.started.seats
    else:
        others = (other for other in _some(game, rng) if type(other) is type(event))
        values = [
            value for other in others for path, value in leaves(serialization.event_to(other)) if path == at
        ]
    other = rng.choice([value for value in values if value != was] or [was])
    if other != was:
        try:
            yield serialization.event_from(ruleset, _put(payload, at, other))
        except msgspec.ValidationError:
            return


def _some(game: RecordedGame, rng: random.Random) -> list[Event]:
    return rng.sample(game.events, min(40, len(game.events)))


def _put(box: Any, at: Path, value: Any) -> Any:
    if not at:
        return value
    step, *below = at
    if isinstance(box, dict):
        return {**box, step: _put(box[step], tuple(below), value)}
    return [_put(item, tuple(below), value) if place == step else item for place, item in enumerate(box)]


# --- offered, but for the name of a card ---------------------------------------------------------------


def _is_offered(ruleset: AnyRuleset, state: Any, event: Event) -> bool:
    """Tell whether somebody is offered this, or the like: a list has one of like cards, and unseen ones."""
    payload = serialization.event_to(event)
    for due in ruleset.pending(state):
        if kind_of(event) not in due.kinds:
            continue
        if event in ruleset.legal_actions(state, due.seat):
            return True
        listed = map(serialization.event_to, ruleset.legal_actions(state, due.seat))
        if any(_says_less(ruleset, state, one, payload) for one in listed):
            return True
        if any(_fits(ruleset, state, choice, event) for choice in ruleset.open_choices(state, due.seat)):
            return True
    return False


def _says_less(ruleset: AnyRuleset, state: Any, listed: dict[str, Any], payload: dict[str, Any]) -> bool:
    """Tell whether a listed event is the same, but for cards that it does not name or names alike."""
    return listed.keys() <= payload.keys() and all(
        _alike(ruleset, state, listed[field], payload[field]) for field in listed
    )


def _alike(ruleset: AnyRuleset, state: Any, listed: Any, value: Any) -> bool:
    if listed is None or listed == value:
        return True
    if isinstance(listed, dict) and isinstance(value, dict):
        return listed.keys() == value.keys() and all(
            _alike(ruleset, state, listed[key], value[key]) for key in listed
        )
    if isinstance(listed, list) and isinstance(value, list):
        pairs = zip(listed, value, strict=False)
        return len(listed) == len(value) and all(_alike(ruleset, state, *pair) for pair in pairs)
    if isinstance(listed, str) and isinstance(value, str):
        front = ruleset.face(state, listed)
        return front is not None and front == ruleset.face(state, value)
    return False


def _fits(ruleset: AnyRuleset, state: Any, choice: Choice, event: Event) -> bool:
    """Hold an event against a form, with the form's own cards in the place of like ones."""
    if choice.kind != kind_of(event):
        return False
    payload = serialization.event_to(event)
    given = {field: value for field, value in choice.fixed.items() if value is not None}
    if not all(_alike(ruleset, state, value, payload.get(field)) for field, value in given.items()):
        return False
    return fits(choice, serialization.event_from(ruleset, payload | given))
