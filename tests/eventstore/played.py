"""High Card games to test the store with."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from eventstore.access.actor import Actor
from eventstore.log.rows import RECORDER
from eventstore.recording.commands import New, Record
from games.core.registry import registry_of
from games.examples.high_card import RULESETS, TOY, CardLaid, CardPassed, CardsDrawn, CardsTurned, HandDealt
from games.testing.playout import next_event

if TYPE_CHECKING:
    from eventstore.recording.commands import Answer
    from eventstore.store import Store

REGISTRY = registry_of(RULESETS)
HOSTILE = (
    "<script>alert('x')</script>",
    'a "quoted" {brace} [bracket] \\ back\\slash ]]>',
    "=HYPERLINK(1)",
    "שלום עולם \u202e left",
    "☂ 😀 𝒜 \U0010ffff",
    "{p1} %s $1 ' -- ;",
)

ROUND = [
    HandDealt("p1", ("c01", "c02", "c03")),
    HandDealt("p2", ("c04", "c05", "c06")),
    CardLaid("p1", "c01"),
    CardLaid("p2", "c04"),
    CardsTurned({"p1": "c01", "p2": "c04"}),
    CardsDrawn("p2", ("c07", "c08")),
    CardPassed("p2", "c07"),
    CardLaid("p1", "c02"),
]
"""The beginning of a game of two: seqs 2 to 9; the steps are one less."""


def begin(store: Store, *, by: str = RECORDER, command_id: str | None = None, **given: Any) -> str:
    given = {"options": {"rounds": 1000}, **given}
    command = New(TOY.id, given.pop("players", ("Ann", "Bo")), **given, id=command_id)
    return store.do(None, command, Actor(by)).game.id


def play(store: Store, game: str, count: int, *, seed: int = 1, at_once: bool = True) -> Answer:
    """Record so many events that the core's random player chose."""
    position = store.game(game).position()
    rng, state, events = random.Random(seed), position.state, []  # noqa: S311 - to be repeated
    for _ in range(count):
        events.append(next_event(position.ruleset, state, rng))  # type: ignore[arg-type]
        state = position.ruleset.evolve[type(events[-1])](state, events[-1])  # type: ignore[union-attr]
    if at_once:
        return store.do(game, Record(events))
    return [store.do(game, Record([event])) for event in events][-1]


def seqs(store: Store, game: str) -> list[int]:
    """The events of the history as it stands."""
    return list(store.game(game).runs)


def untouched(store: Store, game: str) -> bool:
    """Whether nothing was appended to a game that holds `ROUND`."""
    head = store.log.head(game)
    return head is not None and head.seq == len(ROUND) + 1


def damage(path: object, sql: str, *values: object) -> None:
    """Change a database behind the back of its log."""
    import sqlite3  # noqa: PLC0415
    from contextlib import closing  # noqa: PLC0415

    with closing(sqlite3.connect(str(path), isolation_level=None)) as connection:
        triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'"
        guards = connection.execute(triggers).fetchall()
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(sql, values)
        for _, guard in guards:
            connection.execute(guard)
