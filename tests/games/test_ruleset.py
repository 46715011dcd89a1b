"""What a ruleset must bring to be one at all."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import msgspec
import pytest

from games.core.events import Event
from games.core.ruleset import EVERY, AsIf, BadData, Fact, IllegalAction, Ruleset, State, seat_names
from games.core.start import started
from games.examples import high_card
from games.examples.high_card import TOY, CardLaid


class AlsoLaid(Event, frozen=True, tag="card_laid"):
    pass


class ForTheCore(Event, frozen=True, tag="record.shouted"):
    pass


class Lonely(Event, frozen=True, tag="lonely"):
    pass


class Halved(State, frozen=True):
    score: int = 0
    setup: Any = None


class WithoutSetup(msgspec.Struct, frozen=True):
    score: int


def with_event(event: type[Event]) -> Ruleset[Any]:
    return replace(
        TOY, events=(*TOY.events, event), headings={}, evolve={**TOY.evolve, event: lambda state, _: state}
    )


def test_two_events_cannot_share_a_kind() -> None:
    with pytest.raises(ValueError, match="two event types share a kind"):
        with_event(AlsoLaid)


def test_record_kinds_belong_to_the_core() -> None:
    with pytest.raises(ValueError, match=r"belong to the core, not \['record.shouted'\]"):
        with_event(ForTheCore)


def test_each_event_is_evolved() -> None:
    with pytest.raises(ValueError, match=r"differ in .*Lonely"):
        replace(TOY, events=(*TOY.events, Lonely))


def test_each_event_or_none_has_a_heading() -> None:
    with pytest.raises(ValueError, match=r"`headings` and `events` differ in .*CardLaid"):
        replace(TOY, headings={event: "Lay" for event in TOY.events if event is not CardLaid})
    assert not replace(TOY, headings={}).headings


def test_only_events_are_evolved() -> None:
    with pytest.raises(ValueError, match=r"differ in .*Lonely"):
        replace(TOY, evolve={**TOY.evolve, Lonely: lambda state, _: state})


@pytest.mark.parametrize("state", [Halved, WithoutSetup])
def test_only_setup_has_a_default_in_the_state(state: type[Any]) -> None:
    with pytest.raises(ValueError, match="only `setup` has a default"):
        replace(TOY, state=state)


def test_ruleset_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        TOY.title = "Low Card"  # type: ignore[misc]


def test_ruleset_hides_if_it_redacts() -> None:
    assert TOY.has_hidden_information
    fields = {key: value for key, value in vars(TOY).items() if key != "redact"}
    assert not Ruleset(**fields).has_hidden_information


def test_defaults_offer_hide_and_demand_nothing() -> None:
    members = ("open_choices", "deal", "redact", "notation", "invariants", "upcasts", "bot")
    bare: Ruleset[Any] = Ruleset(**{key: value for key, value in vars(TOY).items() if key not in members})
    event = CardLaid("p1", "c01")
    assert list(bare.open_choices(None, "p1")) == []
    assert bare.redact(None, event, "p2") is event
    bare.invariants(None)
    assert (bare.deal, bare.notation, bare.bot, bare.upcasts) == (None, None, None, {})


class Captured(Fact, frozen=True, tag="captured"):
    by: str
    card: str | None


def test_additions_to_the_contract_have_defaults() -> None:
    members = ("label", "round", "turn", "facts", "milestones", "turn_fields", "as_if")
    bare: Ruleset[Any] = Ruleset(**{key: value for key, value in vars(TOY).items() if key not in members})
    assert (bare.label, bare.round(None), bare.turn(None)) == (None, None, None)
    assert (bare.facts, bare.milestones, bare.turn_fields, bare.as_if) == ({}, {}, (), {})


def test_a_fact_is_flat_and_has_a_kind() -> None:
    fact = Captured("p1", None)
    assert msgspec.json.encode(fact) == b'{"kind":"captured","by":"p1","card":null}'
    ruleset = replace(TOY, facts={CardLaid: lambda _s, e: (Captured(e.player, e.card),)})
    assert ruleset.facts[CardLaid](None, CardLaid("p1", "c01")) == (Captured("p1", "c01"),)


def test_as_if_gives_a_state_and_the_turn_fields_that_the_event_answers() -> None:
    assert AsIf("state") == AsIf("state", ())
    ruleset = replace(TOY, turn_fields=("phase", "taker"), as_if={CardLaid: lambda s, _e: AsIf(s, EVERY)})
    answer = ruleset.as_if[CardLaid](high_card.setup(started(TOY, 2)), CardLaid("p1", "c01"))
    assert answer is not None
    assert answer.of == EVERY


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"facts": {Lonely: lambda _s, _e: ()}}, "`facts` has no such events: .*Lonely"),
        ({"as_if": {Lonely: lambda _s, _e: None}}, "`as_if` has no such events: .*Lonely"),
        ({"turn_fields": ("phase", "hand")}, "`turn_fields` names what the state lacks: .*hand"),
        ({"turn_fields": ("setup",)}, "`turn_fields` names what the state lacks: .*setup"),
    ],
)
def test_additions_name_what_the_ruleset_has(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        replace(TOY, **fields)


def test_refusal_carries_code_sentence_rule_and_at_most_fifty_ways_out() -> None:
    refusal = IllegalAction("too-far", "A3 is too far.", "R4", (CardLaid("p1", str(n)) for n in range(80)))
    assert (refusal.code, refusal.sentence, refusal.rule, len(refusal.legal)) == (
        "too-far",
        "A3 is too far.",
        "R4",
        50,
    )
    assert str(refusal) == "too-far: A3 is too far."


def test_bad_data_names_its_row_if_it_has_one() -> None:
    assert str(BadData("cards[3]", "Too many.")) == "cards[3]: Too many."
    assert str(BadData("", "No JSON.")) == "No JSON."
    assert BadData("", "x").code == "bad-data"


def test_seats_are_numbered_from_one() -> None:
    assert seat_names(4) == ("p1", "p2", "p3", "p4")


def test_older_version_is_a_changed_newer_one() -> None:
    newest, oldest = high_card.RULESETS
    assert (newest.version, oldest.version, oldest.evolve) == (2, 1, newest.evolve)
