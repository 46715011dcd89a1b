"""What old records rely on: the names in a state, what each event and default was, what games come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest

from games.core import serialization
from games.core.events import RECORD_EVENTS, Event, kind_of
from games.core.ruleset import Ruleset
from games.examples import high_card
from games.examples.high_card import TOY, CardLaid, CardsTurned, HighCard
from tests.conformance import stored

RULESETS = pytest.mark.parametrize("ruleset", stored.rulesets(), ids=stored.name_of)


@RULESETS
def test_places_that_rulings_name_are_those_of_the_version(ruleset: Ruleset[Any]) -> None:
    file = stored.snapshot_file(ruleset)
    assert file.exists(), "run: make golden"
    assert file.read_text(encoding="utf-8") == stored.written(stored.state_schema(ruleset)), (
        f"a new version, or: python -m tests.conformance.stored state {ruleset.id} {ruleset.version}"
    )


@RULESETS
def test_each_kind_has_a_stored_event(ruleset: Ruleset[Any]) -> None:
    kinds = [msgspec.json.decode(line)["kind"] for line in stored.stored_lines(ruleset)]
    assert set(kinds) == stored.kinds_due(ruleset), "run: make golden"


@RULESETS
def test_each_default_and_each_recorded_game_is_kept(ruleset: Ruleset[Any]) -> None:
    assert stored.kept_defaults(stored.name_of(ruleset)).keys() == stored.defaults(ruleset).keys()
    assert stored.kept_meanings(ruleset).keys() == stored.meanings(ruleset).keys()


@RULESETS
def test_what_is_stored_is_contained_in_what_is_written_anew_and_means_what_it_meant(
    ruleset: Ruleset[Any],
) -> None:
    assert stored.stored_lines(ruleset)
    assert stored.faults(ruleset) == []


@RULESETS
def test_stored_events_of_a_move_are_written_to_the_byte(ruleset: Ruleset[Any]) -> None:
    """Only the start may gain what has a default; an event leaves such a field out."""
    for line in stored.stored_lines(ruleset):
        event = serialization.decode_event(ruleset, line)
        if kind_of(event) not in {*ruleset.upcasts, stored.STARTED}:
            assert serialization.encode_event(event) == line


@RULESETS
def test_stored_start_can_be_played(ruleset: Ruleset[Any]) -> None:
    starts = [
        serialization.decode_event(ruleset, line)
        for line in stored.stored_lines(ruleset)
        if msgspec.json.decode(line)["kind"] == stored.STARTED
    ]
    assert starts
    for event in starts:
        assert (event.ruleset, event.version) == (ruleset.id, ruleset.version)
        ruleset.invariants(ruleset.setup(event))


def test_stored_record_facts_are_read_and_written_to_the_byte() -> None:
    lines = stored.record_lines()
    kinds = {kind_of(event) for event in RECORD_EVENTS} - {stored.STARTED}
    assert {msgspec.json.decode(line)["kind"] for line in lines} == kinds, "write a line of it by hand"
    for line in lines:
        assert serialization.encode_event(serialization.decode_event(TOY, line)) == line
    assert stored.kept_defaults(stored.RECORD) == stored.record_defaults()


def test_older_spelling_is_read_by_its_version_only() -> None:
    (line,) = (line for line in stored.stored_lines(high_card.RULESETS[1]) if '"card_laid"' in line)
    assert '"seat":' in line
    assert serialization.decode_event(high_card.RULESETS[1], line) == CardLaid("p2", "c07")
    with pytest.raises(msgspec.ValidationError, match="seat"):
        serialization.decode_event(TOY, line)


def test_nothing_is_stored_for_what_is_not_there() -> None:
    names = {stored.name_of(ruleset) for ruleset in stored.rulesets()}
    folders = ("snapshots", "events", "defaults", "meanings", "games")
    files = [file for folder in folders for file in (stored.FOLDER / folder).iterdir()]
    assert {file.stem for file in files if file.suffix in {".json", ".jsonl"}} - names == {stored.RECORD}


# --- planted: what the law lets in, and what it catches --------------------------------------------------


def with_options(**added: Any) -> Ruleset[Any]:
    """Give the toy with more options, or others."""
    fields = {
        field.name: (field.name, field.type, field.default)
        for field in msgspec.structs.fields(high_card.Options)
    }
    for name, (kind, default) in added.items():
        fields[name] = (name, kind, default)
    options = msgspec.defstruct(
        "Options", list(fields.values()), frozen=True, kw_only=True, forbid_unknown_fields=True
    )
    return replace(TOY, options=options)


MOOD = {"mood": (Annotated[Literal["calm", "wild"], msgspec.Meta(description="How they play.")], "calm")}


def test_an_option_with_a_default_is_let_in() -> None:
    more = with_options(**MOOD)
    assert stored.faults(more) == []
    assert "options.mood" in stored.defaults(more)
    (line,) = (line for line in stored.stored_lines(more) if "record.started" in line)
    assert serialization.encode_event(serialization.decode_event(more, line)) != line


def wild(state: HighCard, event: CardsTurned) -> HighCard:
    """Play as with the option although it was left out: points count double."""
    after = high_card.TOY.evolve[CardsTurned](state, event)
    if getattr(state.setup.options, "mood", "calm") == "calm":
        return msgspec.structs.replace(after, points={seat: 2 * won for seat, won in after.points.items()})
    return after


class OtherLaid(Event, frozen=True, tag="card_laid"):
    """The kind of a stored event with another field."""

    player: str
    laid: str | None


class MoreLaid(Event, frozen=True, tag="card_laid"):
    """The kind of a stored event with a field more that must be given."""

    player: str
    card: str | None
    hidden: bool


def other_event(kind: type[Event]) -> Ruleset[Any]:
    """Give the toy with another type for a laid card."""
    evolve = {kind if event is CardLaid else event: function for event, function in TOY.evolve.items()}
    headings = {kind if event is CardLaid else event: text for event, text in TOY.headings.items()}
    return replace(TOY, events=tuple(evolve), evolve=evolve, headings=headings)


def swapped(state: HighCard, event: CardLaid) -> HighCard:
    """Read a field as something else: the other player lays the card."""
    (other,) = (seat for seat in state.setup.seats if seat != event.player)
    return msgspec.structs.replace(state, laid={**state.laid, other: event.card})


@pytest.mark.parametrize(
    ("plant", "says"),
    [
        (lambda: with_options(rounds=(int, 4)), "options.rounds was 3 and is 4"),
        (lambda: with_options(rounds=(int, msgspec.NODEFAULT)), "options.rounds was 3 and is gone"),
        (lambda: with_options(scores=(Literal["upper"], "upper")), "can no longer be read"),
        (lambda: with_options(mood=(str, msgspec.NODEFAULT)), "can no longer be read"),
        (
            lambda: replace(with_options(**MOOD), evolve={**TOY.evolve, CardsTurned: wild}),
            "the recorded game 'game' comes to other states",
        ),
        (
            lambda: replace(TOY, evolve={**TOY.evolve, CardLaid: swapped}),
            "the recorded game 'game' comes to other states",
        ),
        (lambda: other_event(OtherLaid), "can no longer be read"),
        (lambda: other_event(MoreLaid), "can no longer be read"),
    ],
    ids=[
        "a changed default",
        "a default that is gone",
        "an option's value that is gone",
        "an option without a default",
        "a default that plays otherwise",
        "an event's field that is read otherwise",
        "an event's field with another name",
        "an event's field more that must be given",
    ],
)
def test_a_changed_meaning_is_caught(plant: Callable[[], Ruleset[Any]], says: str) -> None:
    found = stored.faults(plant())
    assert any(says in fault for fault in found), found


def test_a_changed_default_of_an_event_s_field_is_caught() -> None:
    """An event leaves out a field that has its default: the bytes stay the same and mean something else."""
    now = stored.record_defaults()
    assert stored.changed({"record.closed.seat": "p1"}, now) == ["record.closed.seat was 'p1' and is None"]


@pytest.mark.parametrize(
    ("line", "anew", "contained"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": {"x": [1]}}, {"a": {"x": [1], "y": 0}}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({"a": 1, "b": 2}, {"a": 1}, False),
    ],
)
def test_contained_is_all_of_it_in_its_order(line: Any, anew: Any, contained: object) -> None:
    assert stored._contains(anew, line) is contained


# --- what is stored is written by name -------------------------------------------------------------------


def test_missing_kinds_are_added_and_nothing_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    (tmp_path / "events").mkdir()
    kept = '{"kind":"deck_rebuilt","count":1}'
    stored.events_file(TOY).write_text(f"{kept}\n", encoding="utf-8")
    lines = stored.events(TOY).splitlines()
    assert lines[0] == kept
    assert sorted(msgspec.json.decode(line)["kind"] for line in lines) == sorted(stored.kinds_due(TOY))


def test_what_is_kept_stays_and_what_is_new_is_added() -> None:
    assert msgspec.json.decode(stored.with_new({"a": 1, "gone": 2}, {"a": 3, "b": 4})) == {
        "a": 1,
        "b": 4,
        "gone": 2,
    }


def test_a_stored_schema_is_written_anew_by_name_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    (tmp_path / "snapshots").mkdir()
    stored.snapshot_file(TOY).write_text("old", encoding="utf-8")
    assert stored.snapshot(TOY) == "old"
    stored.main("state", "high-card", "1")
    assert [file.name for file in (tmp_path / "snapshots").iterdir()] == [
        "high-card-1.json",
        "high-card-2.json",
    ]
    with pytest.raises(SystemExit, match="make golden"):
        stored.main("events", "high-card", "1")


def test_schema_leaves_out_setup_and_sentences() -> None:
    schema = stored.state_schema(TOY)
    assert set(schema["$defs"]) == {"HighCard", "Hand"}
    assert "description" not in stored.written(schema)
    assert list(schema["$defs"]["HighCard"]["properties"])[:3] == ["phase", "round", "hands"]
