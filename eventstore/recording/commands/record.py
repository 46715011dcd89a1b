"""Record moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from eventstore.log.ids import digest
from eventstore.recording import inputs, judging
from eventstore.recording.commands.command import Command, Decision, decision
from games.core.events import Event
from games.words import counted

if TYPE_CHECKING:
    from eventstore.access.actor import Actor
    from eventstore.replay.game import Game
    from games.core.ruleset import Random


class Record(Command, frozen=True):
    """Append events, each checked against the state after those before it: all or none.

    Rulings: are refused from one who is not shown everything.
    Errors:  `IllegalLine` (an `IllegalAction`) and `BadLine` carry `line`, counted from 1; `NothingGiven`.
    """

    events: Sequence[Event | Mapping[str, Any]]
    """Typed events, or decoded JSON objects."""

    costly: ClassVar[bool] = False
    judged_as: ClassVar[Literal["actor", "house", "whole"]] = "actor"

    @property
    def unwritten(self) -> str:  # type: ignore[override]
        """See `Command`."""
        if len(self.events) == 1:
            return "this move was not recorded"
        return f"none of these {counted(len(self.events), 'move')} was recorded"

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        return digest("record", [inputs.sent(event) for event in self.events], actor.by)

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        _ = chance
        judge, seat = judging.judge_of(game), game.bound_seat
        found = judging.judged(judge, judging.sent(judge, self.events, seat), game.actor.by, seat)
        return decision(self, game, found.rows, found.next)
