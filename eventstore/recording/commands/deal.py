"""Deal cards and throw dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from eventstore.log.ids import digest
from eventstore.recording import judging
from eventstore.recording.commands.command import Command, Decision, decision
from eventstore.refusals import NotDealt

if TYPE_CHECKING:
    from eventstore.access.actor import Actor
    from eventstore.replay.game import Game
    from games.core.ruleset import Random


class Deal(Command, frozen=True):
    """Append the chance outcomes that are due in a dealt game: all up to the next decision, or one.

    One:     is dealt also where a player may decide something else instead, as to trade and not draw.
    Nothing: due, nothing is appended.
    Errors:  `NotDealt`.
    """

    until_decision: bool = True

    judged_as: ClassVar[Literal["actor", "house", "whole"]] = "house"
    unwritten: ClassVar[str] = "nothing was dealt"

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        return digest("deal", self.until_decision, actor.by)

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        judge = judging.judge_of(game)
        if judge.started.origin != "dealt":
            raise NotDealt(game.id)
        drawn = judging.drawn(judge, chance, until_decision=self.until_decision)
        found = judging.judged(judge, drawn, game.actor.by)
        return decision(self, game, found.rows, found.next)
