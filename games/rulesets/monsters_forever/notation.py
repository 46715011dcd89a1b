"""The short forms: `A6-A5`, `A8xB8`, `>B6`, `A8xB8>B6`, `+2`, `.`, `p2: resign`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from games.core import serialization
from games.core.events import Event
from games.core.ruleset import IllegalAction
from games.kit.notation import Unclear, not_understood
from games.rulesets.monsters_forever.actions import pending
from games.rulesets.monsters_forever.events import (
    CreatureAttacked,
    CreatureMoved,
    CreatureRetreated,
    PantryOpened,
    PlayerResigned,
    RetreatDeclined,
    TurnEnded,
)
from games.rulesets.monsters_forever.state import State, controller
from games.text.typed import split_seat

_CELL: Final = "[A-Fa-f][1-8]"
FORMS: Final[Mapping[str, str]] = {
    "creature_moved": "A6-A5 (move)",
    "creature_attacked": "A8xB8 (attack), A8xB8>B6 (with the retreat)",
    "creature_retreated": ">B6 (retreat)",
    "retreat_declined": ">B8 (stay)",
    "pantry_opened": "+2 (open the pantry)",
    "turn_ended": ". (end of the turn)",
    "player_resigned": "p2: resign",
}
"""How each kind is typed, by an example."""
_MOVE: Final = re.compile(rf"({_CELL})\s*-\s*({_CELL})")
_ATTACK: Final = re.compile(rf"({_CELL})\s*[xX]\s*({_CELL})(?:\s*>\s*({_CELL}))?")
_ANSWER: Final = re.compile(rf">\s*({_CELL})")
_OPEN: Final = re.compile(r"\+\s*([0-9]{1,3})")


def write(_state: State, event: Event) -> str:
    """Give the short form of an event."""
    short = _SHORT.get(type(event))
    return short(event) if short is not None else serialization.encode_event(event)


_SHORT: Final[Mapping[type[Event], Callable[[Any], str]]] = {
    CreatureMoved: lambda event: f"{event.from_}-{event.to}",
    CreatureAttacked: lambda event: f"{event.from_}x{event.target}",
    CreatureRetreated: lambda event: f">{event.to}",
    RetreatDeclined: lambda event: f">{event.cell}",
    PantryOpened: lambda event: f"+{event.count}",
    TurnEnded: lambda _event: ".",
    PlayerResigned: lambda event: f"{event.player}: resign",
}


def read(state: State, text: str) -> tuple[Event, ...]:
    """Read one move: an event, or an attack together with the retreat from it.

    Errors: `IllegalAction` `not-understood`; `not-your-turn` when a leading `p2:` names a seat that does
            not lead the team.
    """
    seat, rest = split_seat(text)
    if rest.casefold() == "resign":
        return (PlayerResigned(seat or _seat_due(state)),)
    events = _events(state, rest, text)
    if seat is not None and seat != _seat_due(state):
        due = _seat_due(state)
        raise IllegalAction(
            "not-your-turn", f"It is for {{{due}}} to act now, not for {{{seat}}}.", "order of play"
        )
    return events


def _events(state: State, rest: str, text: str) -> tuple[Event, ...]:
    if found := _MOVE.fullmatch(rest):
        return (CreatureMoved(state.turn, found[1].upper(), found[2].upper()),)
    if found := _ATTACK.fullmatch(rest):
        target = found[2].upper()
        attack = CreatureAttacked(state.turn, found[1].upper(), target)
        return (attack, _answer(state, target, found[3])) if found[3] else (attack,)
    if found := _ANSWER.fullmatch(rest):
        return (_answer(state, state.retreat, found[1]),)
    if found := _OPEN.fullmatch(rest):
        return (PantryOpened(state.turn, int(found[1])),)
    if rest == ".":
        return (TurnEnded(state.turn),)
    raise not_understood(Unclear(text), pending(state), FORMS)


def _answer(state: State, cell: str | None, to: str) -> Event:
    """Make the retreat from `cell`; its own cell says that it stays."""
    to = to.upper()
    if cell is None:
        raise IllegalAction(
            "no-retreat-due", f"No creature is under attack, so nobody can retreat to {to}.", "R4"
        )
    piece = state.pieces.get(cell)
    team = piece.team if piece is not None else cell[0]
    return RetreatDeclined(team, cell) if to == cell else CreatureRetreated(team, cell, to)


def _seat_due(state: State) -> str:
    piece = state.pieces.get(state.retreat) if state.retreat is not None else None
    return controller(state, piece.team if piece is not None else state.turn)
