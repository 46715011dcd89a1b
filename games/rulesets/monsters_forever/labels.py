"""Each move as a command on a button, and whose turn it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from games.core.events import Event
from games.rulesets.monsters_forever.events import (
    CreatureAttacked,
    CreatureMoved,
    CreatureRetreated,
    PantryOpened,
    PlayerResigned,
    RetreatDeclined,
    TurnEnded,
)
from games.rulesets.monsters_forever.state import State, controller, players_left


def label(state: State, event: Event) -> str:
    """Say a move as a command, without the player.

    Units:   cells by their names on the star (`B7`).
    """
    return _LABELS[type(event)](state, event)


def turn(state: State) -> str | None:
    """Give the seat that leads the team to move, also while an attacked creature must retreat first."""
    over = state.phase == "over" or len(players_left(state)) == 1
    return None if over else controller(state, state.turn)


def round_of(state: State) -> int:
    """Give the round: it is counted on when the turn order passes sector A."""
    return state.round


def _opened(_state: State, event: PantryOpened) -> str:
    if event.count == 1:
        return "Use 1 pantry creature for an extra action"
    return f"Use {event.count} pantry creatures for {event.count} extra actions"


def _ended(state: State, event: TurnEnded) -> str:
    race = state.setup.data.races[event.team]
    whose = f"{race}'" if race.endswith("s") else f"{race}'s"
    return f"End the {whose} turn"


_LABELS: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    CreatureMoved: lambda _state, event: f"Move {event.from_} → {event.to}",
    CreatureAttacked: lambda _state, event: f"Attack {event.target} from {event.from_}",
    CreatureRetreated: lambda _state, event: f"Retreat {event.from_} → {event.to}",
    RetreatDeclined: lambda _state, event: f"Stay on {event.cell}",
    PantryOpened: _opened,
    TurnEnded: _ended,
    PlayerResigned: lambda _state, _event: "Resign",
}
