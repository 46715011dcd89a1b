"""Judging the events of a command: each by what the asker knows first, then by everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from eventstore.errors import Unreadable
from eventstore.log.rows import NewEvent
from eventstore.recording import inputs, rulings
from eventstore.recording.commands.command import Next
from eventstore.recording.inputs import EventInput, ReadEvent
from eventstore.refusals import BadLine, IllegalLine, NothingGiven, NothingToRule, TextOnly
from eventstore.replay import folding
from eventstore.replay.replay import End
from games.core import fold, seat_permissions
from games.core.events import Change, Event, RecordClosed, RecordRuled, RecordStarted
from games.core.ruleset import CHANCE, EVERYTHING, IllegalAction, Random, Ruleset

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eventstore.replay.folding import States
    from eventstore.replay.game import Game

_RULED_OPENLY: Final = "A ruling is recorded where everything is shown: choose “see as everything”."
_MOST_DEALT: Final = 20_000
"""Chance outcomes that one command may append."""


@dataclass(frozen=True)
class Judge:
    """A game as it stands, for everything and for the one who asks: what events are judged by."""

    game: Game
    ruleset: Ruleset[Any]
    started: RecordStarted[Any, Any]
    states: States
    """The full state, and the asker's."""

    @property
    def viewer(self) -> str:
        """Whose view is asked."""
        return self.game.viewer

    @property
    def seats(self) -> tuple[str, ...]:
        """The seats of the game."""
        return self.started.seats

    @property
    def closed(self) -> bool:
        """The table has ended the record."""
        return self.game.closing is not None

    @property
    def has_hidden_information(self) -> bool:
        """Something may be hidden from the asker."""
        return not self.game.shows_all


def judge_of(game: Game) -> Judge:
    """Bring the last step of a game, as its viewer is to be answered.

    Errors:  `TextOnly` where it cannot be folded, `Unfinished`.
    """
    try:
        return Judge(game, *game.basis())
    except Unreadable:
        raise TextOnly(game.id, (game.position().fault or "").removesuffix(".")) from None


# --- what is sent ------------------------------------------------------------------------------------


def sent(judge: Judge, events: Sequence[Event | Mapping[str, Any]], seat: str | None) -> Iterator[ReadEvent]:
    """The events that were given, typed or as decoded JSON.

    Errors:  `NothingGiven`, `BadLine`; `IllegalLine` for a ruling by one from whom something is hidden.
    """
    if not events:
        raise NothingGiven
    for line, one in enumerate(events, 1):
        item = None if isinstance(one, Event) else one
        event = one if isinstance(one, Event) else inputs.from_object(judge.ruleset, line, one)
        if isinstance(event, RecordRuled) and seat is None and judge.has_hidden_information:
            raise IllegalLine(line, IllegalAction("corrections-hidden", _RULED_OPENLY))
        yield ReadEvent(inputs.tidy(event, line), item)


def drawn(judge: Judge, chance: Random, *, until_decision: bool) -> Iterator[ReadEvent]:
    """The chance outcomes that are due: all up to the next decision, or one."""
    rules, state = judge.ruleset, judge.states.full
    for _ in range(_MOST_DEALT if until_decision else 1):
        due = [item for item in fold.pending(rules, state, closed=judge.closed) if item.seat == CHANCE]
        if rules.deal is None or not any(item.must or not until_decision for item in due):
            return
        event = rules.deal(state, chance)
        yield ReadEvent(event, None)
        state = fold.evolve(rules, state, event)


class JudgedEvents(NamedTuple):
    """Events that stand, as the log takes them."""

    rows: tuple[NewEvent, ...]
    next: Next


# --- judging -----------------------------------------------------------------------------------------


def judged(judge: Judge, events: Iterable[ReadEvent], by: str, seat: str | None = None) -> JudgedEvents:
    """Check events one after the other, each against the state after those before it.

    Errors:  `IllegalLine`, `BadLine`.
    """
    if seat is not None and judge.ruleset.has_hidden_information:
        events = _judged_by_its_seat(judge, list(events), by, seat)
    rules, seats, viewer = judge.ruleset, judge.seats, judge.viewer
    state, seen, closing = judge.states.full, judge.states.observed, judge.game.closing
    since, rows = judge.game.steps, list[NewEvent]()
    states: list[tuple[int, Any]] = [(since, state)]
    for line, one in enumerate(events, 1):
        event = one.event
        try:
            if viewer != EVERYTHING:
                fold.check(rules, seen, event, seats=seats, closed=closing is not None)
            _check_wholly(judge, state, event, closed=closing is not None)
        except IllegalAction as refusal:
            raise IllegalLine(line, refusal) from None
        rows.append(inputs.stored(rules, line, one, by))
        if viewer != EVERYTHING:
            seen = fold.evolve(rules, seen, fold.observe(rules, state, event, viewer, seen))
        state = fold.evolve(rules, state, event)
        folding.passed(states, since + line, state)
        closing = event if isinstance(event, RecordClosed) else closing
    outcome = fold.outcome(rules, state, seats, closing)
    return JudgedEvents(tuple(rows), Next(End(closing, outcome), states, since))


