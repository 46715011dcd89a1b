"""A card that was recorded face down is named later: by tapping, by first letters, in three taps at most."""

from __future__ import annotations

import html
import random
import re
from dataclasses import replace
from typing import Any, Final

import msgspec
import pytest
from flask.testing import FlaskClient

from eventstore.recording.commands import Deal, New, Record, Undo
from eventstore.store import Store
from games.core import serialization, start
from games.examples.high_card import CardLaid, CardsTurned, HandDealt
from games.testing import playout
from tests.replay_web.sheets import Form, Page

HERE: Final = {"Sec-Fetch-Site": "same-origin"}
MOST: Final = 3
HIDES: Final = {"monsters-of-war": {"cards_laid"}, "monstropoly-battle": {"hand_dealt", "top_card_taken"}}
"""What is recorded with cards that nobody saw, by ruleset."""
LINK: Final = re.compile(r'href="([^"]*/unseen[^"]*)"')


def recorded_unseen(store: Store, ruleset: str, most: int = 40) -> str:
    """Record a game at a table of which nobody saw what lay face down."""
    rules: Any = replace(store.registry.find(ruleset), deal=None)
    rules = rules if rules.bot is None else store.registry.find(ruleset)
    game = store.do(None, New(ruleset, ["Ann", "Bo"])).game.id
    rng = random.Random(5)  # noqa: S311 - seeded on purpose
    for event, _ in playout.playout(rules, start.started(rules, 2), rng, max_events=most):
        payload = serialization.event_to(event)
        if payload["kind"] == "hand_dealt":
            payload["cards"] = [None] * len(payload["cards"])
        if payload["kind"] == "top_card_taken":
            payload.pop("card", None)
        store.do(game, Record([payload]))
    return game


def undo_to(store: Store, game: str, kinds: set[str]) -> int:
    """Take back what came after the last event of these kinds; give its step."""
    while store.game(game).position().kind not in kinds:
        store.do(game, Undo())
    return store.game(game).steps


def recorded(store: Store, game: str, step: int) -> dict[str, Any]:
    return msgspec.json.decode(store.game(game).position(step).payload, type=dict[str, Any])


def links(text: str) -> list[str]:
    return [html.unescape(found) for found in LINK.findall(text)]


def faces(client: FlaskClient, game: str, step: int) -> tuple[Form, int]:
    """Tap from the record page to the faces; give their form and the taps so far."""
    (named,) = [found for found in links(client.get(f"/games/{game}/record").text) if f"step={step}" in found]
    text, taps = client.get(named).text, 1
    if not Page(text).taps() and "data-faces" not in text:
        text, taps = client.get(links(text)[0]).text, 2
    return Page(text).form("/unseen"), taps


def choices(form: Form) -> list[Any]:
    return [one for one in form.controls if one.tag == "button" and one.name.startswith("one:")]


@pytest.mark.parametrize("ruleset", sorted(HIDES))
def test_a_card_recorded_unseen_is_named_in_three_taps(
    client: FlaskClient, store: Store, ruleset: str
) -> None:
    game = recorded_unseen(store, ruleset)
    for kind in sorted(HIDES[ruleset], reverse=True):
        step = undo_to(store, game, {kind})
        form, taps = faces(client, game, step)
        button = choices(form)[0]
        typed = {one.name: "half a word" for one in form.controls if one.name.startswith("typed:")}
        answer = client.post(form.action, data=form.sent_by(button, **typed), headers=HERE)
        assert answer.status_code == 303, Page(answer.text).alert
        assert taps + 1 <= MOST, f"{kind}: {taps + 1} taps"
        (card, *_) = msgspec.json.decode(button.value)
        assert card in str(recorded(store, game, step))
        assert store.game(game).steps == step


def test_every_unseen_card_of_a_game_is_listed(client: FlaskClient, store: Store) -> None:
    for ruleset, kinds in HIDES.items():
        game = recorded_unseen(store, ruleset)
        positions = list(store.game(game).positions())
        there = {one.step for one in positions if one.kind in kinds and '"p1":0' not in one.payload}
        listed = {int(found) for found in re.findall(r"step=(\d+)", client.get(f"/games/{game}/unseen").text)}
        assert listed == there


def test_the_page_of_a_step_leads_to_them(client: FlaskClient, store: Store) -> None:
    game = recorded_unseen(store, "monsters-of-war", 10)
    assert f"/games/{game}/unseen" in links(client.get(f"/games/{game}/steps/4").text)
    assert links(client.get(f"/games/{game}/steps/4?as=table").text) == []
    assert links(client.get("/games/star/steps/4").text) == []


def test_cards_of_a_team_that_lies_face_down_are_named(client: FlaskClient, store: Store) -> None:
    game = store.do(None, New("monstropoly-battle", ["Ann", "Bo"])).game.id
    rng = random.Random(5)  # noqa: S311 - seeded on purpose
    rules: Any = store.registry.find("monstropoly-battle")
    for event, _ in playout.playout(rules, start.started(rules, 2), rng, max_events=200):
        payload = serialization.event_to(event)
        if payload["kind"] == "teams_declared":
            break
        if payload["kind"] == "top_card_taken":
            payload.pop("card", None)
        store.do(game, Record([payload]))
    team = {"kind": None, "cards": [None] * 5}
    store.do(game, Record([{"kind": "teams_declared", "player": payload["player"], "teams": [team]}]))
    position = store.game(game).position()
    form, taps = faces(client, game, position.step)
    button = choices(form)[0]
    assert client.post(form.action, data=form.sent_by(button), headers=HERE).status_code == 303
    assert taps + 1 <= MOST
    assert msgspec.json.decode(button.value)[0] in store.game(game).position(position.step).payload


