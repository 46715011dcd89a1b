"""Events and states as JSON and back."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from games.core import serialization
from games.core.events import Event, RecordClosed, RecordStarted, RecordUndone
from games.core.fold import fold
from games.core.start import started
from games.examples import high_card
from games.examples.high_card import TOY, CardLaid, CardsTurned
from games.testing.playout import playout

START = started(TOY, 2, origin="simulated")
EVENTS = tuple(event for event, _ in playout(TOY, START, random.Random(3)))  # noqa: S311 - to be repeated
OLD = high_card.RULESETS[1]


@pytest.mark.parametrize("ruleset", high_card.RULESETS)
def test_many_are_read_like_one_by_one(ruleset: Any) -> None:
    lines = [serialization.encode_event(event) for event in (START, *EVENTS, RecordClosed("agreed"))]
    one_by_one = [serialization.decode_event(ruleset, line) for line in lines]
    assert serialization.decode_events(ruleset, f"[{','.join(lines)}]".encode()) == one_by_one
    assert one_by_one[1:-1] == list(EVENTS)


def test_start_is_read_with_the_types_of_its_ruleset() -> None:
    again = serialization.decode_event(TOY, serialization.encode_event(START))
    assert isinstance(again, RecordStarted)
    assert isinstance(again.options, high_card.Options)
    assert again == START


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        ('{"kind":"card_eaten"}', "card_eaten"),
        ('{"kind":"card_laid","player":"p1"}', "missing required field `card`"),
        ('{"kind":"card_laid","player":1,"card":null}', r"Expected `str`, got `int` - at `\$.player`"),
        ('{"kind":"card_laid","player":"p1","card":null,"x":1}', "unknown field `x`"),
        ('{"player":"p1"}', "missing required field `kind`"),
        ("[]", "Expected `object`"),
    ],
)
@pytest.mark.parametrize("ruleset", high_card.RULESETS)
def test_payload_that_is_no_event_is_refused(ruleset: Any, payload: str, says: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=says):
        serialization.decode_event(ruleset, payload)


def test_payload_that_is_no_json_is_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        serialization.decode_event(TOY, "{")


@pytest.mark.parametrize(
    "item", [{"kind": []}, {"kind": {}}, {"kind": None}, {"kind": 1}, [], None, "card_laid"]
)
@pytest.mark.parametrize("ruleset", high_card.RULESETS)
def test_object_that_is_no_event_is_refused(ruleset: Any, item: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        serialization.event_from(ruleset, item)


def test_older_payload_is_read_in_its_own_spelling_and_the_newer() -> None:
    for payload in (
        {"kind": "card_laid", "seat": "p1", "card": None},
        {"kind": "card_laid", "player": "p1", "card": None},
    ):
        assert serialization.event_from(OLD, payload) == CardLaid("p1", None)


def test_payload_on_which_an_upcast_stumbles_is_refused() -> None:
    def needs_a_seat(payload: dict[str, Any]) -> dict[str, Any]:
        return {"kind": payload["kind"], "player": payload["seat"], "card": None}

    ruleset = replace(TOY, upcasts={"card_laid": needs_a_seat})
    with pytest.raises(msgspec.ValidationError, match="card_laid is not as this version stored it: KeyError"):
        serialization.decode_event(ruleset, '{"kind":"card_laid"}')


def test_event_as_plain_values_has_lists_and_dicts_only() -> None:
    plain = serialization.event_to(CardsTurned({"p1": "c01", "p2": "c02"}))
    assert plain == {"kind": "cards_turned", "cards": {"p1": "c01", "p2": "c02"}}
    assert serialization.event_to(high_card.HandDealt("p1", (None, "c01")))["cards"] == [None, "c01"]


def test_keys_that_are_numbers_are_read_from_plain_values_too() -> None:
    class Rolled(Event, frozen=True, tag="rolled"):
        pips: dict[int, int]

    ruleset: Any = replace(
        TOY,
        events=(*TOY.events, Rolled),
        evolve={**TOY.evolve, Rolled: lambda state, _: state},
        headings={},
    )
    event = Rolled({3: 1})
    assert (
        serialization.event_from(ruleset, serialization.event_to(event))
        == event
        == serialization.decode_event(ruleset, serialization.encode_event(event))
    )


def test_state_is_frozen_without_its_setup() -> None:
    state = fold(TOY, TOY.setup(START), EVENTS[:7])
    frozen = serialization.freeze(state)
    assert b"setup" not in frozen
    assert serialization.thaw(TOY, frozen, state.setup) == state
    assert serialization.plain_state(state) == msgspec.json.decode(frozen)


def test_equal_states_freeze_to_equal_bytes() -> None:
    state = TOY.setup(START)
    other = msgspec.structs.replace(state, points={"p2": 0, "p1": 0})
    assert serialization.freeze(state) == serialization.freeze(other)


def test_decoders_are_made_once() -> None:
    assert serialization.decoders(TOY) is serialization.decoders(OLD) is serialization.decoders(TOY)


def test_known_kinds_are_the_rulesets_own() -> None:
    assert serialization.known_kinds(TOY) == (
        "hand_dealt",
        "card_laid",
        "cards_turned",
        "deck_rebuilt",
        "cards_drawn",
        "card_passed",
    )


def test_rewriting_facts_are_read_too() -> None:
    assert serialization.decode_event(TOY, '{"kind":"record.undone","to":1}') == RecordUndone(1)


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"a":[', ' [ {"a":'])
@pytest.mark.parametrize("depth", [101, 950, 10_000, 1_000_000])
def test_what_is_nested_too_deep_is_no_json(opening: str, depth: int) -> None:
    for text in (opening * depth, (opening * depth).encode()):
        with pytest.raises(msgspec.DecodeError, match="nested more than 100 deep"):
            serialization.read_json(text)


def test_brackets_beside_one_another_or_in_text_are_not_deep() -> None:
    for value in ([[]] * 500, "[" * 500, {'"[\\': '\\"[{' * 400}, "[" * 500 + '"', eval("[" * 99 + "]" * 99)):  # noqa: S307 - a literal
        text = msgspec.json.encode([value])
        assert serialization.read_json(text) == serialization.read_json(text.decode()) == [value]


@pytest.mark.parametrize("text", ["\udcff", '"\udcff"', b'"\xff"', b"\xff"])
def test_what_is_no_utf_8_is_no_json(text: str | bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        serialization.read_json(text)


@pytest.mark.parametrize("number", [10**15, -(10**15), 2**63, 2**64, 10**4000, 1e15, 1e300])
def test_a_number_that_not_everybody_can_read_is_no_json(number: float) -> None:
    for value in (number, [number], {"a": {"b": [1, number]}}):
        with pytest.raises(msgspec.DecodeError, match="a number in it has more than 15 digits"):
            serialization.read_json(str(value).replace("'", '"'))
    assert serialization.read_json(f'["{number}", 999999999999999]') == [str(number), 10**15 - 1]


def test_the_mark_that_some_editors_begin_a_file_with_is_no_part_of_it() -> None:
    assert serialization.read_json("\ufeff[1]") == serialization.read_json(b"\xef\xbb\xbf[1]") == [1]
    with pytest.raises(msgspec.DecodeError):
        serialization.read_json("\ufeff\ufeff[1]")
