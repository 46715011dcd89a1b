"""What could be typed now, as short as it is understood: the examples in the field for typing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, Final

import msgspec

from games.core import serialization
from games.core.ruleset import IllegalAction
from games.core.serialization import leaves
from games.text.wording import write
from replay_web.models.action_form import ActionForm, Column, Folder, Part, Tap, accepted
from replay_web.models.event_values import put

if TYPE_CHECKING:
    from eventstore.replay.position import Position

EXAMPLES: Final = 2
"""Short forms that stand in the field for typing."""
SHORT: Final = 24
"""Characters that an example has, where there are such."""
TRIED: Final = 12
"""Moves that are tried as examples."""


def examples(position: Position, of: ActionForm) -> str:
    """Show what could be typed now: two moves that are possible, as short as they can be written.

    What must be decided comes before what may be; one move of each kind before a second one.
    """
    rules = position.ruleset
    if rules is None or rules.notation is None:
        return '{"kind": …}'
    found: list[str] = []
    for payload in islice(_offered(of), TRIED):
        try:
            text = _simplest(position, payload)
        except (LookupError, TypeError, ValueError, IllegalAction, msgspec.ValidationError):
            continue
        if text and text not in found:
            found.append(text)
        if sum(len(text) <= SHORT for text in found) == EXAMPLES:
            break
    short = [text for text in found if len(text) <= SHORT]
    return "   ".join(short[:EXAMPLES] or found[:1])


def _simplest(position: Position, payload: dict[str, Any]) -> str:
    """Write a move with what stands on its cards, or with their names, where it is read so too."""
    rules = position.ruleset
    if rules is None or rules.notation is None or not accepted(rules, position.state, payload):
        return ""
    written = write(rules, position.state, serialization.event_from(rules, payload))
    found = [written]
    cards = [value for _, value in leaves(payload) if isinstance(value, str)]
    faces = {card: face for card in cards if (face := rules.face(position.state, card)) is not None}
    for called in (
        {card: face.value.casefold() for card, face in faces.items()},
        {card: card.rpartition("-")[0] for card in faces if card.rpartition("-")[2].isdecimal()},
    ):
        text = written
        for card, said in called.items():
            text = re.sub(rf"(?<![\w-]){re.escape(card)}(?![\w-])", said or card, text)
        if len(text) < len(written) and _is_read(position, text):
            found.append(text)
    return min(found, key=len)


def _is_read(position: Position, text: str) -> bool:
    rules = position.ruleset
    if rules is None or rules.notation is None:
        return False
    try:
        (event,) = rules.notation.read(position.state, text)
    except (IllegalAction, ValueError):
        return False
    return accepted(position.ruleset, position.state, serialization.event_to(event))


def _offered(of: ActionForm) -> Iterator[dict[str, Any]]:
    """Give moves of the sheet, one of each part in turn; what must be decided comes first."""
    for must in (True, False):
        parts = [part for section in of.sections if section.must == must for part in section.parts]
        for moves in zip_longest(*(islice(_of_part(part), EXAMPLES) for part in parts)):
            yield from (move for move in moves if move is not None)


def _of_part(part: Part) -> Iterator[dict[str, Any]]:
    buttons: tuple[Tap | Folder, ...] = (*part.taps, *part.folders)
    for item in buttons[:EXAMPLES]:
        yield msgspec.json.decode(_first(item).value)
    for form in part.forms[:1]:
        used: list[Any] = []
        for _ in range(EXAMPLES):
            payload = msgspec.json.decode(form.fixed, type=dict[str, Any])
            for column in form.columns:
                put(payload, column.name, _answer(column, used))
            yield payload


def _answer(column: Column, used: list[Any]) -> Any:
    """Answer a field by what stands in no other one, so that no card lies twice and no throw is a double."""
    if column.sort == "amount":
        return column.least
    groups = [msgspec.json.decode(mark.value) for mark in column.marks]
    values = [next((value for value in group if value not in used), None) for group in groups]
    free = [value for value in values if value is not None] or [group[0] for group in groups]
    taken = free[: column.least if column.sort == "some" else 1]
    used.extend(taken)
    return taken if column.sort == "some" else next(iter(taken), None)


def _first(item: Tap | Folder) -> Tap:
    while isinstance(item, Folder):
        item = item.inside[0]
    return item
