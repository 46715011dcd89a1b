"""Begin a variation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, Self

import msgspec

from eventstore.library import details
from eventstore.log.ids import digest
from eventstore.log.rows import Append, NewEvent
from eventstore.log.tables import PutDetails, PutParent
from eventstore.recording.commands.command import Command, Decision
from eventstore.recording.commands.new import new_game_id
from eventstore.replay.game import gone_from
from games.core.events import Parent, RecordRuled, RecordStarted, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventstore.access.actor import Actor
    from eventstore.log.rows import Details, StoredEvent
    from eventstore.replay.game import Game
    from games.core.ruleset import Random

_STARTED: Final = kind_of(RecordStarted)
_RULED: Final = kind_of(RecordRuled)


class Branch(Command, frozen=True):
    """Begin a variation: a game of its own that is this one up to `step`, and goes on as it likes.

    Names:   day, zone, place and names are those of the parent; without a `title` it names the step.
    Notes:   stay with the parent.
    Errors:  `UnknownStep`, `TextOnly`, `Unfinished`, `Unreadable` where the parent cannot be folded so far;
             `BadDetail`, `BadId`, `GameIdTaken`.
    """

    step: int
    title: str | None = None
    as_game: str | None = None
    """The id of the variation; as `New.game`."""

    begins: ClassVar[bool] = True
    unwritten: ClassVar[str] = "this variation was not started"

    def complete(self, draw: Callable[[int], str]) -> Self:
        """See `Command`."""
        return msgspec.structs.replace(self, as_game=new_game_id(self.as_game, self.id, draw))

    def stream(self, game: str) -> str:
        """See `Command`: a stream of its own, whose id stands in the command."""
        _ = game
        return self.as_game or ""

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        return digest("branch", game, self.step, self._title(), actor.by)

    def _title(self) -> str | None:
        return details.line("title", self.title, details.TITLE)

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        _ = chance
        parent, name = Parent(game.id, game.head, self.step), self.as_game or ""
        game.must_be_judged()
        game.must_know(self.step)
        game.state_from_start(self.step)
        typed = details_of(game.details, self.step, self._title())
        request = self.request(game.id, game.actor)
        append = Append(name, _rows(game, parent), 0, self.id or name, request)
        tables = (PutDetails(name, typed), PutParent(name, msgspec.json.encode(parent).decode()))
        return Decision(game, self, append, tables)


def _rows(game: Game, parent: Parent) -> tuple[NewEvent, ...]:
    """The first events of a variation, stamped as they were; the first one names the parent.

    Left out: what a ruling stands `instead_of`, which has no number in this record.
    Errors:  `Unreadable` for a row that is gone.
    """
    spans = game.runs.stretch(0, parent.step)
    found = [row for low, high in spans for row in game.rows(low, high)]
    if len(found) <= parent.step:
        there = {row.seq for row in found}
        raise gone_from(game, next(seq for seq in game.runs if seq not in there))
    return tuple(NewEvent(row.kind, _payload(row, parent), row.by, row.recorded_at) for row in found)


def _payload(row: StoredEvent, parent: Parent) -> str:
    """The same JSON object, all that stays as it was written."""
    if row.kind not in {_STARTED, _RULED}:
        return row.payload
    said = msgspec.json.decode(row.payload, type=dict[str, msgspec.Raw])
    if row.kind == _STARTED:
        said["parent"] = msgspec.Raw(msgspec.json.encode(parent))
    said.pop("instead_of", None)
    return msgspec.json.encode(said).decode()


def details_of(parent: Details, step: int, title: str | None) -> Details:
    """What is known of a variation that nobody said anything else of: all that is known of its parent."""
    behind = f"from step {step}"
    name = (parent.title or "What if")[: details.TITLE - len(behind) - 2]
    return replace(parent, title=title or f"{name}, {behind}")
