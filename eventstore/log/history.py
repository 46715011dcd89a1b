"""From the raw log to the effective history: a pure function of the undos, redos and amendments alone.

An event that does not rewrite is put at the end. `record.undone` and `record.redone {to}` both say that the
history is again what it was after raw event `to`. `record.amended {edits: [{after, drop, put}]}` splices; the
events that it puts are the next rows of its command. So a history is a list of runs of consecutive seqs, and
no fact is read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, Self, get_args

import msgspec

from eventstore.errors import BadHistory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Span = tuple[int, int]
"""The first and the last of consecutive seqs."""


class HistorySplice(msgspec.Struct, frozen=True, gc=False):
    """Behind the entry with seq `after`, `drop` entries go and the next `put` rows of the command come in.

    Seqs are those of the history before the amendment; `after` 0 stands before step 0, which may only be
    replaced.
    """

    after: int
    drop: int = 0
    put: int = 0


class Splicing(Protocol):
    """What an edit has to say; `Edit` does."""

    @property
    def after(self) -> int:
        """The seq that it stands behind."""
        ...

    @property
    def drop(self) -> int:
        """How many entries go."""
        ...

    @property
    def put(self) -> int:
        """How many rows come in."""
        ...


class _Undone(msgspec.Struct, frozen=True, tag="record.undone", tag_field="kind"):
    to: int


class _Redone(msgspec.Struct, frozen=True, tag="record.redone", tag_field="kind"):
    to: int


class _Amended(msgspec.Struct, frozen=True, tag="record.amended", tag_field="kind"):
    edits: tuple[HistorySplice, ...]


_Rewrite = _Undone | _Redone | _Amended
_rewrite = msgspec.json.Decoder(_Rewrite)
REWRITING: Final = tuple(str(struct.__struct_config__.tag) for struct in get_args(_Rewrite))
"""The kinds that rewrite the history; every other event is put at its end."""


@dataclass(frozen=True)
class Runs:
    """An effective history: its entries are raw events, numbered by step from 0, kept as runs of seqs."""

    spans: tuple[Span, ...] = ()
    """In the order of the steps; neighbours are joined, so that equal histories are equal values."""

    @classmethod
    def of(cls, spans: Iterable[Span]) -> Self:
        """Join neighbours and leave out empty spans.

        >>> Runs.of([(1, 4), (5, 6), (8, 7), (9, 9)]).spans
        ((1, 6), (9, 9))
        """
        joined: list[Span] = []
        for first, last in spans:
            if first > last:
                continue
            if joined and joined[-1][1] + 1 == first:
                joined[-1] = (joined[-1][0], last)
            else:
                joined.append((first, last))
        return cls(tuple(joined))

    @cached_property
    def _ends(self) -> list[int]:
        """How many entries there are up to the end of each span."""
        return list(accumulate(last - first + 1 for first, last in self.spans))

    @cached_property
    def _by_seq(self) -> list[tuple[int, int, int]]:
        """First seq, last seq and first step of each span, by seq."""
        starts = [0, *self._ends]
        return sorted((first, last, start) for (first, last), start in zip(self.spans, starts, strict=False))

    @cached_property
    def _digests(self) -> list[bytes]:
        """The digest before each span, and behind the last."""
        return list(accumulate(self.spans, _fold_span, initial=b""))

    def __len__(self) -> int:
        """The number of entries; the last step is one less."""
        return self._ends[-1] if self.spans else 0

    def __iter__(self) -> Iterator[int]:
        """The seqs, by step."""
        return (seq for first, last in self.spans for seq in range(first, last + 1))

    def seq_at(self, step: int) -> int:
        """The raw event at this step; IndexError where there is none."""
        if not 0 <= step < len(self):
            raise IndexError(step)
        place = bisect_right(self._ends, step)
        return self.spans[place][1] - (self._ends[place] - 1 - step)

    def index_of(self, seq: int) -> int | None:
        """The step of this raw event; None when it is not in the history."""
        place = bisect_right(self._by_seq, (seq, _FAR, _FAR)) - 1
        if place < 0:
            return None
        first, last, start = self._by_seq[place]
        return start + seq - first if seq <= last else None

    def stretch(self, first: int, last: int) -> tuple[Span, ...]:
        """The spans of steps `first` to `last`, both included: what a replay has to fetch.

        >>> Runs.of([(1, 4), (9, 9), (5, 7)]).stretch(2, 5)
        ((3, 4), (9, 9), (5, 5))
        """
        return tuple(_cut(self, first, last + 1))

    def digest(self, step: int) -> bytes:
        """32 bytes that stand for the entries up to this step: equal histories up to there, equal digests.

        Cost:    one pass over the spans at the first call, one hash from then on.
        """
        place = bisect_right(self._ends, step)
        if place == len(self.spans):
            raise IndexError(step)
        return _fold_span(self._digests[place], (self.spans[place][0], self.seq_at(step)))

    def common(self, other: Runs) -> int:
        """How many entries the two share from the start."""
        shared = 0
        for (first, last), (start, end) in zip(self.spans, other.spans, strict=False):
            if first != start:
                break
            shared += min(last, end) - first + 1
            if last != end:
                break
        return shared


class Line(msgspec.Struct, frozen=True):
    """A line of play that was left, and can be restored."""

    tip: int
    """Its last event: `record.redone {to: tip}` restores it."""
    fork: int
    """The first step at which it differs from the present history."""
    runs: Runs


@dataclass(frozen=True)
class _Version:
    """The history after one rewrite."""

    start: int
    """The rewriting event."""
    end: int
    """The last event of its command: an amendment's last put row."""
    node: int
    """The event whose version this is: `to`, followed back; an amendment's own end."""
    amends: bool
    runs: Runs


