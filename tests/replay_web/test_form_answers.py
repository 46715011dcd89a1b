"""What a form answers: nothing, two things at once, or a word that no page of ours has; and who sent it."""

from __future__ import annotations

import io
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.recording.amending import HistoryEdit, Remove, Replace
from eventstore.recording.commands import Amend, New, Record, Undo
from eventstore.store import Store
from games.examples.high_card import CardLaid, HandDealt
from replay_web import create_app
from tests.replay_web.sheets import Page
from tests.replay_web.test_policy_forms import FORMS

HERE = {"Sec-Fetch-Site": "same-origin"}
JSON = {**HERE, "Accept": "application/json"}
MOVE = '{"kind":"card_passed","player":"p1"}'
LAID = '{"kind":"card_laid","player":"p1","card":"c03"}'
WRONG = '{"kind":"card_laid","player":"p1","card":"c12"}'


def sent(store: Store, **more: Any) -> dict[str, Any]:
    return {"key": "abcdefgh2345", "after": str(store.game("round").head), **more}


def post(client: FlaskClient, address: str, data: dict[str, Any]) -> TestResponse:
    return client.post(f"/games/round/{address}", data=data, headers=HERE)


@pytest.mark.parametrize("typed", ["", "  ", ";", " ; "])
def test_empty_field_for_typing_is_told_so_beside_it(
    client: FlaskClient, store: Store, game: str, typed: str
) -> None:
    answer = post(client, "events", sent(store, typed=typed))
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "nothing-to-record")
    assert Page(answer.text).alert.strip() == "Type what happened, or tap it."
    assert 'aria-invalid="true" aria-describedby="refusal"' in answer.text


def test_form_without_any_move_is_told_so(client: FlaskClient, store: Store, game: str) -> None:
    answer = post(client, "events", sent(store))
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "nothing-to-record")


@pytest.mark.parametrize(
    "both",
    [
        {"event": MOVE, "typed": "pass"},
        {"event": MOVE, "fixed": MOVE},
        {"fixed": MOVE, "typed": "pass"},
        {"event": MOVE, "one:card": '["c03"]'},
        {"typed": "pass", "some:cards": "[]"},
        {"event": MOVE, "amount:x": "1"},
    ],
)
@pytest.mark.parametrize("address", ["events", "steps/3/correct", "steps/3/correct/settle"])
def test_nothing_is_left_out_of_a_form_that_answers_twice(
    client: FlaskClient, store: Store, game: str, address: str, both: dict[str, str]
) -> None:
    data = sent(store, **both)
    if address != "events":
        data |= {"seq": "4", "do": "replace"}
    answer = post(client, address, data)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (400, "bad-form")
    assert store.game("round").head == int(data["after"])


@pytest.mark.parametrize(
    ("address", "wrong", "said"),
    [
        ("/games", {"origin": "moon"}, "'origin' is dealt or table, not 'moon'"),
        ("/games/round/rule", {"what": "x"}, "'what' is move or state, not 'x'"),
        ("/games/round/rule", {}, "'what' is move or state, not ''"),
        ("/games/round/deal", {"all": "yes"}, "'all' is 1, not 'yes'"),
        ("/games/round/events", {"part": "2"}, "'part' is 1, not '2'"),
        ("/games/round/steps/3/correct", {"rest": "keep"}, "'rest' is remove, not 'keep'"),
        ("/games/round/steps/3/correct/settle", {"again": "yes"}, "'again' is 1, not 'yes'"),
    ],
)
@pytest.mark.usefixtures("game")
def test_word_that_a_field_does_not_know_is_refused(
    client: FlaskClient, store: Store, address: str, wrong: dict[str, str], said: str
) -> None:
    asked = {"/games": {"ruleset": "high-card", "key": "abcdefgh2345"}}.get(address, sent(store))
    before = store.log.games()
    answer = client.post(address, data={**asked, **wrong}, headers=JSON)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (400, "bad-form")
    assert said in answer.text
    assert store.log.games() == before


def test_step_is_not_taken_out_and_replaced_at_once(client: FlaskClient, store: Store, game: str) -> None:
    for address in ("steps/3/correct", "steps/3/correct/settle"):
        answer = post(client, address, sent(store, seq="4", do="remove", event=MOVE))
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (400, "bad-form")
    assert not store.game("round").amended


@pytest.mark.parametrize(
    ("what", "more"),
    [
        ("move", {"typed": "pass", "now:/points/p1": "5"}),
        ("move", {"typed": "pass", "at": "/points/p1", "now": "5"}),
        ("state", {"typed": "pass", "at": "/points/p1", "now": "5"}),
        ("state", {"now": "5"}),
        ("state", {"was:/points/p1": "0"}),
    ],
)
def test_ruling_leaves_nothing_out_in_silence(
    client: FlaskClient, store: Store, game: str, what: str, more: dict[str, str]
) -> None:
    answer = post(client, "rule", sent(store, what=what, reason="agreed", **more))
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (400, "bad-form")


