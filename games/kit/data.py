"""Reading a card or board file: what does not fit is named by its row, in a sentence; texts and ids in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final, TypeVar

import msgspec

from games.core.ruleset import BadData
from games.words import joined

T = TypeVar("T")

Fault = tuple[str, str]
"""A row, and a sentence that says what does not fit there."""
ID: Final = 100
NAME: Final = 40
TEXT: Final = 400
"""Characters of an id, of a name, and of what is printed or said of the cards."""

_PLACE: Final = re.compile(r" - at `(?:key` in `)?\$\.?([^`]*)`")
_ROW: Final = re.compile(r"([a-z]+\[\d+\]|[a-z]+)\.?")
_STEP: Final = re.compile(r"\.\.\.|[^.\[\]]+")
_OPEN: Final = "[...]"
"""What msgspec writes for a key."""
_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_TYPE: Final = re.compile(r"Expected `([^`]+)`( [^,]+)?(?:, got `[^`]+`)?")
_FIELD: Final = re.compile(r"Object (missing required|contains unknown) field `([^`]*)`")
_VALUE: Final = re.compile(r"Invalid (?:enum )?value (.*)")
_SORTS: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_ID: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_NUMBER: Final = re.compile(r"[-#]?[0-9]+")
_JOINERS: Final = dict.fromkeys(map(ord, "\u200c\u200d"))
"""They are not seen, but some scripts write words with them."""
_LONGEST: Final = 40
"""Characters of a value that are shown."""


def decoded(file: bytes, called: str, made: Callable[[Any], T]) -> T:
    """Read a file as JSON and make of it what a game uses; `called` is what a refusal calls it (`card file`).

    Errors: `BadData`, also for a `msgspec.ValidationError` of `made`.
    """
    plain: Any = None
    try:
        plain = msgspec.json.decode(file)
        return made(plain)
    except msgspec.ValidationError as error:
        raise mistyped(_named(str(error), file, made), plain) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadData("", f"The {called} is no JSON: {error}.") from None


def mistyped(message: str, plain: Any) -> BadData:
    """Put what msgspec says of a value in `plain` into a sentence, with the row in which it stands.

    >>> mistyped("Expected `int`, got `str` - at `$.cards[0].strike`", {"cards": [{"strike": "x"}]})
    BadData('cards[0]: strike takes a whole number, not "x".')
    >>> mistyped("Object missing required field `name` - at `$.cards[0]`", {"cards": [{}]})
    BadData('cards[0]: The field name is missing.')
    """
    found = _PLACE.search(message)
    path = found[1] if found else ""
    row = _ROW.match(path)
    inner = path[row.end() :] if row else path
    said = _FIELD.sub(_of_a_field, _TYPE.sub(_right, _VALUE.sub(r"cannot be \1", _PLACE.sub("", message))))
    if said.startswith("takes "):
        said = f"{inner or 'This'} {said}, not {_shown(path, plain)}"
    elif said.startswith("cannot "):
        said = f"{inner or 'This'} {said}"
    elif inner:
        said = f"{inner}: {said}"
    return BadData(row[1] if row else "", f"{said}.")


def _named(message: str, file: bytes, made: Callable[[Any], Any]) -> str:
    """Put the key for the first `[...]`: of an object with fewer and fewer keys, the last that is refused."""
    found = _PLACE.search(message)
    if found is None or _OPEN not in found[1]:
        return message
    before = found[1].partition(_OPEN)[0]
    keys = list(_at(before, msgspec.json.decode(file)))

    def refused(last: int) -> bool:
        plain = msgspec.json.decode(file)
        inside = _at(before, plain)
        for key in keys[last + 1 :]:
            del inside[key]
        try:
            made(plain)
        except msgspec.ValidationError as error:
            return str(error) == message
        return False

    place = bisect_left(range(len(keys)), x=True, key=refused)
    if place == len(keys) or not _KEY.fullmatch(keys[place]):
        return message
    return message.replace(_OPEN, f".{keys[place]}", 1)


def _right(found: re.Match[str]) -> str:
    sorts = joined((_SORTS.get(sort, sort) for sort in found[1].split(" | ")), "or")
    limit = (found[2] or "").replace(">=", "from").replace("<=", "up to")
    return f"takes {sorts}{limit}"


def _of_a_field(found: re.Match[str]) -> str:
    if found[1] == "contains unknown":
        return f"There is no field {found[2]} here"
    return f"The field {found[2]} is missing"


def _shown(path: str, plain: Any) -> str:
    """Show what stands at a place; where msgspec leaves a key open, what it is in."""
    text = msgspec.json.encode(_at(path, plain)).decode()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _at(path: str, plain: Any) -> Any:
    """Give what stands at a place, as far as it is named."""
    for step in _STEP.findall(path):
        if step == "...":
            break
        plain = plain[int(step) if isinstance(plain, list) else step]
    return plain


# --- what a file may hold, whatever the game -----------------------------------------------------------

BRACES: Final = "{}"
"""They stand for players in every sentence."""


def wrong_name(
    row: str, name: str, forbidden: str = BRACES, misread: Collection[str] | None = None
) -> Iterator[Fault]:
    """Say why a name cannot be shown or typed; nothing where it can.

    `misread` is given where moves are typed with names: words that mean something else there, as every
    number does.
    """
    yield from wrong_text(row, name, forbidden, "name", NAME)
    if misread is not None and (_NUMBER.fullmatch(name) or name.casefold() in misread):
        yield row, f"{name!r} is no name: it would be misread, for it means something else."


def wrong_text(
    row: str, text: str, forbidden: str = BRACES, what: str = "text", longest: int = TEXT
) -> Iterator[Fault]:
    """Say why a text cannot be shown as it is, in one line; nothing where it can."""
    seen = text.translate(_JOINERS)
    if text != text.strip() or not seen.isprintable() or not 0 < len(seen) <= len(text) <= longest:
        yield row, f"{text!r} is no {what}: one line of 1 to {longest} characters, without space around it."
    elif not set(forbidden).isdisjoint(text):
        yield row, f"{text!r} is no {what}: with one of {' '.join(forbidden)} in it, it would be misread."


def wrong_ids(ids: Iterable[Fault], reserved: Collection[str] = ()) -> Iterator[Fault]:
    """Give each row whose id cannot be one, or stands in an earlier row; `ids` are rows with their ids."""
    rows: dict[str, str] = {}
    for row, name in ids:
        yield from wrong_id(row, name, reserved)
        if name in rows:
            yield row, f"The id {name!r} stands in {rows[name]} already; each card has its own."
        rows[name] = row


def wrong_id(row: str, name: str, reserved: Collection[str] = ()) -> Iterator[Fault]:
    """Say why a text cannot be an id; nothing where it can.  `reserved`: words that moves are typed with."""
    if name in reserved:
        yield row, f"{name!r} cannot be an id: it is a word that moves are typed with."
    elif not _ID.fullmatch(name) or len(name) > ID:
        how = f"up to {ID} lower-case letters and digits, parts joined by hyphens, a letter first"
        yield row, f"{name!r} cannot be an id: write {how}."