def _judged_by_its_seat(judge: Judge, events: list[ReadEvent], by: str, seat: str) -> list[ReadEvent]:
    """Judge all that a seat sends by what it knows, before anything hidden is looked at."""
    rules, seats = judge.ruleset, judge.seats
    seen, closed = judge.states.observed, judge.closed
    for line, one in enumerate(events, 1):
        event = one.event
        try:
            seat_permissions.check(rules, seen, event, seat, seats=seats, closed=closed)
        except IllegalAction as refusal:
            raise IllegalLine(line, refusal) from None
        inputs.stored(rules, line, one, by)
        seen = fold.evolve(rules, seen, fold.observe(rules, seen, event, judge.viewer, seen))
        closed = closed or isinstance(event, RecordClosed)
    return events


def _check_wholly(judge: Judge, state: Any, event: Event, *, closed: bool) -> None:
    """Judge by the full state; what only that refuses, the asker is told without a reason."""
    try:
        fold.check(judge.ruleset, state, event, seats=judge.seats, closed=closed)
    except IllegalAction:
        if judge.viewer == EVERYTHING:
            raise
        raise IllegalAction("not-possible", "This is not possible.") from None


# --- rulings -----------------------------------------------------------------------------------------


def ruled(judge: Judge, one: EventInput, reason: str) -> RecordRuled:
    """The ruling that an event is recorded as.

    Errors:  `NothingToRule`; `IllegalAction` `cannot-be-kept`, and `record-closed`.
    """
    rules, seats, state = judge.ruleset, judge.seats, judge.states.full
    event = _one(rules, state, one)
    try:
        fold.check(rules, state, event, seats=seats, closed=judge.closed)
    except IllegalAction as refusal:
        ruling = None if judge.closed else rulings.instead(rules, state, event, reason, seats=seats)
        if ruling is not None:
            return ruling
        if judge.closed:
            raise
        told = rulings.why_not(rules, state, event, seats=seats)
        why = f"This move cannot be ruled as it stands: {told or refusal.sentence}"
        rule = "" if told else refusal.rule
        raise IllegalAction("cannot-be-kept", why, rule, refusal.legal) from None
    raise NothingToRule


def _one(rules: Ruleset[Any], state: Any, one: EventInput) -> Event:
    """Exactly one event.

    Errors:  `BadLine`, `IllegalAction` `not-understood`.
    """
    if isinstance(one, Event):
        return one
    if not isinstance(one, str):
        return inputs.from_object(rules, 1, one)
    events = [sent.event for move in inputs.moves(one) for sent in inputs.read(rules, state, 1, move)]
    if len(events) != 1:
        raise BadLine(1, f"a ruling stands for one event, and these are {len(events)}")
    return events[0]


def plain(change: Change | Mapping[str, Any]) -> Any:
    """A change as JSON has it."""
    return msgspec.to_builtins(change) if isinstance(change, Change) else dict(change)


def fitted(judge: Judge, changes: Sequence[Change | Mapping[str, Any]]) -> tuple[Change, ...]:
    """Changes as a ruling stores them; `was` is what stands there, unless it was said.

    Errors:  `BadLine`; `IllegalAction` `no-such-place`.
    """
    said = [plain(change) for change in changes]
    for line, change in enumerate(said, 1):
        if not {"at", "now"} <= set(change) <= {"at", "was", "now"} or not isinstance(change["at"], str):
            raise BadLine(line, "a change has `at`, perhaps `was`, and `now`")
    found = fold.fitted(judge.states.full, [Change(one["at"], None, one["now"]) for one in said])
    return tuple(
        msgspec.structs.replace(change, was=one["was"]) if "was" in one else change
        for one, change in zip(said, found, strict=True)
    )
