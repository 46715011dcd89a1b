"""A guarded site: who may look through whose eyes, who may write, and what wrong keys meet with."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.recording.commands import WriteNote
from eventstore.store import Store
from replay_web import create_app
from replay_web.http import access
from replay_web.http.access import FREE, LONGEST, QUIET, WHO_SEES_WHAT, Attempts, TooManyTries
from tests.replay_web.samples import registry

HERE = {"Sec-Fetch-Site": "same-origin"}
KEY = "0123456789abcdef"


@pytest.fixture
def app(store: Store) -> Flask:
    made = create_app(store, guarded=True)
    made.testing = True
    return made


@pytest.fixture
def table_key(store: Store) -> str:
    return store.access.add()[1]


@pytest.fixture
def seat_key(store: Store) -> str:
    return store.access.add(seat="p2")[1]


def sign_in(client: FlaskClient, key: str, **more: Any) -> TestResponse:
    return client.post("/sign-in", data={"key": key, **more}, headers=HERE)


def note(client: FlaskClient, game: str = "star", text: str = "Bold.", query: str = "") -> TestResponse:
    data = {"key": KEY, "seq": "4", "step": "3", "text": text}
    return client.post(f"/games/{game}/notes{query}", data=data, headers=HERE)


def refused(answer: TestResponse) -> tuple[int, str | None]:
    return answer.status_code, answer.headers.get("X-Error-Code")


# --- looking -----------------------------------------------------------------------------------------


def views(client: FlaskClient, game: str) -> set[str]:
    eyes = ("everything", "table", "p1", "p2")
    return {view for view in eyes if client.get(f"/games/{game}/steps/3?as={view}").status_code == 200}


def test_a_visitor_sees_all_of_open_games_and_the_table_of_those_that_hide(client: FlaskClient) -> None:
    assert views(client, "star") == {"everything", "table", "p1", "p2"}
    assert views(client, "cards") == {"table"}
    assert views(client, "broken") == {"everything", "table", "p1", "p2"}
    assert client.get("/games/textual/steps/1?as=everything").status_code == 403
    assert client.get("/games/textual/steps/1").status_code == 200
    assert refused(client.get("/games/cards/steps/3?as=p1")) == (403, "view-closed")
    assert refused(client.get("/games/cards/steps/3?as=nobody")) == (404, "unknown-viewer")


def test_no_address_of_a_game_shows_a_visitor_more_than_the_table_sees(
    client: FlaskClient, store: Store
) -> None:
    everybody = create_app(store).test_client()
    asked = 0
    for rule in client.application.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or "game" not in rule.arguments:
            continue
        with client.application.test_request_context():
            values = {"game": "cards", "step": 3, "seq": 4, "note": "abcd1234"}
            known = {name: values[name] for name in rule.arguments}
            address = client.application.url_for(rule.endpoint, **known)
        asked += 1
        for eyes in ("everything", "p1", "p2"):
            assert refused(client.get(f"{address}?as={eyes}")) == (403, "view-closed"), address
        mine, table = client.get(address), everybody.get(f"{address}?as=table")
        assert mine.status_code == table.status_code, address
        if not mine.is_json and mine.mimetype != "text/html":
            assert mine.data == table.data, address
    assert asked >= 10


def test_a_seats_key_shows_that_seat_and_the_table(client: FlaskClient, seat_key: str) -> None:
    sign_in(client, seat_key)
    assert views(client, "cards") == {"table", "p2"}
    page = client.get("/games/cards/steps/3").text
    assert 'data-as="p2"' in page
    assert '<option value="p2" selected>' in page
    assert '<option value="everything"' not in page
    assert "data-everything" not in page


def test_a_seat_that_a_game_does_not_have_sees_the_table(client: FlaskClient, store: Store) -> None:
    sign_in(client, store.access.add(seat="p9")[1])
    assert views(client, "cards") == {"table"}
    assert 'data-as="table"' in client.get("/games/cards/steps/3").text


def test_a_table_key_shows_everything(client: FlaskClient, table_key: str) -> None:
    sign_in(client, table_key)
    assert views(client, "cards") == {"everything", "table", "p1", "p2"}
    assert 'data-as="everything"' in client.get("/games/cards/steps/3").text


def test_nobody_finds_words_of_notes_that_they_may_not_read(
    client: FlaskClient, store: Store, table_key: str
) -> None:
    store.do("cards", WriteNote(3, text="the queen lies under the jack"))
    assert "/games/cards/" not in client.get("/games?text=queen").text
    sign_in(client, table_key)
    assert "/games/cards/" in client.get("/games?text=queen").text


def test_what_the_table_key_wrote_is_read_by_no_seat_and_no_visitor(
    client: FlaskClient, app: Flask, table_key: str, seat_key: str
) -> None:
    sign_in(client, table_key)
    assert note(client, "cards", text="the queen lies there").status_code == 303
    assert "the queen" in client.get("/games/cards/steps/3").text
    seat, visitor = app.test_client(), app.test_client()
    sign_in(seat, seat_key)
    for other in (seat, visitor):
        for address in ("/games/cards/steps/3", "/games/cards/frames", "/games/cards.tape.jsonl"):
            assert "the queen" not in other.get(address).text, address


# --- writing -----------------------------------------------------------------------------------------


def test_nobody_writes_without_a_key_and_what_was_typed_comes_back(client: FlaskClient, store: Store) -> None:
    answer = note(client, text="Not <lost>.")
    assert refused(answer) == (403, "key-needed")
    assert "Not &lt;lost&gt;." in answer.text
    assert "/sign-in" in answer.text
    assert store.game("star").all_notes == []


def test_every_form_of_the_site_needs_a_key(client: FlaskClient) -> None:
    asked = set()
    for rule in client.application.url_map.iter_rules():
        for method in (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"}:
            with client.application.test_request_context():
                known: dict[str, Any] = {
                    name: 1 if name in {"step", "seq"} else "star" for name in rule.arguments
                }
                address = client.application.url_for(rule.endpoint, **known)
            if refused(client.open(address, method=method, headers=HERE)) != (403, "key-needed"):
                asked.add(rule.endpoint)
    assert asked == {"sign_in.enter", "sign_in.leave"}


def test_what_is_written_carries_the_name_of_the_key(
    client: FlaskClient, store: Store, seat_key: str
) -> None:
    sign_in(client, seat_key)
    assert note(client).status_code == 303
    assert [found.by for found in store.game("star").all_notes] == ["p2"]


def test_a_page_offers_forms_to_those_alone_who_can_send_them(client: FlaskClient, table_key: str) -> None:
    page = client.get("/games/star/steps/3").text
    assert "data-note-form" not in page
    assert 'href="/sign-in?next=/games/star/steps/3"' in page
    sign_in(client, table_key)
    assert "data-note-form" in client.get("/games/star/steps/3").text


def test_a_form_from_elsewhere_is_refused_with_a_key_too(client: FlaskClient, table_key: str) -> None:
    sign_in(client, table_key)
    answer = client.post("/games/star/notes", headers={"Origin": "http://elsewhere.example"})
    assert refused(answer) == (403, "from-elsewhere")
    assert refused(client.post("/sign-in", headers={"Origin": "http://elsewhere.example"})) == (
        403,
        "from-elsewhere",
    )


# --- the session -------------------------------------------------------------------------------------


def test_the_cookie_is_for_this_site_alone_and_out_of_reach_of_scripts(
    client: FlaskClient, table_key: str
) -> None:
    (cookie,) = sign_in(client, table_key).headers.getlist("Set-Cookie")
    parts = {part.split("=")[0].lower(): part for part in cookie.split("; ")}
    assert {"httponly", "samesite", "path", "max-age"} <= set(parts)
    assert parts["samesite"] == "SameSite=Strict"
    assert "secure" not in parts
    assert table_key.replace("-", "") not in cookie.replace("-", "")


def test_two_sites_on_one_machine_do_not_sign_each_other_out(app: Flask, table_key: str) -> None:
    client = app.test_client()
    for host in ("table.local:8765", "table.local:8766"):
        named = client.post("/sign-in", data={"key": table_key}, headers={**HERE, "Host": host})
        assert named.headers["Set-Cookie"].startswith(f"tabletape-{host[-4:]}=")
    for host in ("table.local", "[::1]", "table.local:"):
        named = client.post("/sign-in", data={"key": table_key}, headers={**HERE, "Host": host})
        assert named.headers["Set-Cookie"].startswith("tabletape="), host
    wrong = {**HERE, "Host": "table.local:x=y; path=/"}
    refusal = client.post("/sign-in", data={"key": table_key}, headers=wrong)
    assert refused(refusal) == (400, "unknown-host")
    assert "Set-Cookie" not in refusal.headers


def test_a_revoked_key_loses_its_session_at_once(client: FlaskClient, store: Store, table_key: str) -> None:
    sign_in(client, table_key)
    assert note(client).status_code == 303
    store.access.revoke("table-key")
    assert refused(note(client, text="again")) == (403, "key-needed")
    assert views(client, "cards") == {"table"}
    assert refused(sign_in(client, table_key)) == (403, "wrong-key")


def test_signing_out_ends_the_session_for_whoever_kept_the_cookie(
    client: FlaskClient, app: Flask, table_key: str
) -> None:
    kept = sign_in(client, table_key).headers["Set-Cookie"].split(";")[0].split("=")[1]
    assert client.post("/sign-out", headers=HERE).status_code == 303
    assert "Sign in" in client.get("/games").text
    thief = app.test_client()
    thief.set_cookie(access.COOKIE, kept)
    assert refused(note(thief)) == (403, "key-needed")


@pytest.mark.parametrize("cookie", ["", "x", "a.b", "%00", "0" * 3000, "é"])
def test_a_cookie_that_is_none_of_ours_is_nobody(client: FlaskClient, cookie: str) -> None:
    client.set_cookie(access.COOKIE, cookie)
    assert client.get("/games").status_code == 200
    assert refused(note(client)) == (403, "key-needed")


@pytest.mark.parametrize(
    ("asked", "led"),
    [
        ("/games/star/steps/4?as=p1", "/games/star/steps/4?as=p1"),
        ("", "/games"),
        ("//elsewhere.example/", "/games"),
        ("http://elsewhere.example/", "/games"),
        ("/\\elsewhere.example/", "/games"),
        ("/games\r\nX: y", "/games"),
    ],
)
def test_signing_in_leads_back_and_never_away(
    client: FlaskClient, table_key: str, asked: str, led: str
) -> None:
    answer = sign_in(client, table_key, next=asked)
    assert (answer.status_code, answer.location) == (303, led)


def test_sign_in_page_says_who_can_see_what(client: FlaskClient, table_key: str) -> None:
    page = client.get("/sign-in").text
    for sentence in WHO_SEES_WHAT:
        assert sentence in page
    sign_in(client, table_key)
    assert "You are signed in as <b>table-key</b>" in client.get("/sign-in").text


def test_a_read_only_database_says_that_nobody_can_sign_in(store: Store, table_key: str) -> None:
    with Store.open(store.log.path, read_only=True, registry=registry()) as other:
        client = create_app(other, guarded=True).test_client()
        page = client.get("/sign-in").text
        assert "read-only" in page
        assert "data-sign-in" not in page
        assert refused(sign_in(client, table_key)) == (503, "database-read-only")


def test_served_to_this_machine_alone_nothing_is_asked(store: Store) -> None:
    client = create_app(store).test_client()
    assert views(client, "cards") == {"everything", "table", "p1", "p2"}
    assert note(client).status_code == 303
    assert [found.by for found in store.game("star").all_notes] == ["recorder"]
    assert "Sign in" not in client.get("/games").text
    assert "No key is asked for" in client.get("/sign-in").text


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("tape.local", 200),
        ("TAPE.local:8765", 200),
        ("192.168.1.7:8765", 200),
        ("[fe80::1]:8765", 200),
        ("elsewhere.example", 400),
        ("192.168.1.7.elsewhere.example", 400),
        ("tape.local.elsewhere.example", 400),
        ("xtape.local", 400),
        ("", 400),
        ("[", 400),
    ],
)
def test_a_guarded_site_answers_to_its_names_and_to_digits(store: Store, host: str, status: int) -> None:
    client = create_app(store, hosts=["tape.local"], guarded=True).test_client()
    answer = client.get("/games", headers={"Host": host})
    assert refused(answer) == (status, None if status == 200 else "unknown-host")


def test_a_site_of_this_machine_alone_answers_to_no_other_digits(store: Store) -> None:
    client = create_app(store, hosts=["localhost", "[::1]"]).test_client()
    for host in ("localhost:8765", "[::1]:8765", "[::1]"):
        assert client.get("/games", headers={"Host": host}).status_code == 200
    assert refused(client.get("/games", headers={"Host": "192.168.1.7"})) == (400, "unknown-host")


# --- wrong keys --------------------------------------------------------------------------------------


def test_twenty_wrong_keys_at_once_are_looked_at_five_times(
    app: Flask, store: Store, table_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    opened = store.access.opened
    monkeypatch.setattr(store.access, "opened", lambda typed: looked.append(typed) or opened(typed))
    answers: list[TestResponse] = []
    together = threading.Barrier(20)

    def attempt(number: int) -> None:
        client = app.test_client()
        together.wait(30)
        answers.append(sign_in(client, f"wrong-{number}"))

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    codes = sorted(str(answer.headers["X-Error-Code"]) for answer in answers)
    assert codes == ["too-many-tries"] * 15 + ["wrong-key"] * FREE
    assert len(looked) == FREE
    slow = [answer for answer in answers if answer.status_code == 429]
    assert all(1 <= int(answer.headers["Retry-After"]) <= LONGEST for answer in slow)
    # Not even the right one, for otherwise whoever guesses would not be slowed down; others are let in.
    assert refused(sign_in(app.test_client(), table_key)) == (429, "too-many-tries")
    phone = app.test_client()
    phone.environ_base["REMOTE_ADDR"] = "192.168.1.9"
    assert sign_in(phone, table_key).status_code == 303


def test_who_is_signed_in_is_not_slowed_down(app: Flask, client: FlaskClient, table_key: str) -> None:
    sign_in(client, table_key)
    for number in range(FREE + 1):
        last = sign_in(app.test_client(), f"wrong-{number}")
    assert last.status_code == 429
    assert note(client).status_code == 303


def test_refusals_of_a_key_are_json_where_that_is_asked_for(client: FlaskClient) -> None:
    answer = client.post("/sign-in", data={"key": "x"}, headers={**HERE, "Accept": "application/json"})
    assert answer.status_code == 403
    assert (answer.json or {})["error"]["code"] == "wrong-key"


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def wrong(attempts: Attempts, address: str) -> int:
    """Try a wrong key; give the seconds that one has to wait instead."""
    slow = attempts.look(address, lambda: None)
    return slow.seconds if isinstance(slow, TooManyTries) else 0


def test_the_wait_doubles_up_to_five_minutes_and_is_forgotten(clock: Clock) -> None:
    attempts = Attempts(clock)
    assert [wrong(attempts, "a") for _ in range(FREE)] == [0] * FREE
    waits = []
    for _ in range(11):
        waits.append(wrong(attempts, "a"))
        clock.now += waits[-1]
        assert wrong(attempts, "a") == 0
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    clock.now += QUIET + 1
    assert [wrong(attempts, "a") for _ in range(FREE + 1)] == [0] * FREE + [1]


def test_right_keys_are_never_counted(clock: Clock) -> None:
    attempts = Attempts(clock)
    for _ in range(180):
        assert attempts.look("a", lambda: "right") == "right"


def test_right_keys_at_once_are_all_let_in(app: Flask, table_key: str) -> None:
    answers: list[int] = []
    together = threading.Barrier(12)

    def enter() -> None:
        client = app.test_client()
        together.wait(30)
        answers.append(sign_in(client, table_key).status_code)

    threads = [threading.Thread(target=enter) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == [303] * 12


def test_who_has_a_key_cannot_use_up_the_tries_of_others(
    app: Flask, clock: Clock, table_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.extensions, "attempts", Attempts(clock))
    codes = []
    for _ in range(30):
        codes += [sign_in(app.test_client(), "wrong").status_code for _ in range(FREE - 1)]
        codes.append(sign_in(app.test_client(), table_key).status_code)
    assert codes[: 2 * FREE] == [403] * (FREE - 1) + [303, 403] + [429] * (FREE - 1)
    assert codes.count(403) == FREE
    phone = app.test_client()
    phone.environ_base["REMOTE_ADDR"] = "192.168.1.9"
    assert sign_in(phone, table_key).status_code == 303


def test_a_key_that_could_not_be_looked_at_is_no_wrong_one(clock: Clock) -> None:
    attempts = Attempts(clock)

    def locked() -> None:
        raise RuntimeError

    for _ in range(FREE + 1):
        with pytest.raises(RuntimeError):
            attempts.look("a", locked)
    assert wrong(attempts, "a") == 0


def test_wrong_keys_from_a_hundred_addresses_keep_nobody_out(
    app: Flask, clock: Clock, table_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = Attempts(clock)
    monkeypatch.setitem(app.extensions, "attempts", attempts)
    waits = [wrong(attempts, f"10.0.{number}.1") for number in range(100) for _ in range(FREE + 1)]
    assert waits == ([0] * FREE + [1]) * 100
    assert sign_in(app.test_client(), "x").status_code == 403
    assert sign_in(app.test_client(), table_key).status_code == 303


def test_one_ipv6_network_is_one_address(clock: Clock) -> None:
    attempts = Attempts(clock)
    waits = [wrong(attempts, f"2001:db8::{number:x}") for number in range(1, FREE + 2)]
    assert waits == [0] * FREE + [1]


def test_only_so_many_addresses_are_remembered(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "ADDRESSES", 3)
    attempts = Attempts(clock)
    for number in range(10):
        wrong(attempts, f"10.0.0.{number}")
    assert attempts._tries.keys() == ["10.0.0.7", "10.0.0.8", "10.0.0.9"]


# --- the key stays where it is -----------------------------------------------------------------------


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


def test_a_key_is_in_no_page_address_header_or_log(
    client: FlaskClient, store: Store, table_key: str, logged: pytest.LogCaptureFixture
) -> None:
    wrong = "wrong-wrong-wrong"
    answers = [sign_in(client, wrong, next="/games"), sign_in(client, table_key, next="/games")]
    answers += [client.get(address) for address in ("/sign-in", "/games", "/games/star/steps/3", "/help")]
    answers += [note(client), client.get("/games/star.tape.jsonl"), client.post("/sign-out", headers=HERE)]
    for answer in answers:
        told = f"{answer.headers}{answer.text}{answer.request.full_path}"
        for secret in (wrong, table_key, table_key.replace("-", "")):
            assert secret not in told, answer.request.path
    assert table_key not in logged.text
    assert wrong not in logged.text
    kept = b"".join(file.read_bytes() for file in Path(store.log.path).parent.iterdir() if file.is_file())
    assert table_key.encode() not in kept
    assert table_key.replace("-", "").encode() not in kept


def test_a_key_in_the_query_is_not_taken(client: FlaskClient, table_key: str) -> None:
    client.get(f"/sign-in?key={table_key}")
    assert refused(client.post(f"/sign-in?key={table_key}", headers=HERE)) == (403, "wrong-key")
