"""On a phone a finger hits every control of every page, and reads what is drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from eventstore.recording.commands import New, Record, Undo
from eventstore.store import Store
from games.core.registry import installed
from replay_web import create_app
from tests.browser.conftest import PHONE, Opened, served
from tests.replay_web.samples import play, registry

LEAST: Final = 48
"""CSS pixels, each way."""
SMALL: Final = """least => {
  for (const folded of document.querySelectorAll('details')) {
    folded.removeAttribute('name');
    folded.open = true;
  }
  const found = [];
  const ticks = '[type=checkbox], [type=radio]';
  const wanted = `a[href], button, input:not([type=hidden]), select, textarea, summary, label:has(${ticks})`;
  for (const one of document.querySelectorAll(wanted)) {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest('svg')) continue;
    const hit = (one.matches(ticks) && one.closest('label')) || one;
    const box = hit.getBoundingClientRect();
    if (box.right < 0 || !box.width) continue;
    if (box.width >= least - .5 && box.height >= least - .5) continue;
    const said = (one.getAttribute('aria-label') || one.textContent || one.name).trim().slice(0, 30);
    found.push(`${one.localName} ${said}: ${Math.round(box.width)} x ${Math.round(box.height)}`);
  }
  return [...new Set(found)];
}"""


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any]]:
    with Store.open(tmp_path_factory.mktemp("touch") / "games.db", registry=registry()) as store:
        for ruleset in installed().newest():
            play(store, ruleset, ruleset, ["Ann", "Bo"], most=30)
        store.do(None, New("monstropoly-battle", ["Ann", "Bo"], game="unseen"))
        hand = {"kind": "hand_dealt", "player": "p1", "cards": [None] * 4}
        store.do("unseen", Record([hand]))
        store.do("unseen", Undo())
        store.do("unseen", Record([hand]))
        app = create_app(store)
        with served(app) as address:
            yield address, app


def sort_of(app: Any, address: str) -> tuple[str, tuple[str, ...]]:
    """Name the page that an address gives: its endpoint, what it asks for, and of a game its ruleset."""
    parts = urlsplit(address)
    endpoint, values = app.url_map.bind("x").match(parts.path or "/")
    asked = [f"{key}={value}" if key == "do" else key for key, value in parse_qsl(parts.query)]
    game = [str(values["game"])] if "game" in values else []
    return endpoint, tuple(sorted(asked) + game)


def pages(page: Page, app: Any, address: str) -> Iterator[str]:
    """Go to one page of each sort that can be reached by links, from the list of games on."""
    queue, seen = [f"{address}/games"], set[Any]()
    while queue:
        there = queue.pop(0)
        answer = page.goto(there)
        if answer is None or "text/html" not in (answer.header_value("content-type") or ""):
            continue
        yield there.removeprefix(address)
        links = page.evaluate("[...document.querySelectorAll('a[href]:not([download])')].map((a) => a.href)")
        for link in links:
            if not link.startswith(address) or re.search(r"\.(svg|txt|csv|jsonl?)$", link):
                continue
            if (sort := sort_of(app, link)) not in seen:
                seen.add(sort)
                queue.append(link)


def test_every_control_of_every_page_is_large_enough_for_a_finger(
    opened: Opened, games: tuple[str, Any]
) -> None:
    address, app = games
    page = opened(f"{address}/games", phone=True)
    small: dict[str, list[str]] = {}
    looked = set()
    for there in pages(page, app, address):
        looked.add(sort_of(app, there)[0])
        for found in page.evaluate(SMALL, LEAST):
            small.setdefault(found, []).append(there)
    lines = [f"{found}   ({len(where)} pages, {where[0]})" for found, where in small.items()]
    assert not small, "\n".join(lines)
    needed = {"games.listing", "new_game.ask", "steps.step", "recording.page", "correct.ask", "history.page"}
    assert needed | {"ruling.ask", "check.ask", "unseen.page", "help.shortcuts"} <= looked


def small_on(page: Page) -> list[str]:
    found: list[str] = page.evaluate(SMALL, LEAST)
    return found


def test_what_no_link_leads_to_is_large_enough_too(
    opened: Opened, games: tuple[str, Any], complaints: list[str]
) -> None:
    address, _ = games
    page = opened(f"{address}/games/monster-maker/record", phone=True)
    page.locator("[data-recorder][data-ready]").wait_for()
    page.locator("#typed-move").fill("nonsense")
    page.locator(".type-it .send").tap()
    page.locator("#refusal").wait_for()
    assert small_on(page) == []
    page.goto(f"{address}/games/monsters-forever/steps/2/correct?do=remove")
    page.get_by_role("button", name="See what comes of it").tap()
    page.locator(".do-it").wait_for()
    assert small_on(page) == []
    page.goto(f"{address}/games/none")
    assert small_on(page) == []
    page.goto(f"{address}/games/monsters-forever/steps/2")
    page.evaluate("document.querySelector('[data-dialog]').showModal()")
    assert small_on(page) == []
    complaints.clear()  # Chromium says of each refusal that it was one


@pytest.mark.parametrize("there", ["steps/1", "record"])
def test_without_scripts_every_control_is_large_enough(
    opened: Opened, games: tuple[str, Any], there: str
) -> None:
    page = opened(f"{games[0]}/games/unseen/{there}", phone=True, java_script_enabled=False)
    assert small_on(page) == []


def test_with_a_key_every_control_is_large_enough(
    opened: Opened, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Store.open(tmp_path_factory.mktemp("keys") / "games.db", registry=registry()) as store:
        _, key = store.access.add()
        with served(create_app(store, hosts=["localhost"], guarded=True)) as address:
            page = opened(f"{address}/sign-in", phone=True)
            assert small_on(page) == []
            page.goto(f"{address}/sign-in#key={key}")
            page.get_by_role("button", name="Sign out").wait_for()
            assert small_on(page) == []


LETTERS: Final = """() => {
  const found = [];
  const scale = (one) => { const m = one.getScreenCTM(); return Math.sqrt(Math.abs(m.a * m.d - m.b * m.c)); };
  const size = (text, times) => {
    found.push([Math.round(parseFloat(getComputedStyle(text).fontSize) * times * 10) / 10, text.textContent]);
  };
  const board = document.querySelector('[data-board]');
  for (const text of board.querySelectorAll('text')) if (!text.closest('defs')) size(text, scale(text));
  for (const use of board.querySelectorAll('use')) {
    const drawn = document.querySelector(use.getAttribute('href'));
    for (const text of drawn.querySelectorAll('text')) size(text, scale(use));
  }
  return found;
}"""
READ: Final = 9
"""CSS pixels that a letter has at least, where it is to be read."""


def letters(page: Page) -> list[tuple[float, str]]:
    return [(size, text) for size, text in page.evaluate(LETTERS) if text.strip()]


@pytest.mark.parametrize("ruleset", sorted(installed().newest()))
def test_an_enlarged_picture_can_be_read_on_a_phone(
    opened: Opened, games: tuple[str, Any], ruleset: str
) -> None:
    for there in ("steps/20", "record"):
        page = opened(f"{games[0]}/games/{ruleset}/{there}", phone=True)
        page.get_by_role("button", name="Enlarge the picture").tap()
        assert [found for found in letters(page) if found[0] < READ] == []
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over == 0
        page.get_by_role("button", name="Enlarge the picture").tap()
        wide = page.locator("[data-board]").bounding_box()
        assert wide is not None
        assert wide["width"] <= PHONE["width"]


def test_the_names_of_the_fields_of_a_board_are_read_without_enlarging(
    opened: Opened, games: tuple[str, Any]
) -> None:
    for there in ("steps/20", "record"):
        page = opened(f"{games[0]}/games/monsters-forever/{there}", phone=True)
        assert min(size for size, text in letters(page) if re.fullmatch(r"[A-F]\d", text)) >= READ


def test_nothing_forbids_to_pinch(opened: Opened, games: tuple[str, Any]) -> None:
    page = opened(f"{games[0]}/games/monsters-forever/record", phone=True)
    said = page.locator("meta[name=viewport]").get_attribute("content") or ""
    assert "scalable" not in said
    assert "maximum" not in said


def test_without_scripts_the_picture_opens_alone(opened: Opened, games: tuple[str, Any]) -> None:
    page = opened(f"{games[0]}/games/monsters-forever/record", phone=True, java_script_enabled=False)
    page.get_by_label("Enlarge the picture").tap()
    page.wait_for_url(re.compile(r"/steps/30\.svg$"))


@pytest.mark.parametrize("ruleset", sorted(installed().newest()))
@pytest.mark.parametrize(
    "size",
    [(1280, 720), (1280, 800), (1280, 480), (1024, 768), (844, 390), (390, 844), (390, 664), (320, 568)],
)
def test_the_controls_are_in_sight_without_scrolling(
    opened: Opened, games: tuple[str, Any], ruleset: str, size: tuple[int, int]
) -> None:
    wide, high = size
    page = opened(f"{games[0]}/games/{ruleset}/steps/20", phone=wide < 1000)
    page.set_viewport_size({"width": wide, "height": high})
    for control in page.locator("#controls .button, #controls .slider").all():
        expect(control).to_be_in_viewport(ratio=1)
    if wide > 1000 and high > 700:
        for control in page.locator(".tools :is(a, button, select):visible").all():
            expect(control).to_be_in_viewport(ratio=1)
    page.goto(f"{games[0]}/games/{ruleset}/record")
    page.locator("[data-recorder][data-ready]").wait_for()
    for control in page.locator(".undo-bar button").all():
        expect(control).to_be_in_viewport(ratio=1)


def test_two_seats_of_a_new_game_change_their_places_by_a_tap(opened: Opened, games: tuple[str, Any]) -> None:
    page = opened(f"{games[0]}/games/new?ruleset=legend-of-monopoly&players=3", phone=True)
    for seat, name in (("p1", "Ann"), ("p2", "Bo")):
        page.locator(f"[name='player.{seat}']").fill(name)
    page.get_by_role("button", name="Swap seats 1 and 2").tap()
    page.get_by_role("button", name="Swap seats 2 and 3").tap()
    names = [page.locator(f"[name='player.{seat}']").input_value() for seat in ("p1", "p2", "p3")]
    assert names == ["Bo", "", "Ann"]
    expect(page.get_by_role("status")).to_have_text("nobody yet in seat 2, Ann in seat 3")


def test_without_scripts_seats_are_typed(opened: Opened, games: tuple[str, Any]) -> None:
    address = f"{games[0]}/games/new?ruleset=legend-of-monopoly&players=3"
    page = opened(address, phone=True, java_script_enabled=False)
    expect(page.locator("[data-swap]").first).to_be_hidden()
