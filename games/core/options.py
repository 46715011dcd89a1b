"""The options of a ruleset as a person chooses them: meaning, values, what a new game gets, source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from games.core.ruleset import Ruleset
from games.words import joined

Schema = Mapping[str, Any]


class RulesetOption(msgspec.Struct, frozen=True):
    """One option.

    `suggested` is what a new game gets.  `values` are all that it can be where they are few, else none;
    `right` says in words what it can be.
    """

    name: str
    meaning: str
    source: str
    suggested: Any
    values: tuple[Any, ...]
    right: str
    whole: bool = False
    """It is a whole number, from `least` to `most` where these are set."""
    least: int | None = None
    most: int | None = None


def ruleset_options(ruleset: Ruleset[Any], seats: tuple[str, ...]) -> Iterator[RulesetOption]:
    """Give the options of a ruleset in their order; `seats` are those of the game that is to begin."""
    suggested = msgspec.to_builtins(ruleset.suggested(seats))
    schema = msgspec.json.schema(ruleset.options)
    definitions = schema["$defs"]
    properties = definitions[ruleset.options.__name__]["properties"]
    sources = _sources(ruleset.options)
    for name, value in suggested.items():
        described = properties[name]
        yield RulesetOption(
            name=name,
            meaning=described.get("description", ""),
            source=sources[name],
            suggested=value,
            values=_values(described, definitions, value),
            right=_right(described, definitions, value),
            whole=described.get("type") == "integer",
            least=described.get("minimum"),
            most=described.get("maximum"),
        )


def typed(value: Any) -> str:
    """Write a value as a person types it: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _sources(options: type[Any]) -> dict[str, str]:
    described: Any = msgspec.inspect.type_info(options)
    return {
        field.encode_name: str((getattr(field.type, "extra", None) or {}).get("source", ""))
        for field in described.fields
    }


def _values(described: Schema, definitions: Schema, first: Any = None) -> tuple[Any, ...]:
    """List all that something can be where they are few, beginning with `first` if it is one of them."""
    if "$ref" in described:
        return _values(_named(described, definitions), definitions, first)
    found = (True, False) if described.get("type") == "boolean" else described.get("enum", ())
    return tuple(sorted(found, key=lambda value: (value != first, _size(value))))


def _size(value: Any) -> int:
    return int(value) if str(value).isdecimal() else 0


def _named(described: Schema, definitions: Schema) -> Schema:
    named: Schema = definitions[described["$ref"].rpartition("/")[2]]
    return named


def _right(described: Schema, definitions: Schema, first: Any = None) -> str:
    if "$ref" in described:
        return _right(_named(described, definitions), definitions, first)
    if "anyOf" in described:
        return joined((_right(one, definitions) for one in described["anyOf"]), "or")
    values = _values(described, definitions, first)
    if values:
        return joined((typed(value) for value in values), "or")
    if described["type"] == "object":
        return _object(described, definitions)
    if str(described.get("pattern", "")).startswith(_SEATS):
        return "a seat such as p1, or the player's name"
    limits = [f" {word} {described[key]}" for word, key in _LIMITS if key in described]
    like = f" such as {first}" if described["type"] == "string" and first else ""
    return _SORTS[described["type"]] + "".join(limits) + like


_LIMITS: Final = (("from", "minimum"), ("to", "maximum"))
_SEATS: Final = "^p["
"""How the patterns of seats begin."""
_SORTS: Final = {"integer": "a whole number", "string": "a word", "null": "null"}


def _object(described: Schema, definitions: Schema) -> str:
    """Say what a JSON object holds."""
    if "properties" in described:
        return f"a JSON object with {joined(list(described['properties']))}"
    keys = _values(described.get("propertyNames", {}), definitions)
    inner = _right(described["additionalProperties"], definitions)
    whose = f" with {joined([str(key) for key in keys])}" if keys else ""
    return f"a JSON object{whose}; each value is {inner}"
