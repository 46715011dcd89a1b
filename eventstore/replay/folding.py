"""Folding one history of one game, for everything or for one viewer, from the log's rows."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eventstore.errors import TabletapeError, Unreadable
from eventstore.replay import stored_payloads
from eventstore.replay.stored_payloads import CannotFollow
from games.core import fold, serialization
from games.core.ruleset import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.log.contract import EventLog
    from eventstore.log.history import Runs
    from eventstore.log.rows import StoredEvent
    from eventstore.log.snapshots import Kept
    from games.core.events import Event
    from games.core.ruleset import Ruleset

EVERY: Final = 100
"""A stretch that is longer is folded in such parts as snapshots can be kept of."""
OFTEN: Final = 25
"""Steps from one snapshot to the next, at the least."""
SELDOM: Final = 6_400
"""The same at the most, whatever room a state takes."""
SHARE: Final = 12
"""Of the room that the events take, snapshots take no more than one such part."""
VIEWER_EVERY: Final = 1_600
"""Steps between snapshots of a viewer who is not told everything: few games need them."""
VIEWER_FROM: Final = 5_000
"""A viewer's game that is shorter is folded from its start."""
CHUNK: Final = 3_200
"""Events decoded at once; a multiple of `OFTEN` and `VIEWER_EVERY`."""
_ROW: Final = 80
"""Bytes that a row of an event takes besides its payload."""
_INSIDE: Final = 1_000
"""Bytes of a state that still lies with others in one page of the database."""
_PAGE: Final = 4_096
_WORTH_A_LOOK: Final = 20
"""So many events are folded sooner than a snapshot is looked for."""


class States(NamedTuple):
    """The full state and the viewer's own: the same object where nothing is hidden from them."""

    full: Any
    observed: Any


class Base(NamedTuple):
    """States that are at hand, and their step."""

    step: int
    states: States


