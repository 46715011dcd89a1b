"""No number that an event is accepted with breaks what must always hold."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import msgspec
import pytest
from msgspec import inspect

from games.core import serialization
from games.core.events import Event, kind_of
from games.core.registry import installed
from games.core.ruleset import IllegalAction, Ruleset
from games.core.start import data_file, started
from games.testing.laws import some_offered
from games.testing.playout import playout

RULESETS = list(installed().newest().values())
GREAT = (10**14, -(10**14), 10**9 + 1, 10**9, 10**8)
TIMES = 20
TRIED = 4
"""So many events of each kind are tried in a game."""
LENGTH = 600
"""So many states of a game are looked at."""
GAMES = 60
"""So many games are played at most, a few at least, until every field was tried."""
FEW = 8
Path = tuple[str, ...]


def manual(ruleset: Ruleset[Any]) -> bytes:
    """The built-in cards, some of them of those whose print only people can read."""
    data = json.loads(data_file(ruleset))
    for gambit in data.get("gambits", ()) if ruleset.id == "monsters-of-war" else ():
        gambit["ops"] = [{"op": "manual"}]
    for card in data["magic"]["additive"] if ruleset.id == "legend-of-monopoly" else ():
        card.update(effect="manual", value=None)
    return json.dumps(data).encode()


OPTIONS: dict[str, dict[str, Any]] = {
    "legend-of-monopoly": {"loans": "treasurer"},
    "monsters-of-war": {"gambit_empty": "reshuffle-discards"},
}


def offered(ruleset: Ruleset[Any], seed: int) -> Iterator[tuple[Any, Event]]:
    """What is offered in a game, some of each kind; every other game is one of random players."""
    kinds = dict.fromkeys(ruleset.events, 0)
    players = ruleset.seats[seed % len(ruleset.seats[:2])]
    start = started(ruleset, players, data=manual(ruleset), options=OPTIONS.get(ruleset.id, {}))
    rng = random.Random(seed)  # noqa: S311 - to be repeated
    played = playout(replace(ruleset, bot=None) if seed % 3 else ruleset, start, rng)
    for state in islice(chain([ruleset.setup(start)], (state for _, state in played)), LENGTH):
        for event in some_offered(ruleset, state, rng):
            kinds[type(event)] += 1
            if kinds[type(event)] <= TRIED:
                yield state, event


def numbers(payload: Any, path: Path = ()) -> Iterator[Path]:
    """Where whole numbers stand in a payload."""
    if isinstance(payload, int) and not isinstance(payload, bool):
        yield path
    elif isinstance(payload, dict | list):
        steps = payload.items() if isinstance(payload, dict) else enumerate(payload)
        for step, inner in steps:
            yield from numbers(inner, (*path, str(step)))


def put(payload: Any, path: Path, number: int) -> Any:
    """Give the payload with another number there."""
    if not path:
        return number
    step, *rest = path
    if isinstance(payload, list):
        return [
            put(item, tuple(rest), number) if str(at) == step else item for at, item in enumerate(payload)
        ]
    return {**payload, step: put(payload[step], tuple(rest), number)}


def unbounded(event: type[Event]) -> Iterator[str]:
    """Name the fields of an event in which a whole number without end may stand."""
    described: Any = inspect.type_info(event)
    return (field.encode_name for field in described.fields if _has_unbounded(field.type))


def _has_unbounded(described: Any) -> bool:
    match described:
        case inspect.IntType(ge=least, le=most):
            return least is None or most is None
        case inspect.StructType(fields=fields):
            return any(_has_unbounded(field.type) for field in fields)
        case inspect.DictType(value_type=inner) | inspect.VarTupleType(item_type=inner):
            return _has_unbounded(inner)
        case inspect.TupleType(item_types=inner) | inspect.UnionType(types=inner):
            return any(map(_has_unbounded, inner))
        case _:
            return False


def accepted(ruleset: Ruleset[Any], state: Any, payload: Any) -> Event | None:
    try:
        event: Event = serialization.event_from(ruleset, payload)
        ruleset.check(state, event)
    except (msgspec.ValidationError, IllegalAction):
        return None
    return event


def payloads(state: Any, event: Event) -> Iterator[Any]:
    """The event as JSON; what a form leaves to be typed, filled in."""
    payload = msgspec.json.decode(serialization.encode_event(event))
    yield payload
    if payload.get("moves") == []:
        moves = ({"count": 1, "from": f"deck.{seat}", "to": "spoils.p1"} for seat in state.decks)
        yield from ({**payload, "moves": [move]} for move in moves)


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_no_accepted_number_breaks_an_invariant(ruleset: Ruleset[Any]) -> None:
    wanted = {(kind_of(event), field) for event in ruleset.events for field in unbounded(event)}
    for seed in range(GAMES):
        if seed >= FEW and not wanted:
            break
        for state, event in offered(ruleset, seed):
            for payload in payloads(state, event):
                for path in numbers(payload):
                    wanted.discard((kind_of(event), path[0]))
                    for number in GREAT:
                        repeat(ruleset, state, put(payload, path, number))
    assert wanted == set()


def repeat(ruleset: Ruleset[Any], state: Any, payload: Any) -> None:
    """Do such a thing as long as it is accepted."""
    for _ in range(TIMES):
        taken = accepted(ruleset, state, payload)
        if taken is None:
            return
        state = ruleset.evolve[type(taken)](state, taken)
        ruleset.invariants(state)
