"""Whatever a payload lacks is named by game and seq."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from eventstore.replay import stored_payloads
from eventstore.replay.stored_payloads import AgainstRules, BadJson, UnknownKind, WrongFields
from games.core.ruleset import IllegalAction
from games.examples.high_card import RULESETS, TOY, CardLaid

OLD = RULESETS[1]


@pytest.mark.parametrize(
    ("payload", "fault", "code", "says"),
    [
        (
            '{"kind":"dragon_flown"}',
            UnknownKind,
            "unknown-kind",
            "high-card 2 has no event of kind 'dragon_flown'",
        ),
        ('{"kind":"card_laid","player":"p1"}', WrongFields, "wrong-fields", "missing required field `card`"),
        ('{"kind":"card_laid","player":1,"card":null}', WrongFields, "wrong-fields", "Expected `str`"),
        (
            '{"kind":"card_laid","player":"p1","card":null,"x":1}',
            WrongFields,
            "wrong-fields",
            "unknown field `x`",
        ),
        ('{"kind":"record.undone"}', WrongFields, "wrong-fields", "missing required field `to`"),
        ('{"kind":"card_laid",', BadJson, "bad-json", "no JSON object with a kind"),
        ('{"player":"p1"}', BadJson, "bad-json", "no JSON object with a kind"),
        ("[]", BadJson, "bad-json", "no JSON object with a kind"),
        ("", BadJson, "bad-json", "no JSON object with a kind"),
        ('{"kind":"\ud800"}', BadJson, "bad-json", "no JSON object with a kind"),
    ],
)
def test_a_payload_that_does_not_fit_is_named(
    payload: str, fault: type[Exception], code: str, says: str
) -> None:
    with pytest.raises(fault, match="Event 7 of game friday") as told:
        stored_payloads.decode(TOY, "friday", 7, payload)
    assert says in str(told.value)
    assert (told.value.code, told.value.game, told.value.seq) == (code, "friday", 7)  # type: ignore[attr-defined]


def test_several_payloads_are_read_at_once_or_not_at_all() -> None:
    good = '{"kind":"card_laid","player":"p1","card":null}'
    assert (
        stored_payloads.decode_all(TOY, stored_payloads.array_of([good, good])) == [CardLaid("p1", None)] * 2
    )
    assert stored_payloads.decode_all(TOY, stored_payloads.array_of([good, '{"kind":"x"}'])) is None
    assert stored_payloads.decode_all(TOY, stored_payloads.array_of([])) == []


def test_an_older_version_reads_its_own_form() -> None:
    payload = '{"kind":"card_laid","seat":"p1","card":"c01"}'
    assert stored_payloads.decode(OLD, "friday", 2, payload) == CardLaid("p1", "c01")
    with pytest.raises(WrongFields):
        stored_payloads.decode(TOY, "friday", 2, payload)


def test_an_upcast_that_stumbles_is_a_wrong_field() -> None:
    def stumbles(payload: dict[str, Any]) -> dict[str, Any]:
        return {"player": payload["seat"].upper()}

    broken = replace(OLD, upcasts={"card_laid": stumbles})
    with pytest.raises(WrongFields, match="AttributeError"):
        stored_payloads.decode(broken, "friday", 2, '{"kind":"card_laid","seat":5}')


def test_a_first_event_names_its_ruleset_even_where_that_is_unknown() -> None:
    payload = '{"kind":"record.started","ruleset":"chess","version":3,"seats":["p1"],"options":{"x":1}}'
    assert (found := stored_payloads.named("friday", 1, payload)).ruleset == "chess"
    assert (found.version, found.seats, found.origin, found.parent) == (3, ("p1",), "table", None)
    with pytest.raises(WrongFields):
        stored_payloads.named("friday", 1, '{"kind":"record.started"}')
    with pytest.raises(BadJson):
        stored_payloads.named("friday", 1, "{")


def test_what_the_rules_refuse_is_named_too() -> None:
    fault = AgainstRules("friday", 4, IllegalAction("not-due", "Not now."))
    assert str(fault) == "Event 4 of game friday is against the rules: Not now."
