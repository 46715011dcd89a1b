"""How a game ends, what each player has, and that no creature is ever lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from games.core.ruleset import BrokenInvariant, Outcome
from games.rulesets.monsters_forever.board import NEIGHBOURS, PIECES, START_NUMBERS, TEAMS
from games.rulesets.monsters_forever.state import Runs, State, free_beside, players_left

IDS: Final = frozenset(f"{team}{number}".lower() for team in TEAMS for number in START_NUMBERS)
"""Of all creatures, on the board or not."""
MOST_ROUNDS: Final = 10**9

REASONS: Final[Mapping[str, str]] = {
    "last-player": "the last one left",
    "max-rounds": "the rounds are over",
}
"""How each end is said behind who won."""


def outcome(state: State) -> Outcome | None:
    """Give the last player with a team in play, or a draw when the rounds are played."""
    left = players_left(state)
    if len(left) == 1:
        return Outcome("last-player", left, scores(state))
    return Outcome("max-rounds", (), scores(state)) if state.phase == "over" else None


def scores(state: State) -> dict[str, int]:
    """Count for each seat the pieces on the board and in the pantries of its teams."""
    teams = state.setup.options.teams
    found = Counter[str]()
    for piece in state.pieces.values():
        found[teams[piece.team]] += 1
    for team, count in state.pantry.items():
        found[teams[team]] += count
    return {seat: found[seat] for seat in state.setup.seats}


def invariants(state: State) -> None:
    """Count the 36 creatures; compare the maps by team with who is in play.

    Errors: `BrokenInvariant`.
    """
    for law, holds in _laws(state):
        if not holds:
            raise BrokenInvariant(law)


def _laws(state: State) -> tuple[tuple[str, bool], ...]:
    pieces = state.pieces.values()
    ids = {piece.id: piece.team for piece in pieces}
    kings = Counter(piece.team for piece in pieces if piece.king)
    placed = len(pieces) + sum(state.pantry.values()) + state.eaten + state.gone
    small = (state.eaten, state.gone, state.extra, *state.pantry.values())
    return (
        (f"there are {placed} creatures, not {PIECES}", placed == PIECES),
        ("a number of creatures or actions is below 0", min(small) >= 0),
        ("a piece is on the board twice", len(ids) == len(pieces)),
        ("a piece is none of the 36", ids.keys() <= IDS and state.moved in {*IDS, None}),
        (
            "a piece is of another team than its id says (/pieces)",
            all(name[:1].upper() == ids[name] for name in ids),
        ),
        ("a piece stands beside the board", all(cell in NEIGHBOURS for cell in state.pieces)),
        ("a king is no king", all(piece.king == (piece.id[1:] == "1") for piece in pieces)),
        (
            "a team in play is without its king (/pieces, /pantry)",
            all(kings[team] == 1 for team in state.pantry),
        ),
        (
            "a team that is out has pieces on the board (/out, /pieces)",
            all(piece.team in state.pantry for piece in pieces),
        ),
        (
            "a team is neither in play nor out, or both (/pantry, /out)",
            sorted((*state.pantry, *state.out)) == list(TEAMS),
        ),
        (
            "the runs are not those of the teams in play (/runs, /pantry)",
            state.runs.keys() == state.pantry.keys(),
        ),
        ("a run is of no creature, or longer than two", all(map(_is_run, state.runs.values()))),
        ("there are more actions left than creatures", state.extra <= PIECES),
        (f"there is no round {state.round}", 1 <= state.round <= MOST_ROUNDS),
        ("the game is over (/phase) while several play and rounds are left (/round)", _may_be_over(state)),
        ("the team on turn is out (/turn)", state.turn in state.pantry or state.phase == "over"),
        ("the ordinary move or attack is there more than once", {state.move, state.attack} <= {0, 1}),
        ("a frozen piece is not on the board (/frozen)", state.frozen.keys() <= ids.keys()),
        ("a piece is frozen for 1 or 2 ends of turns", set(state.frozen.values()) <= {1, 2}),
        (
            "a retreat (/retreat) is due in the phase retreat (/phase), and in no other",
            (state.retreat is not None) == (state.phase == "retreat"),
        ),
        (
            "no creature stands where a retreat is due (/retreat)",
            state.retreat is None or state.retreat in state.pieces,
        ),
        ("a creature must retreat and can go nowhere (/retreat, /pieces)", _can_retreat(state)),
    )


def _may_be_over(state: State) -> bool:
    limit = state.setup.options.max_rounds
    played = limit is not None and state.round >= limit
    return state.phase != "over" or played or len(players_left(state)) == 1


def _can_retreat(state: State) -> bool:
    if state.retreat not in state.pieces or state.setup.options.retreat != "must":
        return True
    return bool(free_beside(state.pieces, state.retreat))


def _is_run(runs: Runs) -> bool:
    both = (runs.moves, runs.attacks)
    named = {run.id for run in both if run is not None} | ({runs.attacks.target} if runs.attacks else set())
    return named <= IDS and all(run is None or run.count in {1, 2} for run in both)
