"""One line of text for any event: its caption, its short form, and the names of the seats in both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from games import wire
from games.events import Event, RecordChecked, RecordClosed, RecordRuled, RecordStarted, kind_of
from games.replay import mismatches
from games.ruleset import IllegalAction, Ruleset

S = TypeVar("S")

_SEAT: Final = re.compile(r"\{([a-z][a-z0-9]*)\}")


def put_names(text: str, names: Mapping[str, str]) -> str:
    """Put display names where a text writes seats; a seat without a name stands as its key.

    >>> put_names("{p1} gives {p2} a card", {"p1": "Ann"})
    'Ann gives p2 a card'
    """
    return _SEAT.sub(lambda found: names.get(found[1], found[1]), text)


def with_rule(sentence: str, rule: str) -> str:
    """Name the rule behind a refusal, once, and end with one full stop.

    >>> with_rule("The pile is empty.", "R4"), with_rule("B3 is taken (moving rule)", "moving rule")
    ('The pile is empty (R4).', 'B3 is taken (moving rule).')
    """
    said = sentence.rstrip()
    if rule and rule not in said:
        said = f"{said.removesuffix('.')} ({rule})"
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def caption(ruleset: Ruleset[S], state: S, event: Event) -> str:
    """Say in one line what happens; `state` is the one before it; seats stand as `{p1}`."""
    match event:
        case RecordStarted():
            return f"A game of {ruleset.title} begins."
        case RecordRuled():
            places = ", ".join(change.at for change in event.changes)
            return f"Ruling: {event.reason} ({places})"
        case RecordChecked():
            return _checked(ruleset, state, event)
        case RecordClosed():
            return _closed(event)
        case _ if type(event) in ruleset.evolve:
            return ruleset.describe(state, event)
        case _:
            return kind_of(event)


def _checked(ruleset: Ruleset[S], state: S, event: RecordChecked) -> str:
    wrong = mismatches(ruleset.scene(state), event.claims)
    if not wrong:
        return f"Table check: {_claims(event)}, as recorded."
    said = "; ".join(
        f"{claim.at} is {_json(claim.value)}, the record has {_json(has)}" for claim, has in wrong
    )
    return f"Table check: {said}."


def _claims(event: RecordChecked) -> str:
    return ", ".join(f"{claim.at} is {_json(claim.value)}" for claim in event.claims) or "nothing named"


def _closed(event: RecordClosed) -> str:
    said = {
        "abandoned": "The game is abandoned",
        "agreed": "All agree to stop without a winner",
        "conceded": f"{{{event.seat}}} concedes",
    }[event.how]
    return f"{said}: {event.reason}" if event.reason else f"{said}."


def write(ruleset: Ruleset[S], state: S, event: Event) -> str:
    """Give what a person would type for this event: the ruleset's short form, else its JSON."""
    if ruleset.notation is not None and type(event) in ruleset.evolve:
        return ruleset.notation.write(state, event)
    return wire.encode_event(event)


def read(ruleset: Ruleset[S], state: S, text: str) -> tuple[Event, ...]:
    """Read one move: JSON of one event, else the ruleset's short form, which may be several events.

    Errors: `IllegalAction` `not-understood`.
    """
    typed = text.strip()
    if typed.startswith("{"):
        return (_from_json(ruleset, typed),)
    if ruleset.notation is None:
        raise IllegalAction(
            "not-understood", f"{ruleset.title} has no short forms; type an event as its JSON, not {text!r}."
        )
    return ruleset.notation.read(state, typed)


def _from_json(ruleset: Ruleset[Any], typed: str) -> Event:
    try:
        event: Event = wire.event_from(ruleset, wire.read_json(typed))
    except msgspec.DecodeError as error:
        raise IllegalAction("not-understood", f"This JSON is no event of {ruleset.title}: {error}.") from None
    return event


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
