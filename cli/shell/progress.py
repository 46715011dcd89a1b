"""A bar for what takes longer than a second, on a terminal only."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

from cli.shell.output import plain_wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.progress import Progress

T = TypeVar("T")

PATIENCE: Final = 1.0
"""Seconds before a bar is worth its flicker."""


def tracked(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Give the items on, and draw on stderr how many of the total have come."""
    if not sys.stderr.isatty():
        yield from items
        return
    began = _seconds()
    done = 0
    source = iter(items)
    for item in source:
        done += 1
        yield item
        if _seconds() - began > PATIENCE:
            break
    else:
        return
    yield from _drawn(source, done, total, label)


def _drawn(items: Iterator[T], done: int, total: int, label: str) -> Iterator[T]:
    with _progress() as progress:
        task = progress.add_task(label, total=total, completed=done)
        for item in items:
            yield item
            progress.advance(task)


@contextmanager
def bar() -> Iterator[Callable[[str, int, int], None]]:
    """Lend what is told what is being done, how much of it is done, and of how much."""
    began = _seconds()
    drawn: list[Progress] = []

    def watch(label: str, done: int, total: int) -> None:
        if not drawn and _seconds() - began > PATIENCE and sys.stderr.isatty():
            drawn.append(_progress())
            drawn[0].start()
            drawn[0].add_task(label)
        for progress in drawn:
            progress.update(progress.task_ids[0], description=label, completed=done, total=total)

    try:
        yield watch
    finally:
        for progress in drawn:
            progress.stop()


def _seconds() -> float:
    """Seconds that went by; none do where Python cannot read the clock, and so no bar is drawn."""
    try:
        return monotonic()
    except OverflowError:
        return 0.0


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, no_color=plain_wanted())
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True)
