"""Recorded games, each as its events and as the text that they must give: one per ending, one per option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from games import replay, wire
from games.events import Event, RecordClosed, RecordStarted
from games.rulesets.legend_of_monopoly import RULESETS
from games.rulesets.legend_of_monopoly.state import Options
from games.transcript import transcript

RULES = RULESETS[0]
RECORDS = sorted((Path(__file__).parent / "transcripts").glob("*.events.jsonl"))
ENDINGS = {
    ("last-player", "battle_lost"),
    ("last-player", "player_resigned"),
    ("wealthiest-after-rounds", "turn_ended"),
    ("draw", "turn_ended"),
    ("fellowship", "land_bought"),
    ("conceded", "record.closed"),
    ("agreed", "record.closed"),
    ("abandoned", "record.closed"),
}
"""Each way a game can end, with an event that ends it."""


def read(path: Path) -> tuple[RecordStarted[Any, Any], list[Event]]:
    events = [wire.decode_event(RULES, line) for line in path.read_bytes().splitlines()]
    return events[0], events[1:]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name.partition(".")[0])
def test_a_recorded_game_reads_as_before(path: Path) -> None:
    started, events = read(path)
    assert wire.event_to(started)["options"] == msgspec.to_builtins(started.options)
    state = RULES.setup(started)
    for event in events:
        replay.check(RULES, state, event, seats=started.seats, closed=False)
        state = replay.evolve(RULES, state, event)
        RULES.invariants(state)
    text = path.with_name(path.name.replace(".events.jsonl", ".txt")).read_text(encoding="utf-8")
    assert transcript(RULES, started, events) == text


def test_every_ending_is_recorded() -> None:
    found = set()
    for path in RECORDS:
        started, events = read(path)
        state = replay.fold(RULES, RULES.setup(started), events)
        last = events[-1]
        closing = last if isinstance(last, RecordClosed) else None
        over = replay.outcome(RULES, state, started.seats, closing)
        assert over is not None, path.name
        found.add((over.reason, wire.event_to(last)["kind"]))
    assert found == ENDINGS


def test_every_value_of_every_option_is_recorded() -> None:
    used = [read(path)[0].options for path in RECORDS]
    schema = msgspec.json.schema(Options)["$defs"]["Options"]["properties"]
    for key, rule in schema.items():
        values = {repr(getattr(options, key)) for options in used}
        assert {repr(value) for value in rule.get("enum", [])} <= values, key
    for key in ("rounds", "stock", "mother_confessor", "madame_denna"):
        assert {getattr(options, key) is None for options in used} == {True, False}, key
    assert {options.treasurer for options in used} == {"p1", "table"}
