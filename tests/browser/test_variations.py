"""What if, by keys and by touch: from a step to another game's sheet, and back to the step."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from eventstore.recording.commands import Branch
from eventstore.store import Store
from tests.browser.conftest import Opened
from tests.browser.test_touch import LEAST, SMALL
from tests.browser.test_viewer import judge, position
from tests.replay_web.samples import play


@pytest.fixture(scope="module", autouse=True)
def _fork(store: Store) -> None:
    """A game that no other test looks at."""
    play(store, "fork", "monsters-forever", ["Ann", "Bo"], seed=7, title="Friday")
    store.hide("fork")


def begin(page: Page) -> str:
    """Press the button of the form; give the new game."""
    page.get_by_role("button", name="Go on otherwise").click()
    expect(page).to_have_url(re.compile(r"/games/[a-z0-9]+/record$"))
    return page.url.split("/")[-2]


def test_keys_lead_from_the_step_that_is_shown_to_a_what_if_and_back(opened: Opened) -> None:
    page = opened("/games/fork/steps/2")
    page.keyboard.press("Escape")  # this is none
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-number]")).to_have_text("3")
    page.keyboard.press("v")
    expect(page).to_have_url(re.compile(r"/games/fork/steps/3/what-if$"))
    made = begin(page)
    expect(page.locator(".whose")).to_have_text("what if from step 3 of Friday")
    page.locator("[data-part=sheet] button[name=event]").first.click()
    expect(page.locator("[data-part=echo]")).to_contain_text("4")
    page.goto(f"/games/{made}/steps/4")
    page.locator("[data-viewer][data-ready]").wait_for()
    said = page.locator("[data-caption]").inner_text()
    page.keyboard.press("?")
    page.keyboard.press("Escape")  # closes the shortcuts alone
    expect(page.locator("[data-dialog]")).to_be_hidden()
    assert "/steps/4" in page.url
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/games/fork/steps/3$"))
    page.locator("[data-viewer][data-ready]").wait_for()
    leaves = page.locator(".leaves a")
    expect(leaves).to_have_text(said)
    page.keyboard.press("ArrowRight")
    expect(leaves).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(leaves).to_have_text(said)
    expect(page.locator('[data-rows] a[data-step="3"] .marks')).to_have_text("what if")
    leaves.click()
    expect(page).to_have_url(re.compile(rf"/games/{made}/steps/4$"))
    page.locator("[data-viewer][data-ready]").wait_for()
    assert position(page) == 4


def test_single_keys_that_are_off_begin_nothing(opened: Opened) -> None:
    page = opened("/games/fork/steps/2")
    page.keyboard.press("?")
    page.locator("[data-single]").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("v")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-number]")).to_have_text("3")
    assert page.url.endswith("/steps/3")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_without_scripts(opened: Opened, store: Store, scheme: str) -> None:
    page = opened("/games/fork/steps/5", phone=True, java_script_enabled=False, color_scheme=scheme)
    page.get_by_role("link", name="What if…").click()
    page.get_by_label("Title").fill(
        f"Bolder, {scheme}, with a title as long as people write them now and then"
    )
    made = begin(page)
    assert store.game(made).details.title == (
        f"Bolder, {scheme}, with a title as long as people write them now and then"
    )
    page.locator(".whose a").click()
    expect(page).to_have_url(re.compile(r"/games/fork/steps/5$"))
    expect(page.locator(".leaves")).to_contain_text("Bolder")


@pytest.mark.parametrize("address", ["steps/5", "steps/5/what-if", "own/steps/5", "own/record"])
def test_its_pages_fit_a_phone_a_finger_and_who_cannot_see(
    opened: Opened, store: Store, address: str
) -> None:
    made = store.do("fork", Branch(5, id="fork-for-a-phone")).game.id
    where = address.replace("own", f"/games/{made}") if "own" in address else f"/games/fork/{address}"
    for how in ({"phone": True}, {}):
        page = opened(where, wait=not where.endswith("what-if"), **how)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= page.viewport_size["width"]  # type: ignore[index]  # it has one
        # At the end of the page nothing lies half under the bar, which would make it small.
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        judge(page)
        if how:
            assert page.evaluate(SMALL, LEAST) == []
