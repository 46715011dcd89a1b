"""What old records rely on: the names in a state, and how each kind of event was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from games.core import serialization
from games.core.events import kind_of
from games.core.ruleset import Ruleset
from games.examples import high_card
from tests.conformance import stored

RULESETS = pytest.mark.parametrize("ruleset", stored.rulesets(), ids=stored.name_of)
RECORD_KINDS = {
    "record.undone",
    "record.redone",
    "record.amended",
    "record.ruled",
    "record.checked",
    "record.closed",
}


@RULESETS
def test_places_that_rulings_name_are_those_of_the_version(ruleset: Ruleset[Any]) -> None:
    file = stored.snapshot_file(ruleset)
    assert file.exists(), f"python -m tests.conformance.stored state {ruleset.id} {ruleset.version}"
    assert file.read_text(encoding="utf-8") == stored.written(stored.state_schema(ruleset))


@RULESETS
def test_each_kind_has_a_stored_event(ruleset: Ruleset[Any]) -> None:
    kinds = [msgspec.json.decode(line)["kind"] for line in stored.stored_lines(ruleset)]
    assert set(kinds) == stored.kinds_due(ruleset)


@RULESETS
def test_stored_events_are_read_and_written_to_the_byte(ruleset: Ruleset[Any]) -> None:
    for line in stored.stored_lines(ruleset):
        event = serialization.decode_event(ruleset, line)
        assert kind_of(event) == msgspec.json.decode(line)["kind"]
        if kind_of(event) not in ruleset.upcasts:
            assert serialization.encode_event(event) == line


@RULESETS
def test_stored_start_can_be_played(ruleset: Ruleset[Any]) -> None:
    starts = [
        serialization.decode_event(ruleset, line)
        for line in stored.stored_lines(ruleset)
        if "record.started" in line
    ]
    assert starts
    for event in starts:
        assert (event.ruleset, event.version) == (ruleset.id, ruleset.version)
        ruleset.invariants(ruleset.setup(event))


def test_stored_record_facts_are_read_and_written_to_the_byte() -> None:
    lines = (stored.FOLDER / "events" / "record.jsonl").read_text(encoding="utf-8").splitlines()
    assert {msgspec.json.decode(line)["kind"] for line in lines} == RECORD_KINDS
    for line in lines:
        assert serialization.encode_event(serialization.decode_event(high_card.TOY, line)) == line


def test_older_spelling_is_read_by_its_version_only() -> None:
    (line,) = (line for line in stored.stored_lines(high_card.RULESETS[1]) if '"card_laid"' in line)
    assert '"seat":' in line
    assert serialization.decode_event(high_card.RULESETS[1], line) == high_card.CardLaid("p2", "c07")
    with pytest.raises(msgspec.ValidationError, match="seat"):
        serialization.decode_event(high_card.TOY, line)


def test_nothing_is_stored_for_what_is_not_there() -> None:
    names = {stored.name_of(ruleset) for ruleset in stored.rulesets()}
    files = [*(stored.FOLDER / "snapshots").iterdir(), *(stored.FOLDER / "events").iterdir()]
    assert {file.stem for file in files if file.suffix in {".json", ".jsonl"}} - names == {"record"}


def test_missing_kinds_are_added_and_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    (tmp_path / "events").mkdir()
    kept = '{"kind":"deck_rebuilt","count":1}'
    stored.events_file(high_card.TOY).write_text(f"{kept}\n", encoding="utf-8")
    stored.main("events", "high-card", "2")
    lines = stored.stored_lines(high_card.TOY)
    assert lines[0] == kept
    assert sorted(msgspec.json.decode(line)["kind"] for line in lines) == sorted(
        stored.kinds_due(high_card.TOY)
    )


def test_schema_is_written_anew_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    (tmp_path / "snapshots").mkdir()
    stored.main("state", "high-card", "1")
    assert [file.name for file in (tmp_path / "snapshots").iterdir()] == ["high-card-1.json"]


def test_schema_leaves_out_setup_and_sentences() -> None:
    schema = stored.state_schema(high_card.TOY)
    assert set(schema["$defs"]) == {"HighCard", "Hand"}
    assert "description" not in stored.written(schema)
    assert list(schema["$defs"]["HighCard"]["properties"])[:3] == ["phase", "round", "hands"]
