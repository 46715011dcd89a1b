"""With what comes later hidden each step is a page: keys press its links, and nothing else is asked for."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opened
from tests.browser.test_touch import LEAST, SMALL
from tests.browser.test_viewer import judge, listen, position


def on(page: Page, step: int, eyes: str = "") -> None:
    expect(page).to_have_url(re.compile(rf"/steps/{step}\?{eyes}later=hidden$"))
    page.locator("[data-viewer][data-ready]").wait_for()
    assert position(page) == step


def test_keys_and_buttons_lead_on_and_nothing_is_told(opened: Opened) -> None:
    page = opened("/games/sixes/steps/70?later=hidden")
    heard = listen(page)
    page.keyboard.press("ArrowRight")
    on(page, 71)
    page.locator('[data-do="previous"]').click()
    on(page, 70)
    page.locator('[data-rows] a[data-step="66"]').click()
    on(page, 66)
    page.keyboard.press("]")
    expect(page).not_to_have_url(re.compile("/steps/66"))
    page.locator("[data-viewer][data-ready]").wait_for()
    assert position(page) > 66
    page.keyboard.press("End")
    page.keyboard.press("l")
    page.keyboard.press("Home")
    on(page, 0)
    expect(page.locator('[data-do="previous"]')).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("ArrowLeft")
    asked = {re.sub(r"\d+", "N", url.split("/", 3)[3]) for url in heard if "/games/" in url}
    assert asked == {"games/sixes/steps/N?later=hidden", "games/sixes/steps/N/next-turn?later=hidden"}
    assert "252" not in page.content()


def test_it_is_switched_on_and_off_where_one_is(opened: Opened) -> None:
    page = opened("/games/battle/steps/7?as=p2")
    page.keyboard.press("ArrowRight")
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Hide what comes").click()
    expect(page).to_have_url(re.compile(r"/steps/8\?later=hidden&as=p2$"))
    page.locator("[data-viewer][data-ready]").wait_for()
    page.locator("[data-eyes] select").select_option("p1")
    expect(page).to_have_url(re.compile(r"/steps/8\?later=hidden&as=p1$"))
    page.locator("[data-viewer][data-ready]").wait_for()
    page.get_by_role("link", name="Show all").click()
    page.locator("[data-slider]").wait_for()
    expect(page).to_have_url(re.compile(r"/steps/8\?as=p1$"))


def test_list_of_games_is_entered_without_a_word_of_how_they_went(opened: Opened) -> None:
    page = opened("/games")
    page.get_by_role("link", name="Hide how they went").click()
    expect(page.locator(".game-result")).to_have_count(0)
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("link", name="Show how they went")).to_be_visible()
    expect(page.locator(".game-result")).to_have_count(0)
    page.locator(".game-title").last.click()
    expect(page).to_have_url(re.compile(r"/steps/0\?later=hidden$"))


def test_note_that_is_not_saved_stays_with_its_step(opened: Opened) -> None:
    page = opened("/games/star/steps/3?later=hidden")
    page.keyboard.press("c")
    page.locator("#note-text").fill("Half a thought")
    page.locator('[data-do="next"]').click()
    on(page, 4)
    expect(page.locator("#note-text")).to_have_value("")
    page.locator(".elsewhere a").click()
    on(page, 3)
    expect(page.locator("#note-text")).to_have_value("Half a thought")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("phone", [False, True])
def test_page_is_as_usable_as_the_other(opened: Opened, scheme: str, *, phone: bool) -> None:
    page = opened("/games/cards/steps/5?as=p1&later=hidden", phone=phone, color_scheme=scheme)
    judge(page)
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    if phone:
        assert page.evaluate(SMALL, LEAST) == []
    expect(page.locator('[data-do="next"]')).to_be_in_viewport(ratio=1)


def test_link_is_copied_there_with_what_comes_hidden(opened: Opened) -> None:
    page = opened("/games/sixes/steps/70?later=hidden", permissions=["clipboard-read", "clipboard-write"])
    page.keyboard.press("y")
    expect(page.locator('button[data-do="copy"]')).to_have_text("Link to step 70 copied")
    page.goto(page.evaluate("navigator.clipboard.readText()"))
    on(page, 70)
