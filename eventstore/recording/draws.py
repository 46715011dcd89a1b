"""What Tabletape dealt or threw does not go without being asked for: the next draw would be another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventstore.refusals import UndoPastDraw
from games.core.ruleset import CHANCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventstore.replay.game import Game


def refuse_draws(game: Game, goes: Callable[[int], bool]) -> None:
    """Refuse where one of the events that go was dealt.

    Errors:  `UndoPastDraw`.
    """
    seq = dealt_among(game, goes)
    if seq is not None:
        raise UndoPastDraw(game.id, seq)


def dealt_among(game: Game, goes: Callable[[int], bool]) -> int | None:
    """The first event that goes and was dealt; None where there is none, or the game is not dealt here."""
    if game.origin != "dealt":
        return None
    steps = [step for step, seq in enumerate(game.runs) if step and goes(seq)]
    for position in game.positions(steps[0], steps[-1]) if steps else ():
        if goes(position.seq) and position.ruleset and position.readable:
            due = position.ruleset.pending(position.before)
            if any(item.seat == CHANCE and position.kind in item.kinds for item in due):
                return position.seq
    return None
