"""Numbers and JSON that no page of ours sends, in every form and in every part of every address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from flask.testing import FlaskClient

import replay_web
from eventstore.recording.commands import New, Record
from eventstore.store import Store
from replay_web.app import addresses, create_app
from tests.replay_web.samples import opened
from tests.replay_web.sheets import Page
from tests.replay_web.test_policy_forms import FORMS, HERE, RULES, fields_of, with_

DEEP: Final = ("[" * 14_000, '{"a":' * 5_000)
BROKEN: Final = ('"\\ud800"', "\ufeff", '{"kind": ' + "9" * 5_000 + "}")
NUMBERS: Final = (
    "-1",
    "--5",
    "1_0",
    "²",
    "",
    "9" * 13,
    "00000000000000000002",
    "002999999999",
    "9" * 5_000,
    str(2**64),
)
ASKS: Final = re.compile(r"""(?:request\.(?:args|values)\.get|_whole|\bsent\.get)\("(\w+)""")


@pytest.fixture(scope="module")
def store(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with opened(filled, tmp_path_factory.mktemp("hostile")) as store:
        yield store


@pytest.fixture(scope="module")
def client(store: Store) -> FlaskClient:
    return create_app(store).test_client()


def pages() -> Iterator[tuple[str, str]]:
    """Give every address that is looked at, and with each number of its path in turn to be put in."""
    app = addresses()
    known: dict[str, Any] = {"game": "cards", "step": 3, "note": "abcd1234", "seq": 4, "ruleset": "high-card"}
    with app.test_request_context():
        bound = app.url_map.bind("localhost")
        for rule in app.url_map.iter_rules():
            if "GET" in (rule.methods or ()) and not rule.endpoint.endswith(("stream", "static")):
                plain = bound.build(rule.endpoint, {name: known[name] for name in rule.arguments})
                yield plain, re.sub(r"/[34]\b", "/%s", plain)


def names() -> list[str]:
    """Give the name of every part of a query that some page asks for."""
    folder = Path(str(replay_web.__file__)).parent
    found = {name for path in folder.rglob("*.py") for name in ASKS.findall(path.read_text())}
    assert {"page", "from", "to", "step", "since", "players", "within"} <= found
    return sorted(found)


def same(code: int, answer: Any) -> None:
    assert code in {200, 302, 400, 404, 422}, (code, answer.text[:200])
    assert len(answer.text) < 200_000


@pytest.mark.parametrize("plain", [plain for plain, _ in pages()])
def test_no_part_of_a_query_is_a_fault(client: FlaskClient, plain: str) -> None:
    for name in names():
        for value in (*NUMBERS, *DEEP[:1]):
            more = {"ruleset": "monsters-forever"} if plain == "/games/new" else {}
            answer = client.get(plain, query_string={**more, name: value})
            same(answer.status_code, answer)


@pytest.mark.parametrize("address", [address for _, address in pages() if "%s" in address])
def test_no_number_in_a_path_is_a_fault(client: FlaskClient, address: str) -> None:
    for value in filter(str.strip, NUMBERS):
        answer = client.get(address % value)
        assert answer.status_code in {200, 302, 404}, (value[:20], answer.status_code)
        same(answer.status_code, answer)


@pytest.mark.parametrize("endpoint", sorted(RULES))
def test_no_json_or_number_in_a_field_is_a_fault(client: FlaskClient, store: Store, endpoint: str) -> None:
    more = {"player.p1": "Ann", "player.p2": "Bo"} if endpoint == "new_game.create" else {}
    for name in fields_of(FORMS[endpoint]):
        for value in (*DEEP, *BROKEN, "--5", "²", "9" * 5_000, str(2**64)):
            sent = with_(store, endpoint, **{**more, name: value})
            if name == "event":
                sent.pop("fixed", None)
            answer = client.post(RULES[endpoint], data=sent, headers=HERE)
            assert answer.status_code < 500, (name, value[:20], answer.text[-300:])
            assert len(answer.text) < 400_000


def test_rules_that_are_not_there_are_named(client: FlaskClient) -> None:
    asked = client.get("/games/new?ruleset=nope")
    sent = client.post("/games", data={"ruleset": "nope", "key": "abcdefgh23"}, headers=HERE)
    for answer in (asked, sent):
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (404, "unknown-ruleset")
        assert "nope" in answer.text


def test_option_of_any_length_is_named_in_a_short_sentence(client: FlaskClient) -> None:
    for typed in ("9" * 5_000, "[" * 5_000, "no such thing " * 3_000):
        sent = {"ruleset": "monsters-of-war", "key": "abcdefgh23", "option.days": typed}
        answer = client.post("/games", data=sent, headers={**HERE, "Accept": "application/json"})
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "bad-option")
        assert "days" in answer.text
        assert len(answer.text) < 1_500


def test_amount_beyond_its_bounds_is_refused_with_them(client: FlaskClient, store: Store) -> None:
    store.do(None, New("legend-of-monopoly", ["Ann", "Bo"], game="amounts"))
    dice = [("p1", [6, 5]), ("p2", [1, 2])]
    for seat, thrown in dice:
        store.do("amounts", Record([{"kind": "start_rolled", "player": seat, "dice": thrown}]))
    page = Page(client.get("/games/amounts/record").text)
    form = next(form for form in page.forms for one in form.controls if one.name == "amount:give.rahl")
    for typed in ("--5", "-", "0000000000019", "1501", "9" * 20, "9" * 5_000, "5.0", "٥"):
        sent = {**form.sent_by(form.buttons("fixed")[0]), "amount:give.rahl": typed}
        answer = client.post(form.action, data=sent, headers={**HERE, "Accept": "application/json"})
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "no-such-value"), typed[:20]
        assert "a whole number from 0 to 1500" in answer.text
        assert len(answer.text) < 400
    assert store.game("amounts").steps == len(dice)