@dataclass(frozen=True)
class Fold:
    """One effective history and the viewer it is folded for."""

    log: EventLog
    game: str
    ruleset: Ruleset[Any]
    runs: Runs
    viewer: str
    start: States
    """At step 0."""
    keep: bool = False
    """Write snapshots where they are missing."""

    def at(self, step: int, near: tuple[Base, ...] = ()) -> States:
        """The states at `step`, from what is nearest of `near`, snapshots and step 0.

        Errors:  those of `to`.
        """
        return self.to(step, self.base(step, *near))

    def base(self, step: int, *near: Base) -> Base:
        """The nearest states at or before `step`: of `near`, a snapshot's, else those of step 0."""
        fitting = [one for one in near if one.step <= step]
        best = max(fitting, key=lambda one: one.step, default=Base(0, self.start))
        if step - best.step < _WORTH_A_LOOK or (self.viewer != EVERYTHING and step < VIEWER_FROM):
            return best
        kept = self._kept(step)
        return kept if kept is not None and kept.step > best.step else best

    def _kept(self, step: int) -> Base | None:
        """The nearest snapshot; one that does not fit the state's type, or its laws, is as good as none."""
        shelf = self.log.snapshots
        seen = shelf.nearest(self.game, self.viewer, step, self.runs.digest)
        full = seen
        if seen is not None and self.viewer != EVERYTHING:
            full = shelf.get(self.game, EVERYTHING, [(seen[0], self.runs.digest(seen[0]))])
        if seen is None or full is None:
            return None
        try:
            whole = serialization.thaw(self.ruleset, full[1], self.start.full.setup)
            self.ruleset.invariants(whole)
            if self.viewer == EVERYTHING:
                return Base(seen[0], States(whole, whole))
            return Base(
                seen[0], States(whole, serialization.thaw(self.ruleset, seen[1], self.start.observed.setup))
            )
        except Exception:  # noqa: BLE001 - laws that know more than those of an older program may trip
            return None

    def to(self, step: int, base: Base) -> States:
        """The states at `step`, from a base at or before it.

        Errors:  `Unreadable` with the seq of the first event that cannot be read or followed.
        """
        at, pair = base
        stride = CHUNK if not self.keep else OFTEN if self.viewer == EVERYTHING else VIEWER_EVERY
        passed: list[tuple[int, States]] = []
        room = 0
        while at < step:
            end = min(step, at - at % CHUNK + CHUNK)
            events, room = self._fetched(at + 1, end)
            for stop in _stops(at, end, stride):
                pair = self.block(at + 1, pair, events[: stop - at])
                del events[: stop - at]
                at = stop
                if stop % stride == 0:
                    passed.append((stop, pair))
        if self.keep and passed and (self.viewer == EVERYTHING or step >= VIEWER_FROM):
            self._put(passed, room)
        return pair

    def _put(self, passed: list[tuple[int, States]], room: int) -> None:
        # A snapshot may be missing: a log that is locked or full is no reason not to show a game.
        with suppress(TabletapeError):
            for viewer, place in {EVERYTHING: 0, self.viewer: 1}.items():
                kept = snapshots(self.runs, [(step, pair[place]) for step, pair in passed], room)
                self.log.snapshots.put_all(self.game, viewer, kept)

    def block(self, first: int, pair: States, events: list[Event]) -> States:
        """The states after these events, the first of which is that of step `first`."""
        if self.viewer == EVERYTHING:
            # Whatever the rules raise is met again below, by the event that it belongs to.
            with suppress(Exception):
                state = fold.fold(self.ruleset, pair.full, events)
                return States(state, state)
        for step, event in enumerate(events, first):
            pair, _ = self.advance(self.runs.seq_at(step), pair, event)
        return pair

    def advance(self, seq: int, pair: States, event: Event) -> tuple[States, Event]:
        """The states after an event, and the event as told."""
        try:
            full = fold.evolve(self.ruleset, pair.full, event)
            if self.viewer == EVERYTHING:
                return States(full, full), event
            observed = fold.observe(self.ruleset, pair.full, event, self.viewer, pair.observed)
            return States(full, fold.evolve(self.ruleset, pair.observed, observed)), observed
        except Exception as fault:
            raise CannotFollow(self.game, seq, fault) from fault

    def events(self, first: int, last: int) -> list[Event]:
        """The events of steps `first` to `last`, decoded in one pass; on a fault one by one, to name it."""
        return self._fetched(first, last)[0]

    def _fetched(self, first: int, last: int) -> tuple[list[Event], int]:
        """The same, and how many bytes one of them takes."""
        events: list[Event] = []
        size = 0
        for start, end in self.runs.stretch(first, last):
            payloads = self.log.payload_array(self.game, start, end)
            size += len(payloads)
            found = stored_payloads.decode_all(self.ruleset, payloads)
            if found is None or len(found) != end - start + 1:
                found = [event for _, event in self._decoded(self._stretch(start, end))]
            events += found
        return events, size // len(events)

    def rows(self, first: int, last: int) -> Iterator[tuple[StoredEvent, Event]]:
        """The same with their rows; those before a fault come before its refusal."""
        rows = [row for span in self.runs.stretch(first, last) for row in self._stretch(*span)]
        yield from self._decoded(rows)

    def row(self, step: int) -> StoredEvent:
        """The row of one step."""
        seq = self.runs.seq_at(step)
        return self._stretch(seq, seq)[0]

    def _decoded(self, rows: list[StoredEvent]) -> Iterator[tuple[StoredEvent, Event]]:
        events = stored_payloads.decode_all(
            self.ruleset, stored_payloads.array_of([row.payload for row in rows])
        )
        if events is not None and len(events) == len(rows):
            yield from zip(rows, events, strict=True)
            return
        for row in rows:
            yield row, stored_payloads.decode(self.ruleset, self.game, row.seq, row.payload)

    def _stretch(self, first: int, last: int) -> list[StoredEvent]:
        rows = self.log.events(self.game, first, last)
        for seq, row in enumerate(rows, first):
            if row.seq != seq:
                raise gone(self.game, seq)
        if len(rows) <= last - first:
            raise gone(self.game, first + len(rows))
        return rows


def snapshots(runs: Runs, states: list[tuple[int, Any]], room: int) -> list[Kept]:
    """Those of these states that are worth keeping, as `Snapshots.put_all` takes them.

    room:    bytes of one event's payload: those recorded or fetched with the states, on average.
    """
    kept: list[Kept] = []
    for step, state in states:
        if step and step % OFTEN == 0:
            frozen = serialization.freeze(state)
            if _worth_its_room(step, len(frozen), room + _ROW):
                kept.append((step, runs.digest(step), frozen))
    return kept


def passed(states: list[tuple[int, Any]], step: int, state: Any) -> None:
    """Add the state of a step; of those before the last, those stay of which a snapshot may be kept."""
    if states[-2:-1] and states[-2][0] % OFTEN:
        del states[-2]
    states.append((step, state))


def _worth_its_room(step: int, size: int, room: int) -> bool:
    """Whether a state is small enough for a step that is only so rare.

    Rare are the multiples of 25, 100, 400, 1600 and 6400; which steps have a snapshot follows from the step
    and the sizes alone, so that recording and replaying keep much the same ones: events differ in size.
    """
    apart = OFTEN
    while apart < SELDOM and step % (4 * apart) == 0:
        apart *= 4
    taken = size if size <= _INSIDE else -(-size // _PAGE) * _PAGE
    return apart == SELDOM or taken * SHARE <= room * apart


def gone(game: str, seq: int) -> Unreadable:
    """The refusal of an event that the history names and the log does not have."""
    return Unreadable(game, seq, "it is gone from the log")


def _stops(at: int, end: int, stride: int) -> Iterator[int]:
    """The multiples of `stride` behind `at`, and `end`."""
    yield from range(at - at % stride + stride, end, stride)
    yield end
