"""JSON in a form has each key once, whichever field it stands in."""

from __future__ import annotations

from html import unescape
from io import BytesIO

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.log import contract
from eventstore.recording.commands import New
from eventstore.store import Store
from tests.replay_web.test_recording import HERE, JSON

TWICE = '{"kind":"creature_moved","team":"A","from":"A6","to":"A5","from":"A7"}'


@pytest.fixture
def fresh(store: Store) -> str:
    return store.do(None, New("monsters-forever", ["Ann", "Bo"], game="fresh")).game.id


def heads(store: Store) -> list[tuple[str, int]]:
    return [(game, store.log.head(game).seq) for game in store.log.games()]  # type: ignore[union-attr]


SENT = [
    ("fresh/events", {"event": TWICE}, "from", "malformed-event"),
    ("fresh/events", {"fixed": '{"kind":"a","kind":"b"}'}, "kind", "malformed-event"),
    ("fresh/events", {"typed": TWICE}, "from", "not-understood"),
    ("fresh/rule", {"what": "move", "typed": TWICE, "reason": "x"}, "from", "malformed-event"),
    (
        "fresh/rule",
        {"what": "state", "at": "/a", "now": '{"A":1,"A":2}', "reason": "x"},
        "A",
        "malformed-event",
    ),
    ("round/steps/5/correct", {"do": "replace", "seq": "6", "event": TWICE}, "from", "malformed-event"),
    ("round/steps/5/correct", {"do": "replace", "seq": "6", "events": f"[{TWICE}]"}, "from", "bad-query"),
]


@pytest.mark.parametrize("sent", SENT, ids=lambda sent: f"{sent[0]} {[*sent[1]]}")
def test_a_doubled_key_is_refused(
    client: FlaskClient, store: Store, fresh: str, game: str, sent: tuple[str, dict[str, str], str, str]
) -> None:
    address, fields, key, code = sent
    before = heads(store)
    head = store.log.head(game if address.startswith(game) else fresh)
    data = {"key": "k" * 12, "after": str(head.seq), **fields}  # type: ignore[union-attr]
    for headers in (HERE, JSON):
        refused(client.post(f"/games/{address}", data=data, headers=headers), key, code)
    assert heads(store) == before


def test_an_option_with_a_doubled_key_is_refused(client: FlaskClient, store: Store) -> None:
    before = heads(store)
    data = {
        "key": "k" * 12,
        "ruleset": "monsters-forever",
        "players": "2",
        "option.teams": '{"A":"p1","A":"p2"}',
    }
    for headers in (HERE, JSON):
        refused(client.post("/games", data=data, headers=headers), "A", "bad-option")
    assert heads(store) == before


def refused(answer: TestResponse, key: str, code: str) -> None:
    assert (answer.status_code, answer.headers["X-Error-Code"]) in {(400, code), (422, code)}
    assert f'the key "{key}" appears twice' in unescape(answer.text).replace('\\"', '"')


def test_a_card_file_with_a_doubled_key_is_refused(client: FlaskClient, store: Store) -> None:
    before = store.log.games()
    file = (BytesIO(b'{"source": "a", "cards": [], "source": "b"}'), "cards.json")
    data = {"key": "k" * 12, "ruleset": "monsters-of-war", "players": "2", "data": file}
    answer = client.post("/games", data=data, headers=JSON)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "bad-data")
    assert "appears twice" in answer.text
    assert store.log.games() == before


def test_a_clock_past_all_years_is_told(
    client: FlaskClient, store: Store, fresh: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = heads(store)
    monkeypatch.setattr(contract, "time_ns", lambda: 253_402_300_800 * 1_000_000_000)
    event = TWICE.replace(',"from":"A7"', "")
    data = {"key": "k" * 12, "after": "1", "event": event}
    answer = client.post(f"/games/{fresh}/events", data=data, headers=JSON)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (503, "bad-clock")
    assert "The clock of this machine shows a year after 9999: set it right." in answer.text
    assert client.get(f"/games/{fresh}/record").status_code == 200
    assert heads(store) == before