Fate = Literal["shown", "removed", "undone", "rewrite"]


class Readable(NamedTuple):
    """What can be read of a game's history at a head."""

    head: int
    history: History
    runs: Runs
    """The effective history."""
    damage: BadHistory | None
    """A rewriting event that points where it may not: what came before it counts."""


class History:
    """All versions of one game's history; `head` in its methods is the raw log's end at some moment.

    Inside an amendment that has not come whole, the version before it counts.
    Cost:    nothing is read per fact; each amendment keeps runs of its own.
    """

    def __init__(self) -> None:
        """Use `build`."""
        self._versions = [_Version(0, 0, 0, amends=False, runs=Runs())]
        self._ends = [0]
        self._replaced: dict[int, list[int]] = {}

    @classmethod
    def build(cls, rewrites: Iterable[tuple[int, str | bytes]]) -> Self:
        """From seq and payload of the rewriting events, by seq: `EventLog.rewrites`.

        Errors:  `BadHistory` with the seq of the event that points where it may not.
        """
        history = cls()
        for seq, payload in rewrites:
            history.add(seq, payload)
        return history

    @classmethod
    def readable(cls, rewrites: Sequence[tuple[int, str | bytes]], head: int) -> Readable:
        """As `build`, up to `head`; where an event points where it may not, what came before it."""
        damage, end = None, head
        try:
            history = cls.build(row for row in rewrites if row[0] <= head)
        except BadHistory as fault:
            damage, end = fault, max(fault.seq - 1, 1)
            history = cls.build(row for row in rewrites if row[0] < fault.seq)
        return Readable(head, history, history.at(end), damage)

    def extended(self, rewrites: Iterable[tuple[int, str | bytes]]) -> History:
        """A history of its own that takes in these rewriting events too, which follow those of this one.

        Cost:    a copy of three lists and the new events; nothing is built again.
        Errors:  as of `build`.
        """
        other = History()
        other._versions, other._ends = self._versions[:], self._ends[:]
        other._replaced = {old: new[:] for old, new in self._replaced.items()}
        for seq, payload in rewrites:
            other.add(seq, payload)
        return other

    def add(self, seq: int, payload: str | bytes) -> None:
        """Take in the next rewriting event, as `build` does; not into a history that others hold."""
        try:
            event = _rewrite.decode(payload)
        except (msgspec.DecodeError, UnicodeEncodeError) as fault:
            raise BadHistory(seq, f"its payload does not fit ({fault})") from fault
        if seq <= self._ends[-1]:
            raise BadHistory(seq, f"event {self._versions[-1].start} amends, and this row belongs to it")
        version = self._amended(seq, event) if isinstance(event, _Amended) else self._returned(seq, event.to)
        self._versions.append(version)
        self._ends.append(version.end)

    def _returned(self, seq: int, to: int) -> _Version:
        if not 1 <= to < seq:
            raise BadHistory(seq, f"{to} is no earlier event")
        if self._place(to)[1] != to:
            raise BadHistory(seq, f"event {to} lies inside an amendment")
        return _Version(seq, seq, self._node(to), amends=False, runs=self.at(to))

    def _amended(self, seq: int, event: _Amended) -> _Version:
        before = self.at(seq - 1)
        runs, pairs = splice(before, event.edits, seq + 1)
        for old, new in pairs:
            self._replaced.setdefault(old, []).append(new)
        end = seq + sum(edit.put for edit in event.edits)
        return _Version(seq, end, end, amends=True, runs=runs)

    def _place(self, head: int) -> tuple[_Version, int]:
        """The last version that is whole at `head`, and `head` itself or the last event before a part."""
        place = bisect_right(self._ends, head) - 1
        if place + 1 < len(self._versions):
            head = min(head, self._versions[place + 1].start - 1)
        return self._versions[place], head

    def _node(self, head: int) -> int:
        """The event whose version stands at `head`: undos and redos followed back to what they restored."""
        version, head = self._place(head)
        return head if head > version.end else version.node

    def _stretch(self, node: int) -> tuple[int, int, int]:
        """The node before the stretch of ordinary events that ends here, its first event, and this one."""
        version, _ = self._place(node)
        if node > version.end:
            return version.node, version.end + 1, node
        return self._node(version.start - 1), node, node

    def _line(self, head: int) -> Iterator[tuple[int, int, int]]:
        """The stretches of the line that ends at `head`, backwards."""
        node = self._node(head)
        while node:
            stretch = self._stretch(node)
            yield stretch
            node = stretch[0]

    def at(self, head: int) -> Runs:
        """The effective history when the raw log ended with event `head`."""
        version, head = self._place(head)
        return Runs.of([*version.runs.spans, (version.end + 1, head)])

    def whole(self, head: int) -> bool:
        """Tell whether no amendment lacks rows at `head`: only then may anything be appended."""
        return self._place(head)[1] == head

    def came_late(self, seq: int) -> bool:
        """Tell whether an amendment put this event."""
        version = self._versions[min(bisect_left(self._ends, seq), len(self._ends) - 1)]
        return version.amends and version.start < seq <= version.end

    def amended(self, head: int) -> bool:
        """Tell whether the present line holds an amendment."""
        return any(self._place(node)[0].amends for _, first, node in self._line(head) if first == node)

    def undo_target(self, head: int) -> int | None:
        """The `to` of an undo: the version before the last action; None at step 0.

        An action is one event, or one amendment with everything that it put.
        """
        parent, first, node = next(self._line(head), (0, 0, 0))
        return (parent if first == node else node - 1) or None

    def redo_target(self, head: int) -> int | None:
        """The `to` of a redo: the next action of those undone last; None after a new action."""
        return next(self.redo_targets(head), None)

    def redo_targets(self, head: int) -> Iterator[int]:
        """The `to` of each of the redos that can follow one another.

        Cost:    one pass over the returns before them and the line that they restore.
        """
        version, head = self._place(head)
        if head > version.end or version.amends or not version.start:
            return
        place = bisect_left(self._ends, version.end)
        while place and self._follows_a_return(place):
            place -= 1
        tip = self._node(self._versions[place].start - 1)
        reach = self._reach(tip)
        for later in self._versions[place : bisect_right(self._ends, head)]:
            if not self._on(reach, later.node):
                tip = later.node
                reach = self._reach(tip)
        yield from self._towards(tip, version.node)

    def _follows_a_return(self, place: int) -> bool:
        before = self._versions[place - 1]
        return place > 1 and not before.amends and before.end + 1 == self._versions[place].start

    def _reach(self, tip: int) -> dict[int, int]:
        """A line as first → last event of its stretches."""
        return {first: last for _, first, last in self._line(tip)}

    def _on(self, reach: dict[int, int], node: int) -> bool:
        return reach.get(self._stretch(node)[1], 0) >= node

    def _towards(self, tip: int, node: int) -> Iterator[int]:
        """What follows `node` on the line that ends at `tip`, one action after another."""
        ahead = []
        for parent, first, last in self._line(tip):
            if first <= node <= last:
                ahead.append((node + 1, last))
                break
            ahead.append((first, last))
            if parent == node:
                break
        for first, last in reversed(ahead):
            yield from range(first, last + 1)

    def lines(self, head: int) -> list[Line]:
        """The lines that were left, by their last event, without those that another goes on from."""
        present = self.at(head)
        seen = self._reach(head)
        tips = {self._node(version.start - 1) for version in self._returns(head)}
        found = []
        for tip in sorted(tips - {0}, reverse=True):
            if not self._on(seen, tip):
                runs = self.at(tip)
                found.append(Line(tip, runs.common(present), runs))
                seen = {**self._reach(tip), **_longer(seen, self._reach(tip))}
        return found[::-1]

    def _returns(self, head: int) -> Iterator[_Version]:
        return (version for version in self._versions[1:] if version.start <= head and not version.amends)

    def where(self, seq: int, head: int) -> int | None:
        """The step that shows this event, or what replaced it, and so on; None when nothing does."""
        runs = self.at(head)
        shown = (runs.index_of(one) for one in self._replacements(seq))
        return next((step for step in shown if step is not None), None)

    def fate(self, seq: int, head: int) -> Fate:
        """`shown` (see `where`), `removed` by an amendment, `undone` with its line, or itself a `rewrite`."""
        if self.where(seq, head) is not None:
            return "shown"
        if any(version.start == seq for version in self._versions):
            return "rewrite"
        chain = self._replacements(seq)
        amended = (self._place(node)[0] for _, first, node in self._line(head) if first == node)
        befores = [self.at(version.start - 1) for version in amended if version.amends]
        gone = any(runs.index_of(one) is not None for runs in befores for one in chain)
        return "removed" if gone else "undone"

    def _replacements(self, seq: int) -> list[int]:
        """The event, what replaced it in any line, what replaced that, and so on."""
        chain = [seq]
        for one in chain:
            chain += self._replaced.get(one, [])
        return chain


