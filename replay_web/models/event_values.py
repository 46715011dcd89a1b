"""Events as plain objects: values at paths, what differs among several, and what follows from what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from games.core.serialization import Path


def put(payload: dict[str, Any], name: str, value: Any) -> None:
    """Put a value into a payload at a dotted path; a number in it is a place in a list."""
    *steps, last = name.split(".")
    box: Any = payload
    for step in steps:
        box = box[int(step)] if isinstance(box, list) else box.setdefault(step, {})
    box[int(last) if isinstance(box, list) else last] = value


def at(payload: dict[str, Any], name: str) -> Any:
    """Give the value at a dotted path; None where there is none."""
    box: Any = payload
    for step in name.split("."):
        box = box[int(step)] if isinstance(box, list) else (box or {}).get(step)
    return box


def copied(payload: dict[str, Any]) -> dict[str, Any]:
    """Copy a payload, whatever is in it."""
    return msgspec.json.decode(msgspec.json.encode(payload), type=dict[str, Any])


def dotted(path: Path) -> str:
    """Write a path as forms name it."""
    return ".".join(map(str, path))


def order(value: Any) -> tuple[int, bytes]:
    """Put short values first: `c2` before `c10`."""
    return len(str(value)), msgspec.json.encode(value)


def varying(payloads: Sequence[dict[str, Any]]) -> list[Path]:
    """List the paths at which payloads differ; a list whose length differs is one value."""
    found: dict[Path, None] = {}

    def walk(values: list[Any], path: Path) -> None:
        if all(value == values[0] for value in values):
            return
        if all(isinstance(value, dict) for value in values):
            for key in dict.fromkeys(key for value in values for key in value):
                walk([value.get(key) for value in values], (*path, key))
        elif all(isinstance(value, list) and len(value) == len(values[0]) for value in values):
            for place in range(len(values[0])):
                walk([value[place] for value in values], (*path, place))
        else:
            found[path] = None

    walk(list(payloads), ())
    return list(found)


def value_at(payload: Any, path: Path) -> Any:
    """Give the value at a path; None where a box has no such field."""
    for step in path:
        payload = payload.get(step) if isinstance(payload, dict) else payload[step]
    return payload


def independent(rows: Sequence[Sequence[bytes]]) -> list[int]:
    """Leave out the columns that follow from another one: whose card it is follows from the card."""
    kept = list(range(len(rows[0]))) if rows else []

    def settles(one: int, other: int) -> bool:
        pairs = {(row[one], row[other]) for row in rows}
        return len({first for first, _ in pairs}) == len(pairs)

    for place in tuple(kept):
        others = (other for other in kept if other != place)
        if any(settles(other, place) and (other < place or not settles(place, other)) for other in others):
            kept.remove(place)
    return kept
