"""The sheet made from what rulesets offer: every event can be tapped, and the usual ones in three taps."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import replace
from typing import Any, Final

import pytest
from flask.testing import FlaskClient

from eventstore.recording.commands import New, Record
from eventstore.recording.typed_lines import read_line
from eventstore.store import Store
from games.core import serialization, start
from games.core.events import kind_of
from games.core.registry import installed
from games.testing import playout
from games.text.naming import Naming
from replay_web.models.action_form import sheet
from replay_web.models.examples import examples
from tests.replay_web.sheets import Page
from tests.replay_web.tapping import Way, way

HERE: Final = {"Sec-Fetch-Site": "same-origin"}
USUAL: Final = 0.03
"""A kind that makes up so much of a game's events is reached in three taps."""
MOST: Final = 3
EVENTS: Final = 50
NAMED_LATER: Final = {"cards_laid"}
"""Recorded face down at a table; the sheet offers it so."""
RULESETS: Final = sorted(installed().newest())


def players(ruleset: str) -> list[int]:
    seats = installed().newest()[ruleset].seats
    return sorted({seats[0], min(seats[-1], 4)} & set(seats) or {seats[0]})


def play(client: FlaskClient, store: Store, ruleset: str, count: int, seed: int) -> list[tuple[str, Way]]:
    """Record a random game through the forms of the pages alone; give each event's kind and its way."""
    rules: Any = store.registry.find(ruleset)
    if rules.bot is None:
        rules = replace(rules, deal=None)  # a dealer names cards that at a table lie face down
    game = store.do(None, New(ruleset, ["Ann", "Bo", "Cem", "Dot"][:count])).game.id
    rng = random.Random(seed)  # noqa: S311 - seeded on purpose
    ways = []
    for _ in range(EVENTS):
        position = store.game(game).position()
        if position.outcome() is not None:
            break
        event = playout.next_event(rules, position.state, rng)
        shown = Page(client.get(f"/games/{game}/record").text)
        naming = Naming(position, store.game(game).names)
        found = way(shown, serialization.event_to(event), naming)
        assert found is not None, f"{serialization.encode_event(event)} is nowhere on the sheet"
        answer = client.post(found.form.action, data=found.data(), headers=HERE)
        assert answer.status_code == 303, Page(answer.text).alert
        assert store.game(game).steps == position.step + 1
        recorded = store.game(game).position().event
        assert recorded is not None
        assert kind_of(recorded) == kind_of(event)
        ways.append((kind_of(event), found))
    return ways


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_event_is_on_the_sheet_and_the_usual_ones_take_three_taps(
    client: FlaskClient, store: Store, ruleset: str
) -> None:
    for count in players(ruleset):
        ways = play(client, store, ruleset, count, seed=count)
        often = Counter(kind for kind, _ in ways)
        usual = {kind for kind, times in often.items() if times >= USUAL * len(ways)}
        for kind, found in ways:
            if kind not in usual:
                continue
            assert found.opened + 1 <= MOST, f"{kind}: {found.opened} taps to reach it"
            # What names several things, as the cards of a hand, takes a tap for each of them.
            assert found.taps <= MOST or found.named > 1, f"{kind}: {found.taps} taps"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_examples_beside_the_field_are_two_moves_that_are_possible(store: Store, ruleset: str) -> None:
    rules: Any = store.registry.find(ruleset)
    game = store.do(None, New(ruleset, ["Ann", "Bo"])).game.id
    rng = random.Random(3)  # noqa: S311 - seeded on purpose
    pairs = 0
    for _ in range(30):
        position = store.game(game).position()
        if position.outcome() is not None:
            break
        opened = store.game(game)
        shown = examples(position, sheet(opened, position)).split("   ")
        assert shown[0]
        assert len(set(shown)) == len(shown) <= 2
        for text in shown:
            for event in rules.notation.read(position.state, text):
                rules.check(position.state, event)
        pairs += len(shown) == 2
        store.do(game, Record([playout.next_event(rules, position.state, rng)]))
    assert pairs > 0


