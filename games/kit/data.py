"""Reading a card or board file: what does not fit is named by its row, in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from games.ruleset import BadData

T = TypeVar("T")

_PLACE: Final = re.compile(r" - at `(?:key` in `)?\$\.?([^`]*)`")
_ROW: Final = re.compile(r"[a-z]+\[\d+\]|[a-z]+")


def decoded(file: bytes, called: str, made: Callable[[Any], T]) -> T:
    """Read a file as JSON and make of it what a game uses; `called` is what a refusal calls it (`card file`).

    Errors: `BadData`, also for a `msgspec.ValidationError` of `made`.
    """
    try:
        return made(msgspec.json.decode(file))
    except msgspec.ValidationError as error:
        raise mistyped(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadData("", f"The {called} is no JSON: {error}.") from None


def mistyped(message: str) -> BadData:
    """Put what msgspec says of a value into a sentence, with the row in which it stands.

    >>> mistyped("Expected `int`, got `str` - at `$.cards[3].strike`")
    BadData('cards[3]: Expected `int`, got `str` at cards[3].strike.')
    """
    place = _PLACE.search(message)
    path = place[1] if place else ""
    row = _ROW.match(path)
    said = _PLACE.sub("", message)
    return BadData(row[0] if row else "", f"{said}{f' at {path}' if path else ''}.")
