"""The library below us, bare: sqlite3 and msgspec, WAL with synchronous=FULL, no checks, no chain."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import msgspec

from bench.measure import timed
from bench.workload import GAMES
from games.core.events import Event, kind_of

SCHEMA = """
CREATE TABLE events(
    position INTEGER PRIMARY KEY AUTOINCREMENT, game_id TEXT NOT NULL, seq INTEGER NOT NULL,
    kind TEXT NOT NULL, recorded_at INTEGER NOT NULL, payload NOT NULL, UNIQUE(game_id, seq)
)
"""
INSERT = "INSERT INTO events(game_id, seq, kind, recorded_at, payload) VALUES(?, ?, ?, ?, ?)"
PAYLOADS = "SELECT payload FROM events WHERE game_id = ? ORDER BY seq"
NOW = 1_790_000_000_000_000

encode = msgspec.json.Encoder().encode


def opened(path: Path) -> sqlite3.Connection:
    """Make a fresh database."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(SCHEMA)
    return connection


def _row(game: str, seq: int, event: Event) -> tuple[Any, ...]:
    return (game, seq, kind_of(event), NOW, encode(event).decode())


@contextmanager
def appending(path: Path, size: int = 1) -> Iterator[Callable[[Sequence[Event]], None]]:
    """Open a database; what is given commits so many events at once, each of one game, round the games."""
    heads, games = dict.fromkeys(GAMES, 0), cycle(GAMES)

    def append(events: Sequence[Event]) -> None:
        for first in range(0, len(events), size):
            game, batch = next(games), events[first : first + size]
            rows = [_row(game, seq, event) for seq, event in enumerate(batch, heads[game] + 1)]
            heads[game] += len(batch)
            if size == 1:
                connection.execute(INSERT, rows[0])
            else:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(INSERT, rows)
                connection.execute("COMMIT")

    with closing(opened(path)) as connection:
        yield append


def fill(path: Path, events: Sequence[Event]) -> None:
    """Keep one long game, for reading."""
    with closing(opened(path)) as connection:
        connection.execute("BEGIN")
        connection.executemany(INSERT, [_row(GAMES[0], seq, event) for seq, event in enumerate(events, 1)])
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def fetch(path: Path) -> float:
    """Give the seconds of fetching every payload of the long game, undecoded."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return timed(lambda: connection.execute(PAYLOADS, (GAMES[0],)).fetchall())
