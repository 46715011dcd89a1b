"""What may come next, in the order in which it is offered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from games.core.events import Event, kind_of
from games.core.ruleset import Pending
from games.rulesets.monsters_forever.board import CELLS, NEIGHBOURS
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
    State,
    can_move,
    controller,
    free_beside,
    players_left,
    race,
    to_do,
)

ALONE: Final = 2
"""With two players a resignation would end the game: it is a concession of the record."""


# --- what is due -------------------------------------------------------------------------------------


def pending(state: State) -> tuple[Pending, ...]:
    """Say who decides: the team on turn or the attacked one; every player still in may resign."""
    if state.phase == "over" or len(players_left(state)) == 1:
        return ()
    if state.retreat is not None:
        return (_retreat_due(state, state.retreat),)
    kinds = tuple(dict.fromkeys(kind_of(event) for event in turn(state)))
    seat = controller(state, state.turn)
    return (Pending(seat, kinds, why=to_do(state)), *_may_resign(state))


def _retreat_due(state: State, cell: str) -> Pending:
    piece = state.pieces[cell]
    kinds: tuple[str, ...] = ("creature_retreated",)
    if state.setup.options.retreat != "must":
        kinds = (*kinds, "retreat_declined")
    why = f"{race(state, piece.team)} attacked on {cell}"
    return Pending(controller(state, piece.team), kinds, why=why)


def _may_resign(state: State) -> Iterator[Pending]:
    if len(state.setup.seats) > ALONE:
        for seat in players_left(state):
            yield Pending(seat, ("player_resigned",), must=False, why="may resign")


def legal_actions(state: State, seat: str) -> Iterator[Event]:
    """Give every event that this seat may record now.

    Shape:  in a turn moves, attacks, opening the pantry, ending the turn; while a retreat is due that alone;
            with 3 or 6 players resigning, at any other time, for every player still in.
    Order:  by the letter and number of the cells, so that a seeded choice can be repeated.
    Cost:   one pass over the board.

    """
    if state.phase == "over" or seat not in (left := players_left(state)) or len(left) == 1:
        return
    if state.retreat is not None:
        if controller(state, state.pieces[state.retreat].team) == seat:
            yield from retreats(state, state.retreat)
        return
    if controller(state, state.turn) == seat:
        yield from turn(state)
    if len(state.setup.seats) > ALONE:
        yield PlayerResigned(seat)


def turn(state: State) -> Iterator[Event]:
    """Give every action of the team on turn, but for a resignation."""
    team = state.turn
    movable = can_move(state, team)
    if movable and (state.move == 1 or state.extra > 0):
        yield from moves(state)
    if state.extra > 0 or (state.attack == 1 and (state.move == 0 or not movable)):
        yield from attacks(state)
    if not state.pantry_open:
        yield from (PantryOpened(team, count) for count in range(1, state.pantry[team] + 1))
    if state.move == 0 or not movable:
        yield TurnEnded(team)


def _able(state: State) -> Iterator[tuple[str, str]]:
    """Give the cells and ids of the pieces of the team on turn that are not frozen."""
    pieces = state.pieces
    for cell in CELLS:
        piece = pieces.get(cell)
        if piece is not None and piece.team == state.turn and piece.id not in state.frozen:
            yield cell, piece.id


def moves(state: State) -> Iterator[CreatureMoved]:
    """Give the moves that the board allows to the team on turn, whatever is left of its budget."""
    for cell, _ in _able(state):
        for to in NEIGHBOURS[cell]:
            if to not in state.pieces:
                yield CreatureMoved(state.turn, cell, to)


def attacks(state: State) -> Iterator[CreatureAttacked]:
    """Give the attacks that the board allows to the team on turn, whatever is left of its budget."""
    teams = state.setup.options.teams
    seat = teams[state.turn]
    moved_only = state.setup.options.attacker == "moved-piece"
    for cell, piece in _able(state):
        if moved_only and piece != state.moved:
            continue
        for target in NEIGHBOURS[cell]:
            enemy = state.pieces.get(target)
            if enemy is not None and teams[enemy.team] != seat:
                yield CreatureAttacked(state.turn, cell, target)


def retreats(state: State, cell: str) -> Iterator[Event]:
    """Give the answers of the creature attacked on `cell`."""
    team = state.pieces[cell].team
    for to in free_beside(state.pieces, cell):
        yield CreatureRetreated(team, cell, to)
    if state.setup.options.retreat != "must":
        yield RetreatDeclined(team, cell)
