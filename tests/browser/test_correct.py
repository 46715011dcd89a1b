"""Correcting in a real browser, by touch, without scripts: a correction, a drifted check, a restored line."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from eventstore.log.ids import new_id
from eventstore.recording.amending import HistoryEdit, Replace
from eventstore.recording.commands import Amend, Check, New, Record, Rule, Undo
from eventstore.store import Store
from games.examples.high_card import CardPassed, CardsDrawn
from tests.browser.conftest import Opened
from tests.browser.test_viewer import judge
from tests.eventstore.played import ROUND

SMALL = """() => [...document.querySelectorAll(
    'main button, main select, main summary, main textarea, main label.choice, main .tap, .ways a, ' +
    '.state-parts a, main input:not([type=hidden]):not([type=radio]):not([type=checkbox])')]
  .filter(one => one.offsetParent)
  .map(one => [one.name || one.textContent.trim().slice(0, 30), one.getBoundingClientRect().height])
  .filter(([, height]) => height < 48)"""


@pytest.fixture
def game(store: Store) -> str:
    """Record a round of High Card that no other test touches."""
    found = store.do(None, New("high-card", ["Ann", "Bo"], game=new_id())).game.id
    store.do(found, Record(ROUND))
    return found


@pytest.fixture
def marked(store: Store, game: str) -> str:
    """Have one of everything in it: a correction, a ruling, checks, a line that was left."""
    store.do(game, Amend([HistoryEdit(7, Replace([CardsDrawn("p2", ("c07", "c12"))]))], reason="misread"))
    store.do(game, Check({"deck": 4}))
    store.do(game, Undo())
    store.do(game, Check({"deck": 3, "hand.p1": 2}))
    store.do(game, Rule("it had slid under the box", changes=[{"at": "/points/p1", "now": 2}]))
    return game


def captions(store: Store, game: str) -> list[str]:
    names = store.game(game).names
    return [position.caption(names) for position in store.game(game).positions(1)]


def without_scripts(opened: Opened, address: str) -> Page:
    return opened(address, phone=True, java_script_enabled=False)


def test_move_in_the_middle_is_corrected_and_its_consequences_settled_differently(
    opened: Opened, complaints: list[str], store: Store, game: str
) -> None:
    page = without_scripts(opened, f"/games/{game}/steps/5")
    page.get_by_role("link", name="Correct this step").tap()
    page.get_by_role("link", name="Take it out").tap()
    page.get_by_role("button", name="See what comes of it").tap()
    expect(page.get_by_role("heading", name="3 later steps cannot stand after this")).to_be_visible()
    expect(page.get_by_role("img")).to_have_count(4)
    page.get_by_role("button", name="Amend", exact=True).tap()  # nothing is chosen yet
    expect(page.get_by_role("alert")).to_contain_text("3 steps are still to be settled")
    draw = page.get_by_role("group", name="Bo draws c07, c08.")
    draw.get_by_text("Keep it as a ruling").tap()
    page.get_by_role("button", name="See what comes of these choices").tap()
    page.get_by_role("group", name="Ann lays c02.").get_by_text("End the record here").tap()
    page.get_by_label("Why").fill("we never turned them")
    page.get_by_role("button", name="Amend", exact=True).tap()
    expect(page).to_have_url(re.compile(rf"/games/{game}/steps/5$"))
    expect(page.locator(".ruling")).to_contain_text("ruling")
    assert [position.kind for position in store.game(game).positions(5)] == ["record.ruled", "card_passed"]
    assert len(store.log.commits(game)) == 3
    complaints[:] = [said for said in complaints if "422" not in said]


def test_what_really_happened_is_one_tap_away(opened: Opened, store: Store, game: str) -> None:
    page = without_scripts(opened, f"/games/{game}/steps/8/correct")
    page.locator("button[value*='\"c03\"']").first.tap()
    expect(page.locator("del")).to_have_text("Ann lays c02.")
    expect(page.locator("ins")).to_have_text("Ann lays c03.")
    page.get_by_role("button", name="Amend", exact=True).tap()
    expect(page.locator("[data-caption]")).to_have_text("Ann lays c03.")
    expect(page.get_by_text("This step was put here by a correction.")).to_be_visible()
    assert captions(store, game)[-1] == "Ann lays c03."


def test_drifted_check_opens_the_correction_where_the_record_went_wrong(
    opened: Opened, store: Store, game: str
) -> None:
    store.do(game, Undo(3))
    store.do(game, Check({"deck": 6}))
    store.do(game, Record([CardsDrawn("p2", ("c07", "c08")), CardPassed("p2", "c07")]))
    page = without_scripts(opened, f"/games/{game}/steps/8")
    page.get_by_role("link", name="Check the table").tap()
    page.get_by_label("Deck").fill("5")
    page.get_by_label("Discard pile").fill("2")
    page.get_by_role("button", name="Check", exact=True).tap()
    expect(page.get_by_role("heading", name="The record drifted")).to_be_visible()
    expect(
        page.get_by_text("It held at the check of step 6: it went wrong between steps 7 and 8.")
    ).to_be_visible()
    page.get_by_role("link", name="Correct step 7").tap()
    expect(page.get_by_role("heading", name="Correct step 7")).to_be_visible()
    expect(page.locator(".caption")).to_contain_text("Bo draws c07, c08.")


def test_undone_line_is_restored_by_one_tap_after_new_moves(opened: Opened, store: Store, game: str) -> None:
    store.do(game, Undo(2))
    store.do(game, Record([CardPassed("p2", "c08")]))
    page = without_scripts(opened, f"/games/{game}/steps/7")
    page.get_by_role("link", name="History").tap()
    expect(page.get_by_text("A card became known to Ann in it.")).to_be_visible()
    page.get_by_role("button", name="Bring these steps back").tap()
    expect(page).to_have_url(re.compile(rf"/games/{game}/steps/8$"))
    assert captions(store, game)[-2:] == ["Bo passes c07.", "Ann lays c02."]


def test_ruling_is_recorded_from_a_part_of_the_state(opened: Opened, store: Store, game: str) -> None:
    page = without_scripts(opened, f"/games/{game}/rule")
    page.get_by_text("Points", exact=True).tap()
    page.get_by_label("Points · Ann").fill("2")
    page.get_by_label("What was agreed on, and why").nth(1).fill("a card had slid under the box")
    page.get_by_role("button", name="Record the ruling").nth(1).tap()
    expect(page.locator(".ruling")).to_contain_text("Agreed on at the table")
    expect(page.locator("[data-caption]")).to_contain_text("a card had slid under the box")
    assert store.game(game).position().state.points["p1"] == 2


def test_link_to_the_correction_goes_with_the_step(opened: Opened, game: str) -> None:
    page = opened(f"/games/{game}/steps/3")
    page.keyboard.press("ArrowRight")
    link = page.get_by_role("link", name="Correct this step")
    expect(link).to_have_attribute("href", f"/games/{game}/steps/4/correct")


PAGES = (
    "correct",
    "correct?do=insert",
    "preview",
    "history",
    "history?as=p1",
    "rule",
    "check",
    "drift",
    "step",
)


def at(opened: Opened, game: str, name: str, **wanted: str | bool) -> Page:
    """Open one of the pages, as far as it takes."""
    addresses = {"preview": "steps/5/correct?do=remove", "drift": "check?step=9", "step": "steps/9"}
    address = addresses.get(name, f"steps/6/{name}" if name.startswith("correct") else name)
    page = opened(f"/games/{game}/{address}", wait=name == "step", **wanted)
    if name == "preview":
        page.get_by_role("button", name="See what comes of it").click()
        expect(page.get_by_role("heading", name="Amend the record")).to_be_visible()
    return page


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened: Opened, marked: str, name: str, scheme: str) -> None:
    judge(at(opened, marked, name, phone=scheme == "dark", color_scheme=scheme))


@pytest.mark.parametrize("name", PAGES[:-1])
def test_pages_fit_a_phone_and_thumbs(opened: Opened, marked: str, name: str) -> None:
    page = at(opened, marked, name, phone=True)
    folded = page.locator("main details:not([open]) > summary")
    while folded.count():
        folded.first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(SMALL) == []
