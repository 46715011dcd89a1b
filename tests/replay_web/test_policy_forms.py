"""Every form of the site, as the addresses name them, with what no page of ours would send."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from flask.testing import FlaskClient
from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse

from eventstore.store import Store
from replay_web.app import addresses, create_app
from replay_web.http.policy import LONGEST_DATA, FormShape, policies
from tests.replay_web.samples import opened, registry

HERE: Final = {"Sec-Fetch-Site": "same-origin"}
NUMBERS: Final = frozenset({"after", "seq", "step", "to", "players", "again", "replaces"})
TICKED: Final = frozenset(
    {(where, "again") for where in ("correct.preview", "correct.settle", "history.restore")}
)
"""Fields that have the name of a number elsewhere."""
NO_NUMBERS: Final = ("-1", "²", "1.5", "0x1", " ", "9" * 13, "9" * 5000)
PLAIN: Final = "application/x-www-form-urlencoded"
IN_PARTS: Final = "multipart/form-data; boundary=x"


def rules() -> dict[str, str]:
    """Give the address of every form by endpoint."""
    app = addresses()
    found = [rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())]
    with app.test_request_context():
        known: dict[str, Any] = {"game": "cards", "step": 3, "note": "abcd1234"}
        bound = app.url_map.bind("localhost")
        return {
            rule.endpoint: bound.build(rule.endpoint, {n: known[n] for n in rule.arguments}) for rule in found
        }


RULES: Final = rules()
FORMS: Final = {
    endpoint: policy.shape for endpoint, policy in policies(addresses()).items() if policy.form is not None
}
"""What each form may hold, by endpoint."""
EACH: Final = pytest.mark.parametrize("endpoint", sorted(RULES))


@pytest.fixture(scope="module")
def store(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Give one store to all that is refused: it stays as it is."""
    with opened(filled, tmp_path_factory.mktemp("fields")) as store:
        yield store


@pytest.fixture(scope="module")
def client(store: Store) -> FlaskClient:
    return create_app(store).test_client()


def answers(store: Store, endpoint: str) -> MultiDict[str, Any]:
    """Fill a form in as far as anything is looked at before it is refused."""
    known = {
        "key": "abcdefgh2345",
        "after": str(store.game("cards").head),
        "seq": "4",
        "step": "3",
        "to": "2",
        "replaces": "1",
        "do": "remove",
        "what": "state",
        "reason": "for a test",
        "text": "a note",
        "ruleset": "monsters-forever",
        "players": "2",
    }
    return MultiDict({name: value for name, value in known.items() if FORMS[endpoint].knows(name)})


def with_(store: Store, endpoint: str, **other: str) -> dict[str, Any]:
    return {**answers(store, endpoint), **other}


def kept(store: Store) -> tuple[Any, ...]:
    return store.log.follow(0, 10**6), store.catalogue.list(limit=10**6)


def fields_of(form: FormShape) -> Iterator[str]:
    return (name.replace("*", "p1") for name in sorted(form.once))


def refused(answer: TestResponse, status: int, code: str) -> None:
    assert (answer.status_code, answer.headers.get("X-Error-Code")) == (status, code)


def test_every_address_that_takes_a_form_says_what_the_form_holds() -> None:
    assert sorted(RULES) == sorted(FORMS)


@EACH
def test_field_that_the_form_has_not_is_refused(client: FlaskClient, store: Store, endpoint: str) -> None:
    before = kept(store)
    answer = client.post(RULES[endpoint], data=with_(store, endpoint, colour="red"), headers=HERE)
    refused(answer, 400, "bad-form")
    assert "no field &#39;colour&#39;" in answer.text
    assert kept(store) == before


@EACH
def test_field_that_comes_twice_is_refused(client: FlaskClient, store: Store, endpoint: str) -> None:
    before = kept(store)
    for name in fields_of(FORMS[endpoint]):
        sent = answers(store, endpoint)
        sent.setlist(name, ["1", "1"])
        answer = client.post(RULES[endpoint], data=sent, headers=HERE)
        refused(answer, 400, "bad-form")
        assert "came 2 times" in answer.text
    assert kept(store) == before


@EACH
def test_bytes_that_are_no_text_are_refused(client: FlaskClient, store: Store, endpoint: str) -> None:
    before = kept(store)
    part = b'--x\r\nContent-Disposition: form-data; name="%b"\r\n\r\n%b\r\n--x--\r\n'
    bodies = [
        *(
            (body, PLAIN)
            for body in (b"key=a%FFb", b"key=a\xffb", b"%FF=key", b"key=%ED%A0%80", b"key=%C3&x=%A9")
        ),
        (part % (b"key", b"a\xffb"), IN_PARTS),
        (part % (b"k\xffy", b"ab"), IN_PARTS),
    ]
    for body, sort in bodies:
        answer = client.post(RULES[endpoint], data=body, content_type=sort, headers=HERE)
        refused(answer, 400, "bad-form")
        assert "no text" in answer.text or "cannot be read" in answer.text
    assert kept(store) == before


@EACH
def test_form_that_is_none_inside_is_refused(client: FlaskClient, store: Store, endpoint: str) -> None:
    before = kept(store)
    for body, sort in ((b"&", PLAIN), (b"nothing", IN_PARTS), (b"nothing", "multipart/form-data")):
        refused(client.post(RULES[endpoint], data=body, content_type=sort, headers=HERE), 400, "bad-form")
    assert kept(store) == before


