"""A game, opened once: at one head, for one actor, seen as one viewer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eventstore.errors import UnknownGame
from eventstore.log.ids import is_game_id
from eventstore.refusals import (
    TextOnly,
    Unfinished,
    UnknownEvent,
    UnknownStep,
    UnknownViewer,
    ViewClosed,
)
from eventstore.replay import folding, notes
from eventstore.replay.seat_names import display_names
from games.core.ruleset import EVERYTHING, TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eventstore.access.actor import Actor
    from eventstore.errors import TabletapeError, Unreadable
    from eventstore.log.contract import EventLog
    from eventstore.log.history import History, Line, Runs
    from eventstore.log.note import Note
    from eventstore.log.rows import Details, StoredEvent
    from eventstore.replay.folding import States
    from eventstore.replay.position import Position
    from eventstore.replay.replay import Replay, Replays
    from games.core.events import Event, Parent, RecordClosed, RecordStarted
    from games.core.ruleset import Outcome, Ruleset


@dataclass(frozen=True, eq=False)
class Game:
    """One game at one head of its log, as one viewer may know it.  It never changes.

    Everything that can change (the head, the head of the notes, details and names) was read by one statement
    when the game was opened.  Everything else is read when it is asked for, from rows up to that head, which
    the log never changes.  So two answers of one `Game` never speak of two states of the game.

    Equal:   two are, if id, head, viewer, details and the head of the notes are.
    Life:    a request, a command or an export.
    """

    id: str
    actor: Actor
    viewer: str
    """As whom they look: `everything`, `table` or a seat."""
    details: Details
    """What people typed about the game."""
    names: Mapping[str, str]
    """Seat → display name, of every seat."""
    notes_head: int
    """The last event of its stream of notes; 0 where there is none."""
    hidden: bool
    """The lists leave it out."""
    details_damage: TabletapeError | None
    """Why the details cannot be read; pages do without them, a record file cannot."""
    replay: Replay = field(repr=False)
    """The effective history, which the viewers of one head share."""
    head: int = field(init=False)
    """The last event of its log: what a command that follows names as `after`."""
    steps: int = field(init=False)
    """The last step."""

    def __post_init__(self) -> None:
        """Bring what everybody asks for."""
        vars(self).update(head=self.replay.head.seq, steps=self.replay.steps)

    # --- what it is --------------------------------------------------------------------------------

    def _key(self) -> tuple[Any, ...]:
        return self.id, self.head, self.viewer, self.details, self.notes_head

    def __eq__(self, other: object) -> bool:
        """Compare what was read by the opening statement."""
        return isinstance(other, Game) and self._key() == other._key()

    def __hash__(self) -> int:
        """Fit `__eq__`."""
        return hash((self.id, self.head, self.viewer))

    @property
    def chain(self) -> str:
        """The chain's value after the head, 64 hex digits: for audit and the record file alone.

        It is made from all that the game hides, and so it stands on no page.
        """
        return self.replay.head.hash

    @property
    def ruleset(self) -> Ruleset[Any] | None:
        """Its rules; None where the game opens as text."""
        return self.replay.start.ruleset

    @property
    def ruleset_id(self) -> str:
        """The id of its ruleset, installed or not."""
        return self.replay.start.named.ruleset

    @property
    def version(self) -> int:
        """The version of its ruleset."""
        return self.replay.start.named.version

    @property
    def seats(self) -> tuple[str, ...]:
        """Its seats, in their order."""
        return self.replay.start.named.seats

    @property
    def origin(self) -> str:
        """`table`, `dealt` or `simulated`."""
        return self.replay.start.named.origin

    @property
    def parent(self) -> Parent | None:
        """For a variation: where it leaves another game."""
        return self.replay.start.named.parent

    @property
    def seen_as(self) -> str:
        """As whom the record was made; for a viewer's own record, the viewer."""
        return self.replay.start.named.seen_as if self.viewer == EVERYTHING else self.viewer

    @property
    def started(self) -> RecordStarted[Any, Any] | None:
        """Its first event as the viewer observes it; None where the game opens as text."""
        return self.replay.started(self.viewer)

    @property
    def text_only(self) -> str | None:
        """Why no step can be folded; None where steps can be."""
        return self.replay.start.text_only

    @property
    def damage(self) -> str | None:
        """Which undo, redo or amendment cannot be followed; the game is shown as it was before it."""
        return None if self.replay.damage is None else str(self.replay.damage)

    @property
    def history(self) -> History:
        """All versions of its history; ask it with `head`."""
        return self.replay.history

    @property
    def runs(self) -> Runs:
        """The effective history: step → seq."""
        return self.replay.runs

    @property
    def amended(self) -> bool:
        """The game as it stands was corrected in its middle."""
        return self.history.amended(self.head)

    @cached_property
    def whole(self) -> bool:
        """The record ends with a whole command: only then may anything be appended."""
        return self.history.whole(self.head)

    @property
    def has_hidden_information(self) -> bool:
        """Something may be hidden from somebody, as far as is known here."""
        return self.ruleset is None or self.ruleset.has_hidden_information

    @property
    def shows_all(self) -> bool:
        """Nothing is hidden from the viewer."""
        return self.viewer == EVERYTHING or not self.has_hidden_information

    @cached_property
    def views(self) -> tuple[str, ...]:
        """The viewers as whom the actor may look at it, the one that shows most first."""
        return self.actor.views(self.ruleset, self.seats)

    @cached_property
    def bound_seat(self) -> str | None:
        """The one seat for which the actor enters moves; `table` if they enter none.

        None where nothing is hidden from them.
        """
        return self.actor.bound_to(self.ruleset)

    # --- the same game, otherwise ------------------------------------------------------------------

    def at_head(self, head: int) -> Game:
        """The game as it was when its log ended with event `head`; details and notes are those of now.

        Errors:  `UnknownEvent`.
        """
        if head == self.head:
            return self
        self.must_have(head)
        return replace(self, replay=self.replay.at(head))

    def with_notes(self, head: int) -> Game:
        """The game with the notes as they were when their stream ended with event `head`."""
        return replace(self, notes_head=head)

    def seen_by(self, viewer: str) -> Game:
        """The same game as another viewer may know it.

        Errors:  `UnknownViewer`; `ViewClosed` for a view that is closed to the actor.
        """
        if viewer == self.viewer:
            return self
        self._must_be_open(viewer)
        return replace(self, viewer=viewer)

    def _must_be_open(self, viewer: str) -> None:
        known = (EVERYTHING, TABLE, *self.seats)
        if viewer not in known:
            raise UnknownViewer(viewer, known)
        if viewer not in self.views:
            raise ViewClosed(self.views)

    def as_everything(self) -> Game:
        """The same game with nothing hidden, whoever asks: to judge commands by, never to be shown."""
        return self if self.viewer == EVERYTHING else replace(self, viewer=EVERYTHING)

    def as_actor(self) -> Game:
        """The same game as the actor's own commands are judged: by their seat's view, if they have one."""
        seat = self.bound_seat
        if seat is None:
            return self
        return replace(self, viewer=seat if seat in self.seats else TABLE)

    # --- its steps ---------------------------------------------------------------------------------

    def position(self, step: int | None = None) -> Position:
        """One step; None is the last.

        A step that cannot be folded, and each after it, comes as text, with `fault`.
        Errors:  `UnknownStep`.
        """
        return self.replay.position(self.must_know(step), self.viewer)

    def positions(self, first: int = 0, last: int | None = None) -> Iterator[Position]:
        """The steps `first` to `last`, both included: one position each, damaged or not."""
        end = self.steps if last is None else min(last, self.steps)
        return self.replay.positions(max(first, 0), end, self.viewer)

    def states(self, step: int | None = None) -> States:
        """The full state and the viewer's at a step; None is the last.

        Errors:  `UnknownStep`; `TextOnly`; `Unreadable` with the seq where it cannot be folded.
        """
        if step is None or step == self.steps:
            return self._last_states
        return self.replay.states(self.must_know(step), self.viewer)

    @cached_property
    def _last_states(self) -> States:
        return self.replay.states(self.steps, self.viewer)

    def state_from_start(self, step: int | None = None) -> Any:
        """The viewer's state, folded from the first event on: what a snapshot must equal.

        Errors:  those of `states`.
        """
        return self.replay.states_from_start(self.must_know(step), self.viewer).observed

    def events(self, first: int = 0) -> Iterator[tuple[int, Event | Unreadable]]:
        """Seq and event, as stored, of each step from `first` on; why, where one cannot be read."""
        return self.replay.events(first)

    def kinds(self, first: int, last: int) -> list[str]:
        """The kinds of the steps `first` to `last`, both included."""
        return self.replay.kinds(first, last)

    @property
    def outcome(self) -> Outcome | None:
        """How the game has ended; None while it goes on, or where its last step cannot be folded."""
        return self.replay.end().outcome

    @property
    def closing(self) -> RecordClosed | None:
        """The last event, if it closes the record."""
        return self.replay.end().closing

    def step_of(self, seq: int) -> int | None:
        """The step that shows this event or its replacement now; None when none does.

        Errors:  `UnknownEvent`.
        """
        self.must_have(seq)
        return self.history.where(seq, self.head)

    def prefix(self, step: int) -> bytes:
        """Names the history up to a step, of all games: the key of every cache of what is drawn from it."""
        return self.id.encode() + self.runs.digest(step)

    def rows(self, first: int, last: int) -> list[StoredEvent]:
        """The raw events `first` to `last`, both included, as far as they lie before the head."""
        return self._log.events(self.id, first, min(last, self.head))

    # --- what must be ------------------------------------------------------------------------------

    def must_know(self, step: int | None) -> int:
        """Give the number of a step; None is the last.

        Errors:  `UnknownStep`.
        """
        if step is None:
            return self.steps
        if not 0 <= step <= self.steps:
            raise UnknownStep(self.id, step, self.steps)
        return step

    def must_have(self, seq: int) -> None:
        """Refuse an event that the log has not.

        Errors:  `UnknownEvent`.
        """
        if not 1 <= seq <= self.head:
            raise UnknownEvent(self.id, seq, self.head)

    def must_be_judged(self) -> tuple[Ruleset[Any], RecordStarted[Any, Any]]:
        """The rules and the first event, for who judges events.

        Errors:  `TextOnly`; `Unfinished` where a command is not whole.
        """
        rules, started = self.ruleset, self.replay.start.started
        if rules is None or started is None or self.damage:
            raise TextOnly(self.id, (self.damage or self.text_only or "").removesuffix("."))
        if not self.whole:
            raise Unfinished(self.id)
        return rules, started

    def basis(self) -> tuple[Ruleset[Any], RecordStarted[Any, Any], States]:
        """The rules, the first event and the states of the last step: what new events are judged by.

        Errors:  those of `must_be_judged`; `Unreadable` with the seq where the last step cannot be folded.
        """
        return *self.must_be_judged(), self.states()

    # --- beside its steps --------------------------------------------------------------------------

    @property
    def _log(self) -> EventLog:
        return self.replay.log

    @cached_property
    def all_notes(self) -> list[Note]:
        """Its notes, in the order of seq and id, whoever looks: to be shown, ask `Store.notes_by_step`.

        Errors:  `Unreadable` for a damaged one.
        """
        found = notes.rows(self._log, self.id, self.notes_head)
        return notes.in_order(notes.standing(found).values())

    def all_notes_by_step(self) -> dict[int | None, list[Note]]:
        """The same, by the step that shows their event or its replacement; None holds those of no step."""
        found: dict[int | None, list[Note]] = {}
        for note in self.all_notes:
            found.setdefault(self.history.where(note.seq, self.head), []).append(note)
        return found

    @cached_property
    def lines(self) -> list[Line]:
        """The lines of play that were left, and can be restored."""
        return self.history.lines(self.head)

    @cached_property
    def marks(self) -> list[tuple[int, str]]:
        """Seq and kind of its amendments, rulings and table checks, undone ones too."""
        return self._log.marks(self.id, self.head)


def opened(log: EventLog, replays: Replays, game: str, actor: Actor, viewer: str | None = None) -> Game:
    """Open a game at the head of now, by one statement; without a viewer, as the one that shows most.

    Errors:  `UnknownGame`, `UnknownViewer`, `ViewClosed`.
    """
    opening = log.opening(game) if is_game_id(game) else None
    if opening is None:
        raise UnknownGame(game)
    replay = replays.open(game, opening.head, rewritten=opening.rewritten)
    named = replay.start.named
    views = actor.views(replay.start.ruleset, named.seats)
    found = Game(
        id=game,
        actor=actor,
        viewer=views[0],
        details=opening.details,
        names=display_names(named.seats, opening.details.names),
        notes_head=opening.notes,
        hidden=opening.hidden,
        details_damage=opening.details_damage,
        replay=replay,
    )
    return found if viewer is None else found.seen_by(viewer)


def gone_from(game: Game, seq: int) -> Unreadable:
    """The refusal of an event that the history names and the log does not have."""
    return folding.gone(game.id, seq)
