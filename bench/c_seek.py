"""C: jumps into a long game, and what the snapshots that make them fast cost."""

from __future__ import annotations

import random
from collections.abc import Iterator

from bench import ours
from bench.a_append import Contender, side_by_side
from bench.measure import Case, Result, measure, percentile
from bench.peers import disk
from bench.scale import Place, Scale
from bench.workload import events

SEEK = "seek with snapshots"
FULL = "full fold"
WITH = "records, with snapshots"
WITHOUT = "records, no snapshots"
DISK = "write 4 KB + fdatasync"


def run(place: Place, scale: Scale) -> Iterator[Result]:
    """Measure C1 and C2."""
    yield from seeks(place, scale)
    yield from appends(place, scale)


def seeks(place: Place, scale: Scale) -> Iterator[Result]:
    """Jump to random steps; the full folds go to steps of the same mean."""
    filled = ours.fill(place.kept("seek"), events(scale.long_game))
    share = ours.snapshots(filled)
    rng = random.Random(5)
    jumps = [rng.randint(1, scale.long_game) for _ in range(scale.seeks)]
    folds = [scale.long_game * eighth // 8 for eighth in (1, 3, 5, 7)]
    taken: list[float] = []
    cases = [
        Case(SEEK, len(jumps), lambda: ours.seeks(filled, jumps, taken.append)),
        Case(FULL, len(folds), lambda: ours.full_folds(filled, folds)),
    ]
    rates = measure("seeks/s", cases, scale.rounds)
    place.show(rates)
    slowest = percentile(taken, 0.99) * 1000
    yield Result("C1", "random seek ÷ full fold", rates.ratio(SEEK, FULL), 500, 1000, "{:.0f} ×")
    yield Result("C1", "random seek, p99", slowest, 0.5, 0.2, "{:.3f} ms", less_is_better=True)
    yield Result("C2", "room for snapshots ÷ for events", share, 0.1, text="{:.1%}", less_is_better=True)


def appends(place: Place, scale: Scale) -> Iterator[Result]:
    """One event a command into one game, through the store, which keeps snapshots as it goes."""
    moves = events(scale.recorded * 3)
    count = len(moves)
    rates = side_by_side(
        place,
        "events/s, one a commit",
        count // 100,
        [
            Contender(WITHOUT, moves, lambda path: ours.recording(path, keep=False)),
            Contender(WITH, moves, lambda path: ours.recording(path, keep=True)),
            Contender(DISK, moves, lambda path: disk.syncing(path, count)),
        ],
    )
    yield Result("C2", "append rate kept with snapshots", rates.ratio(WITH, WITHOUT), 0.97, text="{:.3f}")