def test_cards_of_one_place_are_named_one_tap_after_the_other(client: FlaskClient, store: Store) -> None:
    game = recorded_unseen(store, "monsters-of-war")
    step = undo_to(store, game, {"cards_laid"})
    count = recorded(store, game, step)["counts"]["p1"]
    form, _ = faces(client, game, step)
    for left in range(count, 0, -1):
        answer = client.post(form.action, data=form.sent_by(choices(form)[0]), headers=HERE)
        assert ("/unseen?" in answer.location) == (left > 1)
        form = Page(client.get(answer.location).text).form("/unseen") if left > 1 else form
    named = recorded(store, game, step)["cards"]
    assert None not in named["p1"]
    assert set(named["p2"]) == {None}


def test_first_letters_name_a_card_without_scripts(client: FlaskClient, store: Store) -> None:
    game = recorded_unseen(store, "monstropoly-battle")
    step = undo_to(store, game, {"top_card_taken"})
    form, _ = faces(client, game, step)
    wanted = choices(form)[3]
    (field,) = [one for one in form.controls if one.name.startswith("typed:")]
    typed = wanted.attributes["data-name"].upper()
    answer = client.post(form.action, data=form.sent_by(None, **{field.name: typed}), headers=HERE)
    assert answer.status_code == 303
    assert recorded(store, game, step)["card"] in wanted.value


def test_a_card_that_came_up_elsewhere_later_is_refused(client: FlaskClient, store: Store) -> None:
    game = recorded_unseen(store, "monstropoly-battle")
    step, drawn = next(
        (one.step, msgspec.json.decode(later.payload)["card"])
        for one in store.game(game).positions()
        if one.kind == "top_card_taken"
        for later in store.game(game).positions(one.step)
        if later.kind == "tie_card_drawn"
    )
    before = store.game(game).head
    offered = client.get(f"/games/{game}/unseen?step={step}").text
    cards = [msgspec.json.decode(one.value) for one in choices(Page(offered).form("/unseen"))]
    assert cards
    assert not any(drawn in group for group in cards)
    (every,) = [found for found in links(offered) if "all=1" in found]
    form = Page(client.get(every).text).form("/unseen")
    button = next(one for one in choices(form) if msgspec.json.decode(one.value) == [drawn])
    answer = client.post(form.action, data=form.sent_by(button), headers=HERE)
    assert answer.status_code == 422
    assert answer.headers["X-Error-Code"] == "faults-left"
    assert "cannot have been that card" in Page(answer.text).alert
    assert store.game(game).head == before


def test_what_is_offered_is_spoken_against_by_no_later_step(client: FlaskClient, store: Store) -> None:
    game = recorded_unseen(store, "monstropoly-battle", 30)
    step = next(one.step for one in store.game(game).positions() if one.kind == "top_card_taken")
    address = f"/games/{game}/unseen?step={step}"
    form = Page(client.get(address).text).form("/unseen")
    assert store.game(game).steps > step + 10
    for button in choices(form):
        answer = client.post(form.action, data=form.sent_by(button), headers=HERE)
        assert answer.status_code == 303, Page(answer.text).alert
        store.do(game, Undo())
        form = Page(client.get(address).text).form("/unseen")


def test_a_card_that_a_reveal_has_named_is_not_asked_for(client: FlaskClient, store: Store) -> None:
    game = store.do(None, New("high-card", ["Ann", "Bo"])).game.id
    hands = [HandDealt(seat, (None, None, None)) for seat in ("p1", "p2")]
    store.do(game, Record([*hands, CardLaid("p1", None), CardLaid("p2", None)]))

    def listed() -> set[str]:
        return set(re.findall(r"unseen\?step=(\d+)", client.get(f"/games/{game}/unseen").text))

    assert listed() == {"1", "2", "3", "4"}
    store.do(game, Record([CardsTurned({"p1": "c01", "p2": "c04"})]))
    assert listed() == {"1", "2"}
    form = Page(client.get(f"/games/{game}/unseen?step=3").text).form("/unseen")
    assert [one.value for one in choices(form)] == ['["c01"]']


def test_the_same_tap_twice_names_once_and_an_old_page_is_told_so(client: FlaskClient, store: Store) -> None:
    game = recorded_unseen(store, "monstropoly-battle")
    step = undo_to(store, game, {"top_card_taken"})
    form, _ = faces(client, game, step)
    one, other = choices(form)[:2]
    assert client.post(form.action, data=form.sent_by(one), headers=HERE).status_code == 303
    head = store.game(game).head
    assert client.post(form.action, data=form.sent_by(one), headers=HERE).status_code == 303
    late = client.post(form.action, data=form.sent_by(other), headers=HERE)
    assert late.status_code == 409
    assert store.game(game).head == head


def test_who_is_not_shown_everything_names_nothing(client: FlaskClient, store: Store) -> None:
    game = recorded_unseen(store, "monstropoly-battle")
    assert client.get(f"/games/{game}/unseen?as=p1").status_code == 403
    assert "unseen?" not in client.get(f"/games/{game}/record?as=p1").text


@pytest.mark.parametrize("step", ["x", "99999", "-1"])
def test_a_step_that_is_none_is_refused(client: FlaskClient, store: Store, step: str) -> None:
    game = recorded_unseen(store, "monstropoly-battle", 5)
    assert client.get(f"/games/{game}/unseen?step={step}").status_code in {400, 404}


def test_a_dealt_game_has_no_card_to_name(client: FlaskClient, store: Store) -> None:
    game = store.do(None, New("monstropoly-battle", ["Ann", "Bo"], origin="dealt")).game.id
    store.do(game, Deal(until_decision=True))
    assert "unseen?" not in client.get(f"/games/{game}/record").text
    assert "knows every card" in client.get(f"/games/{game}/unseen").text
