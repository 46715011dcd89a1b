"""Two phones on one game: what one records the other sees, with no hole, and nothing typed is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from eventstore.recording.commands import Record, Redo, Undo, WriteNote
from eventstore.recording.typed_lines import read_line
from eventstore.store import Store
from games.core.events import Event
from tests.browser.conftest import PHONE, Opened
from tests.browser.test_viewer import SHOWN, at
from tests.replay_web.samples import play

SOON = "() => document.dispatchEvent(new Event('visibilitychange'))"
"""Ask now: what a phone does when it is looked at again."""


@pytest.fixture
def game(store: Store, request: pytest.FixtureRequest) -> Iterator[str]:
    """Give a game of 43 steps, of which the last three are taken back."""
    name = f"live-{abs(hash(request.node.name)) % 10**8}"
    play(store, name, "monsters-forever", ["Ann", "Bo"], seed=7, most=43)
    store.do(name, Undo(3))
    yield name
    store.hide(name)


def moves(store: Store, game: str) -> list[Event]:
    """Give the three that were taken back, to be recorded again."""
    found = []
    for seq in (42, 43, 44):
        (row,) = store.log.events(game, seq, seq)
        found.append(read_line(store.game(game), row.payload)[0])
    return found


def seen(page: Page, count: int) -> None:
    expect(page.locator("[data-total]")).to_have_text(str(count))


def banner(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.locator("[data-banner-text]")).to_have_text(text)


def test_steps_recorded_before_following_begins_are_shown(opened: Opened, store: Store, game: str) -> None:
    page = opened(f"/games/{game}/steps/40")
    store.do(game, Record(moves(store, game)[:2]))
    page.keyboard.press("l")
    at(page, 42)
    banner(page, "Following live")
    expect(page.locator('[data-rows] a[data-step="41"]')).to_be_visible()


def test_one_phone_follows_what_the_other_shows_step_by_step(opened: Opened, store: Store, game: str) -> None:
    watching, other = opened(f"/games/{game}/steps/40", phone=True), opened(f"/games/{game}/steps/5")
    watching.locator("[data-scripted] [data-do=follow]").click()
    for count, event in enumerate(moves(store, game), 41):
        store.do(game, Record([event]))
        at(watching, count)
        seen(other, count)
        banner(other, f"{count - 40} new step{'' if count == 41 else 's'}")
        at(other, 5)
    other.locator("[data-banner] button").click()
    at(other, 43)
    server = opened(f"/games/{game}/steps/43")
    assert other.evaluate(SHOWN) == server.evaluate(SHOWN)
    other.keyboard.press("ArrowLeft")
    at(other, 42)
    expect(other.locator("[data-banner]")).to_be_hidden()
    store.do(game, Undo())
    seen(other, 42)
    at(watching, 42)


def test_who_steps_back_is_left_there(opened: Opened, store: Store, game: str) -> None:
    page = opened(f"/games/{game}/steps/40")
    page.keyboard.press("l")
    banner(page, "Following live")
    page.keyboard.press("ArrowLeft")
    at(page, 39)
    store.do(game, Record(moves(store, game)))
    banner(page, "3 new steps")
    at(page, 39)
    page.keyboard.press("End")
    at(page, 43)
    expect(page.locator("[data-banner]")).to_be_hidden()


def test_what_was_undone_and_recorded_otherwise_is_shown_as_it_is_now(
    opened: Opened, store: Store, game: str
) -> None:
    page = opened(f"/games/{game}/steps/40")
    page.wait_for_load_state("networkidle")
    before = page.locator("[data-caption]").inner_text()
    store.do(game, Undo(2))
    at(page, 38)
    store.do(game, Redo(2))
    seen(page, 40)
    store.do(game, Undo(20))
    at(page, 20)
    seen(page, 20)
    server = opened(f"/games/{game}/steps/20")
    assert page.evaluate(SHOWN) == server.evaluate(SHOWN)
    assert page.locator("[data-caption]").inner_text() != before
    expect(page.locator('[data-rows] a[data-step="21"]')).to_have_count(0)


def test_a_phone_that_was_offline_catches_up(
    opened: Opened, store: Store, game: str, complaints: list[str]
) -> None:
    page = opened(f"/games/{game}/steps/40")
    page.keyboard.press("l")
    page.context.set_offline(True)
    store.do(game, Record(moves(store, game)[:1]))
    banner(page, re.compile("No connection; trying again"))
    store.do(game, Record(moves(store, game)[1:]))
    at(page, 40)
    page.context.set_offline(False)
    at(page, 43)
    banner(page, "Following live")
    steps = page.locator("[data-rows] a[data-step]")
    assert [row.get_attribute("data-step") for row in steps.all()] == [str(step) for step in range(44)]
    complaints.clear()


def test_what_was_typed_outlives_the_lost_network_and_is_written_once(
    opened: Opened, store: Store, game: str, complaints: list[str]
) -> None:
    page = opened(f"/games/{game}/steps/40")
    page.locator("#note-text").fill("Nobody saw this.")
    page.context.set_offline(True)
    page.get_by_role("button", name="Save note").click()
    expect(page.locator("#notes [role=alert]")).to_contain_text("nothing is lost")
    expect(page.locator("#note-text")).to_have_value("Nobody saw this.")
    page.context.set_offline(False)
    page.get_by_role("button", name="Save note").click()
    expect(page.locator("[data-panel=notes] .note-text")).to_have_text("Nobody saw this.")
    expect(page.locator("#note-text")).to_have_value("")
    assert len(store.game(game).all_notes) == 1
    complaints.clear()


def test_a_note_whose_answer_was_lost_is_written_once(
    opened: Opened, store: Store, game: str, complaints: list[str]
) -> None:
    page = opened(f"/games/{game}/steps/40")

    def lose(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort()

    page.route("**/notes", lose)
    page.locator("#note-text").fill("Once.")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator("#notes [role=alert]")).to_contain_text("nothing is lost")
    assert len(store.game(game).all_notes) == 1
    page.unroute("**/notes")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator("[data-panel=notes] .note-text")).to_have_text("Once.")
    assert len(store.game(game).all_notes) == 1
    complaints.clear()


def test_a_refused_note_stays_as_it_was_typed(
    opened: Opened, store: Store, game: str, complaints: list[str]
) -> None:
    page = opened(f"/games/{game}/steps/40")
    page.locator("#note-text").fill("x" * 10_001)
    page.get_by_role("button", name="Save note").click()
    expect(page.locator("#notes [role=alert]")).to_contain_text("at most 10,000")
    expect(page.locator("#note-text")).to_have_value("x" * 10_001)
    complaints.clear()


def test_a_note_keeps_its_step_until_it_is_finished(opened: Opened, store: Store, game: str) -> None:
    page = opened(f"/games/{game}/steps/40")
    page.keyboard.press("l")
    page.locator("#note-text").fill("A thought on forty")
    store.do(game, Record(moves(store, game)[:2]))
    banner(page, re.compile("2 new steps, shown when you have finished typing"))
    at(page, 40)
    expect(page.locator("[data-note-form] [name=seq]")).to_have_value("41")
    page.get_by_role("button", name="Save note").click()
    expect(page.locator("[data-panel=notes] .note-text")).to_have_text("A thought on forty")
    assert [note.seq for note in store.game(game).all_notes] == [41]


def test_a_changed_note_keeps_its_step_and_may_be_second(
    opened: Opened, store: Store, game: str, complaints: list[str]
) -> None:
    note = store.do(game, WriteNote(41, text="As it was")).result
    page = opened(f"/games/{game}/steps/39")
    page.keyboard.press("ArrowRight")  # drawn by the module
    at(page, 40)
    page.locator("[data-panel=notes] summary", has_text="Change").click()
    page.keyboard.press("l")
    field = page.locator("[data-panel=notes] textarea")
    expect(field).to_have_value("As it was")
    field.fill("As it is")
    store.do(game, WriteNote(41, text="As they say", note=note.id, replaces=note.version))
    store.do(game, Record(moves(store, game)[:1]))
    banner(page, re.compile("1 new step, shown when you have finished typing"))
    at(page, 40)
    page.get_by_role("button", name="Save the change").click()
    expect(page.locator("#notes [role=alert]")).to_contain_text("It now says: “As they say”")
    expect(field).to_have_value("As it is")
    complaints.clear()  # the browser complains of the 409
    page.get_by_role("button", name="Save the change").click()
    expect(page.locator("[data-panel=notes] .note-text")).to_have_text("As it is")
    assert [one.text for one in store.game(game).all_notes] == ["As it is"]


def test_a_hidden_page_asks_nothing_and_a_page_looked_at_again_asks_at_once(
    opened: Opened, store: Store, game: str
) -> None:
    page = opened(f"/games/{game}/steps/40")
    hide = "hidden => Object.defineProperty(document, 'hidden', {configurable: true, get: () => hidden})"
    page.wait_for_load_state("networkidle")
    page.clock.install()
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if "/news" in sent.url else None)
    page.evaluate(hide, arg=True)
    page.evaluate(SOON)
    page.clock.run_for(60_000)
    assert asked == []
    page.evaluate(hide, arg=False)
    with page.expect_response(lambda answer: "/news" in answer.url):
        page.evaluate(SOON)
    for _ in range(3):
        with page.expect_response(lambda answer: "/news" in answer.url):
            page.clock.run_for(2100)
    page.evaluate(hide, arg=True)
    page.evaluate(SOON)
    count = len(asked)
    page.clock.run_for(60_000)
    assert len(asked) == count


def test_nothing_new_costs_an_empty_answer(opened: Opened, game: str) -> None:
    page = opened(f"/games/{game}/steps/40")
    with page.expect_response(lambda answer: "/news" in answer.url) as told:
        page.evaluate(SOON)
    assert told.value.status == 304


def test_a_block_that_arrives_late_is_not_shown_in_the_place_of_a_newer_one(
    opened: Opened, store: Store, game: str
) -> None:
    page = opened(f"/games/{game}/steps/0")
    page.wait_for_load_state("networkidle")
    kept: list[Any] = []

    def delay(route: Route) -> None:
        if kept:
            route.continue_()
        else:
            kept.append((route, route.fetch()))

    page.route("**/frames*", delay)
    store.do(game, Undo(20))
    seen(page, 20)
    expect.soft(page.locator("[data-viewer]")).to_be_visible()
    store.do(game, Redo(5))
    seen(page, 25)
    page.keyboard.press("End")
    at(page, 25)
    route, answer = kept[0]
    route.fulfill(response=answer)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    at(page, 25)
    server = opened(f"/games/{game}/steps/25")
    assert page.evaluate(SHOWN) == server.evaluate(SHOWN)


def test_banner_fits_a_phone(opened: Opened, store: Store, game: str) -> None:
    page = opened(f"/games/{game}/steps/7", phone=True)
    store.do(game, Record(moves(store, game)))
    banner(page, "3 new steps")
    page.evaluate("scrollTo(0, 400)")
    expect(page.locator("[data-banner] button")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    box = page.locator("[data-banner] button").bounding_box()
    assert box is not None
    assert box["height"] >= 48