@EACH
def test_what_is_no_form_is_refused(client: FlaskClient, store: Store, endpoint: str) -> None:
    before = kept(store)
    for sort in ("application/json", "text/plain", ""):
        answer = client.post(RULES[endpoint], data=b'{"key": "k"}', content_type=sort, headers=HERE)
        refused(answer, 415, "not-a-form")
    assert kept(store) == before


@EACH
def test_form_that_is_too_long_is_refused(client: FlaskClient, store: Store, endpoint: str) -> None:
    before = kept(store)
    length = FORMS[endpoint].longest + 1 if FORMS[endpoint].files else 1_000_000
    for sort in (PLAIN, IN_PARTS, "text/plain"):
        answer = client.post(RULES[endpoint], data=b"x" * length, content_type=sort, headers=HERE)
        refused(answer, 413, "too-large")
        assert f"too large: {FORMS[endpoint].limit()}." in answer.text
    assert kept(store) == before


@EACH
def test_file_that_the_form_does_not_take_is_refused(
    client: FlaskClient, store: Store, endpoint: str
) -> None:
    before = kept(store)
    sent = {**answers(store, endpoint), "extra": (io.BytesIO(b"{}"), "cards.json")}
    answer = client.post(RULES[endpoint], data=sent, headers=HERE)
    refused(answer, 400, "bad-form")
    assert "takes no file" in answer.text
    assert kept(store) == before


@EACH
def test_number_that_is_none_is_refused(client: FlaskClient, store: Store, endpoint: str) -> None:
    before = kept(store)
    for name in sorted(FORMS[endpoint].once & NUMBERS):
        for number in NO_NUMBERS if (endpoint, name) not in TICKED else ():
            sent = with_(store, endpoint, **{name: number})
            refused(client.post(RULES[endpoint], data=sent, headers=HERE), 400, "bad-query")
    assert kept(store) == before


@EACH
def test_nothing_typed_into_a_field_is_a_fault_of_ours(store: Store, endpoint: str, tmp_path: Path) -> None:
    copy = tmp_path / "games.db"
    with closing(sqlite3.connect(copy)) as target, store.log.reader() as source:
        source.backup(target)
    with Store.open(copy, registry=registry()) as own:
        client = create_app(own).test_client()
        for name in fields_of(FORMS[endpoint]):
            for typed in ("-1", "²", "", "9" * 12, "9" * 5000):
                sent = with_(own, endpoint, **{name: typed})
                answer = client.post(RULES[endpoint], data=sent, headers=HERE)
                assert answer.status_code < 500
                assert answer.status_code < 400 or answer.headers["X-Error-Code"]


@EACH
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_what_no_address_does_is_told_so_whoever_asks(
    client: FlaskClient, endpoint: str, method: str
) -> None:
    answer = client.open(RULES[endpoint], method=method)
    refused(answer, 405, "method-not-allowed")
    assert "POST" in answer.headers["Allow"]


@pytest.mark.parametrize(
    "address", ["/games/cards/news", "/games/cards/steps/3", "/help", "/healthz", "/static/page.css"]
)
def test_form_sent_to_a_page_is_told_so_whoever_asks(client: FlaskClient, address: str) -> None:
    refused(client.post(address), 405, "method-not-allowed")
    refused(client.post("/no-such-page"), 404, "not-found")


def test_option_and_seat_that_the_rules_have_not_are_refused(client: FlaskClient, store: Store) -> None:
    for name in ("option.colour", "player.p3", "player."):
        sent = with_(store, "new_game.create", **{name: "1"})
        refused(client.post("/games", data=sent, headers=HERE), 400, "bad-form")
    assert client.post("/games", data=answers(store, "new_game.create"), headers=HERE).status_code == 303


def test_step_of_a_form_beyond_the_last_leads_to_the_last(client: FlaskClient, store: Store) -> None:
    last = store.game("cards").steps
    sent = with_(store, "notes.write", step="99999")
    answer = client.post("/games/cards/notes", data=sent, headers=HERE)
    assert (answer.status_code, answer.location) == (303, f"/games/cards/steps/{last}#notes")
    assert client.get(answer.location).status_code == 200


@pytest.mark.parametrize("between", [b"\n", b" " * 70 + b"\n", b" "])
@pytest.mark.parametrize("size", [60_000, 200_000, LONGEST_DATA])
def test_card_file_of_the_size_that_is_promised_is_read(
    client: FlaskClient, store: Store, between: bytes, size: int
) -> None:
    cards = (Path(__file__).parents[2] / "games/rulesets/monster_maker/data/cards.json").read_bytes()
    cards = (cards + between * size)[:size]
    assert len(cards) == size
    key = f"fits{size}{between.hex()[-4:]}{len(between)}"
    # By hand: the client of the tests would leave open the file through which it sends so much.
    parts = [
        b'name="ruleset"\r\n\r\nmonster-maker',
        b'name="key"\r\n\r\n' + key.encode(),
        b'name="data"; filename="x.json"\r\n\r\n' + cards,
    ]
    body = (
        b"".join(b"--x\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts) + b"--x--\r\n"
    )
    answer = client.post("/games", data=body, content_type=IN_PARTS, headers=HERE)
    assert answer.status_code == 303, answer.text[:3000]


def test_file_with_the_mark_of_an_editor_is_read(client: FlaskClient) -> None:
    cards = (Path(__file__).parents[2] / "games/rulesets/monster_maker/data/cards.json").read_bytes()
    sent = {
        "ruleset": "monster-maker",
        "key": "marked2345",
        "data": (io.BytesIO(b"\xef\xbb\xbf" + cards), "x"),
    }
    assert client.post("/games", data=sent, headers=HERE).status_code == 303
