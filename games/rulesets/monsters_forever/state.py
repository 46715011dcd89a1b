"""The state of a game of Monsters Forever: all of it is public."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from games.core.ruleset import UNSET
from games.core.ruleset import State as BaseState
from games.rulesets.monsters_forever.board import NEIGHBOURS, TEAMS
from games.rulesets.monsters_forever.events import Cell, Seat, Team

Retreat = Literal["must", "optional-stay", "decline-is-capture"]
Surround = Literal["any", "enemies-only"]
Attacker = Literal["any", "moved-piece"]
PantryUse = Literal["eaten", "permanent"]
Repeat = Literal["unordered", "ordered", "off"]


def _reading(meaning: str, source: str) -> msgspec.Meta:
    return msgspec.Meta(description=meaning, extra={"source": source})


class Options(msgspec.Struct, frozen=True):
    """The readings of the rulebook that a table may choose between, and who leads which team."""

    teams: Annotated[
        dict[Team, Seat],
        _reading(
            "Which seat leads each of the teams A to F; every seat leads as many as the others.", "ruling R22"
        ),
    ]
    retreat: Annotated[
        Retreat,
        _reading(
            "An attacked creature with a free cell beside it: must go there (must), may stay unharmed"
            " (optional-stay), or may stay and is caught (decline-is-capture).",
            "ruling R4",
        ),
    ] = "must"
    surround: Annotated[
        Surround,
        _reading(
            "Who shuts a creature in: any creature (any), or only other teams' (enemies-only: with one of its"
            " own team beside it, it is not caught).",
            "ruling R5",
        ),
    ] = "any"
    attacker: Annotated[
        Attacker,
        _reading(
            "Who may attack: any creature of the team (any), or only the one that moved last this turn"
            " (moved-piece).",
            "ruling R6",
        ),
    ] = "any"
    pantry_use: Annotated[
        PantryUse,
        _reading(
            "Pantry creatures once used: are out of play (eaten), or serve again every turn (permanent).",
            "ruling R9",
        ),
    ] = "eaten"
    repeat: Annotated[
        Repeat,
        _reading(
            "What freezes a creature at the third time in a row: going between the same two cells"
            " (unordered), going from the same cell to the same cell (ordered), nothing (off). The same"
            " attack counts alike unless it is off.",
            "ruling R19",
        ),
    ] = "unordered"
    max_rounds: Annotated[
        Annotated[int, msgspec.Meta(ge=1)] | None,
        _reading("A draw once so many rounds are played; null for no limit.", "ruling R23"),
    ] = None


class Data(msgspec.Struct, frozen=True):
    """The names of the six races, by team."""

    source: str
    races: dict[Team, str]


class Piece(msgspec.Struct, frozen=True):
    """A creature on the board; its `id` is its start cell in lower case, for ever."""

    team: Team
    king: bool
    id: str


class MoveRun(msgspec.Struct, frozen=True):
    """A team's latest move and how many times in a row that piece has made it (1 or 2)."""

    id: str
    cells: tuple[Cell, Cell]
    count: int


class AttackRun(msgspec.Struct, frozen=True):
    """A team's latest attack, how many times in a row (1 or 2), and whether one was in the present turn."""

    id: str
    target: str
    count: int
    this_turn: bool


class Runs(msgspec.Struct, frozen=True):
    """What a team is repeating."""

    moves: MoveRun | None
    attacks: AttackRun | None


NO_RUNS: Final = Runs(None, None)


class Setup(msgspec.Struct, frozen=True):
    """What never changes in a game."""

    seats: tuple[str, ...]
    options: Options
    data: Data


class State(BaseState, frozen=True):
    """A position; maps by team hold the teams still in play, and no other."""

    phase: Literal["turn", "retreat", "over"]
    round: int
    """From 1; counted on when the turn order passes sector A."""
    turn: Team
    move: int
    """The ordinary move: 1 while it is due, 0 when made or forfeited."""
    attack: int
    """The ordinary attack: 1 while it is left."""
    extra: int
    """Moves or attacks left from the pantry."""
    pantry_open: bool
    """The pantry was opened in this turn."""
    moved: str | None
    """The piece that moved last in this turn."""
    pieces: dict[Cell, Piece]
    pantry: dict[Team, int]
    eaten: int
    """Pantry creatures that were used up."""
    gone: int
    """Creatures out of play for any other reason."""
    retreat: Cell | None
    """Where the creature stands that was attacked and can go."""
    frozen: dict[str, int]
    """Frozen pieces: how many ends of their team's turns are still to come (1 or 2)."""
    runs: dict[Team, Runs]
    out: tuple[Team, ...]
    """The teams that went out, in that order."""
    setup: Setup = UNSET


def controller(state: State, team: str) -> str:
    """Give the seat that leads a team."""
    return state.setup.options.teams[team]


def allied(state: State, one: str, other: str) -> bool:
    """Tell whether one player leads both teams."""
    teams = state.setup.options.teams
    return teams[one] == teams[other]


def players_left(state: State) -> tuple[str, ...]:
    """Give the seats that have a team in play, in order round the table."""
    teams = state.setup.options.teams
    leading = {teams[team] for team in state.pantry}
    return tuple(seat for seat in state.setup.seats if seat in leading)


def free_beside(pieces: dict[str, Any], cell: str) -> list[str]:
    """Give the free cells that share an edge with `cell`."""
    return [other for other in NEIGHBOURS[cell] if other not in pieces]


def can_move(state: State, team: str) -> bool:
    """Tell whether any piece of the team that is not frozen has a free cell beside it."""
    pieces = state.pieces
    frozen = state.frozen
    return any(
        piece.team == team
        and piece.id not in frozen
        and any(other not in pieces for other in NEIGHBOURS[cell])
        for cell, piece in pieces.items()
    )


def next_team(state: State) -> tuple[str, int]:
    """Give the next living team clockwise, and the round in which it moves."""
    place = TEAMS.index(state.turn)
    for ahead in range(1, len(TEAMS) + 1):
        passed, index = divmod(place + ahead, len(TEAMS))
        if TEAMS[index] in state.pantry:
            return TEAMS[index], state.round + passed
    return state.turn, state.round


def race(state: State, team: str) -> str:
    """Name a team as the sentences do: `Zombies (A)`."""
    return f"{state.setup.data.races[team]} ({team})"


def to_do(state: State) -> str:
    """Say who is on turn: `Zombies (A) to move`, or `on turn` once the move is made or forfeited."""
    return f"{race(state, state.turn)} {'to move' if state.move == 1 else 'on turn'}"


def kind_of_piece(piece: Piece) -> str:
    """Say `king` or `pawn`."""
    return "king" if piece.king else "pawn"


def shut_in(state: State, cell: str) -> bool:
    """Tell whether a creature with no free cell beside it is caught when it is attacked there."""
    if state.setup.options.surround == "any":
        return True
    team = state.pieces[cell].team
    return all(state.pieces[other].team != team for other in NEIGHBOURS[cell] if other in state.pieces)
