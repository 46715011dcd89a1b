"""Simulated games: played without a database, so that several processes can, and saved together."""

from __future__ import annotations

import random
import secrets
from typing import TYPE_CHECKING, Any, Final

import msgspec

from eventstore.errors import unwritten
from eventstore.library.catalogue import Standing, row_of
from eventstore.log.ids import new_id
from eventstore.log.rows import RECORDER, Append, NewEvent
from eventstore.log.tables import PutStanding
from eventstore.replay import stored_payloads
from games.core import serialization, start
from games.core.events import Event, kind_of
from games.core.registry import installed
from games.core.ruleset import Outcome
from games.testing import playout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eventstore.log.list_table import StandingRow
    from eventstore.store import Store
    from games.core.registry import Registry

_AT_ONCE: Final = 200
"""Games saved in one transaction."""


class SimulatedGame(msgspec.Struct, frozen=True):
    """A game that was played out; it can be sent from one process to another."""

    ruleset: str
    version: int
    events: tuple[tuple[str, str], ...]
    """Kind and payload, `record.started` first."""
    outcome: Outcome | None
    """None where the limit of events came first."""


def game_seed(seed: int, number: int) -> str:
    """The seed of one of many games: the same whoever plays it."""
    return f"{seed}:{number}"


def simulate(
    ruleset: str,
    players: int,
    seed: int | str,
    max_events: int = 20_000,
    options: Mapping[str, Any] | None = None,
    *,
    version: int | None = None,
    registry: Registry | None = None,
) -> SimulatedGame:
    """Play one game to its end or to so many events behind the first; the same seed, the same game.

    Errors:  `UnknownRuleset`; `IllegalAction` for players or options that do not fit; `DeadEnd`.
    """
    rules = (installed() if registry is None else registry).find(ruleset, version)
    started = start.started(rules, players, options=options, origin="simulated")
    rng = random.Random(seed)  # noqa: S311 - to be repeated
    events: list[Event] = [started]
    state = rules.setup(started)
    for event, after in playout.playout(rules, started, rng, max_events=max_events):
        events.append(event)
        state = after
    written = tuple((kind_of(event), serialization.encode_event(event)) for event in events)
    return SimulatedGame(rules.id, rules.version, written, rules.outcome(state))


def save(store: Store, games: Iterable[SimulatedGame], *, by: str = RECORDER) -> list[str]:
    """Keep simulated games, many in a transaction; their ids in the same order."""
    ids: list[str] = []
    for batch in _batches(games):
        names = [new_id() for _ in batch]
        commands = [_command(name, game, by) for name, game in zip(names, batch, strict=True)]
        tables = [PutStanding(_standing(name, game)) for name, game in zip(names, batch, strict=True)]
        kept = f"only {len(ids):,} of the simulated games were kept"
        with unwritten(kept if ids else "no simulated game was kept"):
            store.log.append_all(commands, tables=tables)
        ids += names
    return ids


def _batches(games: Iterable[SimulatedGame]) -> Iterator[Sequence[SimulatedGame]]:
    batch: list[SimulatedGame] = []
    for game in games:
        batch.append(game)
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def _standing(name: str, game: SimulatedGame) -> StandingRow:
    first = stored_payloads.named(name, 1, game.events[0][1])
    standing = Standing(
        game=name,
        ruleset=game.ruleset,
        version=game.version,
        origin=first.origin,
        parent=None,
        seats=first.seats,
        steps=len(game.events) - 1,
        seq=len(game.events),
        status="playing" if game.outcome is None else "over",
        result=game.outcome,
    )
    return row_of(standing)


def _command(name: str, game: SimulatedGame, by: str) -> Append:
    rows = tuple(NewEvent(kind, payload, by) for kind, payload in game.events)
    return Append(name, rows, 0, name, secrets.token_hex(16))
