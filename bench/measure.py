"""Measure cases side by side: interleaved, rotated, medians, and ratios within one round."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, TypeVar

T = TypeVar("T")

HEAD: Final = ("#", "what", "target", "stretch", "result", "")


@dataclass(frozen=True)
class Case:
    """Something that does `units` units of work and says how many seconds that took."""

    name: str
    units: int
    seconds: Callable[[], float]


@dataclass(frozen=True)
class Runner:
    """Something that is open while others are measured too, and does its work block by block."""

    name: str
    blocks: Sequence[Sequence[Any]]
    work: Callable[[Sequence[Any]], object]


@dataclass(frozen=True)
class Rates:
    """Units per second of each case in each round or block; only those of the same one are compared."""

    unit: str
    by_case: dict[str, tuple[float, ...]]

    def median(self, case: str) -> float:
        """Give the middle rate of a case."""
        return median(self.by_case[case])

    def ratio(self, case: str, base: str) -> float:
        """Give the middle of the ratios, each taken within one round or block."""
        pairs = zip(self.by_case[case], self.by_case[base], strict=True)
        return median(rate / base_rate for rate, base_rate in pairs)

    def lines(self) -> Iterator[str]:
        """Give a table of the rates: middle, slowest and fastest."""
        yield f"| case | {self.unit} | slowest | fastest |"
        yield "|---|---:|---:|---:|"
        for case, rates in self.by_case.items():
            yield f"| {case} | {median(rates):,.0f} | {min(rates):,.0f} | {max(rates):,.0f} |"


@dataclass(frozen=True)
class Result:
    """One line of the final table; `text` is how the value and its bounds are written."""

    number: str
    what: str
    value: float
    target: float
    stretch: float | None = None
    text: str = "{:.2f}"
    less_is_better: bool = False

    def reaches(self, bound: float | None) -> bool:
        """Tell whether the value is at least (or at most) as good as the bound."""
        if bound is None:
            return False
        return self.value <= bound if self.less_is_better else self.value >= bound

    def cells(self) -> tuple[str, ...]:
        """Write the line, cell by cell."""
        sign = "≤ " if self.less_is_better else "≥ "
        verdict = "missed"
        if self.reaches(self.target):
            verdict = "met, stretch too" if self.reaches(self.stretch) else "met"
        stretch = "" if self.stretch is None else sign + self.text.format(self.stretch)
        target = sign + self.text.format(self.target)
        return (self.number, self.what, target, stretch, self.text.format(self.value), verdict)


@contextmanager
def stopwatch() -> Iterator[Callable[[], float]]:
    """Time the block; the function given tells the seconds so far, or those of the whole block."""
    begun = time.perf_counter()
    ended: list[float] = []
    yield lambda: (ended[0] if ended else time.perf_counter()) - begun
    ended.append(time.perf_counter())


def timed(work: Callable[[], object]) -> float:
    """Give the seconds that the work takes."""
    with stopwatch() as seconds:
        work()
    return seconds()


def measure(unit: str, cases: Sequence[Case], rounds: int) -> Rates:
    """Run every case once a round, each round beginning with another case."""
    rates: dict[str, list[float]] = {case.name: [] for case in cases}
    for number in range(rounds):
        turn = number % len(cases)
        for case in (*cases[turn:], *cases[:turn]):
            gc.collect()
            rates[case.name].append(case.units / case.seconds())
    return Rates(unit, {name: tuple(found) for name, found in rates.items()})


def interleave(unit: str, runners: Sequence[Runner]) -> Rates:
    """Let runners do their next block by turns, in another order each time.

    A disk that others use too changes from second to second: only blocks that follow at once are comparable.
    """
    gc.collect()
    rates: dict[str, list[float]] = {runner.name: [] for runner in runners}
    for number, blocks in enumerate(zip(*(runner.blocks for runner in runners), strict=True)):
        turn = number % len(runners)
        pairs = list(zip(runners, blocks, strict=True))
        for runner, block in (*pairs[turn:], *pairs[:turn]):
            with stopwatch() as seconds:
                runner.work(block)
            rates[runner.name].append(len(block) / seconds())
    return Rates(unit, {name: tuple(found) for name, found in rates.items()})


def cut(items: Sequence[T], blocks: int) -> list[Sequence[T]]:
    """Cut into so many blocks of one size."""
    size = len(items) // blocks
    return [items[first : first + size] for first in range(0, size * blocks, size)]


def percentile(values: Iterable[float], share: float) -> float:
    """Give the value below which so large a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def table(rows: Iterable[Result]) -> str:
    """Write the final table, aligned for a terminal and readable as Markdown."""
    cells = [HEAD, *(row.cells() for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEAD))]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
