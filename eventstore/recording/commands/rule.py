"""Record what the table agreed on against the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from eventstore.library import details
from eventstore.log.ids import digest
from eventstore.recording import inputs, judging
from eventstore.recording.commands.command import Command, Decision, decision
from eventstore.recording.inputs import EventInput, ReadEvent
from eventstore.refusals import NothingGiven
from games.core.events import Change, RecordRuled

if TYPE_CHECKING:
    from eventstore.access.actor import Actor
    from eventstore.replay.game import Game
    from games.core.ruleset import Random


class Rule(Command, frozen=True):
    """Record a ruling: an event that the rules refuse, or a patch of the state.

    Errors:  `IllegalAction` `cannot-be-kept` where the rules cannot follow the event, `no-such-place`,
             `ruling-does-not-fit`, `ruling-mistyped`, `ruling-breaks-the-count`; `NothingToRule`,
             `NothingGiven`, `BadDetail`.
    """

    reason: str
    event: EventInput | None = None
    """What it would have done is recorded as changes of the state."""
    changes: Sequence[Change | Mapping[str, Any]] | None = None
    """`{at, now}`; with `was` too, it is refused where another value stands there."""

    unwritten: ClassVar[str] = "this ruling was not recorded"

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        spelt = None if self.event is None else inputs.sent(self.event)
        changes = [judging.plain(change) for change in self.changes or ()]
        return digest("rule", spelt, changes, details.reason(self.reason), actor.by)

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        _ = chance
        reason = details.reason(self.reason)
        judge = judging.judge_of(game)
        if self.event is not None:
            ruling = judging.ruled(judge, self.event, reason)
        elif self.changes:
            ruling = RecordRuled(reason, judging.fitted(judge, self.changes))
        else:
            raise NothingGiven
        found = judging.judged(judge, [ReadEvent(ruling, None)], game.actor.by)
        return decision(self, game, found.rows, found.next)
