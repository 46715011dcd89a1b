"""Lines of moves as people type them, read against the game as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventstore.recording import inputs, judging
from games.core import fold
from games.core.events import Event
from games.text import wording

if TYPE_CHECKING:
    from eventstore.replay.game import Game


def read_line(game: Game, text: str) -> tuple[Event, ...]:
    """Read one typed line against the last step of a game: short forms or JSON objects, split at `;`.

    Errors:  `IllegalAction` `not-understood`, or what the rules say of an earlier move of the line; those of
             `judging.judge_of`.
    """
    judge = judging.judge_of(game)
    rules, state, found = judge.ruleset, judge.states.observed, list[Event]()
    for place, move in enumerate(given := inputs.moves(text)):
        for event in wording.read(rules, state, move):
            found.append(event)
            if place + 1 < len(given):
                fold.check(rules, state, event, seats=judge.seats, closed=judge.closed)
                state = fold.evolve(rules, state, event)
    return tuple(found)
