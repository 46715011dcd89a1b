"""A command as a value, what it is decided to come to, and what it is answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import msgspec

from eventstore.log.rows import Append, NewEvent
from games.core import serialization
from games.core.events import Event, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eventstore.access.actor import Actor
    from eventstore.log.tables import TableChange
    from eventstore.replay.game import Game
    from eventstore.replay.replay import End
    from games.core.ruleset import Outcome, Random


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wants to do, complete: to decide it, only the game is needed beside it."""

    id: str | None = None
    """A repeat under the same id gets the first answer, whatever came since; None: it is never repeated."""
    after: int | None = None
    """The head that it was made for: another one is a conflict. None: any head will do."""

    costly: ClassVar[bool] = True
    """Deciding it costs more than looking up its id, so the id comes first."""
    judged_as: ClassVar[Literal["actor", "house", "whole"]] = "whole"
    """`actor`: by what the one who asks can know.  `house`: by everything, for anybody.  `whole`: by
    everything, for one from whom nothing is hidden."""
    begins: ClassVar[bool] = False
    """It begins a stream, whose id is the command's own id where it has none."""
    unwritten: ClassVar[str] = "this was not recorded"
    """What a refusal for lack of room says."""

    def complete(self, draw: Callable[[int], str]) -> Self:
        """The command with all that no game determines, such as new ids; `draw` gives so many letters."""
        _ = draw
        return self

    def stream(self, game: str) -> str:
        """The stream that it appends to: the game's own, unless a command says otherwise."""
        return game

    def request(self, game: str, actor: Actor) -> str:
        """A digest of what was asked for: a repeat has the same."""
        raise NotImplementedError

    def decide(self, game: Game, chance: Random) -> Decision:
        """What it comes to.  It depends on nothing but the game and the chance, and reads nothing else.

        Errors:  a refusal; nothing is recorded then.
        """
        raise NotImplementedError

    def result(self, game: Game) -> Any:
        """What it answers besides the game, from the game as it left it."""
        _ = game
        return None


class Next(NamedTuple):
    """What is known of a game behind a command, so that nobody folds it again."""

    end: End
    states: Sequence[tuple[int, Any]]
    """Step and full state: those worth a snapshot, and the last two."""
    since: int
    """The step that it went on from, whose snapshot is kept already."""


class Preview(NamedTuple):
    """What a command that appends nothing would come to."""

    step: int
    """The last step."""
    outcome: Outcome | None
    result: Any


@dataclass(frozen=True)
class Decision:
    """What a command comes to, before it is committed."""

    game: Game | None
    """The game that it was decided on; None where it begins one out of nothing."""
    command: Command
    append: Append | None
    """None: there is nothing to record."""
    tables: tuple[TableChange, ...] = ()
    """Changes of tables in the same transaction."""
    next: Next | None = None
    preview: Preview | None = None


@dataclass(frozen=True)
class Answer:
    """What an accepted command came to."""

    game: Game
    """The game as the command left it, whatever came since; after a command on a note, its notes as they
    were left, and its moves as they are now."""
    appended: int
    """Events that it added."""
    repeated: bool = False
    """It had been accepted before: nothing was added, and this is the first answer."""
    result: Any = None
    """What the command answers besides; see each command."""
    preview: Preview | None = None
    """What it would come to; only where nothing was appended."""

    @property
    def seq(self) -> int:
        """The head after it."""
        return self.game.head

    @property
    def step(self) -> int:
        """The last step after it."""
        return self.game.steps if self.preview is None else self.preview.step

    @property
    def outcome(self) -> Outcome | None:
        """How the game has ended after it; None while it goes on."""
        return self.game.outcome if self.preview is None else self.preview.outcome

    def plain(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        said: dict[str, Any] = {
            "game": self.game.id,
            "seq": self.seq,
            "step": self.step,
            "appended": self.appended,
            "outcome": msgspec.to_builtins(self.outcome),
            "repeated": self.repeated,
        }
        more = msgspec.to_builtins(self.result) if isinstance(self.result, CommandReport) else {}
        return {**said, **more}


class CommandReport(msgspec.Struct, frozen=True):
    """A result whose fields stand beside the others in JSON."""


def rows_of(events: Sequence[Event], by: str) -> tuple[NewEvent, ...]:
    """The events as the log takes them, signed."""
    return tuple(NewEvent(kind_of(event), serialization.encode_event(event), by) for event in events)


def decision(
    command: Command,
    game: Game,
    rows: Sequence[NewEvent],
    following: Next | None = None,
    tables: Sequence[TableChange] = (),
) -> Decision:
    """A decision to append these rows to the game that it was decided on."""
    if not rows:
        return Decision(game, command, None)
    request = command.request(game.id, game.actor)
    append = Append(game.id, tuple(rows), game.head, command.id or "", request)
    return Decision(game, command, append, tuple(tables), following)
