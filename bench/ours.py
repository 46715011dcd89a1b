"""Tabletape's side: the same workload through its public API, every check switched on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.measure import stopwatch
from bench.workload import GAMES, Move
from eventstore.log import EventLog
from eventstore.sqlite_log import SqliteLog
from eventstore.stored_event import NewEvent
from games.events import kind_of
from games.wire import encode_event


def command(log: EventLog, game: str, after: int, events: Sequence[Move]) -> None:
    """Append one command, its id that of its first event."""
    rows = [NewEvent(kind_of(event), encode_event(event), event.by) for event in events]
    request = hashlib.sha256("\n".join(row.payload for row in rows).encode()).hexdigest()
    log.append(game, rows, after=after, command_id=events[0].cmd, request=request)


def appends(path: Path, events: Sequence[Move], size: int) -> float:
    """Give the seconds of one command a batch, each batch of one game, round the games."""
    with SqliteLog.open(path) as log:
        heads = dict.fromkeys(GAMES, 0)
        with stopwatch() as seconds:
            for number, first in enumerate(range(0, len(events), size)):
                game = GAMES[number % 64]
                command(log, game, heads[game], events[first : first + size])
                heads[game] += size
        return seconds()


def callers(path: Path, events: Sequence[Move], count: int) -> float:
    """Give the seconds of so many callers at once, each in its own game, each answered before it goes on."""
    share = len(events) // count

    def play(number: int) -> None:
        for after, event in enumerate(events[number * share : (number + 1) * share]):
            command(log, GAMES[number], after, [event])

    with SqliteLog.open(path) as log, ThreadPoolExecutor(count) as pool, stopwatch() as seconds:
        list(pool.map(play, range(count)))
    return seconds()
