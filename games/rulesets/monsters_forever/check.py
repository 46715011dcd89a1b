"""Why an event is refused: the first reason, the rule, and what could be done instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NoReturn

from games.core.events import Event, kind_of
from games.core.ruleset import IllegalAction
from games.rulesets.monsters_forever.actions import ALONE, attacks, pending, retreats, turn
from games.rulesets.monsters_forever.board import NEIGHBOURS, touch_at_corner
from games.rulesets.monsters_forever.events import (
    CreatureAttacked,
    CreatureMoved,
    CreatureRetreated,
    PantryOpened,
    PlayerResigned,
    RetreatDeclined,
    TurnEnded,
)
from games.rulesets.monsters_forever.notation import write
from games.rulesets.monsters_forever.state import (
    State,
    allied,
    can_move,
    controller,
    free_beside,
    players_left,
    race,
)

BOARD_RULE: Final = "board rule"
MOVING: Final = "moving rule"
PANTRY: Final = "pantry rule"


def check(state: State, event: Event) -> None:
    """Accept exactly what `legal_actions` lists.

    Errors: `game-over`, `retreat-due`, `no-retreat-due`, `not-your-turn`; then for a move or an attack
            `not-your-piece`, `frozen`, `not-adjacent`, `occupied` (or `empty`, `allied-target`),
            `move-first`, `not-the-moved-piece` or `no-action-left`; `wrong-creature`, `must-retreat`;
            `already-opened`, `pantry-too-small`; `move-first`; `concede-instead`, `not-in-play`.
    """
    if not pending(state):
        raise IllegalAction("game-over", "The game is over; nothing more can be recorded but a correction.")
    match event:
        case CreatureRetreated() | RetreatDeclined():
            _check_answer(state, event)
        case _ if state.retreat is not None:
            _retreat_first(state, state.retreat)
        case PlayerResigned():
            _check_resigned(state, event)
        case CreatureMoved():
            _check_on_turn(state, event.team)
            _check_moved(state, event)
        case CreatureAttacked():
            _check_on_turn(state, event.team)
            _check_attacked(state, event)
        case PantryOpened():
            _check_on_turn(state, event.team)
            _check_opened(state, event)
        case TurnEnded():
            _check_on_turn(state, event.team)
            _check_ended(state)
        case _:
            raise TypeError(f"{kind_of(event)} is no event of Monsters Forever")


def _refuse(code: str, why: str, rule: str, can: str, legal: Iterable[Event]) -> NoReturn:
    raise IllegalAction(code, f"{why} ({rule}); {can}" if can else f"{why} ({rule})", rule, legal)


def _due(state: State) -> tuple[str, tuple[Event, ...]]:
    """Say and list all that the team on turn can do."""
    legal = tuple(turn(state))
    return f"{race(state, state.turn)} can play {', '.join(write(state, event) for event in legal)}", legal


def _offers(state: State, kind: type[Event]) -> tuple[Event, ...]:
    """List what of this kind is possible, else all that is."""
    legal = tuple(turn(state))
    return tuple(event for event in legal if isinstance(event, kind)) or legal


def _cells(cells: Iterable[str]) -> str:
    return ", ".join(cells) or "nothing"


def _on_turn(state: State) -> str:
    """Name the team on turn, and who plays it."""
    return f"{race(state, state.turn)}, {{{controller(state, state.turn)}}}"


# --- retreat -----------------------------------------------------------------------------------------


def _retreat_first(state: State, cell: str) -> NoReturn:
    legal = tuple(retreats(state, cell))
    _refuse(
        "retreat-due",
        f"{race(state, state.pieces[cell].team)} must first answer the attack on {cell}",
        "R4",
        f"possible is {', '.join(write(state, event) for event in legal)}",
        legal,
    )


def _check_answer(state: State, event: CreatureRetreated | RetreatDeclined) -> None:
    cell = state.retreat
    if cell is None:
        can, legal = _due(state)
        _refuse("no-retreat-due", "No creature is under attack, so nobody has to retreat", "R4", can, legal)
    legal = tuple(retreats(state, cell))
    if event in legal:
        return
    team = state.pieces[cell].team
    free = free_beside(state.pieces, cell)
    can = f"from {cell} it can go to {_cells(free)}"
    if event.team != team or (event.from_ if isinstance(event, CreatureRetreated) else event.cell) != cell:
        why = f"The creature attacked is the {race(state, team)} one on {cell}"
        _refuse("wrong-creature", why, "R4", can, legal)
    if isinstance(event, RetreatDeclined):
        _refuse(
            "must-retreat", f"A creature that can retreat must, and the one on {cell} can", "R4", can, legal
        )
    _check_step(state, cell, event.to, legal)


# --- a turn ------------------------------------------------------------------------------------------


def _check_on_turn(state: State, team: str) -> None:
    if team != state.turn:
        can, legal = _due(state)
        name = race(state, team) if team in state.setup.data.races else team
        why = (
            f"{name} are out of the game"
            if team in state.out
            else f"It is the turn of {_on_turn(state)}, not of {name}"
        )
        _refuse("not-your-turn", why, "order of play", can, legal)


def _check_piece(
    state: State, event: CreatureMoved | CreatureAttacked, legal: tuple[Event, ...], verb: str
) -> None:
    cell, kind = event.from_, type(event)
    able = dict.fromkeys(event.from_ for event in legal if isinstance(event, kind))
    can = f"{race(state, state.turn)} can {verb} with {_cells(able)}" if able else _due(state)[0]
    piece = state.pieces.get(cell)
    if piece is None:
        _refuse("not-your-piece", f"No creature stands on {cell}", MOVING, can, legal)
    if piece.team != state.turn:
        why = f"It is the turn of {_on_turn(state)}; on {cell} stands a creature of {race(state, piece.team)}"
        _refuse("not-your-piece", why, MOVING, can, legal)
    ends = state.frozen.get(piece.id)
    if ends is not None:
        until = "this turn" if ends == 1 else "its team's next turn"
        _refuse("frozen", f"The creature on {cell} is frozen until the end of {until}", "R18", can, legal)


def _check_step(state: State, start: str, to: str, legal: tuple[Event, ...]) -> None:
    """A step to `to` is refused because the cells share no edge, else because it is taken."""
    if to not in NEIGHBOURS[start]:
        _not_adjacent(start, to, legal)
    if to in state.pieces:
        free = free_beside(state.pieces, start)
        can = f"free beside {start} is {_cells(free)}" if free else f"no cell beside {start} is free"
        _refuse("occupied", f"{to} is taken", MOVING, can, legal)


def _not_adjacent(start: str, to: str, legal: tuple[Event, ...]) -> NoReturn:
    if start == to:
        why = f"{start} is where it stands"
    elif touch_at_corner(start, to):
        why = f"{start} and {to} touch only at a corner"
    else:
        why = f"{start} and {to} do not touch"
    _refuse("not-adjacent", why, BOARD_RULE, f"from {start} you can reach {_cells(NEIGHBOURS[start])}", legal)


def _check_moved(state: State, event: CreatureMoved) -> None:
    legal = _offers(state, CreatureMoved)
    _check_piece(state, event, legal, "move")
    _check_step(state, event.from_, event.to, legal)
    if state.move == 0 and state.extra == 0:
        can, legal = _due(state)
        _refuse(
            "no-action-left",
            "The move of this turn is spent, and no pantry action is left",
            MOVING,
            can,
            legal,
        )


def _check_attacked(state: State, event: CreatureAttacked) -> None:
    legal = _offers(state, CreatureAttacked)
    _check_piece(state, event, legal, "attack")
    if event.target not in NEIGHBOURS[event.from_]:
        _not_adjacent(event.from_, event.target, legal)
    _check_target(state, event, legal)
    can, due = _due(state)
    only_moved = state.setup.options.attacker == "moved-piece"
    too_early = state.extra == 0 or (only_moved and state.moved is None)
    if too_early and state.move == 1 and can_move(state, state.turn):
        why = f"{race(state, state.turn)} must move a creature before an attack"
        _refuse("move-first", why, "R6" if state.extra else "R2", can, due)
    if only_moved and state.moved != state.pieces[event.from_].id:
        why = "Only the creature that moved last in this turn attacks"
        _refuse("not-the-moved-piece", why, "R6", can, legal)
    if state.attack == 0 and state.extra == 0:
        why = "The attack of this turn is spent, and no pantry action is left"
        _refuse("no-action-left", why, "attack rule", can, due)


def _check_target(state: State, event: CreatureAttacked, legal: tuple[Event, ...]) -> None:
    enemies = [item.target for item in attacks(state) if item.from_ == event.from_]
    can = f"from {event.from_} you can attack {_cells(enemies)}"
    target = state.pieces.get(event.target)
    if target is None:
        _refuse("empty", f"No creature stands on {event.target}", "attack rule", can, legal)
    if allied(state, state.turn, target.team):
        why = f"{race(state, target.team)} on {event.target} are led by the same player"
        if target.team == state.turn:
            why = f"The creature on {event.target} is of the same team"
        _refuse("allied-target", why, "R7", can, legal)


def _check_opened(state: State, event: PantryOpened) -> None:
    can, legal = _due(state)
    if state.pantry_open:
        _refuse("already-opened", "The pantry has been opened in this turn", "R10", can, legal)
    has = state.pantry[state.turn]
    if not 1 <= event.count <= has:
        some = f"between 1 and {has} can be used" if has else ""
        why = f"The pantry of {race(state, state.turn)} holds {has}, so {event.count} cannot be used"
        _refuse("pantry-too-small", why, PANTRY, some, legal)


def _check_ended(state: State) -> None:
    if state.move == 1 and can_move(state, state.turn):
        can, legal = _due(state)
        why = f"{race(state, state.turn)} must move a creature before the turn ends"
        _refuse("move-first", why, MOVING, can, legal)


def _check_resigned(state: State, event: PlayerResigned) -> None:
    if len(state.setup.seats) == ALONE:
        raise IllegalAction(
            "concede-instead",
            "With two players nobody plays on after a resignation: close the record, conceded (R25)",
            "R25",
        )
    left = players_left(state)
    if event.player not in left:
        legal = tuple(map(PlayerResigned, left))
        why = f"{{{event.player}}} has no team in play"
        _refuse(
            "not-in-play",
            why,
            "R25",
            f"able to resign are {', '.join(f'{{{seat}}}' for seat in left)}",
            legal,
        )
