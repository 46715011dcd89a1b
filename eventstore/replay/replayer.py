"""What a game was at any step, for everything or as one viewer may know it."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from eventstore.errors import BadHistory, UnknownGame, Unreadable
from eventstore.log.chain import kind_in
from eventstore.log.history import History, Runs
from eventstore.log.ids import is_game_id
from eventstore.recording import rejudging
from eventstore.refusals import TextOnly, UnknownEvent, UnknownStep, UnknownViewer
from eventstore.replay import folding, stored_payloads
from eventstore.replay.folding import CHUNK, Base, Fold, Pair
from eventstore.replay.game import Moment, Tape, default_name, told_apart
from eventstore.replay.stored_payloads import Named
from games.core import fold as replay
from games.core import serialization
from games.core.events import Event, RecordClosed, RecordStarted
from games.core.ruleset import EVERYTHING, TABLE, Outcome, Ruleset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from eventstore.log.contract import EventLog
    from eventstore.log.rows import Head, StoredEvent
    from eventstore.log.snapshots import Kept
    from games.core.registry import Registry

_GAMES: Final = 64
"""Games whose history and last states are kept in memory."""


@dataclass(frozen=True)
class _Broken:
    """The first step that cannot be folded."""

    step: int
    fault: Unreadable


class _Begun(NamedTuple):
    """What is read from a first event."""

    named: Named
    ruleset: Ruleset[Any]
    started: RecordStarted[Any, Any]
    states: Pair
    """At step 0, for everything."""


@dataclass
class _Known:
    """What is kept of one game, valid for one head."""

    head: Head
    rewrites: list[tuple[int, str]]
    history: History
    runs: Runs
    damage: BadHistory | None
    """A rewriting event that points where it may not; what came before it is shown."""
    named: Named = field(default_factory=lambda: Named("unknown", 0, ()))
    ruleset: Ruleset[Any] | None = None
    started: RecordStarted[Any, Any] | None = None
    text_only: str | None = None
    starts: dict[str, Pair] = field(default_factory=dict)
    """Eyes → the states at step 0; a setup may be large."""
    folds: dict[str, Fold] = field(default_factory=dict)
    near: dict[str, tuple[Base, ...]] = field(default_factory=dict)
    """Eyes → the last two steps that were folded."""
    broken: _Broken | None = None

    @cached_property
    def steps(self) -> int:
        """The last step."""
        return len(self.runs) - 1


class Replayer:
    """Folds games.  A replay fetches and decodes its tail in chunks, from the nearest keyframe on.

    Writes:  keyframes, and nothing else.
    Cost:    a step is folded from its keyframe, 25 to 6400 events before it as a state is small or large;
             the last step of a game just folded or just recorded into is at hand.
    Threads: may share one.
    """

    def __init__(
        self,
        log: EventLog,
        registry: Registry,
        names: Callable[[str], Mapping[str, str]],
        *,
        keep: bool = True,
    ) -> None:
        """`names` looks a game's display names up; `keep` off writes no keyframes."""
        self._log = log
        self._registry = registry
        self._names = names
        self._keep = keep
        self._lock = Lock()
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._begun: dict[str, _Begun] = {}
        """By the first event's payload: games with the same cards and options begin alike."""

    def tape(self, game: str, viewer: str = EVERYTHING) -> Tape:
        """Open a game.

        Errors:  `UnknownGame`, `UnknownViewer`.
        """
        known = self._look(game, viewer)
        names = self._names(game)
        return Tape(
            game=game,
            ruleset=known.ruleset,
            ruleset_id=known.named.ruleset,
            version=known.named.version,
            seats=known.named.seats,
            seen_as=known.named.seen_as if viewer == EVERYTHING else viewer,
            origin=known.named.origin,
            parent=known.named.parent,
            started=_told_start(known, viewer),
            names=told_apart({seat: names.get(seat) or default_name(seat) for seat in known.named.seats}),
            viewer=viewer,
            head=known.head,
            steps=known.steps,
            text_only=known.text_only,
            damage=None if known.damage is None else str(known.damage),
            history=known.history,
            runs=known.runs,
        )

    def at(self, game: str, step: int | None = None, viewer: str = EVERYTHING) -> Moment:
        """One step; None is the last.

        A step that cannot be folded, and each after it, comes as text, with `fault`.
        Errors:  `UnknownGame`, `UnknownStep`, `UnknownViewer`; `Unreadable` for a row that is gone.
        """
        known = self._look(game, viewer)
        step = _step(game, known, step)
        fold = self._fold(game, known, _eyes(known, viewer))
        if fold is not None and known.broken is None and step:
            try:
                return self._one(known, fold, step, viewer)
            except Unreadable as fault:
                self._note(known, fault)
        for moment in self._moments(game, known, (step, step), viewer):
            return moment
        raise folding.gone(game, known.runs.seq_at(step))

    def moments(
        self, game: str, first: int = 0, last: int | None = None, viewer: str = EVERYTHING
    ) -> Iterator[Moment]:
        """The steps `first` to `last`, both included, folded once; see `at`. What is gone is left out."""
        known = self._look(game, viewer)
        end = len(known.runs) - 1
        yield from self._moments(
            game, known, (max(first, 0), end if last is None else min(last, end)), viewer
        )

    def step_of(self, game: str, seq: int) -> int | None:
        """The step that shows this event or its replacement now; None when none does.

        Errors:  `UnknownGame`, `UnknownEvent`.
        """
        known = self._look(game, EVERYTHING)
        if not 1 <= seq <= known.head.seq:
            raise UnknownEvent(game, seq, known.head.seq)
        return known.history.where(seq, known.head.seq)

    def replay(self, game: str, step: int | None = None, viewer: str = EVERYTHING) -> Any:
        """The state at a step, folded from the first event on, whatever is kept; what a keyframe must equal.

        Errors:  those of `at`, `TextOnly`, and `Unreadable` with the seq where it cannot be folded.
        """
        known = self._look(game, viewer)
        step = _step(game, known, step)
        fold = self._fold(game, known, _eyes(known, viewer))
        if fold is None:
            raise TextOnly(game, known.text_only or "")
        quiet = replace(fold, keep=False) if fold.keep else fold
        return quiet.to(step, Base(0, fold.start)).seen

    def version(self, game: str, head: int) -> tuple[int, Outcome | None]:
        """The last step and the outcome as they stood when the raw log ended with event `head`."""
        known = self._look(game, EVERYTHING)
        known = self._otherwise(game, known, known.history.at(head))
        step = known.steps
        fold = self._fold(game, known, EVERYTHING)
        if fold is None or known.started is None:
            return step, None
        try:
            state = fold.to(step, fold.base(step, *known.near.get(EVERYTHING, ()))).full
            last = fold.events(step, step)[0]
        except Unreadable:
            return step, None
        closing = last if isinstance(last, RecordClosed) else None
        return step, replay.outcome(fold.ruleset, state, known.started.seats, closing)

    def line(self, game: str, tip: int, viewer: str = EVERYTHING, first: int = 0) -> Iterator[Moment]:
        """The steps from `first` on of the history as it was after event `tip`; see `History.lines`.

        Errors:  `UnknownGame`, `UnknownViewer`, `UnknownEvent`.
        """
        known = self._look(game, viewer)
        if not 1 <= tip <= known.head.seq:
            raise UnknownEvent(game, tip, known.head.seq)
        other = self._otherwise(game, known, known.history.at(tip))
        yield from self._moments(game, other, (max(first, 0), other.steps), viewer)

    def runs(self, game: str, head: int, added: int) -> Runs:
        """The history as it will be when so many events that do not rewrite follow event `head`."""
        return self._look(game, EVERYTHING).history.at(head + added)

    def whole(self, game: str) -> bool:
        """Tell whether the record ends with a whole command: only then may anything be appended."""
        known = self._look(game, EVERYTHING)
        return known.history.whole(known.head.seq)

    def kinds(self, game: str, runs: Runs, first: int, last: int) -> list[str]:
        """The kinds of the steps `first` to `last`, both included."""
        return [
            row.kind for start, end in runs.stretch(first, last) for row in self._log.events(game, start, end)
        ]

    def facts(self, tape: Tape, first: int) -> Iterator[tuple[int, Event | Unreadable]]:
        """Seq and event of each step from `first` on; in the place of one that cannot be read, why."""
        if tape.ruleset is None:
            return
        for start, end in tape.runs.stretch(first, tape.steps):
            for low in range(start, end + 1, CHUNK):
                high = min(end, low + CHUNK - 1)
                found = stored_payloads.decode_all(
                    tape.ruleset, self._log.payload_array(tape.game, low, high)
                )
                if found is not None and len(found) == high - low + 1:
                    yield from enumerate(found, low)
                else:
                    yield from self._facts_of(tape.ruleset, tape.game, low, high)

    def _facts_of(
        self, ruleset: Ruleset[Any], game: str, first: int, last: int
    ) -> Iterator[tuple[int, Event | Unreadable]]:
        rows = {row.seq: row for row in self._log.events(game, first, last)}
        for seq in range(first, last + 1):
            try:
                yield seq, stored_payloads.decode(ruleset, game, seq, rows[seq].payload)
            except KeyError:
                yield seq, folding.gone(game, seq)
            except Unreadable as fault:
                yield seq, fault

    def pair(self, tape: Tape, step: int, viewer: str = EVERYTHING) -> Pair:
        """The full state and the viewer's at a step of a game as it was opened, whatever came since.

        Errors:  `TextOnly`, `UnknownViewer`; `Unreadable` with the seq where it cannot be folded.
        """
        known = self._look(tape.game, viewer)
        fold = self._fold(tape.game, known, _eyes(known, viewer))
        if fold is None:
            raise TextOnly(tape.game, known.text_only or "")
        fold = replace(fold, runs=tape.runs)
        near = known.near.get(fold.eyes, ()) if known.runs == tape.runs else ()
        return fold.to(step, fold.base(step, *near))

    def keyframes(self, runs: Runs, states: list[tuple[int, Any]], room: int) -> list[Kept]:
        """Those of these full states that are worth keeping; none where none are kept."""
        return folding.keyframes(runs, states, room) if self._keep else []

    def remember(self, game: str, runs: Runs, states: Sequence[tuple[int, Any]]) -> None:
        """Take over full states at steps of a history just recorded: they need not be folded again."""
        known = self._look(game, EVERYTHING)
        # Somebody else may have undone and recorded since.
        shared = known.runs.common(runs)
        fitting = [(step, state) for step, state in states[-2:] if step < shared]
        known.near[EVERYTHING] = tuple(Base(step, Pair(state, state)) for step, state in fitting)

    def forget(self) -> None:
        """Drop what is kept in memory; keyframes stay."""
        with self._lock:
            self._known.clear()
            self._begun.clear()

    # --- opening ---------------------------------------------------------------------------------

    def _look(self, game: str, viewer: str) -> _Known:
        head = self._log.head(game) if is_game_id(game) else None
        if head is None:
            raise UnknownGame(game)
        with self._lock:
            known = self._known.get(game)
            if known is not None:
                self._known.move_to_end(game)
        if known is None or known.head != head:
            known = self._open(game, head, known)
            with self._lock:
                self._known[game] = known
                while len(self._known) > _GAMES:
                    self._known.popitem(last=False)
        if viewer != EVERYTHING and viewer not in (TABLE, *known.named.seats):
            raise UnknownViewer(viewer, (EVERYTHING, TABLE, *known.named.seats))
        return known

    def _open(self, game: str, head: Head, old: _Known | None) -> _Known:
        rewrites = [row for row in self._log.rewrites(game) if row[0] <= head.seq]
        same = old is not None and old.rewrites == rewrites
        history, damage = (old.history, old.damage) if old is not None and same else _built(rewrites)
        runs = history.at(head.seq if damage is None else max(damage.seq - 1, 1))
        known = _Known(head, rewrites, history, runs, damage)
        self._begin(game, known, old)
        return known

    def _otherwise(self, game: str, known: _Known, runs: Runs) -> _Known:
        """The same game with another history; nothing of it is kept."""
        other = _Known(known.head, known.rewrites, known.history, runs, known.damage)
        self._begin(game, other, known)
        return other

    def _begin(self, game: str, known: _Known, old: _Known | None) -> None:
        """Take over what two histories share."""
        runs = known.runs
        if old is None or old.runs.seq_at(0) != runs.seq_at(0):
            self._read_start(game, known)
            return
        known.named, known.ruleset, known.started = old.named, old.ruleset, old.started
        known.text_only, known.starts = old.text_only, old.starts
        shared = old.runs.common(runs)
        known.near = {
            eyes: tuple(base for base in near if base.step < shared) for eyes, near in tuple(old.near.items())
        }
        known.broken = old.broken if old.broken and old.broken.step < shared else None

    def _read_start(self, game: str, known: _Known) -> None:
        """Find the ruleset; where it or something that the first event needs is missing, say so."""
        seq = known.runs.seq_at(0)
        rows = self._log.events(game, seq, seq)
        payload = rows[0].payload if rows else ""
        begun = self._begun.get(payload)
        if begun is not None:
            known.named, known.ruleset, known.started = begun.named, begun.ruleset, begun.started
            known.starts[EVERYTHING] = begun.states
            return
        try:
            known.named = stored_payloads.named(game, seq, payload)
        except Unreadable as fault:
            known.text_only = str(fault).removesuffix(".")
            return
        name, version = known.named.ruleset, known.named.version
        if (name, version) not in self._registry:
            known.text_only = f"the ruleset {name}, version {version}, is not installed here"
            return
        ruleset = self._registry[name, version]
        try:
            known.started = rejudging.started(ruleset, game, seq, payload)
            known.starts[EVERYTHING] = _start(ruleset, known.started, EVERYTHING)
        except Unreadable as fault:
            known.text_only = str(fault).removesuffix(".")
        except Exception as fault:  # noqa: BLE001 - a stranger's ruleset may raise anything
            known.text_only = f"its ruleset cannot set it up ({type(fault).__name__}: {fault})"
        else:
            known.ruleset = ruleset
            if len(self._begun) >= _GAMES:
                self._begun.clear()
            self._begun[payload] = _Begun(known.named, ruleset, known.started, known.starts[EVERYTHING])

    # --- folding ---------------------------------------------------------------------------------

    def _fold(self, game: str, known: _Known, eyes: str) -> Fold | None:
        if eyes not in known.folds and known.ruleset is not None and known.started is not None:
            if eyes not in known.starts:
                known.starts[eyes] = _start(known.ruleset, known.started, eyes)
            start = known.starts[eyes]
            known.folds[eyes] = Fold(self._log, game, known.ruleset, known.runs, eyes, start, self._keep)
        return known.folds.get(eyes)

    def _one(self, known: _Known, fold: Fold, step: int, viewer: str) -> Moment:
        """A step behind step 0, with nothing around it fetched or made."""
        base = fold.base(step - 1, *known.near.get(fold.eyes, ()))
        if step - base.step > folding.EVERY:
            base = Base(step - 1, fold.to(step - 1, base))
        *between, event = fold.events(base.step + 1, step)
        before = fold.block(base.step + 1, base.states, between)
        row = fold.row(step)
        after, told = fold.advance(row.seq, before, event)
        known.near[fold.eyes] = Base(step - 1, before), Base(step, after)
        return _moment(known, row, step, viewer, (told, before.seen, after.seen))

    def _moments(self, game: str, known: _Known, span: tuple[int, int], viewer: str) -> Iterator[Moment]:
        step, last = span
        fold = self._fold(game, known, _eyes(known, viewer))
        if fold is not None and step <= last:
            try:
                for moment in self._folded(known, fold, span, viewer):
                    yield moment
                    step = moment.step + 1
            except Unreadable as fault:
                self._note(known, fault)
        for start, end in known.runs.stretch(step, last):
            for row in self._log.events(game, start, end):
                yield _as_text(known, row, step + row.seq - start, viewer)
            step += end - start + 1

    @staticmethod
    def _note(known: _Known, fault: Unreadable) -> None:
        step = known.runs.index_of(fault.seq) or 0
        if known.broken is None or step < known.broken.step:
            known.broken = _Broken(step, fault)

    def _folded(self, known: _Known, fold: Fold, span: tuple[int, int], viewer: str) -> Iterator[Moment]:
        """The moments that can be folded; then `Unreadable` where one of the rest cannot."""
        first, last = span
        if known.broken is not None and known.broken.step <= first:
            raise known.broken.fault
        before = max(first - 1, 0)
        pair = fold.to(before, fold.base(before, *known.near.get(fold.eyes, ())))
        if first == 0:
            yield _moment(known, fold.row(0), 0, viewer, (_told_start(known, viewer), None, pair.seen))
        for start in range(max(first, 1), last + 1, CHUNK):
            for step, (row, event) in enumerate(fold.rows(start, min(last, start + CHUNK - 1)), start):
                old, (pair, told) = pair, fold.advance(row.seq, pair, event)
                if step == last:
                    known.near[fold.eyes] = Base(step - 1, old), Base(step, pair)
                yield _moment(known, row, step, viewer, (told, old.seen, pair.seen))


