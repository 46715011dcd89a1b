"""Tabletape's side: the same workload through its public interface, every check switched on."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count, cycle
from pathlib import Path
from typing import Any, NamedTuple

from bench.card_game import CARD_GAME
from bench.measure import cut, stopwatch
from bench.workload import GAMES, Move
from eventstore.access.actor import Actor
from eventstore.log.contract import EventLog
from eventstore.log.rows import Append, NewEvent
from eventstore.recording.commands import New, Record
from eventstore.sqlite.log import SqliteLog
from eventstore.store import Store
from games.core.events import Event, kind_of
from games.core.registry import registry_of
from games.core.ruleset import Ruleset
from games.core.serialization import encode_event
from games.core.start import started
from games.testing.playout import playout

LONG_GAME = "long-game"


# --- A: appending ------------------------------------------------------------------------------------


def request_of(rows: Iterable[NewEvent]) -> str:
    """Digest a command as it was asked for."""
    return hashlib.sha256("\n".join(row.payload for row in rows).encode()).hexdigest()


def command(log: EventLog, game: str, after: int, events: Sequence[Move]) -> None:
    """Append one command, its id that of its first event."""
    rows = [NewEvent(kind_of(event), encode_event(event), event.by) for event in events]
    log.append(game, rows, after=after, command_id=events[0].cmd, request=request_of(rows))


@contextmanager
def appending(path: Path, size: int = 1) -> Iterator[Callable[[Sequence[Move]], None]]:
    """Open a log; what is given appends one command for so many events, each of one game, round the games."""
    heads, games = dict.fromkeys(GAMES, 0), cycle(GAMES)

    def append(events: Sequence[Move]) -> None:
        for first in range(0, len(events), size):
            game, batch = next(games), events[first : first + size]
            command(log, game, heads[game], batch)
            heads[game] += len(batch)

    with SqliteLog.open(path) as log:
        yield append


@contextmanager
def calling(path: Path, callers: int) -> Iterator[Callable[[Sequence[Move]], None]]:
    """Open a log for so many callers at once, each in its own game, each answered before it goes on."""
    heads = [0] * callers

    def play(number: int, events: Sequence[Move]) -> None:
        for event in events:
            command(log, GAMES[number], heads[number], [event])
            heads[number] += 1

    def call(events: Sequence[Move]) -> None:
        list(pool.map(play, range(callers), cut(events, callers)))

    with SqliteLog.open(path) as log, ThreadPoolExecutor(callers) as pool:
        yield call


# --- B: replaying ------------------------------------------------------------------------------------


class Filled(NamedTuple):
    """A database with whole games of one ruleset in it."""

    path: Path
    ruleset: Ruleset[Any]
    games: tuple[str, ...]
    events: int
    """In all games together."""

    @property
    def each(self) -> int:
        """The events of a game, on average."""
        return self.events // len(self.games)


def _keep(
    path: Path, ruleset: Ruleset[Any], games: Iterable[tuple[str, Iterable[Event]]], least: int
) -> Filled:
    """Keep one game after the other until there are so many events."""
    with SqliteLog.open(path) as log:
        kept: dict[str, int] = {}
        for game, events in games:
            rows = tuple(NewEvent(kind_of(event), encode_event(event)) for event in events)
            log.append_all([Append(game, rows, 0, f"keep-{game}", request_of(rows))])
            kept[game] = len(rows)
            if sum(kept.values()) >= least:
                break
    return Filled(path, ruleset, tuple(kept), sum(kept.values()))


def fill(path: Path, events: Sequence[Event]) -> Filled:
    """Keep one long card game."""
    return _keep(path, CARD_GAME, [(LONG_GAME, [started(CARD_GAME, 2), *events])], len(events))


def simulate(path: Path, ruleset: Ruleset[Any], least: int) -> Filled:
    """Keep games of a ruleset with at least so many events, played at random, the same ones each time."""

    def play(seed: int) -> Iterator[Event]:
        first = started(ruleset, ruleset.seats[0], origin="simulated")
        yield first
        yield from (event for event, _ in playout(ruleset, first, random.Random(seed)))

    return _keep(path, ruleset, ((f"game{seed:04d}", play(seed)) for seed in count()), least)


@contextmanager
def reading(filled: Filled, *, keep: bool = False) -> Iterator[Store]:
    """Open the games as a reader who has seen none of them yet."""
    with SqliteLog.open(filled.path, read_only=not keep) as log:
        yield Store(log, registry_of((filled.ruleset,)), keep=keep)


def replay(filled: Filled) -> float:
    """Give the seconds of folding every game from its first event on."""
    with reading(filled) as reader, stopwatch() as seconds:
        for game in filled.games:
            reader.game(game).state_from_start()
    return seconds()


# --- C: seeking --------------------------------------------------------------------------------------


def snapshots(filled: Filled) -> float:
    """Fold every game once with snapshots; give the growth of the file as a share of the room for events."""
    empty = filled.path.with_suffix(".empty")
    SqliteLog.open(empty).close()
    before = filled.path.stat().st_size
    with reading(filled, keep=True) as reader:
        for game in filled.games:
            reader.game(game).position()
    return (filled.path.stat().st_size - before) / (before - empty.stat().st_size)


def seeks(filled: Filled, steps: Sequence[int], note: Callable[[float], None]) -> float:
    """Give the seconds of jumping to these steps of the first game, noting those of each jump."""
    game = filled.games[0]
    with reading(filled) as reader:
        reader.game(game)
        with stopwatch() as seconds:
            for step in steps:
                before = seconds()
                reader.game(game).position(step)
                note(seconds() - before)
    return seconds()


def full_folds(filled: Filled, steps: Sequence[int]) -> float:
    """Give the seconds of reaching these steps of the first game from its first event on."""
    with reading(filled) as reader:
        reader.game(filled.games[0])
        with stopwatch() as seconds:
            for step in steps:
                reader.game(filled.games[0]).state_from_start(step)
    return seconds()


@contextmanager
def recording(path: Path, *, keep: bool) -> Iterator[Callable[[Sequence[Move]], None]]:
    """Open a game; what is given records one event a command, with snapshots or without making any."""
    registry = registry_of((CARD_GAME,))
    with SqliteLog.open(path) as log:
        store = Store(log, registry, keep=keep)
        game = store.do(None, New(CARD_GAME.id, ("Ann", "Bo"), game=LONG_GAME)).game.id
        heads = count(1)

        def record(events: Sequence[Move]) -> None:
            for event in events:
                store.do(game, Record([event], after=next(heads), id=event.cmd), Actor(event.by))

        yield record
        if keep != bool(log.snapshots.bytes_used(game)):
            raise RuntimeError("snapshots were kept where none should be, or none where they should")
