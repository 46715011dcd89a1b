"""Told at once: a page sees what another records without asking in between, and asks where it is not told."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Page, expect
from werkzeug.serving import make_server

from eventstore.recording.commands import Record
from eventstore.store import Store
from replay_web import create_app
from replay_web.replay.streams import Streams
from tests.browser.conftest import Opened, Quiet
from tests.browser.test_follow import banner, game, moves, seen

__all__ = ["game"]

STILL = "2026-09-14T18:00:00"


@pytest.fixture(scope="module")
def app(store: Store) -> Flask:
    return create_app(store, streams=1)


@pytest.fixture(scope="module")
def site(app: Flask) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    app.extensions["streams"].end()
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.fixture(autouse=True)
def own_streams(app: Flask) -> Iterator[None]:
    """Give each test streams of its own, which end with it."""
    app.extensions["streams"] = Streams(1)
    yield
    app.extensions["streams"].end()


def shown(page: Page, step: int) -> None:
    expect(page.locator("[data-number]")).to_have_text(str(step))


def told_at_once(opened: Opened, game: str) -> Page:
    """Open a page for which no time goes by: it asks only when it is told to."""
    page = opened("/help")
    page.clock.install(time=STILL)
    page.clock.pause_at(STILL.replace("18:00", "18:01"))
    with page.expect_response(lambda answer: "/news/stream" in answer.url) as stream:
        page.goto(f"/games/{game}/steps/40")
    assert stream.value.status == 200
    page.locator("[data-viewer][data-ready]").wait_for()
    return page


def test_a_move_is_shown_without_waiting_for_the_next_question(
    opened: Opened, store: Store, game: str
) -> None:
    page = told_at_once(opened, game)
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if "/news?" in sent.url else None)
    first, second, third = moves(store, game)
    store.do(game, Record([first]))
    seen(page, 41)
    page.evaluate("document.querySelector('[data-scripted] [data-do=follow]').click()")
    shown(page, 41)
    store.do(game, Record([second]))
    shown(page, 42)
    store.do(game, Record([third]))
    shown(page, 43)
    assert len(asked) == 4  # one for each move, and one when following began


def test_what_one_browser_records_the_other_is_told(opened: Opened, store: Store, game: str) -> None:
    page = told_at_once(opened, game)
    other = opened(f"/games/{game}/record", java_script_enabled=False)
    other.get_by_role("button", name="Undo", exact=True).click()
    expect(other.locator("[data-part=echo], .echoed").first).to_be_visible()
    seen(page, 39)


def test_a_page_that_is_not_told_asks(opened: Opened, store: Store, game: str, complaints: list[str]) -> None:
    told_at_once(opened, game)
    refused: list[int] = []
    page = opened("/help")
    page.on("response", lambda answer: refused.append(answer.status) if "/stream" in answer.url else None)
    page.goto(f"/games/{game}/steps/40")
    page.locator("[data-viewer][data-ready]").wait_for()
    store.do(game, Record(moves(store, game)[:1]))
    banner(page, "1 new step")
    store.do(game, Record(moves(store, game)[1:]))
    banner(page, "3 new steps")
    assert refused == [503]
    complaints.clear()


def test_a_hidden_page_closes_its_stream(opened: Opened, game: str, app: Flask) -> None:
    page = told_at_once(opened, game)
    hide = "hidden => Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden})"
    page.evaluate(hide, arg=True)
    with page.expect_event("requestfailed", lambda sent: "/news/stream" in sent.url):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    app.extensions["streams"].end()
    app.extensions["streams"] = Streams(1)
    page.evaluate(hide, arg=False)
    with page.expect_response(lambda answer: "/news/stream" in answer.url) as stream:
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert stream.value.status == 200


def test_a_stream_that_ends_is_begun_again(
    opened: Opened, store: Store, game: str, app: Flask, complaints: list[str]
) -> None:
    page = told_at_once(opened, game)
    old = app.extensions["streams"]
    app.extensions["streams"] = Streams(1)
    with page.expect_response(lambda answer: "/news/stream" in answer.url) as stream:
        old.end()
    assert stream.value.status == 200
    store.do(game, Record(moves(store, game)[:1]))
    seen(page, 41)
    complaints.clear()
