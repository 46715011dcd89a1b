"""A player for simulated games: it catches what it can, hunts kings and start cells, and errs a little."""

from __future__ import annotations

from collections import deque
from typing import Final

from games.core.events import Event
from games.core.ruleset import Random
from games.rulesets.monsters_forever.actions import attacks, legal_actions, moves, turn
from games.rulesets.monsters_forever.board import CELLS, NEIGHBOURS, TIPS
from games.rulesets.monsters_forever.events import (
    CreatureAttacked,
    CreatureMoved,
    CreatureRetreated,
    PantryOpened,
    RetreatDeclined,
)
from games.rulesets.monsters_forever.state import Piece, State, allied, free_beside, shut_in

_KING: Final = 90.0
_PAWN: Final = 50.0
_WHIM: Final = 4.0
"""How far chance may outweigh a step in the right direction: without it games go round in circles."""


def bot(state: State, seat: str, rng: Random) -> Event:
    """Choose the most useful of the legal actions; never resigns."""
    offers = tuple(turn(state)) if state.retreat is None else tuple(legal_actions(state, seat))
    worths = [_worth(state, event) + _WHIM * rng.random() for event in offers]
    return offers[worths.index(max(worths))]


def _worth(state: State, event: Event) -> float:
    match event:
        case CreatureMoved() | CreatureRetreated():
            return _step(state, event)
        case CreatureAttacked():
            return _catch(state, state.pieces, event.target)
        case PantryOpened():
            return _opening(state, event)
        case RetreatDeclined():
            return -_PAWN if state.setup.options.retreat == "decline-is-capture" else _WHIM / 2
        case _:
            return _WHIM / 2


def _step(state: State, event: CreatureMoved | CreatureRetreated) -> float:
    """A start cell is best, then a place from which an attack would catch, then the way to a king."""
    piece = state.pieces[event.from_]
    if piece.king:
        return -_WHIM
    fallen = TIPS.get(event.to)
    if fallen in _enemies(state, piece):
        return _KING
    return _way(state, piece, event.from_) - _way(state, piece, event.to) + _threat(state, piece, event)


def _threat(state: State, piece: Piece, event: CreatureMoved | CreatureRetreated) -> float:
    if isinstance(event, CreatureRetreated) or state.attack + state.extra == 0:
        return 0
    pieces = {**state.pieces, event.to: piece}
    del pieces[event.from_]
    beside = (other for other in NEIGHBOURS[event.to] if other in pieces)
    enemies = (other for other in beside if not allied(state, piece.team, pieces[other].team))
    return max((_catch(state, pieces, other) / 2 for other in enemies), default=0)


def _catch(state: State, pieces: dict[str, Piece], target: str) -> float:
    if free_beside(pieces, target) or not shut_in(state, target):
        return 0
    return _KING if pieces[target].king else _PAWN


def _opening(state: State, event: PantryOpened) -> float:
    """Open it wholly once the free move is made, if something can be caught or reached with it."""
    if state.move == 1 or event.count < state.pantry[event.team]:
        return -_PAWN
    left = event.count + state.extra
    catches = state.attack == 0 and any(_catch(state, state.pieces, item.target) for item in attacks(state))
    return _PAWN if catches or any(_near(state, item, left) for item in moves(state)) else -_PAWN


def _near(state: State, event: CreatureMoved, steps: int) -> bool:
    piece = state.pieces[event.from_]
    return not piece.king and _way(state, piece, event.from_) <= steps


def _enemies(state: State, piece: Piece) -> list[str]:
    return [team for team in state.pantry if not allied(state, team, piece.team)]


def _way(state: State, piece: Piece, cell: str) -> int:
    """Count the steps from a cell to the nearest start cell of an enemy, whatever stands between."""
    return min(_STEPS[team][cell] for team in _enemies(state, piece))


def _steps_from(tip: str) -> dict[str, int]:
    steps = {tip: 0}
    queue = deque([tip])
    while queue:
        cell = queue.popleft()
        for other in NEIGHBOURS[cell]:
            if other not in steps:
                steps[other] = steps[cell] + 1
                queue.append(other)
    return {cell: steps[cell] for cell in CELLS}


_STEPS: Final = {team: _steps_from(tip) for tip, team in TIPS.items()}
