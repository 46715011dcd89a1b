"""Whose turn is next: as counted one by one, and at once where whole rounds are missed or nobody is left."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from games.core import start
from games.rulesets.legend_of_monopoly import RULESETS
from games.rulesets.legend_of_monopoly.state import State, living
from games.rulesets.legend_of_monopoly.turns import gone, next_turn

LEGEND = RULESETS[0]


def table(players: int, rounds: int | None = None) -> State:
    win = {"win": "wealthiest-after-rounds", "rounds": rounds} if rounds else {}
    first: State = LEGEND.setup(start.started(LEGEND, players, options=win))
    return replace(first, phase="turn.pre", turn="p1", first="p1", contenders=())


def counted(state: State, seat: str) -> tuple[str, str | None, int, dict[str, int]]:
    """Pass the turn as people do, one missed turn after the other."""
    seats, last, skip = state.setup.seats, state.setup.options.rounds, dict(state.skip)
    place, number = seats.index(seat), state.round
    while True:
        place = (place + 1) % len(seats)
        number += seats[place] == state.first
        if last is not None and number > last:
            return "over", state.turn, state.round, skip
        if skip.get(seats[place]) == 0:
            return "turn.pre", seats[place], number, skip
        if seats[place] in skip:
            skip[seats[place]] -= 1


@pytest.mark.parametrize("rounds", [None, 6])
def test_turns_missed_are_as_when_they_are_counted_one_by_one(rounds: int | None) -> None:
    dice = random.Random(5)  # noqa: S311 - to be repeated
    for _ in range(300):
        players = dice.randint(2, 6)
        state = replace(table(players, rounds), first=f"p{dice.randint(1, players)}")
        seat = dice.choice(state.setup.seats)
        skip = {other: dice.randint(0, 5) for other in state.skip if dice.random() < 0.8}
        state = replace(state, skip=skip or {seat: 1}, round=dice.randint(1, rounds or 9), turn=seat)
        after = next_turn(state, seat)
        assert (after.phase, after.turn, after.round, after.skip) == counted(state, seat)


def test_a_turn_is_passed_at_once_however_many_are_to_be_missed() -> None:
    state = replace(table(3), skip={"p1": 10**14, "p2": 10**14 + 2, "p3": 10**14 + 1})
    after = next_turn(state, "p3")
    assert (after.turn, after.round, after.skip) == ("p1", 10**14 + 2, {"p1": 0, "p2": 2, "p3": 1})


def test_the_game_is_over_where_the_last_player_is_taken_out() -> None:
    state = table(3)
    for seat in state.setup.seats:
        state = gone(state, seat, "chest")
    assert (state.phase, living(state)) == ("over", ())


def test_who_leaves_before_the_first_turn_throws_no_more() -> None:
    """Only as a ruling: the rules have nobody leave then."""
    state: State = LEGEND.setup(start.started(LEGEND, 3))
    state = gone(replace(state, rolls={"p1": (1, 2), "p3": (3, 4)}), "p3", "chest")
    LEGEND.invariants(state)
    assert (state.contenders, state.rolls, state.phase) == (("p1", "p2"), {"p1": (1, 2)}, "start")


def test_where_the_last_who_had_not_thrown_leaves_the_highest_of_the_others_begins() -> None:
    state: State = LEGEND.setup(start.started(LEGEND, 3))
    state = gone(replace(state, rolls={"p1": (1, 2), "p2": (3, 4)}), "p3", "chest")
    LEGEND.invariants(state)
    assert (state.phase, state.turn, state.first, state.contenders) == ("turn.pre", "p2", "p2", ())