def splice(runs: Runs, edits: Sequence[Splicing], put: int) -> tuple[Runs, list[tuple[int, int]]]:
    """The history after an amendment whose rows start at seq `put`, and which event replaced which.

    Errors:  `BadHistory` for edits out of order, overlapping or outside the history, or for a lost step 0.
    """
    parts: list[Span] = []
    pairs: list[tuple[int, int]] = []
    here, row = 0, put
    for edit in edits:
        start, stop = _reach_of(runs, edit, here, put - 1)
        parts += _cut(runs, here, start)
        parts.append((row, row + edit.put - 1))
        pairs += [(runs.seq_at(start + k), row + k) for k in range(min(edit.drop, edit.put))]
        here, row = stop, row + edit.put
    if not edits:
        raise BadHistory(put - 1, "it has no edits")
    return Runs.of([*parts, *_cut(runs, here, len(runs))]), pairs


def _reach_of(runs: Runs, edit: Splicing, here: int, seq: int) -> Span:
    """The steps that an edit drops, as first and behind the last."""
    behind = runs.index_of(edit.after) if edit.after else -1
    if behind is None:
        raise BadHistory(seq, f"event {edit.after} is not in the history that it amends")
    start, stop = behind + 1, behind + 1 + edit.drop
    if min(edit.drop, edit.put) < 0 or not edit.drop + edit.put:
        raise BadHistory(seq, f"behind event {edit.after} it neither drops nor puts")
    if start < here:
        raise BadHistory(seq, "its edits overlap or are out of order")
    if stop > len(runs):
        raise BadHistory(seq, f"behind event {edit.after} it drops more than there is")
    if not start and not (edit.drop and edit.put):
        raise BadHistory(seq, "step 0 may be replaced, not removed or preceded")
    return start, stop


def _cut(runs: Runs, first: int, stop: int) -> Iterator[Span]:
    """The spans of the steps from `first` up to, not including, `stop`."""
    start = 0
    for begin, end in runs.spans:
        size = end - begin + 1
        low, high = max(first - start, 0), min(stop - start, size)
        if low < high:
            yield begin + low, begin + high - 1
        start += size


def _fold_span(digest: bytes, span: Span) -> bytes:
    return sha256(digest + b"%d-%d" % span).digest()


def _longer(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    return {first: max(last, other.get(first, 0)) for first, last in one.items()}


_FAR = 2**63
