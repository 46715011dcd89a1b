"""Undo, redo, and go back to a line that was left."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from eventstore.errors import BadHistory
from eventstore.log.ids import digest
from eventstore.recording.commands.command import Command, Decision, decision, rows_of
from eventstore.recording.draws import refuse_draws
from eventstore.refusals import AlreadyThere, BadCount, NotAVersion, NothingToRedo, NothingToUndo
from games.core import seat_permissions, serialization
from games.core.events import RecordRedone, RecordUndone
from games.core.ruleset import IllegalAction

if TYPE_CHECKING:
    from eventstore.access.actor import Actor
    from eventstore.replay.game import Game
    from games.core.ruleset import Random

_NOT_ENTERED: Final = "With this key you take back, and bring back, what it entered itself; another did this."


class Undo(Command, frozen=True):
    """Take back the last `n` actions, an amendment being one: one command with a row for each.

    Errors:  `NothingToUndo`, `BadCount`; `UndoPastDraw` without `again`; `IllegalAction` `not-yours`.
    """

    n: int = 1
    again: bool = False
    """A dealt game's draws may be undone, to be drawn anew; not by a seat that is not shown everything."""

    judged_as: ClassVar[Literal["actor", "house", "whole"]] = "house"
    unwritten: ClassVar[str] = "nothing was undone"

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        return digest("undo", self.n, self.again, actor.by)

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        _ = chance
        game.must_be_judged()
        targets = _undo_targets(game, _count(self.n))
        if len(targets) < self.n:
            raise NothingToUndo(game.id, len(targets))
        bound = game.bound_seat is not None
        if bound:
            _refuse_others(game, targets[-1])
        if bound or not self.again:
            _refuse_return(game, targets[-1])
        return decision(self, game, rows_of([RecordUndone(to) for to in targets], game.actor.by))


class Redo(Command, frozen=True):
    """Bring back what was undone last.

    Errors:  `NothingToRedo`, also after a new event; `BadCount`; `IllegalAction` `not-yours`.
    """

    n: int = 1

    judged_as: ClassVar[Literal["actor", "house", "whole"]] = "house"
    unwritten: ClassVar[str] = "nothing was redone"

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        return digest("redo", self.n, actor.by)

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        _ = chance
        game.must_be_judged()
        targets = list(islice(game.history.redo_targets(game.head), _count(self.n)))
        if len(targets) < self.n:
            raise NothingToRedo(game.id, len(targets))
        if game.bound_seat is not None:
            _refuse_others(game, targets[-1])
        return decision(self, game, rows_of([RecordRedone(to) for to in targets], game.actor.by))


class Restore(Command, frozen=True):
    """Make the history what it was after event `to` of any line (`Game.lines`).

    Errors:  `UnknownEvent`; `NotAVersion` for an event inside an amendment; `AlreadyThere`; `UndoPastDraw`
             without `again`.
    """

    to: int
    again: bool = False
    """A dealt game's draws may go, as by `Undo`."""

    unwritten: ClassVar[str] = "the game was left as it is"

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        return digest("restore", self.to, self.again, actor.by)

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        _ = chance
        game.must_be_judged()
        game.must_have(self.to)
        redone = RecordRedone(self.to)
        try:
            game.history.extended([(game.head + 1, serialization.encode_event(redone))])
        except BadHistory:
            raise NotAVersion(game.id, self.to) from None
        if game.history.at(self.to) == game.runs:
            raise AlreadyThere(game.id, self.to)
        if not self.again:
            _refuse_return(game, self.to)
        return decision(self, game, rows_of([redone], game.actor.by))


def _count(n: int) -> int:
    if n < 1:
        raise BadCount(n)
    return n


def _undo_targets(game: Game, n: int) -> list[int]:
    """What `n` undos in a row name; fewer where there are no more."""
    history, found = game.history.extended(()), list[int]()
    for head in range(game.head, game.head + n):
        to = history.undo_target(head)
        if to is None:
            break
        found.append(to)
        history.add(head + 1, serialization.encode_event(RecordUndone(to)))
    return found


def _refuse_others(game: Game, to: int) -> None:
    """Refuse to take back or bring back what somebody else entered; what lies hidden plays no part."""
    now, then = game.runs, game.history.at(to)
    first = now.common(then)
    changed = (*now.stretch(first, len(now) - 1), *then.stretch(first, len(then) - 1))
    if any(row.by != game.actor.by for low, high in changed for row in game.rows(low, high)):
        raise IllegalAction(seat_permissions.NOT_YOURS, _NOT_ENTERED)


def _refuse_return(game: Game, to: int) -> None:
    """Refuse where a dealt game loses a draw when it is again what it was after event `to`."""
    then = game.history.at(to)
    refuse_draws(game, lambda seq: then.index_of(seq) is None)
