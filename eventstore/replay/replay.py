"""One effective history of one game at one head, ready to be folded for any viewer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from eventstore.cache import Cache
from eventstore.errors import BadHistory, Unreadable
from eventstore.log.chain import kind_in
from eventstore.log.contract import REWRITING
from eventstore.log.history import History, Runs
from eventstore.log.rows import StoredEvent
from eventstore.refusals import TextOnly
from eventstore.replay import folding, rejudging, stored_payloads
from eventstore.replay.folding import CHUNK, Base, Fold, States
from eventstore.replay.position import Position
from eventstore.replay.stored_payloads import StartedHeader
from games.core import fold as rules_fold
from games.core import serialization
from games.core.events import Event, RecordClosed, RecordStarted
from games.core.ruleset import EVERYTHING, Outcome, Ruleset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from eventstore.log.contract import EventLog
    from eventstore.log.rows import Head, NewEvent
    from games.core.registry import Registry

_GAMES: Final = 64
"""Games whose history and last states are kept in memory."""


class _Broken(NamedTuple):
    """The first step that cannot be folded."""

    step: int
    fault: Unreadable


class End(NamedTuple):
    """How a history ends."""

    closing: RecordClosed | None
    """The last event, if it closes the record."""
    outcome: Outcome | None


class Start(NamedTuple):
    """What a first event says; the same payload always says the same."""

    named: StartedHeader
    ruleset: Ruleset[Any] | None
    """None where the game opens as text."""
    started: RecordStarted[Any, Any] | None
    states: States | None
    """At step 0, for everything."""
    text_only: str | None
    """Why no step can be folded."""


@dataclass(eq=False)
class Replay:
    """One effective history of a game.

    What it says never changes, for the log only grows.  What it keeps beside (states of step 0 by viewer, the
    last states that were folded, the first step that cannot be) saves time: each is assigned whole.
    Writes:  snapshots, and nothing else.
    Cost:    a step is folded from its snapshot, 25 to 6400 events before it as a state is small or large; the
             last step of a game just folded or just recorded into is at hand.
    Threads: may share one.
    """

    log: EventLog
    game: str
    head: Head
    """The end of the log that it was read at; of a history of then, only the number is right."""
    history: History
    runs: Runs
    """The effective history: step → seq."""
    damage: BadHistory | None
    """A rewriting event that points where it may not; what came before it is shown."""
    start: Start
    keep: bool
    """Write snapshots where they are missing."""
    read_start: Callable[[int, str | None], Start]
    """What a first event says, by its seq and, where it is not in the log yet, its payload."""
    starts: dict[str, States] = field(default_factory=dict)
    """Viewer → the states at step 0; a setup may be large."""
    near: dict[str, tuple[Base, ...]] = field(default_factory=dict)
    """Viewer → the last two steps that were folded."""
    broken: _Broken | None = None
    _folds: dict[str, Fold] = field(default_factory=dict)
    _end: End | None = None

    @cached_property
    def steps(self) -> int:
        """The last step."""
        return len(self.runs) - 1

    # --- other histories ---------------------------------------------------------------------------

    def at(self, head: int) -> Replay:
        """The history as it was when the log ended with event `head`."""
        damage = self.damage if self.damage is not None and self.damage.seq <= head else None
        end = head if damage is None else max(damage.seq - 1, 1)
        past = self._with(self.history.at(end), msgspec.structs.replace(self.head, seq=head))
        return replace(past, damage=damage)

    def followed(self, rows: Sequence[NewEvent], head: Head) -> Replay:
        """The history behind these new rows, which the log now has up to `head`.

        Errors:  `BadHistory` where a row rewrites what cannot be rewritten so.
        """
        first = self.head.seq + 1
        rewrites = [(seq, row.payload) for seq, row in enumerate(rows, first) if row.kind in REWRITING]
        history = self.history.extended(rewrites) if rewrites else self.history
        runs = history.at(head.seq)
        place = runs.seq_at(0) - first
        return self._with(runs, head, history, rows[place].payload if place >= 0 else None)

    def ended(self, end: End, states: Sequence[tuple[int, Any]]) -> Replay:
        """The same, which need not fold again what is known of its last steps: step and full state."""
        fitting = tuple(Base(step, States(state, state)) for step, state in states[-2:] if step <= self.steps)
        near = {**self.near, EVERYTHING: fitting} if fitting else self.near
        return replace(self, near=near, _end=end)

    def _with(
        self, runs: Runs, head: Head, history: History | None = None, payload: str | None = None
    ) -> Replay:
        """Another history of the game, with what the two share; `payload` of a new first event."""
        shared = self.runs.common(runs)
        start = self.start if shared else self.read_start(runs.seq_at(0), payload)
        starts = self.starts if shared else {}
        if not shared and start.states is not None:
            starts[EVERYTHING] = start.states
        return Replay(
            log=self.log,
            game=self.game,
            head=head,
            history=history or self.history,
            runs=runs,
            damage=self.damage,
            start=start,
            keep=self.keep,
            read_start=self.read_start,
            starts=starts,
            near={
                viewer: tuple(base for base in near if base.step < shared)
                for viewer, near in tuple(self.near.items())
            },
            broken=self.broken if self.broken and self.broken.step < shared else None,
        )

    # --- states ------------------------------------------------------------------------------------

    def fold_of(self, viewer: str) -> Fold | None:
        """How the history is folded for a viewer; None where the game opens as text."""
        who = self._folded_as(viewer)
        if who not in self._folds and self.start.ruleset is not None and self.start.started is not None:
            if who not in self.starts:
                self.starts[who] = _first_states(self.start, who)
            self._folds[who] = Fold(
                self.log, self.game, self.start.ruleset, self.runs, who, self.starts[who], self.keep
            )
        return self._folds.get(who)

    def _folded_as(self, viewer: str) -> str:
        """Whose fold a viewer needs: that of everything where theirs could not differ."""
        ruleset = self.start.ruleset
        return viewer if ruleset is not None and ruleset.has_hidden_information else EVERYTHING

    def states(self, step: int, viewer: str = EVERYTHING) -> States:
        """The full state and the viewer's at a step.

        Errors:  `TextOnly`; `Unreadable` with the seq where it cannot be folded.
        """
        fold = self._must_fold(viewer)
        return fold.at(step, self.near.get(fold.viewer, ()))

    def states_from_start(self, step: int, viewer: str = EVERYTHING) -> States:
        """The same, folded from the first event on, whatever is kept: what a snapshot must equal."""
        fold = self._must_fold(viewer)
        quiet = replace(fold, keep=False) if fold.keep else fold
        return quiet.to(step, Base(0, fold.start))

    def _must_fold(self, viewer: str) -> Fold:
        fold = self.fold_of(viewer)
        if fold is None:
            raise TextOnly(self.game, self.start.text_only or "")
        return fold

    def end(self) -> End:
        """How it ends, where its last step can be folded; else as if it went on."""
        if self._end is None:
            self._end = self._found_end()
        return self._end

    def _found_end(self) -> End:
        fold, started = self.fold_of(EVERYTHING), self.start.started
        if fold is None or started is None:
            return End(None, None)
        with suppress(Unreadable):
            state = self.states(self.steps).full
            last = started if not self.steps else fold.events(self.steps, self.steps)[0]
            closing = last if isinstance(last, RecordClosed) else None
            return End(closing, rules_fold.outcome(fold.ruleset, state, started.seats, closing))
        return End(None, None)

    # --- positions ---------------------------------------------------------------------------------

    def position(self, step: int, viewer: str) -> Position:
        """One step; where it cannot be folded, as text, with `fault`."""
        fold = self.fold_of(viewer)
        if fold is not None and self.broken is None and step:
            try:
                return self._one(fold, step, viewer)
            except Unreadable as fault:
                self._note(fault)
        return next(self.positions(step, step, viewer))

    def _one(self, fold: Fold, step: int, viewer: str) -> Position:
        """A step behind step 0, with nothing around it fetched or made."""
        base = fold.base(step - 1, *self.near.get(fold.viewer, ()))
        if step - base.step > folding.EVERY:
            base = Base(step - 1, fold.to(step - 1, base))
        *between, event = fold.events(base.step + 1, step)
        before = fold.block(base.step + 1, base.states, between)
        row = fold.row(step)
        after, observed = fold.advance(row.seq, before, event)
        self.near[fold.viewer] = Base(step - 1, before), Base(step, after)
        return self._position(row, step, viewer, (observed, before.observed, after.observed))

    def positions(self, first: int, last: int, viewer: str) -> Iterator[Position]:
        """The steps `first` to `last`, both included, folded once: one each, readable or not."""
        step = first
        fold = self.fold_of(viewer)
        if fold is not None and step <= last:
            try:
                for position in self._folded(fold, first, last, viewer):
                    yield position
                    step = position.step + 1
            except Unreadable as fault:
                self._note(fault)
        for low, high in self.runs.stretch(step, last):
            rows = {row.seq: row for row in self.log.events(self.game, low, high)}
            # A damaged head may name any number of events that never were.
            end = min(high, max(rows, default=low) + CHUNK)
            for seq in range(low, end + 1):
                yield self._as_text(rows.get(seq), seq, step + seq - low, viewer)
            step += high - low + 1

    def _folded(self, fold: Fold, first: int, last: int, viewer: str) -> Iterator[Position]:
        """The steps that can be folded; then `Unreadable` where one of the rest cannot."""
        if self.broken is not None and self.broken.step <= first:
            raise self.broken.fault
        before = max(first - 1, 0)
        states = fold.at(before, self.near.get(fold.viewer, ()))
        if first == 0:
            yield self._position(fold.row(0), 0, viewer, (self.started(viewer), None, states.observed))
        for start in range(max(first, 1), last + 1, CHUNK):
            for step, (row, event) in enumerate(fold.rows(start, min(last, start + CHUNK - 1)), start):
                old, (states, observed) = states, fold.advance(row.seq, states, event)
                if step == last:
                    self.near[fold.viewer] = Base(step - 1, old), Base(step, states)
                yield self._position(row, step, viewer, (observed, old.observed, states.observed))

    def _note(self, fault: Unreadable) -> None:
        step = self.runs.index_of(fault.seq) or 0
        if self.broken is None or step < self.broken.step:
            self.broken = _Broken(step, fault)

    def started(self, viewer: str) -> RecordStarted[Any, Any] | None:
        """The first event as a viewer observes it."""
        started = self.start.started
        return None if started is None else rules_fold.observe_start(started, viewer)

    def _position(
        self, row: StoredEvent, step: int, viewer: str, observed: tuple[Event | None, Any, Any]
    ) -> Position:
        event, before, state = observed
        as_stored = viewer == EVERYTHING or (step > 0 and self._folded_as(viewer) == EVERYTHING)
        return Position(
            game=self.game,
            ruleset=self.start.ruleset,
            started=self.started(viewer),
            step=step,
            steps=self.steps,
            head=self.head.seq,
            seq=row.seq,
            at=row.recorded_at,
            by=row.by,
            kind=row.kind,
            event=event,
            payload=row.payload if as_stored or event is None else serialization.encode_event(event),
            before=before,
            state=state,
            viewer=viewer,
            closing=event if isinstance(event, RecordClosed) else None,
            damage=None if self.damage is None else str(self.damage),
        )

    def _as_text(self, row: StoredEvent | None, seq: int, step: int, viewer: str) -> Position:
        """A step that cannot be folded: all that a viewer may know is that it is there."""
        gone = None if row is not None else folding.gone(self.game, seq)
        row = row or StoredEvent(0, self.game, seq, "", "", "", "")
        kind = kind_in(row.payload) or row.kind
        fault = gone or (None if self.broken is None else self.broken.fault)
        why = str(gone) if gone is not None else self.start.text_only or str(fault or "")
        if fault is not None and (gone is not None or self.start.text_only is None) and viewer != EVERYTHING:
            why = f"Event {fault.seq} of game {self.game} cannot be read."
        return msgspec.structs.replace(
            self._position(row, step, viewer, (None, None, None)),
            kind=kind,
            payload=row.payload if viewer == EVERYTHING else msgspec.json.encode({"kind": kind}).decode(),
            fault=why,
            fault_from=0 if self.start.text_only or self.broken is None else self.broken.step,
        )

    # --- events ------------------------------------------------------------------------------------

    def kinds(self, first: int, last: int) -> list[str]:
        """The kinds of the steps `first` to `last`, both included."""
        return [
            row.kind
            for low, high in self.runs.stretch(first, last)
            for row in self.log.events(self.game, low, high)
        ]

    def events(self, first: int) -> Iterator[tuple[int, Event | Unreadable]]:
        """Seq and event of each step from `first` on; in the place of one that cannot be read, why."""
        ruleset = self.start.ruleset
        if ruleset is None:
            return
        for start, end in self.runs.stretch(first, self.steps):
            for low in range(start, end + 1, CHUNK):
                high = min(end, low + CHUNK - 1)
                found = stored_payloads.decode_all(ruleset, self.log.payload_array(self.game, low, high))
                if found is not None and len(found) == high - low + 1:
                    yield from enumerate(found, low)
                else:
                    yield from self._one_by_one(ruleset, low, high)

    def _one_by_one(
        self, ruleset: Ruleset[Any], first: int, last: int
    ) -> Iterator[tuple[int, Event | Unreadable]]:
        rows = {row.seq: row for row in self.log.events(self.game, first, last)}
        for seq in range(first, last + 1):
            try:
                yield seq, stored_payloads.decode(ruleset, self.game, seq, rows[seq].payload)
            except KeyError:
                yield seq, folding.gone(self.game, seq)
            except Unreadable as fault:
                yield seq, fault


class Replays:
    """Opens the histories of games, and keeps those of the games that were opened last.

    Threads: may share one.
    """

    def __init__(self, log: EventLog, registry: Registry, *, keep: bool = True) -> None:
        """`keep` off writes no snapshots."""
        self._log = log
        self._registry = registry
        self._keep = keep
        self._lock = Lock()
        self._kept: Cache[str, Replay] = Cache(_GAMES)
        self._starts: Cache[str, Start] = Cache(_GAMES)
        """By the first event's payload: games with the same cards and options begin alike."""

    def open(self, game: str, head: Head, *, rewritten: bool = True) -> Replay:
        """The history of a game whose log ends with this head, or did; `rewritten` as `Opening` says it."""
        kept = self._kept.get(game)
        if kept is not None and kept.head == head:
            return kept
        found = self._read(game, head, kept, rewritten=rewritten)
        self.keep(found)
        return found

    def keep(self, replay: Replay) -> None:
        """Keep a history for the next opening; one of an older head never replaces a newer one."""
        with self._lock:
            kept = self._kept.get(replay.game)
            if kept is None or kept.head.seq <= replay.head.seq:
                self._kept.put(replay.game, replay)

    def forget(self) -> None:
        """Drop what is kept in memory; snapshots stay."""
        self._kept.clear()
        self._starts.clear()

    def _read(self, game: str, head: Head, old: Replay | None, *, rewritten: bool) -> Replay:
        if old is not None and old.damage is None and old.head.seq < head.seq:
            since = self._log.rewrites(game, old.head.seq) if rewritten else ()
            new = [row for row in since if row[0] <= head.seq]
            with suppress(BadHistory):
                history = old.history.extended(new) if new else old.history
                return old._with(history.at(head.seq), head, history)  # noqa: SLF001 - of the same room
        rewrites = self._log.rewrites(game) if rewritten else ()
        _, history, runs, damage = History.readable(rewrites, head.seq)
        if not runs.spans:
            raise folding.gone(game, 1)
        start = self._start(game, runs.seq_at(0))
        starts = {} if start.states is None else {EVERYTHING: start.states}
        read_start = partial(self._start, game)
        return Replay(self._log, game, head, history, runs, damage, start, self._keep, read_start, starts)

    def _start(self, game: str, seq: int, payload: str | None = None) -> Start:
        if payload is None:
            rows = self._log.events(game, seq, seq)
            payload = rows[0].payload if rows else ""
        known = self._starts.get(payload)
        if known is None:
            known = _read_start(self._registry, game, seq, payload)
            if known.text_only is None:
                self._starts.put(payload, known)
        return known


