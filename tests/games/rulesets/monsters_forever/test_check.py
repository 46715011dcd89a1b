"""Refusals: exactly what is not listed is refused, and what a refusal offers is possible."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest

from games.core import fold, serialization, start
from games.core.events import Event
from games.core.ruleset import IllegalAction
from games.rulesets.monsters_forever import RULESETS
from games.rulesets.monsters_forever.board import CELLS, NEIGHBOURS, TEAMS
from games.rulesets.monsters_forever.events import (
    CreatureAttacked,
    CreatureMoved,
    CreatureRetreated,
    PantryOpened,
    PlayerResigned,
    RetreatDeclined,
    TurnEnded,
)
from games.rulesets.monsters_forever.state import State, can_move

RULES = RULESETS[0]


def thinkable(state: State, rng: random.Random) -> Iterator[Event]:
    """Give every event that might be right, and many that cannot be."""
    teams = {state.turn, rng.choice(TEAMS)} | {piece.team for piece in state.pieces.values()}
    for cell in CELLS:
        near = {*NEIGHBOURS[cell], cell, rng.choice(CELLS), rng.choice(CELLS)}
        for team in teams if cell == state.retreat else {state.turn, rng.choice(TEAMS)}:
            yield RetreatDeclined(team, cell)
            for other in sorted(near):
                yield CreatureMoved(team, cell, other)
                yield CreatureAttacked(team, cell, other)
                yield CreatureRetreated(team, cell, other)
    for team in sorted(teams):
        yield TurnEnded(team)
        yield from (PantryOpened(team, count) for count in range(1, 8))
    yield from (PlayerResigned(f"p{number}") for number in range(1, 8))


@pytest.mark.parametrize("options", [{}, {"retreat": "optional-stay", "attacker": "moved-piece"}], ids=str)
@pytest.mark.parametrize("players", [2, 3, 6])
def test_exactly_what_is_not_listed_is_refused(players: int, options: dict[str, str]) -> None:
    started = start.started(RULES, players, options=options)
    state = RULES.setup(started)
    rng = random.Random(players)  # noqa: S311 - repeatable on purpose
    last: Event | None = None
    for step in range(180):
        legal = [event for seat in started.seats for event in RULES.legal_actions(state, seat)]
        if not legal:
            break
        if step % 20 == 0 or (state.retreat is not None and step % 4 == 0) or unusual(state, last):
            for event in thinkable(state, rng):
                judge(state, event, legal)
        last = pick(legal, rng)
        state = fold.evolve(RULES, state, last)


def unusual(state: State, last: Event | None) -> bool:
    """The move is due, and yet more is possible than a move: right behind the pantry, or where none can."""
    return isinstance(last, PantryOpened) or (state.move == 1 and not can_move(state, state.turn))


def pick(legal: list[Event], rng: random.Random) -> Event:
    going_on = [event for event in legal if not isinstance(event, PlayerResigned)]
    rare = [event for event in going_on if isinstance(event, CreatureAttacked | PantryOpened)]
    return rng.choice(rare or going_on)


def judge(state: State, event: Event, legal: list[Event]) -> None:
    if event in legal:
        RULES.check(state, event)
        return
    with pytest.raises(IllegalAction) as caught:
        RULES.check(state, event)
    refused = caught.value
    assert refused.legal or refused.code == "concede-instead"
    assert all(offer in legal for offer in refused.legal)
    assert refused.rule
    assert f"({refused.rule})" in refused.sentence


@pytest.mark.parametrize(
    "payload",
    [
        {"kind": "creature_moved", "team": "A", "from": "A9", "to": "A5"},
        {"kind": "creature_moved", "team": "G", "from": "A6", "to": "A5"},
        {"kind": "creature_moved", "team": "A", "from": "A6", "to": None},
        {"kind": "creature_attacked", "team": "A", "from": "A6"},
        {"kind": "pantry_opened", "team": "A", "count": 0},
        {"kind": "player_resigned", "player": "chance"},
        {"kind": "turn_ended", "team": "A", "why": "tired"},
    ],
    ids=str,
)
def test_an_event_of_another_shape_is_no_event(payload: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        serialization.event_from(RULES, payload)
