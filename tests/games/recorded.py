"""Recorded games, each as its events and as the text that they must give; `make golden` renews the texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from games.core import fold, serialization
from games.core.events import Event, RecordClosed, RecordStarted
from games.core.ruleset import Outcome
from games.core.start import started as start
from games.testing.transcript import transcript
from tests.games.per_ruleset import TESTED, Subject


class Record(NamedTuple):
    """One recorded game."""

    tested: Subject
    name: str

    @property
    def text(self) -> Path:
        """Where its text stands."""
        return self.tested.tests / "transcripts" / f"{self.name}.txt"

    def __str__(self) -> str:
        return f"{self.tested}-{self.name}"


def records(tested: Subject) -> list[Record]:
    """List the recorded games of a ruleset."""
    files = (tested.tests / "transcripts").glob("*.events.jsonl")
    return sorted(Record(tested, path.name.partition(".")[0]) for path in files)


def lines(record: Record) -> list[str]:
    """Give the stored events of a record; the shipped cards may stand in its file as null."""
    first, *rest = record.text.with_suffix(".events.jsonl").read_text(encoding="utf-8").splitlines()
    said = msgspec.json.decode(first)
    if said["data"] is None:
        said["data"] = msgspec.to_builtins(start(record.tested.ruleset, len(said["seats"])).data)
    return [msgspec.json.encode(said).decode(), *rest]


def read(record: Record) -> tuple[RecordStarted[Any, Any], list[Event]]:
    """Read a record."""
    started, *events = (serialization.decode_event(record.tested.ruleset, line) for line in lines(record))
    return started, events


def written(record: Record) -> str:
    """Write a record out as its ruleset's games are."""
    started, events = read(record)
    writer = record.tested.expected.writer
    if not writer:
        return transcript(record.tested.ruleset, started, events)
    told: Callable[[RecordStarted[Any, Any], Sequence[Event]], str]
    told = import_module(f"tests.games.rulesets.{record.tested}.{writer}").told
    return told(started, events)


def ended(record: Record) -> tuple[Any, Outcome]:
    """Give the last state of a record, and how it ended."""
    rules = record.tested.ruleset
    started, events = read(record)
    state = fold.fold(rules, rules.setup(started), events)
    closing = events[-1] if isinstance(events[-1], RecordClosed) else None
    over = fold.outcome(rules, state, started.seats, closing)
    assert over is not None, record
    return state, over


def find(folder: str, name: str) -> Record:
    """Find a record by the folder of its ruleset and its name."""
    tested = next(tested for tested in TESTED if str(tested) == folder)
    return Record(tested, name)
