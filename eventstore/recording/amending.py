"""Correcting a record in its middle: the edits, the rest judged again, and the splices that come of it.

`commands.amend` brings the events and appends what is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from eventstore.errors import Unreadable
from eventstore.log.rows import NewEvent
from eventstore.recording import inputs, rulings
from eventstore.recording.inputs import EventInput, ReadEvent
from eventstore.refusals import BadAmendment, BadLine, IllegalEdit, NothingGiven, NotInHistory
from eventstore.replay import folding
from eventstore.replay.stored_payloads import CannotFollow
from games.core import fold, serialization, start
from games.core.events import Edit, Event, RecordClosed, RecordRuled, RecordStarted, kind_of
from games.core.ruleset import EVERYTHING, TABLE, BadData, IllegalAction, Ruleset

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventstore.log.history import Runs
    from eventstore.replay.game import Game

    Where = Callable[[int], int | None]

MOST_FAULTS: Final = 200
"""After so many the rest is not judged: whoever gets so many will cut, or think again."""
JUDGED: Final = 40
"""Of so many that cannot stand it is found out whether they can be kept: as many as a page lists."""


@dataclass(frozen=True)
class Replace:
    """These events in the place of the one; as a settlement too."""

    events: Sequence[EventInput]


@dataclass(frozen=True)
class Remove:
    """Nothing in its place; as a settlement too."""


@dataclass(frozen=True)
class Insert:
    """These events behind it."""

    events: Sequence[EventInput]


@dataclass(frozen=True)
class Cut:
    """The history ends before it."""


@dataclass(frozen=True)
class Keep:
    """A ruling that does what it would have done; only where its fault is `keepable`."""

    reason: str = ""
    """Everybody at the table reads it."""


@dataclass(frozen=True)
class HistoryEdit:
    """What is to be otherwise at an event of the present history."""

    seq: int
    do: Replace | Remove | Insert


Settlement = Replace | Remove | Cut | Keep


class Fault(msgspec.Struct, frozen=True):
    """A later event that the amendment makes impossible; found as if every faulty one before were removed."""

    seq: int
    step: int
    """Where it stands before the amendment."""
    code: str
    message: str
    keepable: bool
    """`Keep` is among the choices; `Replace`, `Remove` and `Cut` always are."""
    rule: str = ""
    legal: tuple[Event, ...] = ()
    """What the rules would accept instead, at most 50."""


class PresentEvent(NamedTuple):
    """An event of the present history, or why it cannot be read."""

    seq: int
    event: Event | Unreadable


@dataclass(frozen=True)
class JudgingStart:
    """What the first judged event is judged by."""

    ruleset: Ruleset[Any]
    started: RecordStarted[Any, Any]
    step: int
    """The last step that stays as it is; -1 where the first event is replaced."""
    behind: int
    """Its event; 0 before the first."""
    state: Any
    """The state at that step."""
    closing: RecordClosed | None


class NewStep(NamedTuple):
    """A step of the new history: of the present event `seq`, or `new` and put at it."""

    seq: int
    event: Event
    new: bool


class ImpossibleEvent(NamedTuple):
    """An event that cannot stand, settled or not, and the step that would have been its."""

    fault: Fault
    step: int


class PlannedEdits(NamedTuple):
    """Wishes by event, and the first step that they change."""

    edits: Mapping[int, Sequence[HistoryEdit]]
    first: int


@dataclass(frozen=True)
class Correction:
    """What is to be otherwise, and what happens to events that it makes impossible."""

    edits: Mapping[int, Sequence[HistoryEdit]]
    """By seq."""
    settle: Mapping[int, Settlement]
    reason: str
    by: str
    rest: frozenset[int] | None = None
    """Whatever else cannot stand goes, but for these; None: nothing goes of itself."""

    def settled(self, seq: int) -> Settlement | None:
        """What happens to an event that cannot stand; None where that is open."""
        goes = self.rest is not None and seq not in self.rest
        return self.settle.get(seq, Remove() if goes else None)


@dataclass(frozen=True)
class Amendment:
    """What an amendment comes to."""

    edits: tuple[Edit, ...]
    rows: tuple[NewEvent, ...]
    faults: tuple[Fault, ...]
    unjudged: int
    """Events behind the last fault that were not looked at."""
    moot: tuple[int, ...]
    """Settlements of events that turned out to be no fault; those events stay."""
    gone: frozenset[int]
    """What goes with nothing in its place."""
    step: int
    state: Any
    """The state at the end."""
    closing: RecordClosed | None
    states: list[tuple[int, Any]]
    """Step and state: those worth a snapshot, and the last two."""
    first: int
    """The first step that may be another."""
    made: tuple[NewStep, ...]
    """The steps from `first` on, without those of `faults`."""
    met: tuple[ImpossibleEvent, ...]
    """What cannot stand, `faults` among it."""


@dataclass(frozen=True)
class AmendPlan:
    """What an amendment would come to; nothing was appended."""

    game: Game
    """The game as it stands."""
    amendment: Amendment
    redrawn: int | None
    """An event that was dealt and would go: it would be dealt anew."""


@dataclass
class _Splice:
    """An edit as it grows: it drops the steps `start` to `stop`, `stop` not included."""

    after: int
    start: int
    stop: int
    rows: list[NewEvent]


class _Faulty(Exception):
    """An event of the record cannot stand here."""

    def __init__(self, code: str, message: str, rule: str = "", legal: Iterable[Event] = ()) -> None:
        super().__init__(message)
        self.code, self.message, self.rule, self.legal = code, message, rule, tuple(legal)


class _Making:
    """The new history while it is made, step by step."""

    def __init__(self, basis: JudgingStart, asked: Correction) -> None:
        self.basis, self.asked = basis, asked
        self.rules, self.state = basis.ruleset, basis.state
        self.step, self.closing = basis.step, basis.closing
        self.states: list[tuple[int, Any]] = [(self.step, self.state)] if self.step >= 0 else []
        self.splices: list[_Splice] = []
        self.faults: list[Fault] = []
        self.made: list[NewStep] = []
        self.met: list[ImpossibleEvent] = []
        self.gone: set[int] = set()
        self.used: set[int] = set()

    # --- the fold ------------------------------------------------------------------------------------

    def judge(self, event: Event) -> None:
        """Refuse what the rules refuse here."""
        seats, closed = self.basis.started.seats, self.closing is not None
        fold.check(self.rules, self.state, event, seats=seats, closed=closed)

    def go(self, event: Event, seq: int, *, new: bool = True) -> None:
        """Take an event that was judged into the history: the present event `seq`, or one put at it."""
        self._stand(seq, event, fold.evolve(self.rules, self.state, event), new=new)

    def begin(self, started: RecordStarted[Any, Any], seq: int) -> None:
        """Start from another first event in the place of `seq`."""
        self._stand(seq, started, self.rules.setup(started), new=True)

    def _stand(self, seq: int, event: Event, state: Any, *, new: bool) -> None:
        self.state = state
        self.closing = event if isinstance(event, RecordClosed) else None
        self.made.append(NewStep(seq, event, new))
        self.step += 1
        folding.passed(self.states, self.step, state)

    # --- splices -------------------------------------------------------------------------------------

    def splice(self, after: int, place: int, drop: int, rows: list[NewEvent]) -> None:
        """Drop so many entries from the present step `place` on, and put these rows there.

        Neighbours become one edit where each row still replaces the entry that it was meant for.
        """
        last = self.splices[-1] if self.splices else None
        if last is not None and last.stop == place:
            dropped = last.stop - last.start
            if dropped == len(last.rows) or (dropped > len(last.rows) and not rows):
                last.stop += drop
                last.rows += rows
                return
        self.splices.append(_Splice(after, place, place + drop, rows))

    # --- what is given -------------------------------------------------------------------------------

    def take(self, seq: int, events: Sequence[EventInput]) -> list[NewEvent]:
        """Judge given events one after the other and take them in.

        Errors:  `NothingGiven` for a text without a move, as `;`.
        """
        if not events:
            raise BadAmendment(f"what is to stand at event {seq} is missing: give at least one event")
        rows = [row for one in events for row in self._taken(seq, one)]
        if not rows:
            raise NothingGiven
        return rows

    def _taken(self, seq: int, one: EventInput) -> Iterator[NewEvent]:
        try:
            for read, item in self._read(one):
                event = inputs.tidy(read, 1)
                self.judge(event)
                row = inputs.stored(self.rules, 1, ReadEvent(event, item), self.asked.by)
                self.go(event, seq)
                yield row
        except IllegalAction as refusal:
            raise IllegalEdit(seq, refusal) from None
        except BadLine as refusal:
            raise BadAmendment(f"what is to stand at event {seq} is no event ({refusal.why})") from None

    def _read(self, one: EventInput) -> Iterator[inputs.ReadEvent]:
        if isinstance(one, Event):
            yield inputs.ReadEvent(one, None)
        elif isinstance(one, str):
            for move in inputs.moves(one):
                yield from inputs.read(self.rules, self.state, 1, move)
        else:
            yield inputs.ReadEvent(inputs.from_object(self.rules, 1, one), one)

    def start_anew(self, seq: int, events: Sequence[EventInput]) -> list[NewEvent]:
        """Take another first event, and what is to follow it at once."""
        first, *others = events or ("",)
        try:
            started = _started(self.rules, self.basis.started, first)
            self.begin(started, seq)
        except IllegalAction as refusal:
            raise IllegalEdit(seq, refusal) from None
        except BadLine as refusal:
            raise BadAmendment(f"this cannot be the first event ({refusal.why})") from None
        row = inputs.stored(self.rules, 1, ReadEvent(started, None), self.asked.by)
        return [row, *(self.take(seq, others) if others else ())]

    # --- what is there -------------------------------------------------------------------------------

    def stays(self, old: PresentEvent) -> None:
        """Take a present event in.

        Errors:  `_Faulty`.
        """
        if isinstance(old.event, Unreadable):
            raise _Faulty(old.event.code, str(old.event))
        try:
            self.judge(old.event)
            self.go(old.event, old.seq, new=False)
        except IllegalAction as refusal:
            raise _Faulty(refusal.code, refusal.sentence, refusal.rule, refusal.legal) from None
        except (
            Exception
        ) as fault:  # what is stored may be anything, and rules are total on checked events only
            why = f"The rules cannot follow it here ({type(fault).__name__}: {fault})."
            raise _Faulty(CannotFollow.code, why) from fault

    def ruling(self, old: PresentEvent, reason: str, *, ahead: bool) -> RecordRuled | None:
        """The ruling that `Keep` puts; None where that is impossible, as far as it is looked ahead."""
        if isinstance(old.event, Unreadable) or self.closing is not None:
            return None
        said = reason or rulings.openly(old.event)
        seats = self.basis.started.seats
        return rulings.instead(
            self.rules, self.state, old.event, said, seats=seats, instead_of=old.seq, ahead=ahead
        )


def amended(basis: JudgingStart, olds: Sequence[PresentEvent], asked: Correction) -> Amendment:
    """Make the history anew behind `basis`; `olds` are the present events there.

    Errors:  `IllegalEdit` for an edit or a settlement that the rules refuse; `BadAmendment`.
    """
    making = _Making(basis, asked)
    first, behind, unjudged = basis.step + 1, basis.behind, 0
    _insert(making, behind, first)
    for place, old in enumerate(olds, first):
        edit = _at(asked, old.seq)
        try:
            if edit is None:
                making.stays(old)
            else:
                making.splice(behind, place, 1, _edited(making, edit))
        except _Faulty as fault:
            if isinstance(asked.settle.get(old.seq), Cut):
                _met(making, old, fault, place)
                _cut(making, olds[place - first :], place, behind)
                break
            _settle(making, old, fault, place, behind)
        behind = old.seq
        _insert(making, behind, place + 1)
        if len(making.faults) >= MOST_FAULTS:
            unjudged = len(olds) - (place - first) - 1
            break
    return _result(making, unjudged)


def _at(asked: Correction, seq: int) -> HistoryEdit | None:
    """The edit to replace or remove this event."""
    return next((edit for edit in asked.edits.get(seq, ()) if not isinstance(edit.do, Insert)), None)


def _edited(making: _Making, edit: HistoryEdit) -> list[NewEvent]:
    if isinstance(edit.do, Remove):
        making.gone.add(edit.seq)
        return []
    if making.step < 0:
        return making.start_anew(edit.seq, edit.do.events)
    return making.take(edit.seq, edit.do.events)


def _insert(making: _Making, seq: int, place: int) -> None:
    """Put what is to be inserted behind this event, before present step `place`."""
    for edit in making.asked.edits.get(seq, ()):
        if isinstance(edit.do, Insert):
            making.splice(seq, place, 0, making.take(seq, edit.do.events))


def _settle(making: _Making, old: PresentEvent, fault: _Faulty, place: int, behind: int) -> None:
    """Do what was settled about an event that cannot stand here; else note the fault and leave it out."""
    making.used.add(old.seq)
    settled = making.asked.settled(old.seq)
    ruling = _met(making, old, fault, place)
    match settled:
        case Remove():
            making.gone.add(old.seq)
            making.splice(behind, place, 1, [])
        case Replace(events):
            making.splice(behind, place, 1, making.take(old.seq, events))
        case Keep() if ruling is not None:
            making.go(ruling, old.seq)
            making.splice(behind, place, 1, [_ruled(making, ruling)])
        case Keep():
            why = f"Event {old.seq} cannot be kept, for the rules cannot follow it here: {fault.message}"
            raise IllegalEdit(old.seq, IllegalAction("cannot-be-kept", why, fault.rule, fault.legal))
        case _:
            making.faults.append(making.met[-1].fault)


def _met(making: _Making, old: PresentEvent, fault: _Faulty, place: int) -> RecordRuled | None:
    """Note an event that cannot stand; give the ruling that would keep it.

    Cost:    only what is to be kept, and the first that is open, is played on from.  Of those that are
             settled otherwise, and of the open ones, the first `JUDGED` are judged as rulings: nobody
             chooses among thousands.
    """
    settled = making.asked.settled(old.seq)
    keeps = isinstance(settled, Keep)
    next_one = settled is None and not making.faults
    ruling = (
        making.ruling(old, getattr(settled, "reason", "") or making.asked.reason, ahead=keeps or next_one)
        if keeps or len(making.met if settled else making.faults) < JUDGED
        else None
    )
    said = Fault(old.seq, place, fault.code, fault.message, ruling is not None, fault.rule, fault.legal[:50])
    making.met.append(ImpossibleEvent(said, making.step + 1))
    return ruling


def _ruled(making: _Making, ruling: RecordRuled) -> NewEvent:
    return inputs.stored(making.rules, 1, ReadEvent(ruling, None), making.asked.by)


def _cut(making: _Making, rest: Sequence[PresentEvent], place: int, behind: int) -> None:
    """End the history before the first of `rest`."""
    gone = [old.seq for old in rest]
    lost = [seq for seq in gone if seq in making.asked.edits]
    if lost:
        raise BadAmendment(f"event {lost[0]} is to be edited, and lies behind the cut at event {gone[0]}")
    making.used.update(gone)
    making.gone.update(gone)
    making.splice(behind, place, len(gone), [])


def _result(making: _Making, unjudged: int) -> Amendment:
    return Amendment(
        edits=tuple(Edit(one.after, one.stop - one.start, len(one.rows)) for one in making.splices),
        rows=tuple(row for one in making.splices for row in one.rows),
        faults=tuple(making.faults),
        unjudged=unjudged,
        moot=tuple(sorted(set(making.asked.settle) - making.used)),
        gone=frozenset(making.gone),
        step=making.step,
        state=making.state,
        closing=making.closing,
        states=making.states,
        first=making.basis.step + 1,
        made=tuple(making.made),
        met=tuple(making.met),
    )


def planned(
    edits: Sequence[HistoryEdit], settle: Mapping[int, Settlement], runs: Runs, where: Where
) -> PlannedEdits:
    """Order edits by event.

    where:   the step at which an event that is not in the history any more is shown, if at all.
    Errors:  `NothingGiven`; `NotInHistory`; `BadAmendment` for two edits about one event, a settlement of an
             event that is edited itself, or a first event that would be gone.
    """
    if not edits:
        raise NothingGiven
    by_seq: dict[int, list[HistoryEdit]] = {}
    first = len(runs)
    for seq in (*(edit.seq for edit in edits), *settle):
        if runs.index_of(seq) is None:
            raise NotInHistory(seq, None if (step := where(seq)) is None else runs.seq_at(step))
    for edit in edits:
        step = runs.index_of(edit.seq) or 0
        others = by_seq.setdefault(edit.seq, [])
        if isinstance(edit.do, Remove) and not step:
            raise BadAmendment(f"event {edit.seq} begins the game: it can be replaced, not removed")
        if not isinstance(edit.do, Insert) and any(not isinstance(other.do, Insert) for other in others):
            raise BadAmendment(f"event {edit.seq} is edited twice")
        others.append(edit)
        first = min(first, step + isinstance(edit.do, Insert))
    twice = next(
        (seq for seq in settle if any(not isinstance(w.do, Insert) for w in by_seq.get(seq, ()))), None
    )
    if twice is not None:
        raise BadAmendment(f"event {twice} is edited: it needs no settlement")
    return PlannedEdits(by_seq, first)


# --- the first event ---------------------------------------------------------------------------------


def _started(rules: Ruleset[Any], old: RecordStarted[Any, Any], one: EventInput) -> RecordStarted[Any, Any]:
    """Read another first event; an object names what is to be otherwise.

    Errors:  `BadLine`, also for data that do not fit; `IllegalAction`.
    """
    if isinstance(one, str):
        one = _object(one)
    new = one if isinstance(one, Event) else inputs.from_object(rules, 1, _completed(rules, old, one))
    if not isinstance(new, RecordStarted):
        raise BadLine(1, f"a game begins with record.started, not with {kind_of(new)}")
    for name in ("ruleset", "version", "seats", "origin", "parent"):
        if getattr(new, name) != getattr(old, name):
            raise BadLine(1, f"its {name} stays {msgspec.json.encode(getattr(old, name)).decode()}")
    if new.seen_as not in (EVERYTHING, TABLE, *old.seats):
        raise BadLine(1, f"{new.seen_as!r} is no viewer of this game")
    if new.data != old.data:
        try:
            start.check_data(rules, new)
        except BadData as fault:
            raise BadLine(1, f"its data do not fit: {fault}") from None
    return new


def _object(text: str) -> Mapping[str, Any]:
    try:
        return msgspec.convert(serialization.read_json(text), dict[str, Any])
    except msgspec.DecodeError as fault:
        raise BadLine(1, f"it is written as a JSON object: {fault}") from fault


def _completed(
    rules: Ruleset[Any], old: RecordStarted[Any, Any], said: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Fill in what the present first event says; data that were shipped are those of the new options."""
    options = said.get("options", {})
    if said.get("kind") != kind_of(old) or not isinstance(options, Mapping):
        return said
    plain = serialization.event_to(old)
    full = {**plain, **said, "options": {**plain["options"], **options}}
    if (
        "data" not in said
        and options
        and old.data == rules.load_data(None, old.seats, old.options, old.origin)
    ):
        chosen = start.choose(rules, old.seats, full["options"])
        full["data"] = msgspec.to_builtins(rules.load_data(None, old.seats, chosen, old.origin))
    return full
