"""What a command comes to: each event judged by what the asker knows first, then by everything.

Nothing here reads or writes a log: `Recorder` brings the game as it stands and appends what comes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from eventstore.log.rows import NewEvent
from eventstore.recording import inputs, rulings
from eventstore.recording.inputs import Given, Sent
from eventstore.refusals import BadLine, IllegalLine, NothingGiven, NothingToRule
from eventstore.replay import folding
from games.core import fold, seat_permissions
from games.core.events import Change, Event, RecordClosed, RecordRuled, RecordStarted, kind_of
from games.core.ruleset import CHANCE, EVERYTHING, IllegalAction, Outcome, Rng, Ruleset

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eventstore.replay.game import Moment

_RULED_OPENLY: Final = "A ruling is recorded where everything is shown: choose “see as everything”."
_MOST_DEALT: Final = 20_000
"""Chance outcomes that one command may append."""


@dataclass(frozen=True)
class Present:
    """A game as it stands, for everything and for the one who asks."""

    moment: Moment
    ruleset: Ruleset[Any]
    started: RecordStarted[Any, Any]
    viewer: str
    seen: Any
    """The asker's state."""

    @property
    def closed(self) -> bool:
        """The table has ended the record."""
        return self.moment.closing is not None

    @property
    def hides(self) -> bool:
        """Something may be hidden from the asker."""
        return self.viewer != EVERYTHING and self.ruleset.hides


@dataclass(frozen=True)
class Decided:
    """What a command comes to, before it is appended."""

    rows: tuple[NewEvent, ...]
    states: list[tuple[int, Any]]
    """Step and state: those worth a keyframe, and the last two."""
    outcome: Outcome | None
    since: int = 0
    """The step that it went on from, which has its keyframe."""


# --- what is sent ------------------------------------------------------------------------------------


def sent(present: Present, events: Sequence[Event | Mapping[str, Any]], seat: str | None) -> Iterator[Sent]:
    """The events that were given, typed or as decoded JSON.

    Errors:  `NothingGiven`, `BadLine`; `IllegalLine` for a ruling by one from whom something is hidden.
    """
    if not events:
        raise NothingGiven
    for line, one in enumerate(events, 1):
        item = None if isinstance(one, Event) else one
        event = one if isinstance(one, Event) else inputs.from_object(present.ruleset, line, one)
        if isinstance(event, RecordRuled) and seat is None and present.hides:
            raise IllegalLine(line, IllegalAction("corrections-hidden", _RULED_OPENLY))
        yield Sent(inputs.tidy(event, line), item)


def drawn(present: Present, rng: Rng, *, until_decision: bool) -> Iterator[Sent]:
    """The chance outcomes that are due: all up to the next decision, or one."""
    rules, state = present.ruleset, present.moment.state
    for _ in range(_MOST_DEALT if until_decision else 1):
        due = [item for item in fold.pending(rules, state, closed=present.closed) if item.seat == CHANCE]
        if rules.deal is None or not any(item.must or not until_decision for item in due):
            return
        event = rules.deal(state, rng)
        yield Sent(event, None)
        state = fold.evolve(rules, state, event)


# --- judging -----------------------------------------------------------------------------------------


def decided(present: Present, events: Iterable[Sent], by: str, seat: str | None = None) -> Decided:
    """Check events one after the other, each against the state after those before it.

    Errors:  `IllegalLine`, `BadLine`.
    """
    if seat is not None and present.ruleset.hides:
        events = _judged_by_its_seat(present, list(events), seat)
    rules, seats, viewer = present.ruleset, present.started.seats, present.viewer
    state, seen, closing = present.moment.state, present.seen, present.moment.closing
    rows: list[NewEvent] = []
    states: list[tuple[int, Any]] = [(present.moment.steps, state)]
    for line, (event, item) in enumerate(events, 1):
        try:
            if viewer != EVERYTHING:
                fold.check(rules, seen, event, seats=seats, closed=closing is not None)
            _check_wholly(present, state, event, closed=closing is not None)
        except IllegalAction as refusal:
            raise IllegalLine(line, refusal) from None
        rows.append(NewEvent(kind_of(event), inputs.payload(rules, line, event, item), by))
        if viewer != EVERYTHING:
            seen = fold.evolve(rules, seen, fold.tell(rules, state, event, viewer, seen))
        state = fold.evolve(rules, state, event)
        folding.passed(states, present.moment.steps + line, state)
        closing = event if isinstance(event, RecordClosed) else closing
    outcome = fold.outcome(rules, state, seats, closing)
    return Decided(tuple(rows), states, outcome, present.moment.steps)


def _judged_by_its_seat(present: Present, events: list[Sent], seat: str) -> list[Sent]:
    """Judge all that a seat sends by what it knows, before anything hidden is looked at."""
    rules, seats = present.ruleset, present.started.seats
    seen, closed = present.seen, present.closed
    for line, (event, item) in enumerate(events, 1):
        try:
            seat_permissions.check(rules, seen, event, seat, seats=seats, closed=closed)
        except IllegalAction as refusal:
            raise IllegalLine(line, refusal) from None
        inputs.payload(rules, line, event, item)
        seen = fold.evolve(rules, seen, fold.tell(rules, seen, event, present.viewer, seen))
        closed = closed or isinstance(event, RecordClosed)
    return events


def _check_wholly(present: Present, state: Any, event: Event, *, closed: bool) -> None:
    """Judge by the full state; what only that refuses, the asker is told without a reason."""
    try:
        fold.check(present.ruleset, state, event, seats=present.started.seats, closed=closed)
    except IllegalAction:
        if present.viewer == EVERYTHING:
            raise
        raise IllegalAction("not-possible", "This is not possible.") from None


# --- rulings -----------------------------------------------------------------------------------------


def ruled(present: Present, one: Given, reason: str) -> RecordRuled:
    """The ruling that an event is recorded as.

    Errors:  `NothingToRule`; `IllegalAction` `cannot-be-kept`, and `record-closed`.
    """
    rules, seats, state = present.ruleset, present.started.seats, present.moment.state
    event = _one(rules, state, one)
    try:
        fold.check(rules, state, event, seats=seats, closed=present.closed)
    except IllegalAction as refusal:
        ruling = None if present.closed else rulings.instead(rules, state, event, reason, seats=seats)
        if ruling is not None:
            return ruling
        if present.closed:
            raise
        told = rulings.why_not(rules, state, event, seats=seats)
        why = f"This move cannot be ruled as it stands: {told or refusal.sentence}"
        rule = "" if told else refusal.rule
        raise IllegalAction("cannot-be-kept", why, rule, refusal.legal) from None
    raise NothingToRule


def _one(rules: Ruleset[Any], state: Any, one: Given) -> Event:
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


def fitted(present: Present, changes: Sequence[Change | Mapping[str, Any]]) -> tuple[Change, ...]:
    """Changes as a ruling stores them; `was` is what stands there, unless it was said.

    Errors:  `BadLine`; `IllegalAction` `no-such-place`.
    """
    said = [plain(change) for change in changes]
    for line, change in enumerate(said, 1):
        if not {"at", "now"} <= set(change) <= {"at", "was", "now"} or not isinstance(change["at"], str):
            raise BadLine(line, "a change has `at`, perhaps `was`, and `now`")
    found = fold.fitted(present.moment.state, [Change(one["at"], None, one["now"]) for one in said])
    return tuple(
        msgspec.structs.replace(change, was=one["was"]) if "was" in one else change
        for one, change in zip(said, found, strict=True)
    )
