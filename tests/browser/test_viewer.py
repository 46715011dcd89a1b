"""Stepping in a real browser: the module shows what the server would, at once, and gets in nobody's way."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Request, Route, expect

from eventstore.recording.commands import WriteNote
from eventstore.store import Store
from replay_web import create_app
from replay_web.replay import steps
from tests.browser.conftest import PHONE, Opened, served
from tests.conftest import Measured
from tests.replay_web.samples import registry
from tests.replay_web.test_long_games import begin

SHOWN = """() => ({
  board: [...document.querySelectorAll('[data-board] > g')].map(part => part.innerHTML),
  view: document.querySelector('[data-board]:not([hidden])')?.getAttribute('viewBox'),
  drawn: [...document.querySelectorAll('[data-sprites] use')].map(
    use => document.getElementById(use.getAttribute('href').slice(1)).outerHTML),
  panels: [...document.querySelectorAll('[data-panel]')].map(
    part => part.innerHTML.replace(/ flash\\b/g, '')),
  caption: document.querySelector('.caption').innerText,
  title: document.title,
  position: [...document.querySelectorAll('[data-position]')].map(part => part.textContent),
  links: [...document.querySelectorAll('a[data-do], a[data-file]')].map(
    link => [link.dataset.do, link.getAttribute('href'), link.getAttribute('aria-disabled')]),
  list: [...document.querySelectorAll('[data-rows] a[aria-current]')].map(
    link => [link.getAttribute('href'), link.getAttribute('aria-current'), link.innerHTML]),
  note: [...document.querySelectorAll('[name=seq], [name=step]')].map(field => field.value),
  eyes: document.querySelector('[data-eyes]')?.action,
})"""


def position(page: Page) -> int:
    return int(page.locator("[data-number]").inner_text())


def at(page: Page, step: int) -> None:
    expect(page.locator("[data-number]")).to_have_text(str(step))
    expect(page).to_have_url(re.compile(rf"/steps/{step}(\?as=\w+)?$"))


def test_a_step_fits_the_window(opened: Opened) -> None:
    page = opened("/games/star/steps/20")
    tall = page.evaluate("document.documentElement.scrollHeight")
    assert tall <= page.evaluate("document.documentElement.clientHeight")


def steps_of(page: Page) -> int:
    return int(page.locator("[data-viewer]").get_attribute("data-steps") or 0)


def listen(page: Page) -> list[str]:
    heard: list[str] = []

    def note(request: Request) -> None:
        if "/news?" not in request.url:  # asked every two seconds, whatever one does
            heard.append(request.url)

    page.on("request", note)
    return heard


def test_arrow_keys_and_ends_lead_to_each_end_and_back(opened: Opened) -> None:
    page = opened("/games/star/steps/2")
    last = steps_of(page)
    page.keyboard.press("ArrowRight")
    at(page, 3)
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    at(page, 0)
    expect(page.locator('[data-do="previous"]')).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("End")
    at(page, last)
    expect(page.locator('[data-do="next"]')).to_have_attribute("aria-disabled", "true")
    expect(page.locator('[data-do="previous"]')).not_to_have_attribute("aria-disabled", "true")
    page.keyboard.press("ArrowRight")
    at(page, last)
    page.keyboard.press("Home")
    at(page, 0)


def test_every_step_to_the_end_and_back_by_key(opened: Opened) -> None:
    page = opened("/games/battle/steps/0")
    last = steps_of(page)
    for key, way in (("ArrowRight", range(1, last + 1)), ("ArrowLeft", range(last - 1, -1, -1))):
        for step in way:
            page.keyboard.press(key)
            expect(page.locator("[data-number]")).to_have_text(str(step))


@pytest.mark.parametrize(
    "field", ["#note-text", "[name=tags]", ".goto [name=step]", "[name=glyph]", "[data-slider]"]
)
def test_keys_are_the_fields_own_in_a_field(opened: Opened, field: str) -> None:
    page = opened("/games/star/steps/5")
    if field == "[data-slider]":
        page.locator(field).focus()
        page.keyboard.press("ArrowRight")
        at(page, 6)
        return
    page.locator(field).focus()
    for key in ("End", "]", "Space", "y", "?"):
        page.keyboard.press(key)
    expect(page.locator("[data-dialog]")).not_to_be_visible()
    at(page, 5)


@pytest.mark.parametrize(
    "key", ["Control+ArrowRight", "Alt+ArrowRight", "Meta+ArrowRight", "Control+y", "Shift+Home"]
)
def test_keys_with_a_modifier_are_left_to_the_browser(opened: Opened, key: str) -> None:
    page = opened("/games/star/steps/5")
    page.evaluate("addEventListener('keydown', event => window.taken = event.defaultPrevented)")
    page.keyboard.press(key)
    assert page.evaluate("window.taken") is False
    at(page, 5)


def test_space_on_a_button_presses_the_button(opened: Opened) -> None:
    page = opened("/games/star/steps/5")
    page.locator(".menu summary").click()
    page.locator('button[data-do="help"]').focus()
    page.keyboard.press("Space")
    expect(page.locator("[data-dialog]")).to_be_visible()
    expect(page.locator('[data-do="play"]')).to_have_attribute("data-playing", "false")


@pytest.mark.parametrize(
    ("game", "eyes"),
    [
        ("star", ""),
        ("battle", ""),
        ("wars", ""),
        ("cards", ""),
        ("cards", "?as=p1"),
        ("textual", ""),
        ("broken", ""),
    ],
)
def test_module_and_server_show_the_same_at_twenty_random_steps(opened: Opened, game: str, eyes: str) -> None:
    stepper, server = opened(f"/games/{game}/steps/0{eyes}"), opened(f"/games/{game}/steps/0{eyes}")
    last = steps_of(stepper)
    rng = random.Random(game)  # noqa: S311 - seeded on purpose
    for step in rng.sample(range(last + 1), min(20, last + 1)):
        by_key = step and rng.random() < 0.5
        stepper.evaluate(JUMP, step - 1 if by_key else step)
        if by_key:
            expect(stepper.locator("[data-number]")).to_have_text(str(step - 1))
            stepper.keyboard.press("ArrowRight")
        expect(stepper.locator("[data-number]")).to_have_text(str(step))
        server.goto(f"/games/{game}/steps/{step}{eyes}")
        server.locator("[data-viewer][data-ready]").wait_for()
        assert stepper.evaluate(SHOWN) == server.evaluate(SHOWN), step


JUMP = """step => {
  const slider = document.querySelector('[data-slider]');
  slider.value = step;
  slider.dispatchEvent(new Event('input', {bubbles: true}));
}"""


def test_page_keys_go_ten_steps_from_board_and_buttons_alone(opened: Opened) -> None:
    page = opened("/games/star/steps/25")
    page.locator("[data-board]").click()
    for key, step in (("PageDown", 35), ("PageUp", 25), ("PageUp", 15), ("PageUp", 5), ("PageUp", 0)):
        page.keyboard.press(key)
        at(page, step)
    page.locator('[data-do="next"]').focus()
    page.keyboard.press("PageDown")
    at(page, 10)
    page.locator("[data-rows]").focus()
    page.keyboard.press("PageDown")
    page.locator(".menu summary").click()
    page.locator('[data-do="on-ten"]').click()
    at(page, 20)
    page.keyboard.press("Home")
    expect(page.locator('[data-do="back-ten"]')).to_have_attribute("aria-disabled", "true")


def test_f_looks_through_the_eyes_of_the_next(opened: Opened) -> None:
    page = opened("/games/cards/steps/4")
    for eyes in ("?as=table", "?as=p1", "?as=p2", ""):
        page.keyboard.press("f")
        expect(page).to_have_url(
            re.compile(rf"/games/cards/steps/4{re.escape(eyes) or '(.as=everything)?'}$")
        )
        page.locator("[data-viewer][data-ready]").wait_for()


def test_c_leads_to_the_note_and_figures_mark_it(opened: Opened) -> None:
    page = opened("/games/star/steps/4")
    page.keyboard.press("3")
    glyph = page.locator("[data-note-form] [name=glyph]")
    expect(glyph).to_have_value("")
    page.keyboard.press("c")
    expect(page.locator("#note-text")).to_be_focused()
    page.keyboard.type("c1")
    expect(page.locator("#note-text")).to_have_value("c1")
    page.keyboard.press("Tab")
    expect(glyph).to_be_focused()
    for key, mark in (("1", "!"), ("6", "?!"), ("3", "!!")):
        page.keyboard.press(key)
        expect(glyph).to_have_value(mark)
    page.keyboard.press("ArrowUp")
    expect(glyph).to_have_value("?")
    page.locator("#notes-title").click()
    page.keyboard.press("4")
    expect(glyph).to_have_value("??")
    at(page, 4)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    at(page, 4)
    expect(glyph).to_have_value("??")


def test_g_leads_to_the_field_for_a_step(opened: Opened) -> None:
    page = opened("/games/star/steps/25")
    page.keyboard.press("g")
    expect(page.locator(".goto [name=step]")).to_be_focused()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    at(page, 7)
    page.keyboard.press("ArrowRight")
    at(page, 8)


def test_reload_stays_at_the_step(opened: Opened) -> None:
    page = opened("/games/battle/steps/0?as=p2")
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    at(page, 7)
    before = page.evaluate(SHOWN)
    page.reload()
    page.locator("[data-viewer][data-ready]").wait_for()
    at(page, 7)
    assert page.evaluate(SHOWN) == before


def test_steps_inside_a_loaded_block_ask_the_server_nothing(opened: Opened) -> None:
    page = opened("/games/star/steps/3")
    page.wait_for_load_state("networkidle")
    heard = listen(page)
    for key, times in (("ArrowRight", 50), ("ArrowLeft", 30), ("]", 3), ("[", 2), ("Home", 1)):
        for _ in range(times):
            page.keyboard.press(key)
    at(page, 0)
    assert heard == []


def test_blocks_are_loaded_ahead_so_that_the_edge_is_not_felt(opened: Opened) -> None:
    page = opened("/games/star/steps/60")
    page.wait_for_load_state("networkidle")
    heard = listen(page)
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    at(page, 68)
    assert [url for url in heard if "from=64" in url] == [], "it was there before"
    rows = page.locator("[data-rows] a[data-step]")
    assert {int(row.get_attribute("data-step") or -1) for row in rows.all()} >= {0, 63, 64, 127}
    expect(page.locator("[data-rows] a[aria-current]")).to_be_in_viewport()


def test_step_is_on_the_screen_within_a_frame(opened: Opened, measured: Measured) -> None:
    """Measure the time from the key to the laid-out page; the bound is asserted nowhere, machines differ."""
    for game in ("sixes", "battle"):
        page = opened(f"/games/{game}/steps/0")
        page.wait_for_load_state("networkidle")
        heard = listen(page)
        times = page.evaluate(STOPWATCH, 60)
        assert heard == []
        times.sort()
        middle, late = times[len(times) // 2], times[int(len(times) * 0.95)]
        measured(f"E2 {game}: page step p50 {middle:.1f} ms, p95 {late:.1f} ms, requests 0")


STOPWATCH = """async times => {
  const frame = () => new Promise(requestAnimationFrame);
  const found = [];
  for (const key of ['ArrowRight', 'ArrowLeft']) {
    for (let i = 0; i < times; i += 1) {
      await frame();
      const began = performance.now();
      document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
      document.body.getBoundingClientRect();
      document.querySelector('[data-sprites]').getBoundingClientRect();
      found.push(performance.now() - began);
    }
  }
  return found;
}"""


def test_brackets_lead_where_the_server_leads(opened: Opened) -> None:
    page, server = opened("/games/star/steps/10"), opened("/games/star/steps/10")
    for key, way in (
        ("]", "next-turn"),
        ("]", "next-turn"),
        ("[", "previous-turn"),
        ("Shift+ArrowRight", "next-turn"),
        ("Shift+ArrowLeft", "previous-turn"),
    ):
        before = position(page)
        page.keyboard.press(key)
        expect(page.locator("[data-number]")).not_to_have_text(str(before))
        server.goto(f"/games/star/steps/{before}/{way}")
        assert position(page) == position(server), (key, before)


@pytest.fixture
def long_turn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """Serve a game of one turn of 120 steps behind step 4, in which 50 steps are looked at."""
    monkeypatch.setattr(steps, "FAR", 50)
    with (
        Store.open(tmp_path / "games.db", registry=registry()) as store,
        served(create_app(store)) as address,
    ):
        begin(store, "long", 120)
        yield f"{address}/games/long/steps"


def test_brackets_lead_as_far_as_the_server_in_a_long_turn(opened: Opened, long_turn: str) -> None:
    page = opened(f"{long_turn}/10")
    heard = listen(page)
    for way, start in (("next", 10), ("next", 94), ("previous", 110), ("previous", 8)):
        page.evaluate(JUMP, start)
        at(page, start)
        leads = page.request.get(f"{long_turn}/{start}/{way}-turn", max_redirects=0).headers["location"]
        page.keyboard.press("]" if way == "next" else "[")
        at(page, int(leads.split("/")[-1]))
    assert [url for url in heard if "/frames" not in url] == [], "the module itself knows where it leads"


@pytest.mark.parametrize("fails", [False, True])
def test_answer_about_a_turn_that_comes_late_leads_nowhere(
    opened: Opened, complaints: list[str], *, fails: bool
) -> None:
    page = opened("/games/sixes/steps/0", wait=False)
    page.wait_for_load_state("networkidle")
    kept: list[Route] = []
    page.route("**/frames?from=192*", lambda route: kept.append(route))  # noqa: PLW0108 - playwright needs it
    page.evaluate(JUMP, 191)
    at(page, 191)
    page.keyboard.press("]")
    page.keyboard.press("Home")
    at(page, 0)
    for route in kept:
        if fails:
            route.abort()
        else:
            route.continue_()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("ArrowRight")
    at(page, 1)
    complaints.clear()


def test_link_copied_is_that_of_the_step_shown_though_a_block_is_missing(opened: Opened) -> None:
    page = opened("/games/star/steps/5", wait=False)
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.route("**/frames?*", lambda _: None)
    page.reload()
    page.wait_for_selector("[data-scripted]:not([hidden])")
    page.keyboard.press("y")
    assert page.locator("[data-link]").input_value().endswith("/games/star/at/6")
    page.unroute_all(behavior="ignoreErrors")


def test_double_click_on_next_is_two_steps_and_selects_nothing(opened: Opened) -> None:
    page = opened("/games/star/steps/5")
    page.locator('[data-do="next"]').dblclick()
    at(page, 7)
    assert page.evaluate("getSelection().toString()") == ""


def test_double_click_on_save_writes_one_note(opened: Opened, store: Store) -> None:
    page = opened("/games/sixes/steps/9")
    page.keyboard.press("ArrowRight")
    at(page, 10)
    page.locator("#note-text").fill("Twice <b>pressed</b>")
    page.locator("[name=glyph]").select_option("!?")
    page.locator("[data-note-form] button").dblclick()
    expect(page).to_have_url(re.compile(r"/games/sixes/steps/10#notes$"))
    expect(page.locator(".note-text")).to_have_text("Twice <b>pressed</b>")
    assert [(note.seq, note.glyph) for note in store.game("sixes").all_notes] == [(11, "!?")]
    expect(page.locator('[data-rows] a[data-step="10"] .marks')).to_have_text("!? ✎")


def test_pages_work_without_scripts(opened: Opened, store: Store) -> None:
    page = opened("/games/battle/steps/4", java_script_enabled=False)
    page.get_by_label("Next step").click()
    expect(page).to_have_url(re.compile(r"/games/battle/steps/5$"))
    page.get_by_label("Last step").click()
    expect(page.locator("[data-do=next]")).to_have_attribute("aria-disabled", "true")
    page.get_by_label("Previous turn").click()
    expect(page).to_have_url(re.compile(r"/games/battle/steps/\d+$"))
    page.locator(".menu summary").click()
    page.get_by_role("link", name="10 on").click()
    expect(page).to_have_url(re.compile(r"/games/battle/steps/\d+$"))
    page.locator(".goto [name=step]").fill("6")
    page.locator(".goto button").click()
    expect(page).to_have_url(re.compile(r"/games/battle/steps/6$"))
    page.locator(".eyes select").select_option("p1")
    page.locator(".eyes button").click()
    expect(page).to_have_url(re.compile(r"/games/battle/steps/6\?as=p1$"))
    page.goto("/games/sixes/steps/20")
    page.locator("#note-text").fill("By hand")
    page.locator("[data-note-form] button").click()
    expect(page.locator(".note-text")).to_have_text("By hand")
    assert "By hand" in [note.text for note in store.game("sixes").all_notes]


def test_picture_as_a_file_has_its_colours_under_its_policy(opened: Opened) -> None:
    for scheme in ("light", "dark"):
        page = opened("/games/star/steps/3.svg", wait=False, color_scheme=scheme)
        fills = page.evaluate(
            "[...document.querySelectorAll('.cell')].map(cell => getComputedStyle(cell).fill)"
        )
        assert len(set(fills)) == 12, "six tones, each paler than at home"
        assert "rgb(0, 0, 0)" not in fills


def test_change_of_a_note_is_kept_for_who_steps_away(opened: Opened, store: Store) -> None:
    store.do("sixes", WriteNote(41, text="As it was"))
    page = opened("/games/sixes/steps/40")
    change = page.locator(".note .note-form")
    field = change.locator("textarea")
    page.get_by_text("Change", exact=True).click()
    field.fill("Half a thought")
    page.locator('[data-do="next"]').click()
    at(page, 41)
    expect(field).to_have_count(0)
    page.locator('[data-do="previous"]').click()
    at(page, 40)
    expect(field).to_be_visible()
    expect(field).to_have_value("Half a thought")
    expect(change.get_by_role("status")).to_contain_text("It is not saved yet")
    page.reload()
    expect(field).to_have_value("Half a thought")
    change.get_by_role("button", name="Discard it").click()
    expect(field).to_have_value("As it was")
    field.fill("A whole thought")
    change.get_by_role("button", name="Save the change").click()
    expect(page.locator(".note-text")).to_have_text("A whole thought")
    expect(change.get_by_role("status")).to_have_count(0)
    assert "A whole thought" in [note.text for note in store.game("sixes").all_notes]


def test_note_is_removed_in_two_steps(opened: Opened, store: Store) -> None:
    store.do("sixes", WriteNote(31, text="Away with it"))
    page = opened("/games/sixes/steps/29")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".note-text")).to_have_text("Away with it")
    page.get_by_text("Remove", exact=True).click()
    page.get_by_role("button", name="Remove this note").click()
    expect(page.locator(".note-text")).to_have_count(0)
    expect(page).to_have_url(re.compile("/games/sixes/steps/30#notes$"))


def test_slider_and_typed_step_and_row_lead_there(opened: Opened) -> None:
    page = opened("/games/star/steps/0")
    page.evaluate(JUMP, 42)
    at(page, 42)
    page.locator(".goto [name=step]").fill("17")
    page.keyboard.press("Enter")
    at(page, 17)
    page.keyboard.press("ArrowRight")
    at(page, 18)
    page.locator('[data-rows] a[data-step="25"]').click()
    at(page, 25)


def test_space_plays_to_the_end_and_stops(opened: Opened) -> None:
    page = opened("/games/textual/steps/0", wait=False)
    page.clock.install()
    page.reload()
    page.locator("[data-viewer][data-ready]").wait_for()
    page.keyboard.press("Space")
    expect(page.locator('[data-do="play"]')).to_have_attribute("data-playing", "true")
    page.clock.run_for(1300)
    at(page, 1)
    page.locator("[data-speed]").select_option("4")
    page.clock.run_for(400)
    expect(page.locator("[data-number]")).to_have_text("2")
    page.clock.run_for(2000)
    expect(page.locator('[data-do="play"]')).to_have_attribute("data-playing", "false")
    at(page, 2)


def test_held_button_goes_on_and_its_click_is_not_one_more(opened: Opened) -> None:
    page = opened("/games/star/steps/5", wait=False)
    page.clock.install()
    page.reload()
    page.locator("[data-viewer][data-ready]").wait_for()
    page.locator('[data-do="next"]').hover()
    page.mouse.down()
    page.clock.run_for(450 + 3 * 110 + 20)
    page.mouse.up()
    expect(page.locator("[data-number]")).to_have_text("9")
    page.clock.run_for(1000)
    expect(page.locator("[data-number]")).to_have_text("9")
    page.locator('[data-do="next"]').click()
    expect(page.locator("[data-number]")).to_have_text("10")


def test_caption_is_announced_once_after_a_run_of_keys(opened: Opened) -> None:
    page = opened("/games/star/steps/5", wait=False)
    page.clock.install()
    page.reload()
    page.locator("[data-viewer][data-ready]").wait_for()
    page.evaluate(
        "const heard = document.querySelector('[data-heard]'); window.said = [];"
        "new MutationObserver(() => window.said.push(heard.textContent)).observe(heard, {childList: true})"
    )
    for _ in range(6):
        page.keyboard.press("ArrowRight")
        page.clock.run_for(100)
    page.clock.run_for(500)
    said = page.evaluate("window.said")
    assert len(said) == 1
    assert said[0].startswith("Step 11. ")


def test_question_mark_shows_the_shortcuts_and_escape_closes_them(opened: Opened) -> None:
    page = opened("/games/star/steps/5")
    page.keyboard.press("?")
    expect(page.locator("[data-dialog]")).to_be_visible()
    page.keyboard.press("ArrowRight")
    at(page, 5)
    page.keyboard.press("Escape")
    expect(page.locator("[data-dialog]")).not_to_be_visible()
    page.keyboard.press("ArrowRight")
    at(page, 6)


def test_keys_that_print_can_be_switched_off_for_good(opened: Opened) -> None:
    page = opened("/games/star/steps/5")
    page.keyboard.press("?")
    page.locator("[data-single]").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    page.locator("[data-viewer][data-ready]").wait_for()
    for key in ("]", "?", "y", "Space"):
        page.keyboard.press(key)
    at(page, 5)
    expect(page.locator("[data-dialog]")).not_to_be_visible()
    page.keyboard.press("ArrowRight")
    at(page, 6)


def test_link_to_copy_is_shown_where_the_clipboard_is_missing_and_leads_back(opened: Opened) -> None:
    page = opened("/games/cards/steps/5?as=p1", wait=False)
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.reload()
    page.locator("[data-viewer][data-ready]").wait_for()
    page.keyboard.press("ArrowRight")
    at(page, 6)
    page.keyboard.press("y")
    field = page.locator("[data-link]")
    expect(field).to_be_focused()
    link = field.input_value()
    assert link.endswith("/games/cards/at/7?as=p1")
    page.goto(link)
    at(page, 6)


def test_piece_glides_on_a_step_and_not_on_a_jump_nor_with_reduced_motion(opened: Opened) -> None:
    gliding = """key => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
      return document.querySelector('[data-sprites]').getAnimations({subtree: true}).length;
    }"""
    page = opened("/games/star/steps/0", reduced_motion="no-preference")
    assert page.evaluate(gliding, "ArrowRight") == 1
    page.evaluate(JUMP, 50)
    at(page, 50)
    page.wait_for_function("!document.querySelector('[data-sprites]').getAnimations({subtree: true}).length")
    assert page.evaluate(gliding, "Home") == 0
    at(page, 0)
    calm = opened("/games/star/steps/0")
    assert calm.evaluate(gliding, "ArrowRight") == 0


def test_card_from_a_deck_glides_from_there(opened: Opened) -> None:
    page = opened("/games/battle/steps/0", reduced_motion="no-preference")
    page.wait_for_load_state("networkidle")
    moving = page.evaluate(
        """() => {
          const layer = document.querySelector('[data-sprites]');
          const keys = () => new Set([...layer.children].map(sprite => sprite.dataset.k));
          const fresh = [];
          for (let i = 0; i < 20; i += 1) {
            const before = keys();
            document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
            const gliding = layer.getAnimations({subtree: true}).map(one => one.effect.target.dataset.k);
            fresh.push(...gliding.filter(key => !before.has(key)));
          }
          return fresh.length;
        }"""
    )
    assert moving > 0


def test_when_frames_fail_the_keys_still_lead_on(opened: Opened, complaints: list[str]) -> None:
    page = opened("/games/star/steps/5", wait=False)

    def fail(route: Route) -> None:
        route.fulfill(status=503, body="{}")

    page.route("**/frames?*", fail)
    page.reload()
    page.locator("[data-viewer][data-ready]").wait_for()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("/games/star/steps/6$"))
    page.locator("[data-viewer][data-ready]").wait_for()
    expect(page.locator("[data-number]")).to_have_text("6")
    page.wait_for_load_state("networkidle")
    assert complaints
    complaints.clear()


def test_holding_a_key_does_not_exhaust_the_address_bar(opened: Opened) -> None:
    page = opened("/games/star/steps/5", wait=False)
    page.clock.install()
    page.reload()
    page.locator("[data-viewer][data-ready]").wait_for()
    written = page.evaluate(
        """() => {
          let written = 0;
          const replace = history.replaceState.bind(history);
          history.replaceState = (...how) => { written += 1; replace(...how); };
          for (let i = 0; i < 40; i += 1) {
            const held = {key: 'ArrowRight', bubbles: true, repeat: true};
            document.body.dispatchEvent(new KeyboardEvent('keydown', held));
          }
          return written;
        }"""
    )
    assert written < 20, "browsers refuse some hundred in half a minute"
    page.clock.run_for(400)
    at(page, 45)


ADDRESSES = [
    "/games",
    "/games?player=nobody",
    "/stats",
    "/help",
    "/nowhere",
    "/games/star/steps/3",
    "/games/sixes/steps/60",
    "/games/battle/steps/20",
    "/games/wars/steps/20",
    "/games/cards/steps/9?as=p1",
    "/games/evil/steps/3",
    "/games/textual/steps/1",
    "/games/broken/steps/2",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_phone_scrolls_in_one_direction_only(opened: Opened, complaints: list[str], address: str) -> None:
    page = opened(address, phone=True)
    for width in (PHONE["width"], 320):
        page.set_viewport_size({"width": width, "height": 700})
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over == 0, width
    complaints[:] = [said for said in complaints if "404" not in said]


def test_buttons_are_large_enough_for_thumbs_and_stay_in_sight(opened: Opened) -> None:
    page = opened("/games/star/steps/3", phone=True)
    for name in ("first", "previous", "next", "last"):
        box = page.locator(f'[data-do="{name}"]').bounding_box()
        assert box is not None
        assert box["height"] >= 48
        assert box["width"] >= 48
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator('[data-do="next"]')).to_be_in_viewport(ratio=1)
    page.locator('[data-do="next"]').tap()
    at(page, 4)


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_axe_finds_nothing(
    opened: Opened, complaints: list[str], address: str, scheme: str, size: str
) -> None:
    page = opened(address, phone=size == "phone", color_scheme=scheme)
    judge(page)
    if address == "/games/star/steps/3":
        page.keyboard.press("?")
        judge(page)
    complaints[:] = [said for said in complaints if "404" not in said]


def judge(page: Page) -> None:
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found: dict[str, Any] = Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}}).response
    bad = [(item["id"], [node["target"] for node in item["nodes"]][:3]) for item in found["violations"]]
    assert bad == [], json.dumps(bad)
    assert len(found["passes"]) > 10


@pytest.mark.parametrize(
    ("typed", "step", "said"),
    [("999999", 252, "0 to 252"), ("-4", 0, "0 to 252"), ("", 5, "0 to 252"), ("9", 9, "")],
)
def test_step_that_is_not_there_leads_to_the_nearest_and_says_which_there_are(
    opened: Opened, typed: str, step: int, said: str
) -> None:
    page = opened("/games/sixes/steps/5")
    page.locator(".goto [name=step]").fill(typed)
    page.keyboard.press("Enter")
    expect(page.locator("[data-goto-said]")).to_have_text(said)
    expect(page.locator("[data-number]")).to_have_text(str(step))


def test_copied_link_is_named_by_its_step_and_forgotten_at_the_next(opened: Opened) -> None:
    page = opened("/games/sixes/steps/5", permissions=["clipboard-read", "clipboard-write"])
    button = page.locator('button[data-do="copy"]')
    page.clock.install()
    for leave in (lambda: page.keyboard.press("ArrowRight"), lambda: page.clock.run_for(2100)):
        step = page.locator("[data-number]").inner_text()
        button.click()
        expect(button).to_have_text(f"Link to step {step} copied")
        leave()
        expect(button).to_have_text("Copy link")


def test_list_stands_at_the_step_shown_without_scripts(opened: Opened) -> None:
    page = opened("/games/sixes/steps/50", java_script_enabled=False)
    expect(page.locator("[data-rows] a[aria-current]")).to_be_in_viewport(ratio=1)


def test_move_of_the_list_brings_the_board_back_on_a_phone(opened: Opened) -> None:
    page = opened("/games/sixes/steps/5", phone=True)
    page.locator('[data-rows] a[data-step="7"]').click()
    expect(page.locator("[data-number]")).to_have_text("7")
    expect(page.locator("[data-board-box]")).to_be_in_viewport(ratio=0.9)


@pytest.mark.parametrize("game", ["sixes", "star", "cards", "battle"])
def test_caption_stands_above_the_bar_on_a_phone(opened: Opened, game: str) -> None:
    page = opened(f"/games/{game}/steps/5", phone=True, viewport={"width": 390, "height": 664})
    page.locator("[data-caption]").evaluate("(one) => (one.textContent = 'Two lines. '.repeat(6))")
    caption, bar = page.locator(".caption").bounding_box(), page.locator("#controls").bounding_box()
    assert caption is not None
    assert bar is not None
    assert caption["y"] + caption["height"] <= bar["y"]


def test_shortcuts_are_closed_without_scrolling(opened: Opened) -> None:
    page = opened("/games/sixes/steps/5", viewport={"width": 1280, "height": 720})
    page.keyboard.press("?")
    expect(page.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)


def test_note_that_is_begun_by_its_key_is_in_sight_whole(opened: Opened) -> None:
    page = opened("/games/sixes/steps/5", viewport={"width": 1280, "height": 720})
    page.keyboard.press("c")
    expect(page.get_by_role("button", name="Save note")).to_be_in_viewport(ratio=1)
