"""One line of text for each event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from games.core.events import Event, kind_of
from games.rulesets.monsters_forever.board import TIPS
from games.rulesets.monsters_forever.events import (
    CreatureAttacked,
    CreatureMoved,
    CreatureRetreated,
    PantryOpened,
    PlayerResigned,
    RetreatDeclined,
    TurnEnded,
)
from games.rulesets.monsters_forever.state import (
    Piece,
    State,
    allied,
    controller,
    free_beside,
    race,
    shut_in,
)
from games.words import counted, joined


def describe(state: State, event: Event) -> str:
    """Say what happens, the acting seat first; `state` is the position before it."""
    words = _WORDS.get(type(event))
    return words(state, event) if words is not None else kind_of(event)


def _name(state: State, team: str) -> str:
    return state.setup.data.races[team]


def _moved(state: State, event: CreatureMoved) -> str:
    king = " king" if state.pieces[event.from_].king else ""
    says = f"{{{controller(state, event.team)}}} moves {_name(state, event.team)}{king}"
    return f"{says} from {event.from_} to {event.to}{_start_cell(state, event.from_, event.to)}"


def _start_cell(state: State, start: str, to: str) -> str:
    piece = state.pieces[start]
    fallen = TIPS.get(to)
    if fallen is None or piece.king or fallen not in state.pantry or allied(state, fallen, piece.team):
        return ""
    return f", the start cell of {race(state, fallen)}, who are out"


def _attacked(state: State, event: CreatureAttacked) -> str:
    says = f"{{{controller(state, event.team)}}} attacks {event.target} with {event.from_}"
    target = state.pieces[event.target]
    if free_beside(state.pieces, event.target):
        choice = "must retreat" if state.setup.options.retreat == "must" else "may retreat"
        return f"{says}: {{{controller(state, target.team)}}} {choice}"
    if not shut_in(state, event.target):
        return f"{says}: it stands by its own"
    return f"{says}: {_caught(state, target)}"


def _caught(state: State, piece: Piece) -> str:
    return f"king captured, {race(state, piece.team)} are out" if piece.king else "captured"


def _declined(state: State, event: RetreatDeclined) -> str:
    says = f"{{{controller(state, event.team)}}} stays on {event.cell} with {_name(state, event.team)}"
    if state.setup.options.retreat == "decline-is-capture":
        return f"{says}: {_caught(state, state.pieces[event.cell])}"
    return says


def _resigned(state: State, event: PlayerResigned) -> str:
    teams = state.setup.options.teams
    own = [race(state, team) for team in state.pantry if teams[team] == event.player]
    return f"{{{event.player}}} resigns: {joined(own)} leave the game"


def _retreated(state: State, event: CreatureRetreated) -> str:
    says = f"{{{controller(state, event.team)}}} retreats with {_name(state, event.team)}"
    return f"{says} from {event.from_} to {event.to}{_start_cell(state, event.from_, event.to)}"


def _opened(state: State, event: PantryOpened) -> str:
    says = f"{{{controller(state, event.team)}}} opens the pantry of {_name(state, event.team)}"
    return f"{says} for {counted(event.count, 'more action')}"


def _ended(state: State, event: TurnEnded) -> str:
    return f"{{{controller(state, event.team)}}} ends the turn of {_name(state, event.team)}"


_WORDS: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    CreatureMoved: _moved,
    CreatureAttacked: _attacked,
    CreatureRetreated: _retreated,
    RetreatDeclined: _declined,
    PantryOpened: _opened,
    TurnEnded: _ended,
    PlayerResigned: _resigned,
}

HEADINGS: Final[Mapping[type[Event], str]] = {
    CreatureMoved: "Move",
    CreatureAttacked: "Attack",
    CreatureRetreated: "Retreat",
    RetreatDeclined: "Stay",
    PantryOpened: "Open the pantry",
    TurnEnded: "End the turn",
    PlayerResigned: "Resign",
}
"""What each kind is called where it can be done."""
