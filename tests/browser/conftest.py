"""A real Chromium against a real server with sample games; any error on the console fails the test."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from eventstore.store import Store
from replay_web import create_app
from tests.needs import is_required, left_out
from tests.replay_web.samples import fill, play, registry

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/lib/chromium/chromium"))
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--no-default-browser-check",
]
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}

Opened = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    why = f"The browser tests need {CHROMIUM} (Debian: apt-get install chromium)."
    missing = not CHROMIUM.exists() and not is_required("BROWSER")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if missing:
                item.add_marker(left_out(why))


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(tmp_path_factory.mktemp("browser") / "games.db", registry=registry()) as opened:
        fill(opened)
        play(opened, "sixes", "monsters-forever", ["Ann", "Bo", "Cem", "Dot", "Eve", "Fay"], seed=5, most=400)
        play(opened, "battle", "monsters-of-war", ["Ann", "Bo"], seed=4, most=400)
        play(opened, "wars", "monsters-of-war", ["Ann", "Bo", "Cem", "Dot", "Eve", "Fay"], seed=4, most=400)
        yield opened


class Quiet(WSGIRequestHandler):
    """Answer without a line in the log for each request."""

    def log_request(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served(app: Flask) -> Iterator[str]:
    """Serve an application for a while."""
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.fixture(scope="session")
def site(store: Store) -> Iterator[str]:
    with served(create_app(store)) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def complaints() -> list[str]:
    """Collect what the console said; a test that provokes an error clears it."""
    return []


@pytest.fixture
def opened(browser: Browser, site: str, complaints: list[str]) -> Iterator[Opened]:
    """Open pages in contexts of their own; what they complain about fails the test."""
    contexts: list[BrowserContext] = []

    def open_page(address: str, *, phone: bool = False, wait: bool = True, **wanted: Any) -> Page:
        how: dict[str, Any] = {
            "viewport": DESKTOP,
            "reduced_motion": "reduce",
            "locale": "en-GB",
            "timezone_id": "UTC",
        }
        if phone:
            how |= {"viewport": PHONE, "device_scale_factor": 2, "has_touch": True, "is_mobile": True}
        context = browser.new_context(base_url=site, **(how | wanted))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on(
            "console",
            lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None,
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        if wait and "/steps/" in address and wanted.get("java_script_enabled", True):
            page.locator("[data-viewer][data-ready]").wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
