"""The star as it is drawn: 48 triangles, the pieces on them, and the figures beside the board."""

from __future__ import annotations

from collections import Counter as Count
from collections.abc import Iterator
from typing import Final

from games.core.scene import Cell, Counter, Piece, Scene
from games.rulesets.monsters_forever.board import BOARD, CELLS, TEAMS, TIPS
from games.rulesets.monsters_forever.scoring import outcome
from games.rulesets.monsters_forever.state import State, controller, kind_of_piece, race, to_do
from games.words import counted

TONES: Final = {team: str(place) for place, team in enumerate(TEAMS)}
_CELLS: Final = tuple(
    Cell(
        key=f"cell.{triangle.cell}",
        label=triangle.cell,
        points=triangle.points,
        centre=triangle.centre,
        tone=TONES[triangle.cell[0]],
        start_of=TIPS.get(triangle.cell, ""),
    )
    for triangle in BOARD.cells
)


def scene(state: State) -> Scene:
    """Draw the position; keys that a table check may name are those of the counters and the cells."""
    return Scene(
        size=BOARD.size,
        counters=tuple(_counters(state)),
        cells=_CELLS,
        pieces=tuple(_pieces(state)),
        turn=_acting(state),
        headline=_headline(state),
        crowned="king",
        dimmed="frozen",
    )


def _counters(state: State) -> Iterator[Counter]:
    yield Counter("round", "Round", state.round)
    yield Counter("extra", "Pantry actions left", state.extra, quiet=True)
    yield Counter("eaten", "Eaten", state.eaten)
    yield Counter("gone", "Out of play", state.gone)
    on_board = Count(piece.team for piece in state.pieces.values())
    for team in TEAMS:
        seat = controller(state, team)
        name = race(state, team)
        yield Counter(f"pieces.{team}", f"{name}: pieces", on_board[team], seat, TONES[team])
        yield Counter(f"pantry.{team}", f"{name}: pantry", state.pantry.get(team, 0), seat, TONES[team])


def _pieces(state: State) -> Iterator[Piece]:
    for cell in CELLS:
        piece = state.pieces.get(cell)
        if piece is not None:
            frozen = piece.id in state.frozen
            label = f"{race(state, piece.team)} {kind_of_piece(piece)} on {cell}"
            yield Piece(
                key=piece.id,
                cell=f"cell.{cell}",
                mark=piece.team,
                label=f"{label}, frozen" if frozen else label,
                tone=TONES[piece.team],
                crowned=piece.king,
                dimmed=frozen,
            )


def _acting(state: State) -> str | None:
    if outcome(state) is not None:
        return None
    return controller(state, state.turn)


def _headline(state: State) -> str:
    over = outcome(state)
    if over is not None and over.winners:
        return f"{{{over.winners[0]}}} is the last player with a team"
    if over is not None:
        return f"A draw after {counted(state.round, 'round')}"
    if state.retreat is not None:
        team = state.pieces[state.retreat].team
        return f"Round {state.round}, {race(state, team)} attacked on {state.retreat}"
    return f"Round {state.round}, {to_do(state)}"
