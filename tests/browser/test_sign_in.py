"""Coming in with a key: from a scanned code or typed, on two phones at once, and out again."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect
from werkzeug.serving import make_server

from eventstore.store import Store
from replay_web import create_app
from tests.browser.conftest import PHONE, Opened, Quiet
from tests.replay_web.samples import fill, registry


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path: Path = tmp_path_factory.mktemp("guarded") / "games.db"
    with Store.open(path, registry=registry()) as store:
        fill(store)
        yield store


@pytest.fixture
def guarded(table: Store) -> Iterator[str]:
    """Serve the games to a network, with nobody slowed down yet."""
    app = create_app(table, hosts=["localhost"], guarded=True)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(10)
    server.server_close()
    for key in table.access.list():
        table.access.revoke(key.name)


def signed_in(page: Page, name: str) -> None:
    expect(page.get_by_role("button", name=f"Sign out {name}")).to_be_visible()


def test_a_scanned_code_lets_one_in_and_leaves_no_key_in_the_address(
    guarded: str, opened: Opened, table: Store
) -> None:
    _, key = table.access.add()
    page = opened(f"{guarded}/help", phone=True)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.url} {request.headers}"))
    page.goto(f"{guarded}/sign-in#key={key}")
    expect(page).to_have_url(f"{guarded}/games")
    signed_in(page, "table-key")
    assert key not in "\n".join(sent)
    page.go_back()
    assert key not in page.url
    assert key not in page.content()


def test_the_key_is_out_of_the_address_before_it_is_sent(guarded: str, opened: Opened, table: Store) -> None:
    _, key = table.access.add()
    page = opened(f"{guarded}/help", phone=True)
    shown: list[str] = []

    def look(route: Route) -> None:
        if route.request.method == "POST":
            shown.append(page.url)
        route.continue_()

    page.route("**/sign-in", look)
    page.goto(f"{guarded}/sign-in#key={key}")
    signed_in(page, "table-key")
    assert shown == [f"{guarded}/sign-in"]


def test_a_code_scanned_with_the_page_open_lets_one_in(guarded: str, opened: Opened, table: Store) -> None:
    _, key = table.access.add()
    page = opened(f"{guarded}/sign-in", phone=True)
    page.goto(f"{guarded}/sign-in#key={key}")
    signed_in(page, "table-key")


def test_two_phones_each_with_a_key_see_what_is_theirs(guarded: str, opened: Opened, table: Store) -> None:
    keys = {seat: table.access.add(seat=seat)[1] for seat in ("p1", "p2")}
    phones = {seat: opened(f"{guarded}/games/cards/steps/3", phone=True) for seat in keys}
    for seat, page in phones.items():
        expect(page.locator("[data-viewer]")).to_have_attribute("data-as", "table")
        page.get_by_role("link", name="Sign in").first.click()
        page.get_by_label("Key").fill(keys[seat].upper())
        page.get_by_role("button", name="Sign in").click()
        expect(page).to_have_url(f"{guarded}/games/cards/steps/3")
        signed_in(page, seat)
    for seat, page in phones.items():
        expect(page.locator("[data-viewer]")).to_have_attribute("data-as", seat)
        assert page.locator("[name=as] option").evaluate_all("all => all.map(one => one.value)") == [
            seat,
            "table",
        ]


def test_a_note_needs_a_key_and_carries_its_name(
    guarded: str, opened: Opened, table: Store, complaints: list[str]
) -> None:
    made, key = table.access.add(seat="p2")
    visitor, page = (opened(f"{guarded}/games/star/steps/4", phone=True) for _ in range(2))
    expect(visitor.locator("[data-note-form]")).to_have_count(0)
    page.get_by_role("link", name="Sign in").first.click()
    page.get_by_label("Key").fill(key)
    page.keyboard.press("Enter")
    page.locator("[data-viewer][data-ready]").wait_for()
    page.locator("#note-text").fill("From the phone.")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(".note .by")).to_have_text(made.name)
    table.access.revoke(made.name)
    page.locator("#note-text").fill("Not any more.")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator("#notes [role=alert]")).to_contain_text("without a key")
    expect(page.locator("#note-text")).to_have_value("Not any more.")
    assert [note.text for note in table.game("star").all_notes] == ["From the phone."]
    complaints.clear()


def test_a_wrong_key_is_told_so_and_then_told_to_wait(
    guarded: str, opened: Opened, complaints: list[str]
) -> None:
    page = opened(f"{guarded}/sign-in", phone=True)
    for _ in range(5):
        page.get_by_label("Key").fill("abcde-wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("That is no key of this table, or it was revoked.")
        expect(page.get_by_label("Key")).to_have_value("")
    page.get_by_label("Key").fill("abcde-wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(re.compile(r"try again in \d+ second"))
    complaints.clear()


def test_signing_out_shows_the_table_again(guarded: str, opened: Opened, table: Store) -> None:
    _, key = table.access.add()
    page = opened(f"{guarded}/sign-in#key={key}", phone=True)
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    page.goto(f"{guarded}/games/cards/steps/3")
    expect(page.locator("[data-viewer]")).to_have_attribute("data-as", "table")


def test_sign_in_page_is_for_everybody_and_fits_a_phone(guarded: str, opened: Opened) -> None:
    for how in ({"phone": True}, {"color_scheme": "dark"}, {"java_script_enabled": False}):
        page = opened(f"{guarded}/sign-in", **how)
        if how.get("java_script_enabled", True):
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
        assert page.get_by_label("Key").is_visible()
    phone = opened(f"{guarded}/sign-in", phone=True)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    expect(phone.get_by_role("button", name="Sign in")).to_be_in_viewport()
