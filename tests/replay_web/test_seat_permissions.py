"""A seat's key in a game that hides something: what it records, and that no refusal tells what is hidden."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.access.actor import Actor
from eventstore.recording.commands import Deal, New, Record
from eventstore.store import Store
from games.examples.high_card import CardLaid, HandDealt
from replay_web import create_app

HERE = {"Sec-Fetch-Site": "same-origin", "Accept": "application/json"}
DEAL = [HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06"))]
CARDS = [f"c{number:02}" for number in range(1, 13)]


@pytest.fixture
def app(store: Store) -> Flask:
    made = create_app(store, guarded=True)
    made.testing = True
    return made


@pytest.fixture
def game(store: Store) -> str:
    store.do(None, New("high-card", ["Ann", "Bo"], game="round", origin="dealt"))
    store.do("round", Record(DEAL))
    return "round"


def signed_in(app: Flask, store: Store, seat: str | None) -> FlaskClient:
    client = app.test_client()
    key = store.access.add(f"{seat or 'table'}-phone", seat=seat)[1]
    assert client.post("/sign-in", data={"key": key}, headers=HERE).status_code == 303
    return client


@pytest.fixture
def ann(app: Flask, store: Store) -> FlaskClient:
    return signed_in(app, store, "p1")


@pytest.fixture
def table(app: Flask, store: Store) -> FlaskClient:
    return signed_in(app, store, None)


def send(client: FlaskClient, where: str = "events", query: str = "", **fields: str) -> TestResponse:
    head = client.get("/games/round/news").get_json()["seq"]
    sent = {"key": f"form-{where.replace('/', '-')}-{head}", "after": str(head), **fields}
    return client.post(f"/games/round/{where}{query}", data=sent, headers=HERE)


def told(answer: TestResponse) -> tuple[int, str | None]:
    return answer.status_code, answer.headers.get("X-Error-Code")


def laid(player: str, card: str | None) -> str:
    return json.dumps({"kind": "card_laid", "player": player, "card": card})


def page_of(client: FlaskClient) -> str:
    return client.get("/games/round/record").text


def head(store: Store) -> int:
    found = store.log.head("round")
    assert found is not None
    return found.seq


# --- what is hidden stays hidden ---


@pytest.mark.parametrize("as_", ["", "?as=table"])
@pytest.mark.parametrize("times", [1, 2])
def test_the_other_hand_is_not_found_out_by_guessing(
    store: Store, ann: FlaskClient, game: str, as_: str, times: int
) -> None:
    guesses = [card for card in CARDS if card not in ("c01", "c02", "c03")]
    answers = {send(ann, query=as_, typed=";".join([laid("p2", card)] * times)).data for card in guesses}
    answers |= {send(ann, query=as_, event=laid("p2", card)).data for card in guesses}
    assert len(answers) == 1
    assert head(store) == 3


def test_a_card_that_the_own_view_does_not_show_is_not_named(store: Store, ann: FlaskClient) -> None:
    store.do(None, New("high-card", ["Ann", "Bo"], game="round"))
    store.do("round", Record([HandDealt("p1", (None, None, None)), DEAL[1]]))
    answers = {send(ann, event=laid("p1", card)).data for card in CARDS}
    assert len(answers) == 1
    assert told(send(ann, event=laid("p1", "c04"))) == (403, "not-yours")
    assert "c04" not in ann.get("/games/round/record").text
    assert told(send(ann, event=laid("p1", None))) == (201, None)


def test_a_later_line_is_judged_without_what_the_first_would_bring_to_light(
    ann: FlaskClient, game: str
) -> None:
    lines = ";".join((laid("p1", "c01"), laid("p2", "c04")))
    others = ";".join((laid("p1", "c01"), laid("p2", "c09")))
    assert send(ann, typed=lines).data == send(ann, typed=others).data
    assert told(send(ann, typed=lines)) == (403, "not-yours")


# --- what it records ---


@pytest.mark.parametrize(
    "event",
    [
        {"kind": "record.ruled", "reason": "I win", "changes": [{"at": "/points/p1", "was": 0, "now": 9}]},
        {"kind": "record.ruled", "reason": "I win", "changes": [{"at": "/points/p1", "was": 1, "now": 9}]},
        {"kind": "record.closed", "how": "conceded", "seat": "p2"},
        {"kind": "record.closed", "how": "agreed"},
        {"kind": "card_laid", "player": "p2", "card": "c04"},
        {"kind": "card_laid", "player": "p1", "card": None},
    ],
    ids=lambda event: (
        f"{event['kind']}-{event.get('how') or event.get('player') or event['changes'][0]['was']}"
    ),
)
@pytest.mark.parametrize("field", ["event", "typed"])
def test_what_the_seat_does_not_decide_is_refused_on_every_route(
    store: Store, ann: FlaskClient, game: str, event: dict[str, Any], field: str
) -> None:
    assert told(send(ann, **{field: json.dumps(event)})) == (403, "not-yours")
    assert head(store) == 3


def test_nothing_that_chance_brings_is_named_but_it_may_be_asked_for(store: Store, ann: FlaskClient) -> None:
    store.do(None, New("high-card", ["Ann", "Bo"], game="round", origin="dealt"))
    for player in ("p1", "p2"):
        drawn = {"kind": "hand_dealt", "player": player, "cards": CARDS[:3]}
        assert told(send(ann, event=json.dumps(drawn))) == (403, "not-yours")
    assert told(send(ann, "deal", all="1")) == (201, None)
    assert head(store) == 3


def test_its_own_move_and_giving_up_are_recorded(store: Store, ann: FlaskClient, game: str) -> None:
    assert "Nothing here for your key now" not in page_of(ann)
    assert told(send(ann, query="?as=table", event=laid("p1", "c02"))) == (201, None)
    assert "Nothing here for your key now. Bo" in page_of(ann)
    assert told(send(ann, typed='{"kind":"record.closed","how":"conceded","seat":"p1"}')) == (201, None)
    assert store.game("round").position().by == "p1-phone"
    assert "Nothing here for your key now" not in page_of(ann)
    assert told(send(ann, event=laid("p1", "c01"))) == (422, "record-closed")


def test_the_sheet_offers_what_is_taken_and_nothing_else(
    app: Flask, store: Store, ann: FlaskClient, table: FlaskClient, game: str
) -> None:
    page = ann.get("/games/round/record").text
    assert "c02" in page
    for other in ("c04", "c09", "Concede for Bo", "Abandon"):
        assert other not in page, other
    assert "Concede for Ann" in page
    assert "Concede for Bo" in table.get("/games/round/record").text
    assert 'name="event"' not in ann.get("/games/round/record?as=table").text
    bo = signed_in(app, store, "p9")
    assert 'name="event"' not in bo.get("/games/round/record").text
    assert told(send(bo, event=laid("p1", "c01"))) == (403, "not-yours")
    assert told(send(bo, "check", **{"at:deck": "6"})) == (403, "not-yours")
    assert told(send(ann, "check", **{"at:deck": "6"})) == (201, None)


def test_a_table_key_records_for_everybody(table: FlaskClient, game: str) -> None:
    assert told(send(table, typed=";".join((laid("p1", "c01"), laid("p2", "c04"))))) == (201, None)


def test_where_nothing_is_hidden_a_seats_key_records_all(store: Store, ann: FlaskClient) -> None:
    store.do(None, New("monsters-forever", ["Ann", "Bo"], game="round"))
    closed = '{"kind":"record.closed","how":"conceded","seat":"p2"}'
    assert told(send(ann, event=closed)) == (201, None)


# --- what it takes back ---


def test_it_takes_back_and_brings_back_what_it_entered_itself(
    store: Store, ann: FlaskClient, table: FlaskClient, game: str
) -> None:
    assert told(send(ann, "undo", again="1")) == (403, "not-yours")
    assert told(send(ann, event=laid("p1", "c02"))) == (201, None)
    assert told(send(ann, "undo", again="2")) == (403, "not-yours")
    assert told(send(ann, "undo")) == (201, None)
    assert told(send(ann, "redo")) == (201, None)
    assert told(send(table, "undo")) == (201, None)
    assert told(send(ann, "redo")) == (201, None)
    store.do("round", Record([CardLaid("p2", "c05")]), Actor("table-phone"))
    assert told(send(ann, "undo")) == (403, "not-yours")
    assert told(send(table, "undo")) == (201, None)
    assert told(send(ann, "redo")) == (403, "not-yours")


def test_a_draw_that_it_asked_for_is_not_drawn_again(store: Store, ann: FlaskClient) -> None:
    store.do(None, New("high-card", ["Ann", "Bo"], game="round", origin="dealt"))
    assert told(send(ann, "deal", all="1")) == (201, None)
    assert told(send(ann, "undo", again="1")) == (422, "undo-past-draw")


def test_a_ruling_by_whoever_looks_through_a_seat_is_refused(store: Store, game: str) -> None:
    client = create_app(store).test_client()
    ruled = '{"kind":"record.ruled","reason":"x","changes":[{"at":"/points/p1","was":0,"now":9}]}'
    assert told(send(client, query="?as=p1", event=ruled)) == (403, "corrections-hidden")
    assert told(send(client, event=ruled)) == (201, None)


@pytest.mark.usefixtures("game")
def test_who_cannot_see_everything_is_told_that_it_takes_a_table_key(
    app: Flask, ann: FlaskClient, table: FlaskClient
) -> None:
    """Only who can choose to see everything is told to."""
    for address in ("unseen", "rule", "steps/1/correct", "notes/abcd1234"):
        for client, way in (
            (ann, "that takes a table key."),
            (app.test_client(), "that takes a table key."),
            (table, "choose “see as everything”."),
        ):
            answer = client.get(f"/games/round/{address}?as=table", headers={"Accept": "text/html"})
            assert answer.status_code == 403
            assert way in answer.text, address
            assert ("Sign in</a></p>" in answer.text) == (client is not table)
    ruled = '{"kind":"record.ruled","reason":"x","changes":[{"at":"/points/p1","was":0,"now":9}]}'
    answer = send(table, query="?as=p1", event=ruled)
    assert "choose “see as everything”." in answer.get_json()["error"]["message"]


def test_two_seats_play_a_dealt_round_of_battle_by_themselves(app: Flask, store: Store) -> None:
    """What both laid is turned like a card that is dealt: no table key is needed, and nobody guesses."""
    store.do(None, New("monstropoly-battle", ["Ann", "Bo"], game="round", origin="dealt"))
    store.do("round", Deal())
    hands = store.game("round").position().state.hands
    phones = {seat: signed_in(app, store, seat) for seat in hands}
    for seat, phone in phones.items():
        card = json.dumps({"kind": "card_committed", "player": seat, "card": hands[seat].known[0]})
        assert send(phone, event=card).status_code == 201
    assert send(phones["p2"], where="deal").status_code == 201
    kinds = [position.kind for position in store.game("round").positions()]
    assert "cards_revealed" in kinds


def test_what_is_dealt_at_a_real_table_is_left_to_its_key(app: Flask, store: Store) -> None:
    store.do(None, New("monstropoly-battle", ["Ann", "Bo"], game="round"))
    page = page_of(signed_in(app, store, "p1"))
    assert "what is dealt or thrown is entered with the table’s key" in page
    assert 'name="typed"' not in page
    assert "End the record" not in page
    table = page_of(signed_in(app, store, None))
    assert 'name="typed"' in table
    assert "End the record" in table