def _step(game: str, known: _Known, step: int | None) -> int:
    if step is None:
        return known.steps
    if not 0 <= step <= known.steps:
        raise UnknownStep(game, step, known.steps)
    return step


def _built(rewrites: list[tuple[int, str]]) -> tuple[History, BadHistory | None]:
    try:
        return History.build(rewrites), None
    except BadHistory as fault:
        return History.build([row for row in rewrites if row[0] < fault.seq]), fault


def _start(ruleset: Ruleset[Any], started: RecordStarted[Any, Any], eyes: str) -> Pair:
    full = ruleset.setup(started)
    return Pair(full, full if eyes == EVERYTHING else ruleset.setup(replay.tell_start(started, eyes)))


def _eyes(known: _Known, viewer: str) -> str:
    """Whose fold a viewer needs: that of everything where his could not differ."""
    return viewer if known.ruleset is not None and known.ruleset.hides else EVERYTHING


def _told_start(known: _Known, viewer: str) -> RecordStarted[Any, Any] | None:
    return None if known.started is None else replay.tell_start(known.started, viewer)


def _moment(
    known: _Known, row: StoredEvent, step: int, viewer: str, told: tuple[Event | None, Any, Any]
) -> Moment:
    event, before, state = told
    as_stored = viewer == EVERYTHING or (step > 0 and _eyes(known, viewer) == EVERYTHING)
    return Moment(
        game=row.game,
        ruleset=known.ruleset,
        started=_told_start(known, viewer),
        step=step,
        steps=known.steps,
        head=known.head.seq,
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
        damage=None if known.damage is None else str(known.damage),
    )


def _as_text(known: _Known, row: StoredEvent, step: int, viewer: str) -> Moment:
    """A step that cannot be folded.  Nobody knows what a viewer may see of it but that it is there."""
    kind = kind_in(row.payload) or row.kind
    fault = None if known.broken is None else known.broken.fault
    why = known.text_only or str(fault or "")
    if fault is not None and known.text_only is None and viewer != EVERYTHING:
        why = f"Event {fault.seq} of game {row.game} cannot be read."
    return msgspec.structs.replace(
        _moment(known, row, step, viewer, (None, None, None)),
        kind=kind,
        payload=row.payload if viewer == EVERYTHING else msgspec.json.encode({"kind": kind}).decode(),
        fault=why,
        fault_from=0 if known.text_only or known.broken is None else known.broken.step,
    )