def test_examples_are_written_as_short_as_they_are_read(store: Store) -> None:
    game = store.do(None, New("monsters-of-war", ["Ann", "Bo"])).game.id
    store.do(game, Record(read_line(store.game(game), "deal")))
    shown = examples(store.game(game).position(), sheet(store.game(game), store.game(game).position()))
    assert re.fullmatch(r"\d+(-| v )\d+   \d+(-| v )\d+", shown)


def test_a_throw_for_the_start_says_whose_it_is(client: FlaskClient, store: Store) -> None:
    game = store.do(None, New("legend-of-monopoly", ["Ann", "Bo"])).game.id
    said = re.compile(r'class="form-label">([^<]*)<')
    assert "<legend>Player" in client.get(f"/games/{game}/record").text
    store.do(game, Record(read_line(store.game(game), "r 3 4")))
    assert said.findall(client.get(f"/games/{game}/record").text)[0] == "Bo"
    store.do(game, Record(read_line(store.game(game), "r 1 2")))
    shown = client.get(f"/games/{game}/record").text
    assert "Ann throws" in shown
    assert "Ann" not in said.findall(shown)


def test_a_single_one_of_the_dice_is_a_die(client: FlaskClient, store: Store) -> None:
    store.do(None, New("legend-of-monopoly", ["Ann", "Bo"], game="throw"))
    said = re.findall(r"<legend>(D\w+ \d)", client.get("/games/throw/record").text)
    assert said[:2] == ["Die 1", "Die 2"]


def test_an_attack_names_both_creatures(client: FlaskClient, store: Store) -> None:
    game = store.do(None, New("monsters-forever", ["Ann", "Bo"])).game.id
    store.do(game, Record(read_line(store.game(game), "A2-A5")))

    def texts() -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for tap in Page(client.get(f"/games/{game}/record").text).taps():
            found.setdefault(json.loads(tap.value)["kind"], set()).add(tap.text.strip())
        return found

    attacks = [
        event for event in store.game(game).position().legal("p1") if kind_of(event) == "creature_attacked"
    ]
    assert attacks
    said = texts()
    assert {
        f"Attack {serialization.event_to(one)['target']} from {serialization.event_to(one)['from']}"
        for one in attacks
    } == said["creature_attacked"]
    assert not any("→" in text for text in said["creature_attacked"])


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_was_recorded_is_marked_wherever_it_stands_on_the_sheet(
    client: FlaskClient, store: Store, ruleset: str
) -> None:
    game = recorded_game(store, ruleset)
    for step in range(1, store.game(game).steps + 1, 3):
        if store.game(game).position(step).kind in NAMED_LATER:
            continue
        text = client.get(f"/games/{game}/steps/{step}/correct").text
        assert "as recorded" in text, store.game(game).position(step).payload


def test_cards_of_a_form_that_were_recorded_are_marked(client: FlaskClient, game: str) -> None:
    text = client.get(f"/games/{game}/steps/1/correct").text
    marked = re.findall(r'data-name="([^"]+)">(?:(?!</label>).)*as recorded', text, re.DOTALL)
    assert len(marked) == 3


def test_lands_of_a_deal_are_named(client: FlaskClient, store: Store) -> None:
    game = recorded_game(store, "legend-of-monopoly", 100)
    offered = sheet(store.game(game), store.game(game).position())
    columns = [column for form in offered.forms() for column in form.columns if "lands" in column.name]
    marks = [mark for column in columns for mark in column.marks]
    assert marks
    assert [mark.called.text for mark in marks if mark.called.text.isdecimal()] == []
    assert all(mark.place.startswith("cell.") for mark in marks)


def recorded_game(store: Store, ruleset: str, most: int = 60) -> str:
    rules: Any = store.registry.find(ruleset)
    game = store.do(None, New(ruleset, ["Ann", "Bo", "Cem"][: max(2, rules.seats[0])])).game.id
    started = start.started(rules, max(2, rules.seats[0]))
    rng = random.Random(3)  # noqa: S311 - seeded on purpose
    store.do(game, Record([event for event, _ in playout.playout(rules, started, rng, max_events=most)]))
    return game
