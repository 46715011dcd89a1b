"""The options of a ruleset as a form asks for them, and what it says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from games.core import serialization
from games.core.json_text import DoubledKey
from games.core.options import RulesetOption, ruleset_options
from games.core.ruleset import IllegalAction, Ruleset


class Option(msgspec.Struct, frozen=True):
    """A reading of the rulebook, as the form asks for it; `values` are JSON, none where it is typed."""

    name: str
    meaning: str
    source: str
    values: tuple[tuple[str, str], ...]
    value: str
    sort: str
    least: int | None = None
    most: int | None = None
    parts: tuple[str, ...] = ()
    """What a seat is chosen for, one by one; none where the value is one answer."""
    seats: tuple[str, ...] = ()

    def seat_of(self, part: str) -> str:
        """Say which seat a part has now."""
        return str(msgspec.json.decode(self.value)[part])


def chosen(rules: Ruleset[Any], form: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Read the options of the form; JSON where it is JSON, else text; an empty field says nothing.

    Errors:  `IllegalAction` `bad-option` for an object that has a key twice.
    """
    for field in msgspec.structs.fields(rules.options):
        text = form.get(f"option.{field.encode_name}")
        if text is None:
            if found := parts(form, field.encode_name):
                yield field.encode_name, found
            continue
        try:
            yield field.encode_name, serialization.read_json(text) if text.strip() else None
        except DoubledKey as fault:
            sentence = f"The option {field.encode_name} cannot be read: {fault}."
            raise IllegalAction("bad-option", sentence) from None
        except msgspec.DecodeError:
            yield field.encode_name, text.strip()


def parts(form: Mapping[str, str], option: str) -> dict[str, str]:
    """Give what was chosen part by part, as which seat leads each team."""
    before = f"option.{option}."
    return {name.removeprefix(before): form[name] for name in form if name.startswith(before)}


def options_of(rules: Ruleset[Any], seats: tuple[str, ...]) -> Iterator[Option]:
    """Give the options of a ruleset with what they mean, whence they come and what a new game gets."""
    for reading in ruleset_options(rules, seats):
        yield Option(
            name=reading.name,
            meaning=_meaning(reading),
            source=_source(reading.source),
            values=tuple((_said(value), _json(value)) for value in reading.values),
            value=_json(reading.suggested) if reading.values else as_typed(reading.suggested),
            sort="pick" if reading.values else "number" if reading.whole else "text",
            least=reading.least,
            most=reading.most,
            **_by_seats(reading, seats),
        )


def as_typed(value: Any) -> str:
    """Write a value as it stands in the field of an option."""
    return "" if value is None else value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _said(value: Any) -> str:
    """Say a value in words.

    >>> _said("decline-is-capture"), _said(True), _said(25)
    ('decline is capture', 'yes', '25')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("-", " ")


def _meaning(reading: RulesetOption) -> str:
    """Say what an option means as the form says its values: in words, and empty for none."""
    said = reading.meaning.replace("null for", "empty for").replace("else null", "else empty")
    for value in reading.values:
        said = said.replace(str(value), _said(value)) if isinstance(value, str) else said
    return re.sub("`([^`]+)`", lambda found: f"“{re.sub('[_-]', ' ', found[1])}”", said)


def _source(source: str) -> str:
    """Name the parts of the rulebook; a ruling is what the option itself is about.

    >>> _source("rulebook, Buying; ruling R14"), _source("ruling R2")
    ('rulebook, Buying', '')
    """
    return "; ".join(part for part in source.split("; ") if not part.startswith("ruling "))


def _by_seats(reading: RulesetOption, seats: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    value = reading.suggested
    if not isinstance(value, dict) or not value or not all(one in seats for one in value.values()):
        return {}
    return {"parts": tuple(value), "seats": seats}