def test_a_visitor_without_a_key_is_told_so_however_much_they_sent(store: Store) -> None:
    client = create_app(store, guarded=True).test_client()
    cards = (io.BytesIO(b"x" * 100_000), "cards.json")
    data = {"key": "abcdefgh2345", "ruleset": "high-card", "data": cards}
    answer = client.post("/games", data=data, headers=HERE, content_type="multipart/form-data")
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (403, "key-needed")


CLASHES = {
    "events": {"event": LAID},
    "undo": {},
    "redo": {},
    "steps/3/correct": {"seq": "4", "do": "remove"},
    "steps/3/correct/settle": {"seq": "4", "do": "remove"},
    "rule": {"what": "move", "typed": "pass", "reason": "agreed"},
    "check": {"at:deck": "3"},
    "unseen": {"seq": "2", "slot": "cards", "fixed": "{}"},
    "restore": {"to": "5"},
}


@pytest.mark.parametrize("address", CLASHES)
def test_program_that_comes_second_is_told_the_head_and_what_was_done(
    client: FlaskClient, store: Store, game: str, address: str
) -> None:
    data = sent(store, **CLASHES[address])
    store.do("round", Record([CardLaid("p2", "c05")]))
    answer = client.post(f"/games/round/{address}", data=data, headers=JSON)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (409, "conflict")
    error = answer.get_json()["error"]
    assert error["head"] == store.game("round").head
    assert error["meanwhile"] == [{"step": 9, "caption": "Bo lays c05."}]


def test_clash_of_every_form_is_tested() -> None:
    made_for_a_head = {name for name, form in FORMS.items() if "after" in form.once}
    assert len(CLASHES) == len(made_for_a_head) - 1, "dealing needs a dealt game, and is answered as undo is"


@pytest.mark.parametrize(
    ("address", "wrong"),
    [
        ("events", {"event": WRONG}),
        ("steps/8/correct", {"seq": "9", "do": "replace", "event": WRONG}),
        ("steps/8/correct/settle", {"seq": "9", "do": "replace", "event": WRONG}),
        ("steps/8/correct", {"seq": "9", "do": "replace", "typed": "p1: lay c12"}),
    ],
)
def test_program_is_told_what_is_possible_instead(
    client: FlaskClient, store: Store, game: str, address: str, wrong: dict[str, str]
) -> None:
    answer = client.post(f"/games/round/{address}", data=sent(store, **wrong), headers=JSON)
    assert answer.status_code == 422
    cards = {event.get("card") for event in answer.get_json()["error"]["legal"]}
    assert "c03" in cards or "c05" in cards


def test_program_is_answered_as_the_recorder_answers(client: FlaskClient, store: Store) -> None:
    store.do(None, New("high-card", ["Ann", "Bo"], game="round"))
    store.do("round", Record([HandDealt("p1", (None, None, None))]))
    form = Page(client.get("/games/round/unseen?step=1&slot=cards").text).form("/unseen")
    data = form.sent_by(form.controls[-1])
    store_answers = []
    for _ in range(2):
        answer = client.post(form.action, data=data, headers=JSON)
        store_answers.append((answer.status_code, answer.get_json()["repeated"], answer.get_json()["step"]))
    assert store_answers == [(201, False, 1), (200, True, 1)]
    store.do("round", Undo())
    data = sent(store, to="4")
    for status in (201, 200):
        answer = client.post("/games/round/restore", data=data, headers=JSON)
        assert (answer.status_code, answer.get_json()["game"]) == (status, "round")


@pytest.mark.parametrize(
    "address",
    ["steps/77", "steps/77.txt", "steps/77/next-turn", "steps/77/correct", "unseen?step=77", "check?step=77"],
)
def test_step_that_is_not_there_is_said_in_steps(client: FlaskClient, game: str, address: str) -> None:
    answer = client.get(f"/games/round/{address}")
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (404, "unknown-step")
    assert "This game has no step 77: its steps are 0 to 8." in answer.text


@pytest.mark.parametrize("address", ["steps/3/correct", "steps/3/correct/settle", "unseen"])
def test_event_that_is_no_step_any_more_is_said_in_steps(
    client: FlaskClient, store: Store, game: str, address: str
) -> None:
    store.do("round", Record([CardLaid("p2", "c05")]))
    store.do("round", Amend([HistoryEdit(9, Replace([CardLaid("p1", "c03")])), HistoryEdit(10, Remove())]))
    for seq, now in ((9, ": what replaced it is step 8."), (10, ".")):
        data = sent(store, seq=str(seq), slot="x", fixed="{}") if address == "unseen" else {}
        data = data or sent(store, seq=str(seq), do="replace", event=LAID)
        answer = client.post(f"/games/round/{address}", data=data, headers=JSON)
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "not-in-history")
        said = answer.get_json()["error"]["message"]
        assert said == f"What this form is about is no step of the game any more{now}"
