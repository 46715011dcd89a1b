"""Games of each sort that the pages must cope with."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eventstore.log.rows import NewEvent
from eventstore.recording.commands import New, Record
from eventstore.store import Store
from games.core import serialization, start
from games.core.registry import Registry, installed, registry_of
from games.core.ruleset import Ruleset
from games.examples import high_card
from games.testing import playout

EVIL = '"><script>alert(1)</script>'


def registry() -> Registry:
    return registry_of(*((item,) for item in installed().values()), high_card.RULESETS)


@contextmanager
def opened(filled: Path, folder: Path) -> Iterator[Store]:
    """Open a copy of the filled database."""
    copy = folder / "games.db"
    copy.write_bytes(filled.read_bytes())
    with Store.open(copy, registry=registry()) as store:
        yield store


def play(
    store: Store,
    game: str,
    ruleset: str,
    players: list[str],
    *,
    seed: int = 1,
    most: int = 150,
    **more: Any,
) -> None:
    """Record a random game through the front door."""
    rules: Ruleset[Any] = store.registry.find(ruleset)
    store.do(None, New(ruleset, players, game=game, **more))
    started = start.started(rules, len(players), origin=more.get("origin", "table"))
    rng = random.Random(seed)  # noqa: S311 - seeded on purpose
    events = [event for event, _ in playout.playout(rules, started, rng, max_events=most)]
    store.do(game, Record(events))


def raw(store: Store, game: str, *payloads: str) -> None:
    """Put rows into the log that the store would refuse."""
    rows = [NewEvent(payload.split('"')[3], payload) for payload in payloads]
    store.log.append(game, rows, after=0, command_id=game, request="raw")


def fill(store: Store) -> None:
    """Record one game of each sort."""
    play(store, "star", "monsters-forever", ["Ann", "Bo"], title="Tuesday’s star", played_on="2026-09-14")
    play(store, "cards", "high-card", ["Ann", "Cem"], seed=3, origin="dealt", played_on="2026-09-15")
    play(store, "evil", "high-card", [EVIL, "B&o"], seed=4, most=12, origin="dealt", title=EVIL, place=EVIL)
    missing = (
        '{"kind":"record.started","ruleset":"chess","version":9,"seats":["p1","p2"],"origin":"table",'
        '"seen_as":"everything","options":{},"data":{},"parent":null}'
    )
    raw(
        store,
        "textual",
        missing,
        '{"kind":"moved","from":"e2","to":"e4"}',
        '{"kind":"moved","from":"e7","to":"e5"}',
    )
    good = start.started(store.registry.find("monsters-forever"), 2)
    raw(
        store,
        "broken",
        serialization.encode_event(good),
        '{"kind":"creature_moved","team":"A","from":"A6","to":"A5"}',
        '{"kind":"creature_moved","team":"A","from":"nowhere"}',
        '{"kind":"turn_ended","team":"A"}',
    )
