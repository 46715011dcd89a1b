"""The ruleset against a naive second one: the same offers and the same position at every step, and counts.

TABLETAPE_DIFFERENTIAL=500 simulates so many games of each number of players instead of 30.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from games.core import fold, serialization, start
from games.core.events import Event
from games.rulesets.monsters_forever import RULESETS
from games.rulesets.monsters_forever.board import BOARD, CELLS, NEIGHBOURS
from games.rulesets.monsters_forever.state import State
from games.testing import playout
from games.text import wording
from tests.games.per_ruleset import GAMES
from tests.games.rulesets.monsters_forever import naive

HERE = Path(__file__).parent
RULES = RULESETS[0]


def offers(state: State) -> list[dict[str, Any]]:
    found = (RULES.legal_actions(state, seat) for seat in state.setup.seats)
    return [serialization.event_to(event) for event in itertools.chain.from_iterable(found)]


def in_order(events: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps(event, sort_keys=True) for event in events)


def test_the_star_is_the_one_described() -> None:
    pairs = {frozenset((cell, other)) for cell in CELLS for other in NEIGHBOURS[cell]}
    assert pairs == naive.EDGES
    assert len(pairs) == 60
    assert sorted(map(len, NEIGHBOURS.values())) == [1] * 6 + [2] * 12 + [3] * 30


def test_neighbours_share_an_edge_of_the_drawing() -> None:
    corners = {triangle.cell: set(triangle.points) for triangle in BOARD.cells}
    assert len(corners) == 48
    for one, other in itertools.combinations(CELLS, 2):
        assert (len(corners[one] & corners[other]) == 2) == (other in NEIGHBOURS[one])


def test_every_triangle_has_three_equal_sides() -> None:
    for triangle in BOARD.cells:
        for one, other in itertools.combinations(triangle.points, 2):
            assert math.dist(one, other) == pytest.approx(100, abs=0.01), triangle.cell


READINGS: tuple[dict[str, Any], ...] = (
    {},
    {"retreat": "optional-stay"},
    {"retreat": "decline-is-capture", "max_rounds": 20},
    {"surround": "enemies-only"},
    {"attacker": "moved-piece"},
    {"pantry_use": "permanent"},
    {"repeat": "ordered"},
    {"repeat": "off", "surround": "enemies-only", "retreat": "optional-stay"},
)


@pytest.mark.parametrize("player", ["random", "bot"])
@pytest.mark.parametrize("options", READINGS, ids=json.dumps)
@pytest.mark.parametrize("players", [2, 3, 6])
def test_both_offer_the_same_and_get_the_same(players: int, options: dict[str, Any], player: str) -> None:
    started = start.started(RULES, players, options=options)
    game = naive.Game(serialization.event_to(started)["options"])
    state = RULES.setup(started)
    rng = random.Random(f"{players}{options}")  # noqa: S311 - repeatable on purpose
    for _ in range(600):
        offered = offers(state)
        assert in_order(offered) == in_order(game.legal())
        if not offered:
            break
        event = (bot_event if player == "bot" else random_event)(state, offered, rng)
        game.play(serialization.event_to(event))
        state = fold.evolve(RULES, state, event)
        same_position(state, game)


@pytest.mark.parametrize("players", RULES.seats)
def test_simulated_games_agree_to_the_end(players: int) -> None:
    for seed in range(GAMES):
        options = READINGS[seed % len(READINGS)]
        started = start.started(RULES, players, options=options, origin="simulated")
        game = naive.Game(serialization.event_to(started)["options"])
        state = RULES.setup(started)
        dice = random.Random(seed)  # noqa: S311 - repeatable on purpose
        for event, after in playout.playout(RULES, started, dice):
            game.play(serialization.event_to(event))
            state = after
            same_position(state, game)
        over = RULES.outcome(state)
        assert over is not None
        held = [game.board[cell][0] for cell in game.board] + [
            team for team, count in game.pantry.items() for _ in range(count)
        ]
        leads = started.options.teams
        assert over.scores == {seat: sum(leads[team] == seat for team in held) for seat in started.seats}
        living = {leads[piece[0]] for piece in game.board.values()}
        assert set(over.winners) == (living if over.reason == "last-player" else set())


def bot_event(state: State, _offered: list[dict[str, Any]], rng: random.Random) -> Event:
    assert RULES.bot is not None
    return RULES.bot(state, RULES.pending(state)[0].seat, rng)


def random_event(_state: State, offered: list[dict[str, Any]], rng: random.Random) -> Event:
    """Draw any offer, but a resignation only rarely: it ends most of what there is to compare."""
    while True:
        item = rng.choice(offered)
        if item["kind"] != "player_resigned" or rng.random() < 1 / 50:
            return serialization.event_from(RULES, item)


def same_position(state: State, game: naive.Game) -> None:
    assert {cell: piece.id.upper() for cell, piece in state.pieces.items()} == game.board
    assert {team: state.pantry.get(team, 0) for team in naive.TEAMS} == game.pantry
    assert (state.eaten, state.gone, state.round) == (game.eaten, game.gone, game.round)
    assert (state.retreat, RULES.outcome(state) is not None) == (game.attacked, game.over)
    if not game.over:
        assert state.turn == game.team
        assert (state.move, state.attack, state.extra) == game.left()
        assert set(state.frozen) == {piece.lower() for piece in game.board.values() if game.frozen(piece)}


# --- counts of sequences -----------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Position:
    """One paragraph of the file: how the position is reached, and how many sequences begin there."""

    name: str
    players: int
    options: dict[str, Any]
    moves: str
    counts: tuple[int, ...]


def positions() -> tuple[Position, ...]:
    return tuple(_positions())


def _positions() -> Iterator[Position]:
    text = (HERE / "perft.txt").read_text(encoding="utf-8")
    for paragraph in text.split("\n\n"):
        rows = [line.split(" ", 1) for line in paragraph.splitlines() if line and not line.startswith("#")]
        if not rows:
            continue
        said = {key: value for key, value in rows if key != "perft"}
        counts = tuple(int(value.split(" ")[1]) for key, value in rows if key == "perft")
        yield Position(
            said["id"], int(said["players"]), json.loads(said["options"]), said.get("moves", ""), counts
        )


def reached(position: Position) -> tuple[State, naive.Game]:
    started = start.started(RULES, position.players, options=position.options)
    state = RULES.setup(started)
    game = naive.Game(serialization.event_to(started)["options"])
    for text in position.moves.split(";") if position.moves else ():
        for event in wording.read(RULES, state, text):
            RULES.check(state, event)
            game.play(serialization.event_to(event))
            state = fold.evolve(RULES, state, event)
    return state, game


def count_sequences(state: State, depth: int) -> int:
    if depth == 0:
        return 1
    events = (RULES.legal_actions(state, seat) for seat in state.setup.seats)
    return sum(
        count_sequences(fold.evolve(RULES, state, event), depth - 1)
        for event in itertools.chain.from_iterable(events)
    )


@pytest.mark.parametrize("position", positions(), ids=lambda position: position.name)
def test_counts_of_sequences(position: Position) -> None:
    state, game = reached(position)
    assert len(position.counts) == 3
    for depth, count in enumerate(position.counts, start=1):
        assert count_sequences(state, depth) == count
        assert naive.count_sequences(game, depth) == count


def test_counted_positions_are_for_2_3_and_6_players() -> None:
    assert [position.players for position in positions()] == [2, 3, 6]
