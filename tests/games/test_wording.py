"""One line for any event, and what a person types for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from games.core import serialization
from games.core.events import (
    Change,
    Claim,
    Edit,
    Event,
    RecordAmended,
    RecordChecked,
    RecordClosed,
    RecordRuled,
    RecordUndone,
    kind_of,
)
from games.core.fold import fold
from games.core.registry import installed
from games.core.ruleset import IllegalAction, Ruleset
from games.core.start import started
from games.examples.high_card import TOY, CardLaid, CardsTurned, HandDealt
from games.text import wording
from games.text.typed import split_seat

START = started(TOY, 2)
STATE = fold(TOY, TOY.setup(START), [HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", (None,) * 3)])
SILENT = replace(TOY, notation=None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{p1} lays c01.", "Ann lays c01."),
        ("{p2} and {p1}", "p2 and Ann"),
        ("{table} turns", "table turns"),
        ("nobody: {} {P1} {p 1}", "nobody: {} {P1} {p 1}"),
    ],
)
def test_names_stand_where_seats_stood(text: str, said: str) -> None:
    assert wording.put_names(text, {"p1": "Ann"}) == said


def test_a_name_in_braces_is_not_read_again() -> None:
    assert wording.put_names("{p1} {p2}", {"p1": "{p2}", "p2": "Bo"}) == "{p2} Bo"


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (START, "A game of High Card begins."),
        (CardLaid("p1", None), "{p1} lays an unseen card."),
        (
            RecordRuled("A card fell.", (Change("/deck", 6, 5), Change("/round", 1, 2))),
            "Ruling: A card fell. (deck, round)",
        ),
        (
            RecordRuled("agreed", (Change("/round", 1, 2),), says="{p1} lays Ox"),
            "Ruling: {p1} lays Ox. Agreed.",
        ),
        (
            RecordChecked((Claim("deck", 6), Claim("round", 1))),
            "Table check: Deck is 6, Round is 1, as recorded.",
        ),
        (RecordChecked(()), "Table check: nothing named, as recorded."),
        (
            RecordChecked((Claim("deck", 5), Claim("round", 1), Claim("hand.p1", None))),
            "Table check: Deck is 5, the record has 6; Hand ({p1}) is nothing, the record has 3.",
        ),
        (RecordClosed("agreed"), "All agree to stop without a winner."),
        (RecordClosed("abandoned", None, "rain"), "The game is abandoned: rain"),
        (RecordClosed("conceded", "p2"), "{p2} concedes."),
        (RecordClosed("conceded", "p2", "late"), "{p2} concedes: late"),
        (RecordUndone(3), "record.undone"),
        (RecordAmended((Edit(1, 1, 0),), "slip"), "record.amended"),
    ],
)  # fmt: skip
def test_caption(event: Event, said: str) -> None:
    assert wording.caption(TOY, STATE, event) == said


def test_short_form_is_written_where_there_is_one() -> None:
    assert wording.write(TOY, STATE, CardLaid("p1", "c01")) == "p1: lay c01"
    assert (
        wording.write(SILENT, STATE, CardLaid("p1", "c01"))
        == '{"kind":"card_laid","player":"p1","card":"c01"}'
    )
    assert wording.write(TOY, STATE, RecordClosed("agreed")) == '{"kind":"record.closed","how":"agreed"}'


@pytest.mark.parametrize(
    ("text", "event"),
    [
        (" p1: lay c01 ", CardLaid("p1", "c01")),
        ("lay ?", CardLaid("p1", None)),
        ('{"kind":"card_laid","player":"p2","card":null}', CardLaid("p2", None)),
        ('{"kind":"record.closed","how":"agreed"}', RecordClosed("agreed")),
    ],
)
def test_short_form_and_json_are_read(text: str, event: Event) -> None:
    assert wording.read(TOY, STATE, text) == (event,)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("fly c01", "'fly' is none of deal, draw, lay"),
        ("turn c01", "turn does not take 1 card like this"),
        ("turn c01,?", "turn does not take 2 cards like these"),
        ("lay c01,c02", "lay does not take 2 cards like these"),
        ("rebuild c01", "rebuild does not take 1 card like this"),
        ("", "'' is none of"),
        ("{", "This JSON is no event of High Card"),
        ('{"kind":"card_eaten"}', "This JSON is no event of High Card: Invalid value 'card_eaten'"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, says: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        wording.read(TOY, STATE, text)
    assert refused.value.code == "not-understood"
    assert says in refused.value.sentence


@pytest.mark.parametrize("rules", [TOY, SILENT, *installed().newest().values()], ids=lambda rules: rules.id)
@pytest.mark.parametrize("json", ['{"kind":"player_resigned","player":"p2"}', '{"kind":"\ud800"}'])
def test_a_seat_in_front_of_json_is_refused(rules: Ruleset[Any], json: str) -> None:
    state = rules.setup(started(rules, rules.seats[0]))
    with pytest.raises(IllegalAction, match="not-understood: JSON says itself who acts: leave out the p1 "):
        wording.read(rules, state, f"P1: {json}")


def test_json_that_cannot_be_sent_is_refused() -> None:
    with pytest.raises(
        IllegalAction, match="not-understood: This JSON is no event of High Card: JSON is mal"
    ):
        wording.read(TOY, STATE, '{"kind":"\ud800"}')


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("p12 : lead x", ("p12", "lead x")),
        ("  p1:field 0 ", ("p1", "field 0")),
        ("lead p1: x", (None, "lead p1: x")),
        ("P2: lead x", ("p2", "lead x")),
        ("p0: lead x", (None, "p0: lead x")),
        ("p\u0663: lead x", (None, "p\u0663: lead x")),
        ("", (None, "")),
    ],
)
def test_a_seat_in_front_is_taken_off(text: str, parts: tuple[str | None, str]) -> None:
    assert split_seat(text) == parts


def test_without_short_forms_only_json_is_read() -> None:
    with pytest.raises(
        IllegalAction, match="High Card has no short forms; type an event as its JSON, not 'lay c01'"
    ):
        wording.read(SILENT, STATE, "lay c01")
    json = '{"kind":"cards_turned","cards":{"p1":"c01","p2":"c02"}}'
    assert wording.read(SILENT, STATE, json) == (CardsTurned({"p1": "c01", "p2": "c02"}),)


EVERY = {rules.id: rules for rules in (*installed().newest().values(), TOY)}


@pytest.mark.parametrize("name", EVERY)
def test_every_kind_is_called_by_what_is_to_be_done_and_not_by_what_it_records(name: str) -> None:
    rules = EVERY[name]
    said = {kind: wording.heading(rules, kind) for kind in map(kind_of, rules.events)}
    assert len(set(said.values())) == len(said)
    for kind, words in said.items():
        assert words == words.strip(" .")
        assert words[0].isupper()
        assert words.split()[0].lower() not in kind.split("_")[1:]  # the verb, which a kind has in the past


def test_a_kind_without_a_heading_is_spelt_out() -> None:
    assert wording.heading(replace(TOY, headings={}), "card_laid") == "Card laid"
    assert wording.heading(TOY, "card_laid") == "Lay a card face down"


def test_a_button_is_a_command_and_a_ruleset_without_labels_has_its_captions() -> None:
    state = TOY.setup(START)
    event = HandDealt("p1", ("c01", "c05", "c09"))
    assert wording.label(TOY, state, event) == "Deal c01, c05, c09 to {p1}"
    assert wording.label(replace(TOY, label=None), state, event) == wording.caption(TOY, state, event)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (RecordClosed("abandoned"), "Abandon the game"),
        (RecordClosed("agreed"), "Agree to stop without a winner"),
        (RecordClosed("conceded", seat="p2"), "Concede for {p2}"),
    ],
)
def test_ending_the_record_is_a_command(event: RecordClosed, said: str) -> None:
    assert wording.label(TOY, TOY.setup(START), event) == said


@pytest.mark.parametrize(
    ("ruleset", "event", "said"),
    [
        ("monsters-forever", {"kind": "turn_ended", "team": "A"}, "End the Zombies' turn"),
        ("monsters-forever", {"kind": "pantry_opened", "team": "A", "count": 1},
         "Use 1 pantry creature for an extra action"),
        ("legend-of-monopoly", {"kind": "land_declined", "player": "p1", "land": 1}, "Don't buy"),
        ("legend-of-monopoly", {"kind": "turn_ended", "player": "p1"}, "End the turn"),
        ("monsters-of-war", {"kind": "decks_dealt", "battle": {"p1": 26, "p2": 26},
         "gambits": {"p1": 10, "p2": 10}}, "Deal 26 battle cards and 10 gambits to each player"),
    ],
)  # fmt: skip
def test_buttons_of_the_titles(ruleset: str, event: dict[str, Any], said: str) -> None:
    rules = installed().find(ruleset)
    state = rules.setup(started(rules, 2))
    assert wording.label(rules, state, serialization.event_from(rules, event)) == said
