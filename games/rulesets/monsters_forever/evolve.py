"""What each event does to the position: pieces, budget, repetition, and who goes out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.events import Event
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
    AttackRun,
    MoveRun,
    Piece,
    Runs,
    State,
    allied,
    can_move,
    free_beside,
    next_team,
    players_left,
    shut_in,
)

IN_A_ROW: Final = 3
"""At so many repetitions a piece freezes."""
FROZEN_FOR: Final = 2
"""Ends of its team's turns: the present one and the next."""


def creature_moved(state: State, event: CreatureMoved) -> State:
    """Take the piece over, spend a move, count repetition; a pawn may have taken a start cell."""
    pieces = {**state.pieces}
    piece = pieces.pop(event.from_)
    pieces[event.to] = piece
    first = state.move == 1
    moved = replace(
        state,
        pieces=pieces,
        move=0,
        extra=state.extra if first else _one_less(state.extra),
        moved=piece.id,
    )
    return _arrived(_repeating_move(moved, event, piece), piece, event.to)


def creature_attacked(state: State, event: CreatureAttacked) -> State:
    """Spend an attack, count repetition; then the target may go, is caught, or is held by its own."""
    piece, target = state.pieces[event.from_], state.pieces[event.target]
    ordinary = state.attack == 1 and (state.move == 0 or state.extra == 0)
    attacking = replace(state, attack=0) if ordinary else replace(state, extra=_one_less(state.extra))
    attacking = _repeating_attack(attacking, event, piece, target)
    if free_beside(state.pieces, event.target):
        return replace(attacking, phase="retreat", retreat=event.target)
    return _caught(attacking, event.target) if shut_in(state, event.target) else attacking


def _one_less(actions: int) -> int:
    """Spend an action from the pantry; where the table granted one more than there was, none is owed."""
    return max(actions - 1, 0)


def creature_retreated(state: State, event: CreatureRetreated) -> State:
    """Take the attacked piece over; a pawn may have taken a start cell even so."""
    pieces = {**state.pieces}
    piece = pieces.pop(event.from_)
    pieces[event.to] = piece
    return _arrived(replace(state, pieces=pieces, phase="turn", retreat=None), piece, event.to)


def retreat_declined(state: State, event: RetreatDeclined) -> State:
    """Leave the attacked piece where it is, or give it to the attacker, as the table plays."""
    stayed = replace(state, phase="turn", retreat=None)
    if state.setup.options.retreat == "decline-is-capture":
        return _caught(stayed, event.cell)
    return stayed


def pantry_opened(state: State, event: PantryOpened) -> State:
    """Add one action for each pantry creature used."""
    opened = replace(state, pantry_open=True, extra=state.extra + event.count)
    if state.setup.options.pantry_use == "permanent":
        return opened
    pantry = {**state.pantry, event.team: state.pantry[event.team] - event.count}
    return replace(opened, pantry=pantry, eaten=state.eaten + event.count)


def turn_ended(state: State, event: TurnEnded) -> State:
    """Let frozen pieces of the team thaw by one, break its run of attacks if it made none; pass on."""
    frozen = state.frozen
    if frozen:
        own = event.team.lower()
        left = {name: ends - 1 if name[0] == own else ends for name, ends in frozen.items()}
        frozen = {name: ends for name, ends in left.items() if ends}
    runs = state.runs
    attacks = runs[event.team].attacks
    if attacks is not None:
        kept = replace(attacks, this_turn=False) if attacks.this_turn else None
        runs = {**runs, event.team: Runs(runs[event.team].moves, kept)}
    return _next_turn(replace(state, frozen=frozen, runs=runs))


def player_resigned(state: State, event: PlayerResigned) -> State:
    """Take all teams of the player out of play; nobody gets anything."""
    teams = state.setup.options.teams
    return _fallen(state, [team for team in state.pantry if teams[team] == event.player])


EVOLVE: Final[Mapping[type[Event], Callable[[State, Any], State]]] = {
    CreatureMoved: creature_moved,
    CreatureAttacked: creature_attacked,
    CreatureRetreated: creature_retreated,
    RetreatDeclined: retreat_declined,
    PantryOpened: pantry_opened,
    TurnEnded: turn_ended,
    PlayerResigned: player_resigned,
}


