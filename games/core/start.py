"""Making the first event of a game from what a person chose."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec

from games.core.events import Origin, RecordStarted
from games.core.json_text import DoubledKey, foreign_encoding, refuse_doubled
from games.core.options import ruleset_options
from games.core.ruleset import EVERYTHING, TABLE, BadData, IllegalAction, Ruleset, seat_names
from games.core.sentences import how_many
from games.core.serialization import DEEPEST, is_deep

LARGEST: Final = 1_000_000
"""No option takes a greater number, whatever its type allows."""
SHOWN: Final = 60
"""Characters of a wrong value that a refusal repeats."""
_LINE: Final = 240
"""Characters of a line of a data file."""
_AT_OPTION: Final = re.compile(r"`\$\.(\w+)")


class BadOption(IllegalAction):
    """One option's value cannot be; the sentence says what would be right."""

    def __init__(self, option: str, sentence: str) -> None:
        super().__init__("bad-option", sentence)
        self.option = option


def started(
    ruleset: Ruleset[Any],
    players: int,
    *,
    options: Mapping[str, Any] | None = None,
    data: bytes | None = None,
    origin: Origin = "table",
    seen_as: str = EVERYTHING,
) -> RecordStarted[Any, Any]:
    """Make `record.started`: suggested options with the chosen ones in their place, and data.

    Errors: `IllegalAction` `wrong-number-of-players`, `unknown-option`, `bad-option`, `unknown-viewer`, or
            the ruleset's own for options that do not go together; `BadData` for a file that does not fit.
    """
    if players not in ruleset.seats:
        raise IllegalAction(
            "wrong-number-of-players",
            f"{ruleset.title} is played by {how_many(ruleset.seats)} players, not {players}.",
        )
    seats = seat_names(players)
    if seen_as not in (EVERYTHING, TABLE, *seats):
        raise IllegalAction(
            "unknown-viewer",
            f"A record is seen as everything, table or a seat ({', '.join(seats)}), not {seen_as!r}.",
        )
    chosen = choose(ruleset, seats, options or {})
    read = None if data is None else _readable(data)
    event = RecordStarted[Any, Any](
        ruleset=ruleset.id,
        version=ruleset.version,
        seats=seats,
        origin=origin,
        seen_as=seen_as,
        options=chosen,
        data=ruleset.load_data(read, seats, chosen, origin),
        parent=None,
    )
    ruleset.setup(event)
    return event


def check_data(ruleset: Ruleset[Any], event: RecordStarted[Any, Any]) -> None:
    """Refuse a first event with cards or a board that a file of them would be refused for.

    Errors: `BadData`; `IllegalAction` where these data do not go with the options or the origin.
    """
    ruleset.load_data(msgspec.json.encode(event.data), event.seats, event.options, event.origin)


def data_file(ruleset: Ruleset[Any]) -> str:
    """Write the cards or the board that a game has without a file, as a file to start one's own from."""
    seats = seat_names(ruleset.seats[0])
    data = ruleset.load_data(None, seats, ruleset.suggested(seats), "table")
    return f"{_laid_out(msgspec.json.decode(msgspec.json.encode(data)))}\n"


def _laid_out(value: Any, indent: str = "") -> str:
    """Write JSON with what is short on a line of its own.

    >>> print(_laid_out({"cards": [1, 2]}))
    {
     "cards": [1, 2]
    }
    """
    whole = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or (indent and len(whole) <= _LINE):
        return whole
    inner = f"{indent} "
    if isinstance(value, list):
        lines, (first, last) = [_laid_out(item, inner) for item in value], "[]"
    else:
        named = ((json.dumps(key, ensure_ascii=False), item) for key, item in value.items())
        lines, (first, last) = [f"{key}: {_laid_out(item, inner)}" for key, item in named], "{}"
    between = f",\n{inner}"
    return f"{first}\n{inner}{between.join(lines)}\n{indent}{last}"


def _readable(data: bytes) -> bytes:
    encoding = foreign_encoding(data)
    if encoding is not None:
        raise BadData("", f"The file is written in {encoding}; save it as UTF-8.")
    if is_deep(data):
        raise BadData("", f"The file is nested more than {DEEPEST} deep, which no data needs.")
    try:
        text = data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as fault:
        raise BadData("", f"The file is no UTF-8 text: byte {fault.start + 1} is wrong.") from None
    # What is no JSON at all is for the ruleset to refuse.
    with suppress(ValueError):
        _refuse_doubled(text)
    return text.encode()


def _refuse_doubled(text: str) -> None:
    try:
        refuse_doubled(text)
    except DoubledKey as fault:
        raise BadData("", f"In one object of the file {fault}: keep one of them.") from None


def choose(ruleset: Ruleset[Any], seats: tuple[str, ...], options: Mapping[str, Any]) -> Any:
    """Put chosen options over the suggested ones.

    Errors: `IllegalAction` `unknown-option` with the list; `BadOption` with what would be right.
    """
    known = [field.encode_name for field in msgspec.structs.fields(ruleset.options)]
    unknown = [key for key in options if key not in known]
    if unknown:
        have = f"it has {', '.join(known)}" if known else "it has none"
        raise IllegalAction("unknown-option", f"{ruleset.title} has no option {unknown[0]!r}; {have}.")
    for name, value in options.items():
        if not _fits(value):
            raise _bad_option(ruleset, seats, name, value)
    plain = msgspec.to_builtins(ruleset.suggested(seats)) | dict(options)
    try:
        return msgspec.convert(plain, ruleset.options)
    except msgspec.ValidationError as error:
        at = _AT_OPTION.search(str(error))
        if at is None or at[1] not in plain:
            raise IllegalAction("bad-option", f"{error}.") from None
        raise _bad_option(ruleset, seats, at[1], plain[at[1]]) from None


def _fits(value: Any) -> bool:
    """Tell whether all numbers in a value are small enough, and all texts can be written."""
    match value:
        case int():
            return -LARGEST <= value <= LARGEST
        case str():
            return value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)
        case Mapping():
            return all(_fits(part) for pair in value.items() for part in pair)
        case list():
            return all(map(_fits, value))
        case _:
            return True


def _bad_option(ruleset: Ruleset[Any], seats: tuple[str, ...], name: str, value: Any) -> BadOption:
    reading = next(reading for reading in ruleset_options(ruleset, seats) if reading.name == name)
    like = f", like {_json(reading.suggested)}" if isinstance(reading.suggested, dict) else ""
    sent = _json(value)
    typed = sent if len(sent) <= SHOWN else f"{sent[:SHOWN]}…"
    beyond = "" if _fits(value) or str(LARGEST) in reading.right else f"; {LARGEST} is the most"
    return BadOption(name, f"Option {name}: takes {reading.right}{like}, not {typed}{beyond}.")


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return repr(value)
