"""Recorded games, each as its events and as the text that they must give: one per ending, one per option.

    python -m tests.games.rulesets.monster_maker.test_transcripts <name>

writes the text of one recorded game anew; look at the difference before it is committed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from games import replay, wire
from games.events import Event, RecordClosed, RecordStarted
from games.rulesets.monster_maker import RULESETS
from games.rulesets.monster_maker.state import Options
from games.transcript import transcript

RULES = RULESETS[0]
FOLDER = Path(__file__).parent / "transcripts"
RECORDS = sorted(path.name.partition(".")[0] for path in FOLDER.glob("*.events.jsonl"))
ENDINGS = {"monster-complete", "last-player", "conceded", "agreed", "abandoned"}


def read(name: str) -> tuple[RecordStarted[Any, Any], list[Event]]:
    lines = (FOLDER / f"{name}.events.jsonl").read_bytes().splitlines()
    started, *events = (wire.decode_event(RULES, line) for line in lines)
    return started, events


def text_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"


@pytest.mark.parametrize("name", RECORDS)
def test_a_recorded_game_reads_as_before(name: str) -> None:
    started, events = read(name)
    state = RULES.setup(started)
    for event in events:
        replay.check(RULES, state, event, seats=started.seats, closed=False)
        state = replay.evolve(RULES, state, event)
        RULES.invariants(state)
    assert transcript(RULES, started, events) == text_of(name).read_text(encoding="utf-8")


def outcome_of(name: str) -> Any:
    started, events = read(name)
    state = replay.fold(RULES, RULES.setup(started), events)
    closing = events[-1] if isinstance(events[-1], RecordClosed) else None
    return state, replay.outcome(RULES, state, started.seats, closing)


def test_every_ending_is_recorded() -> None:
    assert {outcome_of(name)[1].reason for name in RECORDS} == ENDINGS


def test_a_win_in_anothers_turn_is_recorded() -> None:
    state, over = outcome_of("off-turn-win")
    assert over.winners[0] != state.turn


def test_every_value_of_every_option_is_recorded() -> None:
    used = [read(name)[0].options for name in RECORDS]
    schema = msgspec.json.schema(Options)["$defs"]["Options"]["properties"]
    for key, rule in schema.items():
        assert set(rule.get("enum", [])) <= {getattr(options, key) for options in used}, key
    assert len({options.dealer for options in used}) > 1


def test_every_kind_of_event_and_every_number_of_players_is_recorded() -> None:
    games = [read(name) for name in RECORDS]
    assert {type(event) for _, events in games for event in events} >= set(RULES.events)
    assert {len(started.seats) for started, _ in games} == set(RULES.seats)


def main(name: str) -> None:
    started, events = read(name)
    text_of(name).write_text(transcript(RULES, started, events), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
