"""Record a look at the real table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from eventstore.log.ids import digest
from eventstore.recording import inputs, judging
from eventstore.recording.commands.command import Command, CommandReport, Decision, decision
from eventstore.recording.inputs import ReadEvent
from eventstore.recording.table_checks import Drift, drift
from eventstore.refusals import IllegalLine, NothingGiven
from games.core.events import Claim, RecordChecked
from games.core.ruleset import IllegalAction

if TYPE_CHECKING:
    from eventstore.access.actor import Actor
    from eventstore.replay.game import Game
    from games.core.ruleset import Random


class CheckReport(CommandReport, frozen=True):
    """What a table check came to."""

    drifts: tuple[Drift, ...] = ()
    """The claims that the record does not bear out; none: it holds."""


class Check(Command, frozen=True):
    """Record a look at the real table, whether the record holds or not; the answer says what drifted.

    Drifts:  those of the record as it was with this check as its last step, also for a repeat.
    Errors:  `NothingGiven`; `IllegalAction` `unknown-claim`.
    """

    claims: Mapping[str, int | str | None]
    """By the key of a counter, zone or cell of the scene."""

    judged_as: ClassVar[Literal["actor", "house", "whole"]] = "actor"
    unwritten: ClassVar[str] = "this check was not recorded"

    def _event(self) -> RecordChecked:
        if not self.claims:
            raise NothingGiven
        return RecordChecked(tuple(Claim(at, value) for at, value in self.claims.items()))

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        return digest("record", [inputs.sent(self._event())], actor.by)

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        _ = chance
        judge, seat = judging.judge_of(game), game.bound_seat
        try:
            event = inputs.tidy(self._event(), 1)
            found = judging.judged(judge, [ReadEvent(event, None)], game.actor.by, seat)
        except IllegalLine as refusal:
            raise IllegalAction(refusal.code, refusal.sentence) from None
        return decision(self, game, found.rows, found.next)

    def result(self, game: Game) -> Any:
        """See `Command`: a `CheckReport`."""
        return CheckReport(drift(game.as_actor(), game.steps))
