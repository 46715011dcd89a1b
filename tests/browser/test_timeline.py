"""The second bar to seek by: the chart of the scores, ticks for what is marked, and the keys along them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from eventstore.recording.commands import Record, Undo, WriteNote
from eventstore.store import Store
from tests.browser.conftest import Opened
from tests.browser.test_follow import moves
from tests.browser.test_viewer import at, listen
from tests.replay_web.samples import play


@pytest.fixture
def game(store: Store, request: pytest.FixtureRequest) -> Iterator[str]:
    name = f"course-{abs(hash(request.node.name)) % 10**8}"
    play(store, name, "monsters-forever", ["Ann", "Bo"], seed=7, most=43)
    store.do(name, WriteNote(31, text="A note"))
    store.do(name, WriteNote(6, glyph="!?"))
    yield name
    store.hide(name)


def ticks(page: Page) -> list[int]:
    path = page.locator("[data-tick-box] [data-ticks]").get_attribute("d") or ""
    return sorted(int(step) for step in re.findall(r"M(\d+) 0V10", path))


def loaded(page: Page) -> None:
    expect(page.locator("[data-tick-box] [data-ticks]")).to_have_attribute("d", re.compile("M"))


def test_marked_steps_are_ticks_and_keys_lead_where_the_server_leads(opened: Opened, game: str) -> None:
    page = opened(f"/games/{game}/steps/0")
    loaded(page)
    assert ticks(page) == [5, 30]
    expect(page.locator(".chart [data-ticks]")).to_have_attribute("d", re.compile("^M5 160V200M30 160V200"))
    for step, key in ((0, "."), (10, "."), (43, "."), (43, ","), (30, ","), (0, ",")):
        page.evaluate("step => location.assign(`./${step}`)", step)
        at(page, step)
        loaded(page)
        way = "next" if key == "." else "previous"
        leads = page.request.get(f"/games/{game}/steps/{step}/{way}-marked", max_redirects=0).headers[
            "location"
        ]
        page.keyboard.press(key)
        at(page, int(leads.split("/")[-1]))


def test_marked_steps_are_links_without_scripts(opened: Opened, game: str) -> None:
    page = opened(f"/games/{game}/steps/2", java_script_enabled=False)
    page.locator(".menu summary").click()
    page.get_by_role("link", name="Next marked").click()
    expect(page).to_have_url(re.compile("/steps/[1-5]$"))
    page.get_by_role("link", name="Chart of the scores").click()
    expect(page).to_have_url(re.compile(r"/chart\.svg$"))


def test_chart_leads_to_the_step_that_is_pressed_and_shows_where_one_is(opened: Opened, game: str) -> None:
    page = opened(f"/games/{game}/steps/3")
    chart = page.locator(".chart")
    expect(chart.locator("[data-now]")).to_have_attribute("d", "M3 0V200")
    page.wait_for_load_state("networkidle")
    heard = listen(page)
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.down()
    at(page, 22)
    page.mouse.move(box["x"] + box["width"] + 40, box["y"] + 60)
    at(page, 43)
    page.mouse.up()
    page.mouse.move(box["x"], box["y"] + 20)
    page.keyboard.press("ArrowLeft")
    at(page, 42)
    expect(chart.locator("[data-now]")).to_have_attribute("d", "M42 0V200")
    assert heard == []


def test_shortcuts_begin_at_their_top(opened: Opened) -> None:
    page = opened("/games/star/steps/3", viewport={"width": 1024, "height": 600})
    page.keyboard.press("?")
    expect(page.locator("#help-title")).to_be_in_viewport()


def test_change_of_the_lead_is_said_beside_the_caption(opened: Opened) -> None:
    game = "sixes"
    page = opened(f"/games/{game}/steps/0")
    loaded(page)
    leads = page.evaluate(
        "async (address) => (await (await fetch(address)).json()).leads", f"/games/{game}/course"
    )
    assert leads
    for step, said in leads.items():
        page.goto(f"/games/{game}/steps/{step}")
        expect(page.locator("[data-why]")).to_have_text(said)


def test_chart_goes_on_while_the_game_is_recorded(opened: Opened, store: Store, game: str) -> None:
    events = moves(store, game)
    store.do(game, Undo(3))
    page = opened(f"/games/{game}/steps/40")
    expect(page.locator(".chart")).to_have_attribute("viewBox", "0 0 40 200")
    store.do(game, Record(events[:2]))
    expect(page.locator(".chart")).to_have_attribute("viewBox", "0 0 42 200")
    expect(page.locator("[data-tick-box]")).to_have_attribute("viewBox", "0 0 42 10")


def test_where_no_score_changes_there_is_no_chart(opened: Opened) -> None:
    for address in ("/games/textual/steps/1", "/games/broken/steps/1"):
        page = opened(address)
        page.wait_for_load_state("networkidle")
        expect(page.locator("[data-chart]")).to_be_hidden()


def test_page_is_whole_where_the_course_cannot_be_had(
    opened: Opened, complaints: list[str], game: str
) -> None:
    page = opened(f"/games/{game}/steps/3", wait=False)
    page.route(re.compile(r"/course$"), lambda route: route.abort())
    page.reload()
    page.locator("[data-viewer][data-ready]").wait_for()
    page.keyboard.press(".")
    expect(page).to_have_url(re.compile(f"/games/{game}/steps/[45]$"))
    complaints.clear()
