"""How much of a damaged record can be kept: as far as its events can be read and the rules accept them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from eventstore.errors import BadHistory, Unreadable
from eventstore.log.contract import REWRITING
from eventstore.log.history import History, Runs
from eventstore.replay import rejudging, stored_payloads
from games.core.events import RecordStarted

if TYPE_CHECKING:
    from eventstore.log.rows import StoredEvent
    from games.core.events import Event
    from games.core.registry import Registry
    from games.core.ruleset import Ruleset

_NOTES: Final = "note."


@dataclass(frozen=True)
class KeptRecord:
    """What can be kept of a record."""

    rows: tuple[StoredEvent, ...] = ()
    """In the order in which they stand in the new record."""
    why: str | None = None
    """Why nothing after them can be kept, or why some rows are left out; None where every row is kept."""
    flat: bool = False
    """The rows are the steps of the game as it stands, without what was undone or replaced."""
    place: Callable[[int], int | None] = lambda seq: seq
    """Where an event of the old record, or what replaced it, is in the new one."""
    judged: bool = True
    """The rules of the game were asked."""


@dataclass(frozen=True)
class _Read:
    """A record as far as it can be read."""

    game: str
    rows: dict[int, StoredEvent]
    last: int
    ruleset: Ruleset[Any] | None
    events: dict[int, Event]
    broken: dict[int, str]
    """Seqs of rows that are gone or cannot be read, with a sentence."""
    foreign: frozenset[int]
    """Seqs of rows that are no events of a game."""
    history: History


def borne_out(registry: Registry, game: str, rows: Sequence[StoredEvent]) -> KeptRecord:
    """Keep the raw record up to where it stops making sense, or the game as it stands up to there.

    Raw:     the longest beginning of the log that can be read and that the rules accept. Its undos, redos and
             amendments mean what they meant.
    Flat:    where a row that cannot be read was undone or replaced later, the game as it stands does not need
             it. The steps of that game are kept where they are more than the raw record gives.
    """
    if not rows:
        return KeptRecord(why="none of its events can be read")
    read = _read(registry, game, rows)
    head, fault = _raw(read)
    raw = read.history.at(head) if head else Runs()
    if head == read.last:
        kept = tuple(row for row in rows if row.seq <= head)
        why = f"event {head + 1} is gone" if len(kept) < len(rows) else None
        return KeptRecord(kept, why, judged=read.ruleset is not None)
    steps, flat_fault = _flat(read)
    if len(steps) <= len(raw):
        kept = tuple(read.rows[seq] for seq in range(1, head + 1))
        why = fault or _first(read)
        return KeptRecord(
            kept, why, place=lambda seq: seq if seq <= head else None, judged=read.ruleset is not None
        )
    numbers = {seq: number for number, seq in enumerate(steps, 1)}

    def place(seq: int) -> int | None:
        step = read.history.where(seq, read.last)
        return None if step is None else numbers.get(read.history.at(read.last).seq_at(step))

    return KeptRecord(
        tuple(_by_itself(read.rows[seq]) for seq in steps),
        flat_fault or _first(read),
        flat=True,
        place=place,
        judged=read.ruleset is not None,
    )


def _first(read: _Read) -> str:
    """Say what the first row is that cannot be kept."""
    seq = min(chain(read.broken, read.foreign), default=read.last)
    return read.broken.get(seq) or f"event {seq} is a note, and no event of a game"


# --- reading ---------------------------------------------------------------------------------------------


def _read(registry: Registry, game: str, rows: Sequence[StoredEvent]) -> _Read:
    by_seq = {row.seq: row for row in rows}
    last = _last(by_seq)
    foreign = frozenset(
        seq
        for seq, row in by_seq.items()
        if stored_payloads.kind(row.payload).startswith(_NOTES) and seq <= last
    )
    broken = {seq: f"event {seq} is gone" for seq in range(1, last + 1) if seq not in by_seq}
    for seq, row in by_seq.items():
        if seq <= last and (
            not stored_payloads.kind(row.payload) or "\n" in row.payload or "\r" in row.payload
        ):
            broken[seq] = f"event {seq} cannot be read"
    history = _history(by_seq, last, broken)
    ruleset = _ruleset(registry, game, by_seq, history.at(last), broken)
    unfit = broken.keys() | foreign
    mine = [row for seq, row in sorted(by_seq.items()) if seq <= last and seq not in unfit]
    events = {} if ruleset is None else _decoded(ruleset, game, mine, broken)
    if any(stored_payloads.kind(by_seq[seq].payload) in REWRITING for seq in broken.keys() & by_seq.keys()):
        history = _history(by_seq, last, broken)
    return _Read(game, by_seq, last, ruleset, events, broken, foreign, history)


def _last(rows: dict[int, StoredEvent]) -> int:
    """The last row; those after a gap of more rows than there are belong to a number that was damaged."""
    before = 0
    for seq in sorted(rows):
        if seq - before > len(rows) + 1:
            break
        before = seq
    return before or max(rows)


def _history(rows: dict[int, StoredEvent], last: int, broken: dict[int, str]) -> History:
    """What the readable undos, redos and amendments come to; one that points nowhere is broken too."""
    history = History()
    for seq in sorted(rows):
        payload = rows[seq].payload
        if seq <= last and seq not in broken and stored_payloads.kind(payload) in REWRITING:
            try:
                history.add(seq, payload)
            except BadHistory:
                broken[seq] = f"event {seq} refers to events that are not there"
    return history


def _ruleset(
    registry: Registry, game: str, rows: dict[int, StoredEvent], runs: Runs, broken: dict[int, str]
) -> Ruleset[Any] | None:
    for seq in (1, runs.seq_at(0) if len(runs) else 1):
        if seq in rows and seq not in broken:
            try:
                named = stored_payloads.named(game, seq, rows[seq].payload)
            except Unreadable:
                broken[seq] = f"event {seq} begins no game"
            else:
                ruleset = registry.get((named.ruleset, named.version))
                return None if rejudging.opens_as_text(ruleset, game, seq, rows[seq].payload) else ruleset
    return None


def _decoded(
    ruleset: Ruleset[Any], game: str, rows: Iterable[StoredEvent], broken: dict[int, str]
) -> dict[int, Event]:
    events = {}
    for row in rows:
        try:
            events[row.seq] = stored_payloads.decode(ruleset, game, row.seq, row.payload)
        except Unreadable as fault:
            broken[row.seq] = _within(str(fault))
    return events


def _within(sentence: str) -> str:
    """A sentence as it stands within another."""
    return (sentence[:1].lower() + sentence[1:]).rstrip(".")


# --- judging ---------------------------------------------------------------------------------------------


def _raw(read: _Read) -> tuple[int, str | None]:
    """The last seq of the longest raw record that stands, and what the rules say against a longer one."""
    head = min(chain(read.broken, read.foreign), default=read.last + 1) - 1
    said = None
    while head:
        if not read.history.whole(head):
            said = said or f"the correction that event {head} belongs to is not complete"
            head -= 1
            continue
        runs = read.history.at(head)
        good, fault = _judged(read, runs)
        if fault is None:
            return head, said
        said = fault
        digest = runs.digest(good)
        head -= 1
        # As long as the history holds the step that does not stand, it need not be judged again.
        while head and len(earlier := read.history.at(head)) > good and earlier.digest(good) == digest:
            head -= 1
    return 0, said


def _flat(read: _Read) -> tuple[list[int], str | None]:
    """The events of the game as it stands, up to the first that cannot be kept."""
    steps: list[int] = []
    fault = None
    for seq in read.history.at(read.last):
        if seq in read.broken:
            fault = read.broken[seq]
            break
        if seq not in read.foreign:
            steps.append(seq)
    good, refused = _judged(read, steps)
    return steps[:good], refused or fault


def _judged(read: _Read, seqs: Runs | Sequence[int]) -> tuple[int, str | None]:
    """How many of these events stand, and what the rules say of the next one."""
    first = next(iter(seqs), None)
    if first is None:
        return 0, None
    if read.ruleset is None:
        return _begins(read, first, len(seqs))
    start = read.events.get(first)
    if not isinstance(start, RecordStarted):
        return 0, f"event {first} begins no game"
    good = 0
    try:
        for judged in _steps(read.ruleset, read, start, first, seqs):
            good = judged.step + 1
    except Unreadable as fault:
        return good, _within(str(fault))
    return good, None


def _begins(read: _Read, first: int, count: int) -> tuple[int, str | None]:
    """Without rules, a game is what begins as one."""
    try:
        stored_payloads.named(read.game, first, read.rows[first].payload)
    except Unreadable as fault:
        return 0, _within(str(fault))
    return count, None


def _steps(
    ruleset: Ruleset[Any],
    read: _Read,
    start: RecordStarted[Any, Any],
    first: int,
    seqs: Runs | Sequence[int],
) -> Iterator[rejudging.JudgedStep]:
    begun = rejudging.set_up(ruleset, read.game, first, start)
    yield begun
    events = ((seq, read.events[seq]) for seq in islice(seqs, 1, None))
    yield from rejudging.after_first(ruleset, read.game, begun, events)


def _by_itself(row: StoredEvent) -> StoredEvent:
    """A ruling does not name the event that it stands for: that has no number in the new record."""
    if stored_payloads.kind(row.payload) != "record.ruled":
        return row
    said = msgspec.json.decode(row.payload, type=dict[str, msgspec.Raw])
    if said.pop("instead_of", None) is None:
        return row
    return msgspec.structs.replace(row, payload=msgspec.json.encode(said).decode())
