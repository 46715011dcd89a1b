"""A form that was made for an older board is answered 409, whatever else is wrong with it by now."""

from __future__ import annotations

import random
from typing import Any

import pytest
from flask.testing import FlaskClient

from eventstore.recording.commands import New, Record, RemoveNote, Undo, WriteNote
from eventstore.store import Store
from games.testing.playout import next_event
from tests.replay_web.sheets import HERE

JSON = {**HERE, "Accept": "application/json"}
KEY = "sent-on-an-old-board"
FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("events", {"typed": "nonsense!!"}),
    ("events", {"event": '{"kind":"unheard_of"}'}),
    ("undo", {}),
    ("redo", {}),
    ("deal", {}),
    ("check", {}),
    ("check", {"at:deck": "many"}),
    ("rule", {"what": "move", "typed": "nonsense!!", "reason": "agreed"}),
    ("rule", {"what": "move", "typed": "", "reason": ""}),
    (
        "rule",
        {"what": "state", "reason": "agreed", "within": "/nowhere", "at": "/nowhere/at", "now": "1"},
    ),
    ("restore", {"to": "999"}),
    ("steps/3/correct", {"do": "replace", "seq": "4", "typed": "nonsense!!"}),
    ("steps/3/correct", {"do": "insert", "seq": "4", "event": '{"kind":"unheard_of"}'}),
    ("steps/3/correct", {"do": "remove", "seq": "999"}),
    ("steps/3/correct/settle", {"do": "replace", "seq": "4", "typed": "nonsense!!"}),
    ("steps/3/correct/settle", {"do": "insert", "seq": "4", "event": '{"kind":"card_laid","player":"p1"}'}),
    ("steps/3/correct/settle", {"do": "remove", "seq": "999"}),
)


@pytest.mark.parametrize("headers", [HERE, JSON], ids=["page", "json"])
@pytest.mark.parametrize("form", FORMS, ids=[f"{one[0]} {number}" for number, one in enumerate(FORMS)])
def test_form_of_an_old_board_is_a_conflict(
    client: FlaskClient, store: Store, game: str, form: tuple[str, dict[str, Any]], headers: dict[str, str]
) -> None:
    address, sent = form
    old = store.head(game)
    store.do(game, Undo(1))
    now = store.head(game)
    answer = client.post(f"/games/{game}/{address}", data={**sent, "key": KEY, "after": old}, headers=headers)
    assert (answer.status_code, answer.headers.get("X-Error-Code")) == (409, "conflict")
    if headers is JSON:
        assert answer.get_json()["error"]["head"] == now
    assert store.head(game) == now


def test_change_of_a_note_is_answered_as_at_first_where_the_note_is_gone(
    client: FlaskClient, store: Store, game: str
) -> None:
    note = store.do(game, WriteNote(2, text="so far, so good")).result
    sent = {"text": "not so good", "replaces": str(note.version), "step": "1"}
    address = f"/games/{game}/notes/{note.id}"
    first = client.post(address, data=sent, headers=HERE)
    assert first.status_code == 303
    store.do(game, RemoveNote(note.id))
    again = client.post(address, data=sent, headers=HERE)
    assert (again.status_code, again.location) == (303, first.location)
    late = client.post(address, data={**sent, "text": "something else"}, headers=HERE)
    assert (late.status_code, late.headers.get("X-Error-Code")) == (404, "unknown-note")
    assert store.game(game).all_notes == []


def test_check_is_answered_as_at_first_where_it_cannot_be_read_any_more(
    client: FlaskClient, store: Store
) -> None:
    """A place that takes any word before the war takes a number in it."""
    store.do(None, New("monstropoly-battle", ["Ann", "Bo"], game="battle"))
    address, text = "/games/battle/check", {"at:force.p1": "three"}
    sent = {**text, "key": KEY, "after": store.head("battle")}
    first = client.post(address, data=sent, headers=JSON)
    assert first.status_code == 201
    rng = random.Random(2)  # noqa: S311 - to be repeated
    while isinstance(force(store), str | None):
        position = store.game("battle").position()
        store.do("battle", Record([next_event(position.ruleset, position.state, rng)]))
    late = client.post(
        address, data={**text, "key": "sent-after-it", "after": store.head("battle")}, headers=JSON
    )
    assert late.get_json()["error"]["code"] == "no-such-value"
    again = client.post(address, data=sent, headers=JSON)
    assert (again.status_code, again.get_json()) == (200, {**first.get_json(), "repeated": True})


def force(store: Store) -> Any:
    scene = store.game("battle").position().scene()
    assert scene is not None
    return dict(scene.values())["force.p1"]
