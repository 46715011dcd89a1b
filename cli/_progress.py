"""A bar for what takes longer than a second, on a terminal only."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

from cli._shell import plain_wanted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")

PATIENCE: Final = 1.0
"""Seconds before a bar is worth its flicker."""


def tracked(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Give the items on, and draw on stderr how many of the total have come."""
    if not sys.stderr.isatty():
        yield from items
        return
    began = monotonic()
    done = 0
    source = iter(items)
    for item in source:
        done += 1
        yield item
        if monotonic() - began > PATIENCE:
            break
    else:
        return
    yield from _drawn(source, done, total, label)


def _drawn(items: Iterator[T], done: int, total: int, label: str) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, no_color=plain_wanted())
    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(label, total=total, completed=done)
        for item in items:
            yield item
            progress.advance(task)
