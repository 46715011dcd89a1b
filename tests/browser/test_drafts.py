"""What is typed into a note is not lost by stepping away or without a network, and stays with its step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from eventstore.recording.commands import WriteNote
from eventstore.store import Store
from tests.browser.conftest import Opened
from tests.browser.test_viewer import at
from tests.replay_web.samples import play


@pytest.fixture
def game(store: Store, request: pytest.FixtureRequest) -> Iterator[str]:
    name = f"draft-{abs(hash(request.node.name)) % 10**8}"
    play(store, name, "monsters-forever", ["Ann", "Bo"], seed=7, most=20)
    yield name
    store.hide(name)


NEW = "#note-text"
UNSAVED = "[data-note-form] [role=status]"
REFUSED = "#notes [role=alert]"


def again(page: Page) -> None:
    page.reload()
    page.locator("[data-viewer][data-ready]").wait_for()


def test_change_of_a_note_outlives_a_lost_network_and_a_reload(
    opened: Opened, store: Store, game: str, complaints: list[str]
) -> None:
    store.do(game, WriteNote(9, text="As it was"))
    page = opened(f"/games/{game}/steps/8")
    page.get_by_text("Change", exact=True).click()
    change = page.locator(".note .note-form")
    change.locator("textarea").fill("As it is")
    page.context.set_offline(True)
    change.get_by_role("button", name="Save the change").click()
    expect(page.locator(REFUSED)).to_contain_text("nothing is lost")
    expect(change.locator("textarea")).to_have_value("As it is")
    page.context.set_offline(False)
    again(page)
    expect(change.locator("textarea")).to_have_value("As it is")
    change.get_by_role("button", name="Save the change").click()
    expect(page.locator(".note-text")).to_have_text("As it is")
    again(page)
    expect(change.get_by_role("status")).to_have_count(0)
    complaints.clear()


def test_removal_without_a_network_is_told_and_can_be_sent_again(
    opened: Opened, store: Store, game: str, complaints: list[str]
) -> None:
    store.do(game, WriteNote(9, text="Away"))
    page = opened(f"/games/{game}/steps/8")
    page.get_by_text("Remove", exact=True).click()
    page.context.set_offline(True)
    page.get_by_role("button", name="Remove this note").click()
    expect(page.locator(REFUSED)).to_contain_text("No connection")
    page.context.set_offline(False)
    page.get_by_role("button", name="Remove this note").click()
    expect(page.locator(".note-text")).to_have_count(0)
    assert list(store.game(game).all_notes) == []
    complaints.clear()


def test_new_note_stays_with_the_step_that_it_was_written_on(opened: Opened, store: Store, game: str) -> None:
    page = opened(f"/games/{game}/steps/8")
    page.locator(NEW).fill("Of eight")
    page.locator("[name=glyph]").select_option("!?")
    page.locator('[data-do="next"]').click()
    at(page, 9)
    expect(page.locator(NEW)).to_have_value("")
    expect(page.locator("[data-note-form] [name=glyph]")).to_have_value("")
    expect(page.locator(".elsewhere")).to_have_text("What you wrote on step 8 is not saved yet.")
    page.locator(NEW).fill("Of nine")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(".note-text")).to_have_text("Of nine")
    page.locator(".elsewhere a").click()
    page.locator("[data-viewer][data-ready]").wait_for()
    at(page, 8)
    expect(page.locator(NEW)).to_have_value("Of eight")
    expect(page.locator(UNSAVED)).to_contain_text("It is not saved yet")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(".note-text")).to_have_text("Of eight")
    expect(page.locator(".elsewhere")).to_have_count(0)
    again(page)
    expect(page.locator(UNSAVED)).to_have_count(0)
    assert [(one.seq, one.text, one.glyph) for one in store.game(game).all_notes] == [
        (9, "Of eight", "!?"),
        (10, "Of nine", None),
    ]


def test_what_is_typed_and_taken_out_again_is_no_draft(opened: Opened, game: str) -> None:
    page = opened(f"/games/{game}/steps/8")
    page.locator(NEW).fill("Hm")
    page.locator(NEW).fill("")
    page.locator('[data-do="next"]').click()
    at(page, 9)
    expect(page.locator(".elsewhere")).to_have_count(0)


def test_draft_can_be_discarded(opened: Opened, game: str) -> None:
    page = opened(f"/games/{game}/steps/8")
    page.locator(NEW).fill("Hm")
    again(page)
    page.locator(UNSAVED).get_by_role("button").click()
    expect(page.locator(NEW)).to_have_value("")
    again(page)
    expect(page.locator(NEW)).to_have_value("")


def test_new_note_whose_answer_was_lost_is_written_once_after_a_reload_too(
    opened: Opened, store: Store, game: str, complaints: list[str]
) -> None:
    page = opened(f"/games/{game}/steps/8")

    def lose(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort()

    page.route("**/notes", lose)
    page.locator(NEW).fill("Once.")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(REFUSED)).to_contain_text("nothing is lost")
    page.unroute("**/notes")
    again(page)
    expect(page.locator(NEW)).to_have_value("Once.")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator(NEW)).to_have_value("")
    expect(page).to_have_url(re.compile(r"/steps/8#notes$"))
    assert [note.text for note in store.game(game).all_notes] == ["Once."]
    complaints.clear()


def test_where_a_browser_keeps_nothing_a_draft_lasts_as_long_as_the_page(opened: Opened, game: str) -> None:
    shut: dict[str, Any] = {"wait": False}
    page = opened(f"/games/{game}/steps/8", **shut)
    page.add_init_script(
        "Object.defineProperty(window, 'sessionStorage', {get() { throw new Error('shut') }})"
    )
    again(page)
    page.locator(NEW).fill("Of eight")
    for way, step in (("next", 9), ("previous", 8)):
        page.locator(f'[data-do="{way}"]').click()
        at(page, step)
    expect(page.locator(NEW)).to_have_value("Of eight")
