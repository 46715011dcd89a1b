"""A: durable appends, against the bare library, eventsourcing and the disk."""

from __future__ import annotations

from collections.abc import Iterator

from bench import ours
from bench.measure import Case, Result, measure
from bench.peers import disk, raw_sqlite, with_eventsourcing
from bench.scale import Place, Scale
from bench.workload import scores

DISK = "write 4 KB + fdatasync"
RAW = "sqlite3 + msgspec"
OURS = "Tabletape"
SAVE = "eventsourcing save"
GET_SAVE = "eventsourcing get + save"


def run(place: Place, scale: Scale) -> Iterator[Result]:
    """Measure A1 to A5."""
    yield from singles(place, scale)
    yield from batches(place, scale)
    yield from callers(place, scale)


def singles(place: Place, scale: Scale) -> Iterator[Result]:
    """One event a commit."""
    count, fetched = scale.singles, scale.singles // 4
    events = scores(count)
    moves = with_eventsourcing.calls(events)
    cases = [
        Case(RAW, count, lambda: raw_sqlite.singles(place.fresh(), events)),
        Case(DISK, count, lambda: disk.synced_writes(place.fresh(), count)),
        Case(OURS, count, lambda: ours.appends(place.fresh(), events, 1)),
        Case(SAVE, count, lambda: with_eventsourcing.saves(place.fresh(), moves, 1)),
        Case(GET_SAVE, fetched, lambda: with_eventsourcing.gets_and_saves(place.fresh(), moves[:fetched])),
    ]
    rates = measure("events/s, one a commit", cases, scale.rounds)
    place.show(rates)
    yield Result("A1", "one event ÷ raw single commit", rates.ratio(OURS, RAW), 0.85, 0.95)
    yield Result("A2", "one event ÷ eventsourcing save", rates.ratio(OURS, SAVE), 1.5, 1.7)
    yield Result("A2", "one event ÷ eventsourcing get + save", rates.ratio(OURS, GET_SAVE), 2.7, 3)


def batches(place: Place, scale: Scale) -> Iterator[Result]:
    """A hundred and a thousand events of one game a commit."""
    events = scores(scale.batched)
    moves = with_eventsourcing.calls(events)
    count = len(events)
    syncs = count // 100

    def sized(size: int) -> list[Case]:
        return [
            Case(f"{RAW}, {size}", count, lambda: raw_sqlite.batches(place.fresh(), events, size)),
            Case(f"{OURS}, {size}", count, lambda: ours.appends(place.fresh(), events, size)),
            Case(f"{SAVE}, {size}", count, lambda: with_eventsourcing.saves(place.fresh(), moves, size)),
        ]

    floor = Case(DISK, syncs, lambda: disk.synced_writes(place.fresh(), syncs))
    rates = measure("events/s, many a commit", [*sized(100), *sized(1000), floor], scale.rounds)
    place.show(rates)
    raw = rates.ratio(f"{OURS}, 100", f"{RAW}, 100")
    yield Result("A3", "batch 100 ÷ raw executemany + encode", raw, 0.6, 0.8)
    for size, target, stretch in ((100, 2.7, 4), (1000, 3.5, 5)):
        ratio = rates.ratio(f"{OURS}, {size}", f"{SAVE}, {size}")
        yield Result("A4", f"batch {size} ÷ eventsourcing save", ratio, target, stretch)


def callers(place: Place, scale: Scale) -> Iterator[Result]:
    """Many callers at once, each answered only after its commit."""
    single = scores(scale.singles)
    events = scores(scale.calls)
    count = len(single)
    cases = [
        Case(RAW, count, lambda: raw_sqlite.singles(place.fresh(), single)),
        Case(DISK, count, lambda: disk.synced_writes(place.fresh(), count)),
        Case(f"{OURS}, 16 callers", len(events), lambda: ours.callers(place.fresh(), events, 16)),
        Case(f"{OURS}, 64 callers", len(events), lambda: ours.callers(place.fresh(), events, 64)),
    ]
    rates = measure("events/s, many callers", cases, scale.rounds)
    place.show(rates)
    for number, target, stretch in ((16, 3, 5), (64, 4, 10)):
        ratio = rates.ratio(f"{OURS}, {number} callers", RAW)
        yield Result("A5", f"{number} callers ÷ raw single commits", ratio, target, stretch)