# --- repetition --------------------------------------------------------------------------------------


def _repeating_move(state: State, event: CreatureMoved, piece: Piece) -> State:
    repeat = state.setup.options.repeat
    if repeat == "off":
        return state
    runs = state.runs[event.team]
    last = runs.moves
    cells = (event.from_, event.to)
    same = (
        last is not None
        and last.id == piece.id
        and (last.cells == cells or (repeat == "unordered" and last.cells == cells[::-1]))
    )
    count = last.count + 1 if last is not None and same else 1
    if count == IN_A_ROW:
        return _freeze(state, event.team, piece)
    now = Runs(MoveRun(piece.id, cells, count), runs.attacks)
    return replace(state, runs={**state.runs, event.team: now})


def _repeating_attack(state: State, event: CreatureAttacked, piece: Piece, target: Piece) -> State:
    if state.setup.options.repeat == "off":
        return state
    runs = state.runs[event.team]
    last = runs.attacks
    same = last is not None and last.id == piece.id and last.target == target.id
    count = last.count + 1 if last is not None and same else 1
    if count == IN_A_ROW:
        return _freeze(state, event.team, piece)
    now = Runs(runs.moves, AttackRun(piece.id, target.id, count, this_turn=True))
    return replace(state, runs={**state.runs, event.team: now})


def _freeze(state: State, team: str, piece: Piece) -> State:
    runs = state.runs[team]
    now = Runs(
        None if runs.moves is not None and runs.moves.id == piece.id else runs.moves,
        None if runs.attacks is not None and runs.attacks.id == piece.id else runs.attacks,
    )
    return replace(
        state,
        frozen={**state.frozen, piece.id: FROZEN_FOR},
        runs={**state.runs, team: now},
    )


# --- captures and ends -------------------------------------------------------------------------------


def _arrived(state: State, piece: Piece, cell: str) -> State:
    fallen = TIPS.get(cell)
    if fallen is None or piece.king or fallen not in state.pantry or allied(state, fallen, piece.team):
        return state
    return _fallen(state, [fallen], to=piece.team, with_pantry=True)


def _caught(state: State, cell: str) -> State:
    piece = state.pieces[cell]
    if piece.king:
        return _fallen(state, [piece.team], to=state.turn)
    pieces = {**state.pieces}
    del pieces[cell]
    return replace(
        state,
        pieces=pieces,
        pantry={**state.pantry, state.turn: state.pantry[state.turn] + 1},
        frozen=_without(state.frozen, {piece.id}),
    )


def _fallen(
    state: State, teams: Collection[str], to: str | None = None, *, with_pantry: bool = False
) -> State:
    """Take teams out: their pieces (and pantries) go to a team's pantry, or out of play."""
    taken = {piece.id for piece in state.pieces.values() if piece.team in teams}
    pantries = sum(state.pantry[team] for team in teams)
    won = len(taken) + pantries if with_pantry else len(taken)
    pantry = {team: count for team, count in state.pantry.items() if team not in teams}
    if to is not None:
        pantry[to] += won
    left = replace(
        state,
        pieces={cell: piece for cell, piece in state.pieces.items() if piece.team not in teams},
        pantry=pantry,
        gone=state.gone + len(taken) + pantries - (won if to is not None else 0),
        frozen=_without(state.frozen, taken),
        runs={team: runs for team, runs in state.runs.items() if team not in teams},
        out=(*state.out, *sorted(teams)),
    )
    if len(players_left(left)) == 1:
        return replace(left, phase="over")
    return _next_turn(left) if state.turn in teams else left


def _without(frozen: dict[str, int], pieces: Collection[str]) -> dict[str, int]:
    if frozen.keys().isdisjoint(pieces):
        return frozen
    return {name: ends for name, ends in frozen.items() if name not in pieces}


def _next_turn(state: State) -> State:
    team, number = next_team(state)
    limit = state.setup.options.max_rounds
    if limit is not None and number > limit:
        return replace(state, phase="over")
    return replace(
        state,
        round=number,
        turn=team,
        move=1 if can_move(state, team) else 0,
        attack=1,
        extra=0,
        pantry_open=False,
        moved=None,
    )
