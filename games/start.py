"""Making the first event of a game from what a person chose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from games.events import Origin, RecordStarted
from games.ruleset import EVERYTHING, TABLE, IllegalAction, Ruleset, seat_names


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
            f"{ruleset.title} is played by {_numbers(ruleset.seats)}, not {players}.",
        )
    seats = seat_names(players)
    if seen_as not in (EVERYTHING, TABLE, *seats):
        raise IllegalAction(
            "unknown-viewer",
            f"A record is seen as everything, table or a seat ({', '.join(seats)}), not {seen_as!r}.",
        )
    chosen = choose(ruleset, seats, options or {})
    event = RecordStarted[Any, Any](
        ruleset=ruleset.id,
        version=ruleset.version,
        seats=seats,
        origin=origin,
        seen_as=seen_as,
        options=chosen,
        data=ruleset.load_data(data, seats, chosen, origin),
        parent=None,
    )
    ruleset.setup(event)
    return event


def choose(ruleset: Ruleset[Any], seats: tuple[str, ...], options: Mapping[str, Any]) -> Any:
    """Put chosen options over the suggested ones.

    Errors: `IllegalAction` `unknown-option` with the list, `bad-option` with what would be right.
    """
    known = [field.encode_name for field in msgspec.structs.fields(ruleset.options)]
    unknown = [key for key in options if key not in known]
    if unknown:
        have = f"it has {', '.join(known)}" if known else "it has none"
        raise IllegalAction("unknown-option", f"{ruleset.title} has no option {unknown[0]!r}; {have}.")
    plain = msgspec.to_builtins(ruleset.suggested(seats)) | dict(options)
    try:
        return msgspec.convert(plain, ruleset.options)
    except msgspec.ValidationError as error:
        raise IllegalAction("bad-option", f"{error}.{_allowed(ruleset, str(error), options)}") from None


def _allowed(ruleset: Ruleset[Any], message: str, options: Mapping[str, Any]) -> str:
    schema = msgspec.json.schema(ruleset.options)
    properties = schema["$defs"][ruleset.options.__name__]["properties"]
    for key in options:
        if re.search(rf"`\$\.{re.escape(key)}\b", message) and "enum" in properties.get(key, {}):
            values = ", ".join(msgspec.json.encode(value).decode() for value in properties[key]["enum"])
            return f" {key} is one of {values}."
    return ""


def _numbers(seats: tuple[int, ...]) -> str:
    *most, last = (str(number) for number in seats)
    if len(seats) > 2 and seats == tuple(range(seats[0], seats[-1] + 1)):  # noqa: PLR2004 - "2 to 6" reads better from three on
        return f"{seats[0]} to {seats[-1]} players"
    return f"{', '.join(most)} or {last} players" if most else f"{last} players"
