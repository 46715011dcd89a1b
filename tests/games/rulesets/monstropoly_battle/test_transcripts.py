"""Recorded games, each as its events and as the text that they must give: one per ending, option, witness.

    python -m tests.games.rulesets.monstropoly_battle.test_transcripts <name>

writes the text of one recorded game anew; look at the difference before it is committed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from games import replay, wire, wording
from games.events import Event, RecordClosed, RecordStarted
from games.rulesets.monstropoly_battle import RULESETS
from games.rulesets.monstropoly_battle.state import Options, State
from games.scene_text import scene_text
from games.start import started as start

RULES = RULESETS[0]
FOLDER = Path(__file__).parent / "transcripts"
RECORDS = sorted(path.name.partition(".")[0] for path in FOLDER.glob("*.events.jsonl"))
ENDINGS = {"most-points", "automatic-loss", "draw", "conceded", "agreed", "abandoned"}
WITNESSED = ("most-points", "most-points-seen-by-p1", "most-points-seen-by-p2", "most-points-seen-by-table")


def read(name: str) -> tuple[RecordStarted[Any, Any], list[Event]]:
    """Read a record; what all of them have in common, the shipped cards, is written as null."""
    first, *lines = (FOLDER / f"{name}.events.jsonl").read_bytes().splitlines()
    said = msgspec.json.decode(first)
    if said["data"] is None:
        said["data"] = msgspec.to_builtins(start(RULES, 2).data)
    return wire.event_from(RULES, said), [wire.decode_event(RULES, line) for line in lines]


def text_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def told(started: RecordStarted[Any, Any], events: list[Event]) -> str:
    """Write a game a line a step, and the whole table wherever another part of the game begins."""
    options = ", ".join(f"{key} {value}" for key, value in msgspec.to_builtins(started.options).items())
    return "\n".join((f"seen as {started.seen_as}; {options}", *_steps(started, events))) + "\n"


def _steps(started: RecordStarted[Any, Any], events: list[Event]) -> Iterator[str]:
    state = RULES.setup(started)
    for number, event in enumerate(events, start=1):
        caption = wording.put_names(wording.caption(RULES, state, event), {})
        yield f"{number}. {wording.write(RULES, state, event)} | {caption}"
        before, state = state, replay.evolve(RULES, state, event)
        if part(before) != part(state) or number == len(events):
            yield from _table(state, closed=isinstance(event, RecordClosed))
    closing = events[-1] if isinstance(events[-1], RecordClosed) else None
    over = replay.outcome(RULES, state, started.seats, closing)
    assert over is not None
    yield f"over: {over.reason}, {' '.join(over.winners) or 'nobody'} wins, {over.scores}"


def part(state: State) -> tuple[object, ...]:
    return state.phase.partition(".")[0], state.phase in {"phase2.declare", "phase2.shuffle"}, state.battle


def _table(state: State, *, closed: bool) -> Iterator[str]:
    yield from (f"    {line}".rstrip() for line in scene_text(RULES.scene(state)).split("\n"))
    for due in replay.pending(RULES, state, closed=closed):
        listed = sum(
            event.__struct_config__.tag in due.kinds for event in RULES.legal_actions(state, due.seat)
        )
        need = "must" if due.must else "may"
        yield f"    > {due.seat} {need}: {', '.join(due.kinds)} ({due.why}), {listed} listed"


@pytest.mark.parametrize("name", RECORDS)
def test_a_recorded_game_reads_as_before(name: str) -> None:
    started, events = read(name)
    state = RULES.setup(started)
    for event in events:
        replay.check(RULES, state, event, seats=started.seats, closed=False)
        state = replay.evolve(RULES, state, event)
        RULES.invariants(state)
    assert told(started, events) == text_of(name).read_text(encoding="utf-8")


def outcome_of(name: str) -> Any:
    started, events = read(name)
    state = replay.fold(RULES, RULES.setup(started), events)
    closing = events[-1] if isinstance(events[-1], RecordClosed) else None
    return replay.outcome(RULES, state, started.seats, closing)


def test_every_ending_is_recorded() -> None:
    assert {outcome_of(name).reason for name in RECORDS} == ENDINGS


def test_one_game_ends_the_same_whoever_recorded_it() -> None:
    assert {read(name)[0].seen_as for name in WITNESSED} == {"everything", "p1", "p2", "table"}
    outcomes = [outcome_of(name) for name in WITNESSED]
    assert outcomes == outcomes[:1] * len(WITNESSED)


def test_every_value_of_every_option_is_recorded() -> None:
    used = [read(name)[0].options for name in RECORDS]
    schema = msgspec.json.schema(Options)["$defs"]["Options"]["properties"]
    for key, rule in schema.items():
        assert set(rule["enum"]) == {getattr(options, key) for options in used}, key


def test_every_kind_of_event_is_recorded() -> None:
    assert {type(event) for name in RECORDS for event in read(name)[1]} >= set(RULES.events)


def main(name: str) -> None:
    text_of(name).write_text(told(*read(name)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
