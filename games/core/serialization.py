"""Events and states to JSON and back: the one place that knows how a ruleset's types are written."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import lru_cache, reduce
from operator import or_
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from games.core.events import (
    RECORD_EVENTS,
    Event,
    RecordStarted,
    kind_of,
)
from games.core.json_text import foreign_encoding, refuse_doubled
from games.core.ruleset import Ruleset

S = TypeVar("S")
Path = tuple[str | int, ...]
"""Where a value stands in a payload: keys, and places in lists."""

DEEPEST: Final = 100
"""Brackets within brackets that are read: more would exhaust Python's stack sooner or later."""
DIGITS: Final = 15
"""So many digits every program that reads JSON keeps to the last one."""
_NESTING: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)

_encoder = msgspec.json.Encoder()
_orderly = msgspec.json.Encoder(order="deterministic")


class Decoders(NamedTuple):
    """One event, a list of events, a state (without its setup)."""

    union: Any
    one: msgspec.json.Decoder[Any]
    many: msgspec.json.Decoder[list[Any]]
    state: msgspec.json.Decoder[Any]


def decoders(ruleset: Ruleset[Any]) -> Decoders:
    """Give the typed decoders of a ruleset (made once, then kept)."""
    return _decoders(_Types(ruleset.events, ruleset.options, ruleset.data, ruleset.state))


class _Types(NamedTuple):
    events: tuple[type[Event], ...]
    options: Any
    data: Any
    state: Any


@lru_cache(maxsize=64)
def _decoders(types: _Types) -> Decoders:
    started: Any = RecordStarted[types.options, types.data]  # type: ignore[name-defined]  # made at run time
    others = (event for event in RECORD_EVENTS if event is not RecordStarted)
    union: Any = reduce(or_, (*types.events, started, *others))
    return Decoders(
        union,
        msgspec.json.Decoder(union),
        msgspec.json.Decoder(list[union]),
        msgspec.json.Decoder(types.state),
    )


def is_deep(text: str | bytes) -> bool:
    """Tell whether JSON is nested deeper than `DEEPEST`, which nothing that is recorded needs.

    >>> is_deep("[" * 1000), is_deep('{"reason": "' + "[" * 1000 + '"}')
    (True, False)
    """
    plain = text.decode("latin-1") if isinstance(text, bytes) else text
    if plain.count("[") + plain.count("{") <= DEEPEST:
        return False
    depth = 0
    for token in _NESTING.finditer(plain):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > DEEPEST:
            return True
    return False


def read_json(text: str | bytes) -> Any:
    """Read JSON that somebody sent, with or without the mark that some programs begin a file with.

    Errors: `msgspec.DecodeError`, also for what is nested too deep, has too great a number or is no UTF-8;
            `DoubledKey`, which is one, for an object that has a key twice.
    """
    encoding = foreign_encoding(text) if isinstance(text, bytes) else None
    if encoding is not None:
        raise msgspec.DecodeError(f"it is written in {encoding}; save it as UTF-8")
    if is_deep(text):
        raise msgspec.DecodeError(f"JSON is nested more than {DEEPEST} deep")
    plain = without_mark(text)
    try:
        found = msgspec.json.decode(plain)
    except UnicodeError:
        raise msgspec.DecodeError("JSON is malformed: it is no UTF-8 text") from None
    if not is_small(found):
        raise msgspec.DecodeError(f"a number in it has more than {DIGITS} digits")
    refuse_doubled(plain)
    return found


def without_mark(text: str | bytes) -> str | bytes:
    r"""Leave out the byte order mark at the beginning.

    >>> without_mark("\ufeff[]"), without_mark(b"\xef\xbb\xbf[]")
    ('[]', b'[]')
    """
    return text.removeprefix("\ufeff") if isinstance(text, str) else text.removeprefix(BOM_UTF8)


def is_small(value: Any) -> bool:
    """Tell whether all numbers in a JSON value are such as every reader of JSON can hold.

    >>> is_small([{"price": 10**15 - 1}]), is_small([{"price": -(10**15)}])
    (True, False)
    """
    match value:
        case int() | float():
            return -(10**DIGITS) < value < 10**DIGITS
        case dict():
            return all(map(is_small, value.values()))
        case list():
            return all(map(is_small, value))
        case _:
            return True


def encode_event(event: Event) -> str:
    """Write an event as its stored payload: JSON text, kind first, fields in declared order."""
    return _encoder.encode(event).decode()


def decode_event(ruleset: Ruleset[Any], payload: str | bytes) -> Any:
    """Read one stored payload of this ruleset's version.

    Errors: `msgspec.ValidationError` for an unknown kind, a missing or mistyped field; `msgspec.DecodeError`
            for what is no JSON.
    """
    if ruleset.upcasts:
        return event_from(ruleset, msgspec.json.decode(payload))
    return decoders(ruleset).one.decode(payload)


def decode_events(ruleset: Ruleset[Any], payloads: bytes) -> list[Any]:
    """Read a JSON array of stored payloads in one pass; errors as in `decode_event`."""
    if ruleset.upcasts:
        return [
            event_from(ruleset, item) for item in msgspec.json.decode(payloads, type=list[dict[str, Any]])
        ]
    return decoders(ruleset).many.decode(payloads)


def event_from(ruleset: Ruleset[Any], item: Any) -> Any:
    """Turn a decoded JSON object into an event; errors as in `decode_event`."""
    if isinstance(item, dict) and isinstance(item.get("kind"), str):
        item = _upcast(ruleset, item)
    return msgspec.convert(item, decoders(ruleset).union, str_keys=True)


def _upcast(ruleset: Ruleset[Any], item: dict[str, Any]) -> dict[str, Any]:
    upcast = ruleset.upcasts.get(item["kind"])
    if upcast is None:
        return item
    try:
        return upcast(item)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise msgspec.ValidationError(
            f"{item['kind']} is not as this version stored it: {error!r}"
        ) from error


def event_to(event: Event) -> dict[str, Any]:
    """Turn an event into plain JSON values (dicts, lists, strings, numbers)."""
    return msgspec.json.decode(_encoder.encode(event), type=dict[str, Any])


def freeze(state: Any) -> bytes:
    """Write a state without its `setup`; equal states give equal bytes."""
    return _orderly.encode(msgspec.structs.replace(state, setup=None))


def thaw(ruleset: Ruleset[S], frozen: bytes, setup: Any) -> S:
    """Read what `freeze` wrote and put the setup back."""
    state: S = msgspec.structs.replace(decoders(ruleset).state.decode(frozen), setup=setup)
    return state


def plain_state(state: Any) -> dict[str, Any]:
    """Give a state as plain JSON values without its `setup`: what rulings point into and `show` prints."""
    return msgspec.json.decode(freeze(state), type=dict[str, Any])


def known_kinds(ruleset: Ruleset[Any]) -> tuple[str, ...]:
    """List the stored kinds that this ruleset's own events have."""
    return tuple(kind_of(event) for event in ruleset.events)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Give every single value of a payload with its path."""
    match value:
        case dict():
            for key, item in value.items():
                yield from leaves(item, (*path, key))
        case list() | tuple():
            for place, item in enumerate(value):
                yield from leaves(item, (*path, place))
        case _:
            yield path, value