def _read_start(registry: Registry, game: str, seq: int, payload: str) -> Start:
    """Find the ruleset; where it or something that the first event needs is missing, say so."""
    named = StartedHeader("unknown", 0, ())
    try:
        named = stored_payloads.named(game, seq, payload)
        if (named.ruleset, named.version) not in registry:
            why = f"the ruleset {named.ruleset}, version {named.version}, is not installed here"
            return Start(named, None, None, None, why)
        ruleset = registry[named.ruleset, named.version]
        started = rejudging.started(ruleset, game, seq, payload)
        full = ruleset.setup(started)
    except Unreadable as fault:
        return Start(named, None, None, None, str(fault).removesuffix("."))
    except Exception as fault:  # noqa: BLE001 - a stranger's ruleset may raise anything
        why = f"its ruleset cannot set it up ({type(fault).__name__}: {fault})"
        return Start(named, None, None, None, why)
    return Start(named, ruleset, started, States(full, full), None)


def _first_states(start: Start, viewer: str) -> States:
    if start.ruleset is None or start.started is None:
        raise TypeError("a game that opens as text has no states")
    full = start.ruleset.setup(start.started)
    if viewer == EVERYTHING:
        return States(full, full)
    return States(full, start.ruleset.setup(rules_fold.observe_start(start.started, viewer)))
