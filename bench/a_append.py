"""A: durable appends, against the bare library, eventsourcing and the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from bench import ours
from bench.measure import Rates, Result, Runner, cut, interleave
from bench.peers import disk, raw_sqlite, with_eventsourcing
from bench.scale import Place, Scale
from bench.workload import scores

DISK = "write 4 KB + fdatasync"
RAW = "sqlite3 + msgspec"
OURS = "Tabletape"
CALLERS = "Tabletape, {} callers"
SAVE = "eventsourcing save"
GET_SAVE = "eventsourcing get + save"


class Contender(NamedTuple):
    """What is opened on a file of its own, and what it is given to append."""

    name: str
    items: Sequence[Any]
    opened: Callable[[Path], AbstractContextManager[Callable[[Sequence[Any]], None]]]


def run(place: Place, scale: Scale) -> Iterator[Result]:
    """Measure A1 to A5."""
    yield from singles(place, scale)
    yield from batches(place, scale.batched, 100, scale.batched // 1000)
    yield from batches(place, scale.batched, 1000, scale.batched // 1000)
    yield from callers(place, scale)


def side_by_side(place: Place, unit: str, blocks: int, contenders: Sequence[Contender]) -> Rates:
    """Open all at once and let them append by turns, so many blocks each."""
    with ExitStack() as stack:
        runners = [
            Runner(name, cut(items, blocks), stack.enter_context(opened(place.beside())))
            for name, items, opened in contenders
        ]
        rates = interleave(unit, runners)
    place.show(rates)
    return rates


def singles(place: Place, scale: Scale) -> Iterator[Result]:
    """One event a commit."""
    events = scores(scale.singles)
    moves = with_eventsourcing.calls(events)
    count = len(events)
    # A game costs the more to fetch the longer it is: here none has more than some eight events.
    rates = side_by_side(
        place,
        "events/s, one a commit",
        count // 25,
        [
            Contender(RAW, events, raw_sqlite.appending),
            Contender(DISK, events, lambda path: disk.syncing(path, count)),
            Contender(OURS, events, ours.appending),
            Contender(SAVE, moves, with_eventsourcing.saving),
            Contender(GET_SAVE, moves, lambda path: with_eventsourcing.fetching(path, count // 8)),
        ],
    )
    yield Result("A1", "one event ÷ raw single commit", rates.ratio(OURS, RAW), 0.85, 0.95)
    yield Result("A2", "one event ÷ eventsourcing save", rates.ratio(OURS, SAVE), 1.5, 1.7)
    yield Result("A2", "one event ÷ eventsourcing get + save", rates.ratio(OURS, GET_SAVE), 2.7, 3)


def batches(place: Place, count: int, size: int, blocks: int) -> Iterator[Result]:
    """So many events of one game a commit."""
    events = scores(count)
    moves = with_eventsourcing.calls(events)
    syncs = range(count // size)
    rates = side_by_side(
        place,
        f"events/s, {size} a commit",
        blocks,
        [
            Contender(RAW, events, lambda path: raw_sqlite.appending(path, size)),
            Contender(OURS, events, lambda path: ours.appending(path, size)),
            Contender(SAVE, moves, lambda path: with_eventsourcing.saving(path, size)),
            Contender(DISK, syncs, lambda path: disk.syncing(path, len(syncs))),
        ],
    )
    if size == 100:
        yield Result("A3", "batch 100 ÷ raw executemany + encode", rates.ratio(OURS, RAW), 0.6, 0.8)
    target, stretch = (2.7, 4) if size == 100 else (3.5, 5)
    yield Result("A4", f"batch {size} ÷ eventsourcing save", rates.ratio(OURS, SAVE), target, stretch)


def callers(place: Place, scale: Scale) -> Iterator[Result]:
    """Many callers at once, each answered only after its commit."""
    events, single = scores(scale.calls), scores(scale.calls // 4)
    rates = side_by_side(
        place,
        "events/s, many callers",
        scale.calls // 640,
        [
            Contender(RAW, single, raw_sqlite.appending),
            Contender(DISK, single, lambda path: disk.syncing(path, len(single))),
            Contender(CALLERS.format(16), events, lambda path: ours.calling(path, 16)),
            Contender(CALLERS.format(64), events, lambda path: ours.calling(path, 64)),
        ],
    )
    for number, target, stretch in ((16, 3, 5), (64, 4, 10)):
        ratio = rates.ratio(CALLERS.format(number), RAW)
        yield Result("A5", f"{number} callers ÷ raw single commits", ratio, target, stretch)
