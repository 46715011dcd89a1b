"""Events as people and scripts send them, objects or typed moves, and how they are stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from eventstore.library import details
from eventstore.log.rows import NewEvent
from eventstore.refusals import BadDetail, BadLine
from eventstore.replay import stored_payloads
from games.core import serialization
from games.core.events import Event, RecordClosed, RecordRuled, RecordStarted, kind_of
from games.text import wording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.core.ruleset import Ruleset

EventInput = Event | Mapping[str, Any] | str
"""A typed event, a decoded JSON object, or a line as a person types it (`A6-A5; A8xB8`)."""


class ReadEvent(NamedTuple):
    """An event, and the object that it came as."""

    event: Event
    object: Mapping[str, Any] | None


def sent(given: EventInput) -> str:
    """What a digest of a request takes of it."""
    return repr(given) if isinstance(given, Event) else json.dumps(given, sort_keys=True, default=str)


def from_object(ruleset: Ruleset[Any], line: int, item: Any) -> Event:
    """Read a decoded JSON object.

    Errors:  `BadLine` with `line`.
    """
    if not isinstance(item, Mapping):
        raise BadLine(line, "it is no JSON object")
    kind = item.get("kind")
    known = (*serialization.known_kinds(ruleset), *ruleset.upcasts)
    if kind not in (*known, *stored_payloads.RECORD_KINDS):
        raise BadLine(line, f"{ruleset.title} has no kind {kind!r}; it has {', '.join(sorted(known))}")
    if not serialization.is_small(item):
        raise BadLine(line, f"a number in it has more than {serialization.DIGITS} digits")
    try:
        event: Event = serialization.event_from(ruleset, item)
    except Exception as fault:  # an upcast is a stranger's code and may raise anything
        raise BadLine(line, f"as {kind} it does not fit ({fault})") from fault
    return event


def read(ruleset: Ruleset[Any], state: Any, line: int, move: str) -> Iterator[ReadEvent]:
    """Read one move, as `moves` gives it, in this state.

    Errors:  `IllegalAction` `not-understood`; `BadLine` for an object that is none of this ruleset's events.
    """
    if move.startswith("{"):
        try:
            item = serialization.read_json(move)
        except msgspec.DecodeError as fault:
            raise BadLine(line, f"it is no JSON object ({fault})") from fault
        yield ReadEvent(from_object(ruleset, line, item), item)
        return
    for event in wording.read(ruleset, state, move):
        yield ReadEvent(event, None)


def tidy(event: Event, line: int) -> Event:
    """Take an event with texts that can be kept; the reason of a ruling or a closing as people type it.

    Errors:  `BadLine` for control characters, texts that are too long, and a ruling without a reason.
    """
    try:
        return _tidied(event)
    except BadDetail as fault:
        raise BadLine(line, f"{str(fault)[:1].lower()}{str(fault)[1:].removesuffix('.')}") from None


def _tidied(event: Event) -> Event:
    match event:
        case RecordRuled(reason=reason, says=says):
            said = None if says is None else details.passage("says", says)
            return msgspec.structs.replace(event, reason=details.reason(reason), says=said)
        case RecordClosed(reason=str(reason)):
            return msgspec.structs.replace(event, reason=details.passage("reason", reason))
        case RecordClosed() | RecordStarted():
            return event
        case _:
            details.plain(list(_texts(serialization.event_to(event), "")))
            return event


def _texts(value: Any, field: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield field, value
        case dict():
            for name, item in value.items():
                yield "field", name
                yield from _texts(item, name)
        case list() | tuple():
            for item in value:
                yield from _texts(item, field)


def stored(ruleset: Ruleset[Any], line: int, sent: ReadEvent, by: str) -> NewEvent:
    """The row of an event; where this version wrote it otherwise than its type does now, as it was sent.

    Errors:  `BadLine` with `line`.
    """
    kind = kind_of(sent.event)
    return NewEvent(kind, _payload(ruleset, line, sent, kind), by)


def _payload(ruleset: Ruleset[Any], line: int, sent: ReadEvent, kind: str) -> str:
    event, item = sent
    old = item is not None and kind in ruleset.upcasts
    try:
        stored = msgspec.json.encode(item).decode() if old else serialization.encode_event(event)
    except UnicodeEncodeError:
        raise BadLine(line, "a text in it has a character that cannot be written") from None
    if kind in ruleset.upcasts and event != _read_back(ruleset, stored):
        raise BadLine(line, f"{kind} is written otherwise in this game's version: give its JSON")
    return stored


def _read_back(ruleset: Ruleset[Any], stored: str) -> Event | None:
    found = stored_payloads.decode_all(ruleset, stored_payloads.array_of([stored]))
    return found[0] if found else None


def moves(text: str) -> list[str]:
    """The moves of a typed line: split at `;`, but not inside a JSON object."""
    found: list[str] = []
    rest = text.strip()
    while rest:
        end = _object_end(rest) if rest.startswith("{") else 0
        stop = rest.find(";", end)
        move = (rest if stop < 0 else rest[:stop]).strip()
        if move:
            found.append(move)
        rest = "" if stop < 0 else rest[stop + 1 :].strip()
    return found


def _object_end(text: str) -> int:
    if serialization.is_deep(text):
        return len(text)
    try:
        return _json.raw_decode(text)[1]
    except ValueError:
        return len(text)


_json = json.JSONDecoder()
