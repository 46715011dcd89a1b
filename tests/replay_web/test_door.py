"""What is refused before a page is made, and what answers when a page cannot be."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from html import unescape
from typing import Any, Final

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.store import Store
from replay_web import create_app
from tests.replay_web.fuzzing import CONTROL, MUST_HAVE, Call, Site, routes
from tests.replay_web.sheets import HERE, head

CONTROLS: Final = ("%00", "a%00b", "%01", "%0A", "%0d%0aX-Evil:%201", "%1B[31m", "%7F", "%C2%85")
PATHS: Final = pytest.mark.parametrize("control", CONTROLS)


@pytest.fixture
def site(store: Store) -> Site:
    return Site("open", create_app(store, guarded=True))


def addresses(app: Flask) -> Iterator[tuple[str, str]]:
    """Give an address of every route, with its method."""
    known: dict[str, Any] = {"game": "star", "step": 3, "seq": 4, "note": "abcd1234", "ruleset": "high-card"}
    known["filename"] = "page.css"
    for (endpoint, method), rule in routes(app).items():
        if method in {"GET", "POST"}:
            built = app.url_map.bind("localhost").build(
                endpoint, {name: known[name] for name in rule.arguments}
            )
            yield method, built


def refused(answer: TestResponse) -> tuple[int, str | None]:
    return answer.status_code, answer.headers.get("X-Error-Code")


def protected(answer: TestResponse) -> bool:
    return all(answer.headers.get(name, "\x00").startswith(begins) for name, begins in MUST_HAVE.items())


# --- control characters ----------------------------------------------------------------------------------


@PATHS
def test_control_character_in_the_query_of_any_route_is_refused(site: Site, control: str) -> None:
    asked = 0
    for method, path in addresses(site.app):
        for query in (f"text={control}", f"{control}=1", f"as=everything&later=hidden&x={control}"):
            got = site.send(Call("open", method, path, query, (("Sec-Fetch-Site", "same-origin"),)))
            assert (got.status, got.headers["X-Error-Code"]) == (400, "bad-address"), (method, path, query)
            assert not CONTROL.search(got.text)
            asked += 1
    assert asked >= 100


@PATHS
def test_control_character_in_the_path_of_any_route_is_refused(site: Site, control: str) -> None:
    for method, path in addresses(site.app):
        parts = path.split("/")
        for place in range(1, len(parts)):
            spoiled = "/".join((*parts[:place], parts[place] + control, *parts[place + 1 :]))
            got = site.send(Call("open", method, spoiled, "", (("Sec-Fetch-Site", "same-origin"),)))
            assert (got.status, got.headers["X-Error-Code"]) == (400, "bad-address"), (method, spoiled)
            assert not CONTROL.search(got.text)


def test_text_beyond_ascii_in_an_address_is_no_control_character(client: FlaskClient) -> None:
    assert client.get("/games?player=Bø%20Ünal%20–%20日本").status_code == 200


def test_move_typed_with_a_line_break_leads_to_a_ruling_all_the_same(
    client: FlaskClient, store: Store, game: str
) -> None:
    typed = '{"kind": "card_laid",\n "player": "p1", "card": "c03"}'
    sent = {"key": "0123456789abcdef", "after": str(head(store, game)), "typed": typed}
    page = client.post(f"/games/{game}/events", data=sent, headers=HERE).text
    found = re.search(rf'href="(/games/{game}/rule\?typed=[^"]+)"', page)
    assert found is not None
    assert client.get(unescape(found[1])).status_code == 200


# --- headers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("referer", ["http://[", "http://[::1", "//[", "http://a]b/", "http://a:x/games"])
def test_referer_that_cannot_be_read_leads_nowhere(client: FlaskClient, referer: str) -> None:
    answer = client.get("/sign-in", headers={"Referer": referer})
    assert answer.status_code == 200
    assert protected(answer)


@pytest.mark.parametrize(
    "origin",
    [
        "http://[",
        "http://[::1",
        "null",
        "",
        "https://localhost",
        "ws://localhost",
        "localhost",
        "//localhost",
        "http://localhost:8765",
        "http://localhost/games",
        "http://localhost.",
        "http://localhost http://localhost",
        "http://x@localhost",
    ],
)
def test_origin_of_another_site_or_none_at_all_is_refused(client: FlaskClient, origin: str) -> None:
    for method, path in addresses(client.application):
        if method == "POST":
            answer = client.post(path, headers={"Origin": origin})
            assert refused(answer) == (403, "from-elsewhere"), path
            assert protected(answer)


@pytest.mark.parametrize(
    ("scheme", "host", "origin"),
    [
        ("http", "localhost", "http://localhost"),
        ("http", "table.local:8765", "http://table.local:8765"),
        ("http", "[::1]:8765", "http://[::1]:8765"),
        ("https", "table.example", "https://table.example"),
    ],
)
def test_origin_of_this_site_is_let_in(client: FlaskClient, scheme: str, host: str, origin: str) -> None:
    answer = client.post("/sign-out", base_url=f"{scheme}://{host}", headers={"Origin": origin})
    assert answer.status_code == 303


@pytest.mark.parametrize(
    "host", ["[", "[::1", "a..b", ".", "xn--a", "a b", "a/b", "a@b", "x:y", "x:٣", f"{'a' * 70}.b", "é"]
)
def test_host_that_cannot_be_read_is_no_name_of_this_site(site: Site, host: str) -> None:
    for method, path in (("GET", "/games"), ("GET", "/invite"), ("POST", "/sign-out"), ("GET", "/nowhere")):
        got = site.send(Call("open", method, path, "", (("Host", host), ("Origin", f"http://{host}"))))
        assert (got.status, got.headers["X-Error-Code"]) == (400, "unknown-host"), path
        assert all(name in got.headers for name in MUST_HAVE)


@pytest.mark.parametrize("number", ["٣", "３", "²", "1_0", "+3", "-1", "3 ", "0x3", "9" * 13, "9" * 5000])
def test_number_in_an_address_is_of_ascii_digits(client: FlaskClient, number: str) -> None:
    for path in (
        f"/games/star/steps/{number}",
        f"/games/star/at/{number}",
        f"/games/star/steps/{number}.svg",
    ):
        assert client.get(path).status_code == 404, path
    for query in (
        f"/games?page={number}",
        f"/games/star/frames?from={number}",
        f"/games/star/news?since={number}",
    ):
        assert refused(client.get(query.replace("+", "%2B"))) == (400, "bad-query"), query
    within = client.get("/games/cards/rule", query_string={"within": f"/seats/{number}"})
    assert refused(within) == (400, "bad-query")


def test_file_under_a_condition_that_does_not_hold_is_refused_with_a_code(site: Site) -> None:
    got = site.send(Call("open", "GET", "/static/page.css", "", (("If-Match", '"x"'),)))
    assert (got.status, got.headers["X-Error-Code"]) == (412, "precondition-failed")


def test_range_that_a_file_does_not_have_is_refused_with_a_code(site: Site) -> None:
    got = site.send(Call("open", "GET", "/static/page.css", "", (("Range", "bytes=9999999-"),)))
    assert (got.status, got.headers["X-Error-Code"]) == (416, "no-such-range")
    assert got.headers["Content-Range"].startswith("bytes */")


@pytest.mark.parametrize("name", ["", '; filename="a"', "; name"])
def test_part_of_a_form_without_a_name_is_refused(client: FlaskClient, name: str) -> None:
    body = f"--x\r\nContent-Disposition: form-data{name}\r\n\r\nz\r\n--x--\r\n".encode()
    headers = {"Sec-Fetch-Site": "same-origin", "Content-Type": "multipart/form-data; boundary=x"}
    for path in ("/games", "/games/star/notes", "/sign-in"):
        assert refused(client.post(path, data=body, headers=headers)) == (400, "bad-form")


# --- faults of ours ----------------------------------------------------------------------------------------


class PlantedFaultError(Exception):
    """What no code of ours expects."""


def raising(*_args: object) -> Response:
    raise PlantedFaultError


def in_a_route(app: Flask) -> None:
    app.view_functions["games.listing"] = raising


def before_every_page(app: Flask) -> None:
    app.before_request_funcs.setdefault(None, []).insert(0, raising)


def after_every_page(app: Flask) -> None:
    app.after_request_funcs.setdefault(None, []).append(raising)


def in_every_template(app: Flask) -> None:
    app.jinja_env.globals["actor"] = raising


@pytest.mark.parametrize("planted", [in_a_route, before_every_page, after_every_page, in_every_template])
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_fault_of_ours_is_logged_and_answered_without_a_traceback(
    store: Store, planted: Any, accept: str, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app(store)
    planted(app)
    with caplog.at_level(logging.ERROR):
        answer = app.test_client().get("/games", headers={"Accept": accept})
    assert answer.status_code == 500
    assert protected(answer)
    assert "Traceback" not in answer.text
    assert "PlantedFault" not in answer.text
    assert any(record.exc_info and record.exc_info[0] is PlantedFaultError for record in caplog.records)


def test_fault_in_a_test_is_raised(store: Store) -> None:
    app = create_app(store)
    app.testing = True
    in_a_route(app)
    with pytest.raises(PlantedFaultError):
        app.test_client().get("/games")


def test_an_answer_keeps_the_headers_that_it_sets_itself(site: Site) -> None:
    picture = site.send(Call("open", "GET", "/games/star/steps/3.svg"))
    assert "sha256-" in picture.headers["Content-Security-Policy"]
    assert "max-age=3600" in site.send(Call("open", "GET", "/static/page.css")).headers["Cache-Control"]
