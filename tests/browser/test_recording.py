"""Recording in a real browser: whole games by touch on a phone, and what goes wrong on the way."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner
from playwright.sync_api import Locator, Page, expect

from cli import main
from eventstore.recording.commands import New, Record
from eventstore.recording.typed_lines import read_line
from eventstore.store import Store
from games.core import serialization
from games.testing import playout
from games.text.naming import Naming
from tests.browser.conftest import Opened
from tests.conftest import Measured
from tests.replay_web import sheets
from tests.replay_web.samples import play as play_at_random
from tests.replay_web.tapping import Way, way

MISTAKES = (2, 5, 9)
"""Before so many entries something else is tapped, and undone."""


@dataclass(frozen=True)
class Plan:
    """A whole game, short by its options."""

    ruleset: str
    seed: int
    options: dict[str, Any] = field(default_factory=dict)


PLANS = (
    Plan("monsters-forever", 20, {"max_rounds": 2}),
    Plan("monsters-of-war", 35, {"days": 1}),
    Plan("legend-of-monopoly", 12, {"win": "wealthiest-after-rounds", "rounds": 3}),
    Plan("monster-maker", 36),
    Plan("monstropoly-battle", 42),
)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Give the database that the same games are recorded into from files."""
    return tmp_path / "batch.db"


def record_page(opened: Opened, game: str, **wanted: Any) -> Page:
    page = opened(f"/games/{game}/record", **wanted)
    if wanted.get("java_script_enabled", True):
        page.locator("[data-recorder][data-ready]").wait_for()
    return page


def head(page: Page) -> int:
    return int(page.locator("[data-recorder]").get_attribute("data-head") or 0)


def at_head(page: Page, seq: int) -> None:
    now = f'[data-recorder][data-head="{seq}"]:not([data-busy])'
    page.locator(f"{now}, #refusal").first.wait_for()
    assert page.locator(now).count() == 1, page.locator("#refusal").inner_text()


def valued(page: Page, found: Way, control: sheets.Control) -> Locator:
    """Find a button, or a face of the form that it belongs to."""
    if control.tag == "button":
        return page.locator(f"button{chosen(control)}").first
    form = page.locator(f"form:has(button{chosen(found.button)})")
    return form.locator(f"label:has(> input{chosen(control)})")


def chosen(control: sheets.Control) -> str:
    return f"[name={json.dumps(control.name)}][value={json.dumps(control.value, ensure_ascii=False)}]"


def reveal(found: Locator) -> None:
    """Open what it lies in, as a person does: from the outside inwards."""
    closed = found.locator("xpath=ancestor::details[not(@open)]/summary")
    while closed.count():
        closed.first.tap()


def tap_through(page: Page, found: Way) -> None:
    first = found.marks[0] if found.marks else found.button
    reveal(valued(page, found, first))
    for mark in found.marks:
        valued(page, found, mark).tap()
    form = page.locator(f"form:has(button{chosen(found.button)})")
    for name, number in found.numbers.items():
        form.locator(f"input[name={json.dumps(name)}]").fill(str(number))
    if not found.sends:
        valued(page, found, found.button).tap()


def start_by_touch(page: Page, plan: Plan) -> str:
    page.locator(
        ".rules-list a", has=page.locator(f"xpath=self::*[contains(@href, 'ruleset={plan.ruleset}')]")
    ).tap()
    page.locator("[name='player.p1']").fill("Ann")
    page.locator("[name='player.p2']").fill("Bo")
    if plan.options:
        page.locator("summary", has_text="How the rules are read").tap()
    for name, value in plan.options.items():
        box = page.locator(f"[id='option.{name}']")
        if box.evaluate("box => box.tagName") == "SELECT":
            box.select_option(json.dumps(value))
        else:
            box.fill(str(value))
    page.get_by_role("button", name="Start the game").tap()
    page.locator("[data-recorder][data-ready]").wait_for()
    found = re.search(r"/games/([^/]+)/record", page.url)
    assert found is not None
    return found[1]


def ways(store: Store, game: str, page: Page, rng: random.Random) -> Way:
    """Draw what happens next, as the sheet has it."""
    position = store.game(game).position()
    rules: Any = position.ruleset
    drawn = playout.next_event(rules if rules.bot else replace(rules, deal=None), position.state, rng)
    naming = Naming(position, store.game(game).names)
    found = way(sheets.Page(page.content()), serialization.event_to(drawn), naming)
    assert found is not None, f"{drawn} is nowhere on the sheet"
    return found


def play(page: Page, store: Store, plan: Plan, game: str) -> tuple[list[dict[str, Any]], list[float], int]:
    """Tap a whole game, three times something wrong first; give what was meant, seconds and taps."""
    rng = random.Random(plan.seed)  # noqa: S311 - seeded on purpose
    wrong = random.Random(plan.seed)  # noqa: S311 - seeded on purpose
    meant: list[dict[str, Any]] = []
    seconds: list[float] = []
    taps = mistakes = 0
    while store.game(game).position().outcome() is None:
        found = ways(store, game, page, rng)
        seq = head(page)
        if mistakes < len(MISTAKES) and len(meant) >= MISTAKES[mistakes]:
            other = ways(store, game, page, wrong)
            if other.records() != found.records():
                mistakes += 1
                tap_through(page, other)
                at_head(page, seq + 1)
                page.get_by_role("button", name="Undo", exact=True).tap()
                at_head(page, seq := seq + 2)
        began = perf_counter()
        tap_through(page, found)
        at_head(page, seq + 1)
        seconds.append(perf_counter() - began)
        taps += found.taps
        meant.append(found.records())
    assert mistakes == len(MISTAKES)
    return meant, seconds, taps


def from_file(games: Path, plan: Plan, meant: list[dict[str, Any]]) -> list[str]:
    """Record the same events with the command line; give the payloads of its log."""
    run = CliRunner()
    options = [part for name, value in plan.options.items() for part in ("--option", f"{name}={value}")]
    asked = ["--db", str(games), "new", plan.ruleset, "--player", "Ann", "--player", "Bo", *options, "--json"]
    started = run.invoke(main, asked, catch_exceptions=False)
    assert started.exit_code == 0, started.output
    game = json.loads(started.stdout)["game"]
    lines = "".join(f"{json.dumps(event)}\n" for event in meant)
    batch = run.invoke(
        main, ["--db", str(games), "record", game, "--batch", "-"], input=lines, catch_exceptions=False
    )
    assert batch.exit_code == 0, batch.output
    with Store.open(games) as store:
        return [row.payload for row in store.log.events(game)]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.ruleset)
def test_whole_game_by_touch_is_the_one_recorded_from_a_file(
    opened: Opened, store: Store, plan: Plan, games: Path, measured: Measured
) -> None:
    page = opened("/games/new", phone=True)
    game = start_by_touch(page, plan)
    meant, seconds, taps = play(page, store, plan, game)
    opened_game = store.game(game)
    rows = store.log.events(game)
    assert [rows[seq - 1].payload for seq in opened_game.runs] == from_file(games, plan, meant)
    assert len(rows) == len(meant) + 1 + 2 * len(MISTAKES)
    expect(page.locator(".over")).to_be_visible()
    seconds.sort()
    measured(
        f"{plan.ruleset}: {len(meant)} entries, {taps / len(meant):.2f} taps and "
        f"{seconds[len(seconds) // 2]:.2f} s each, page {len(page.content()) // 1000} KB"
    )


# --- one tap more or less ---


@pytest.fixture
def star(store: Store) -> str:
    return store.do(None, New("monsters-forever", ["Ann", "Bo"])).game.id


def kinds(store: Store, game: str) -> list[str]:
    return [row.kind for row in store.log.events(game)][1:]


def place(page: Page, cell: str) -> Locator:
    return page.locator(f'[data-place="cell.{cell}"]')


def test_board_move_is_a_piece_and_then_its_target(opened: Opened, store: Store, star: str) -> None:
    page = record_page(opened, star, phone=True)
    place(page, "A6").tap()
    expect(place(page, "A6")).to_have_class(re.compile(r"\bfrom\b"))
    legal = [serialization.event_to(event) for event in store.game(star).position().legal("p1")]
    targets = {event["to"] for event in legal if event["kind"] == "creature_moved" and event["from"] == "A6"}
    marked = page.locator(".hit.to").evaluate_all("all => all.map(one => one.dataset.place)")
    assert {cell.removeprefix("cell.") for cell in marked} == targets
    assert kinds(store, star) == []
    place(page, "A5").tap()
    at_head(page, 2)
    assert store.log.events(star)[1].payload == '{"kind":"creature_moved","team":"A","from":"A6","to":"A5"}'
    expect(page.locator(".hit.from, .hit.to")).to_have_count(0)


def test_tap_beside_the_pieces_leaves_the_choice(opened: Opened, store: Store, star: str) -> None:
    page = record_page(opened, star, phone=True)
    place(page, "A6").tap()
    place(page, "D1").tap()
    expect(page.locator(".hit.from")).to_have_count(0)
    expect(page.locator("[data-picked]")).to_be_hidden()
    assert kinds(store, star) == []


def test_double_tap_records_once(opened: Opened, store: Store, star: str) -> None:
    page = record_page(opened, star)
    page.locator('button[value*=\'"to":"A5"\']').first.dblclick()
    at_head(page, 2)
    page.get_by_role("button", name="Undo", exact=True).dblclick()
    at_head(page, 3)
    assert kinds(store, star) == ["creature_moved", "record.undone"]


def test_what_is_typed_stays_when_it_is_refused(
    opened: Opened, complaints: list[str], store: Store, star: str
) -> None:
    page = record_page(opened, star, phone=True)
    field = page.get_by_label("Or type it")
    field.fill("A6-A2")
    field.press("Enter")
    expect(page.locator("#refusal")).to_be_in_viewport()
    expect(field).to_have_value("A6-A2")
    expect(field).to_be_focused()
    expect(page.locator("#refusal .tap").first).to_be_visible()
    complaints.clear()  # the console names the status 422
    field.fill("A4-A7")
    field.press("Enter")
    expect(page.locator("#refusal")).to_have_count(0)
    at_head(page, 2)
    expect(field).to_have_value("")
    assert '"from":"A4","to":"A7"' in store.log.events(star)[1].payload


def test_enter_after_a_refusal_records_what_is_typed_without_scripts(
    opened: Opened, complaints: list[str], store: Store, star: str
) -> None:
    page = record_page(opened, star, java_script_enabled=False)
    page.get_by_label("Or type it").fill("A6-A2")
    page.get_by_label("Or type it").press("Enter")
    expect(page.locator("#refusal .tap").first).to_be_visible()
    complaints.clear()  # the console names the status 422
    page.get_by_label("Or type it").fill("A4-A7")
    page.get_by_label("Or type it").press("Enter")
    expect(page.locator(".echoed li")).to_have_count(2)
    assert '"from":"A4","to":"A7"' in store.log.events(star)[1].payload


def test_clash_shows_what_the_other_recorded(
    opened: Opened, complaints: list[str], store: Store, star: str
) -> None:
    page = record_page(opened, star, phone=True)
    page.route("**/news?*", lambda route: route.fulfill(status=304))
    store.do(star, Record(read_line(store.game(star), "A6-A5")))
    field = page.get_by_label("Or type it")
    field.fill("A8-A7")
    field.press("Enter")
    expect(page.locator("#refusal .meanwhile")).to_contain_text("A6")
    expect(field).to_have_value("A8-A7")
    complaints.clear()  # the console names the status 409
    assert kinds(store, star) == ["creature_moved"]
    expect(page.locator("[data-recorder]")).to_have_attribute("data-head", "2")


def test_what_somebody_else_records_appears_by_itself(opened: Opened, store: Store, star: str) -> None:
    page = record_page(opened, star, phone=True)
    field = page.get_by_label("Or type it")
    field.fill("A8")
    store.do(star, Record(read_line(store.game(star), "A6-A5")))
    expect(page.locator("[data-recorder]")).to_have_attribute("data-head", "2")
    expect(page.locator(".echoed .newest")).to_contain_text("A6")
    expect(field).to_have_value("A8")


def test_undo_and_redo_by_keys(opened: Opened, store: Store, star: str) -> None:
    store.do(star, Record(read_line(store.game(star), "A6-A5")))
    page = record_page(opened, star)
    page.keyboard.press("Control+z")
    at_head(page, 3)
    page.keyboard.press("Control+y")
    at_head(page, 4)
    page.get_by_label("Or type it").press("Control+z")
    page.keyboard.press("Tab")
    assert kinds(store, star) == ["creature_moved", "record.undone", "record.redone"]


def test_arrow_keys_among_answers_send_nothing(opened: Opened, store: Store) -> None:
    game = store.do(
        None, New("legend-of-monopoly", ["Ann", "Bo"], options={"mother_confessor": "p1"})
    ).game.id
    page = record_page(opened, game)
    first, second = (page.locator(f"input[name='one:dice.{place}']") for place in (0, 1))
    first.first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    second.first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    expect(second.nth(1)).to_be_checked()
    assert kinds(store, game) == []
    page.keyboard.press("Enter")
    at_head(page, 2)
    assert '"dice":[2,2]' in store.log.events(game)[1].payload


def test_first_letters_leave_few_faces_and_enter_takes_the_last(opened: Opened, store: Store) -> None:
    game = store.do(None, New("monsters-of-war", ["Ann", "Bo"])).game.id
    first = next(iter(store.game(game).position().legal("chance")), None)
    if first is not None:
        store.do(game, Record([first]))
    page = record_page(opened, game)
    fields = page.locator("[data-ahead]:visible")
    fields.nth(0).fill("monster 1")
    fields.nth(0).fill("monster 12")
    fields.nth(0).press("Enter")
    expect(page.locator("label.mark:visible:has(input:checked)")).to_have_count(1)
    fields.nth(1).fill("war")
    seq = head(page)
    fields.nth(1).press("Enter")
    page.get_by_role("button", name="Record", exact=True).first.click()
    at_head(page, seq + 1)
    assert store.log.events(game)[-1].kind == "battle_flipped"


def test_lost_network_is_told_and_nothing_is_recorded_twice(
    opened: Opened, complaints: list[str], store: Store, star: str
) -> None:
    page = record_page(opened, star, phone=True)
    page.route("**/events", lambda route: (route.fetch(), route.abort()))
    page.locator('button[value*=\'"to":"A5"\']').first.tap()
    expect(page.get_by_text("It could not be sent")).to_be_visible()
    page.unroute("**/events")
    page.locator('button[value*=\'"to":"A5"\']').first.tap()
    at_head(page, 2)
    complaints.clear()  # the console names the failed request
    assert kinds(store, star) == ["creature_moved"]


# --- without scripts, and for everybody ---


def test_recording_without_scripts(opened: Opened, complaints: list[str], store: Store) -> None:
    page = opened("/games/new", phone=True, java_script_enabled=False)
    page.locator(".rules-list a[href*='legend-of-monopoly']").tap()
    page.get_by_text("How the rules are read").tap()
    page.locator("[id='option.mother_confessor']").fill('"p1"')
    page.get_by_role("button", name="Start the game").tap()
    page.wait_for_url("**/record")
    expect(page.locator(".top")).to_be_in_viewport(ratio=1)
    game = page.url.split("/games/")[1].split("/")[0]
    for number in (0, 1):
        page.locator(f"label:has(> input[name='one:dice.{number}'])").nth(2 + number).tap()
    page.get_by_role("button", name="Record", exact=True).first.tap()
    expect(page.locator(".echoed li")).to_have_count(2)
    assert '"dice":[3,4]' in store.log.events(game)[1].payload
    page.get_by_role("button", name="Undo", exact=True).tap()
    expect(page.locator(".echoed li")).to_have_count(1)
    undo = page.get_by_role("button", name="Undo", exact=True)
    expect(undo).to_be_disabled()  # it looks so, and says why to who presses it all the same
    undo.tap(force=True)
    expect(page.get_by_role("alert")).to_contain_text("first step")
    complaints.clear()  # the console names the status 422
    assert kinds(store, game) == ["dice_rolled", "record.undone"]


def in_the_middle(store: Store, ruleset: str) -> str:
    """Record the beginning of a random game."""
    rules: Any = store.registry.find(ruleset)
    game = store.do(None, New(ruleset, ["Ann", "Bo"])).game.id
    rng = random.Random(4)  # noqa: S311 - seeded on purpose
    for _ in range(24):
        store.do(game, Record([playout.next_event(rules, store.game(game).position().state, rng)]))
    return game


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.ruleset)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_all_is_large_enough(
    opened: Opened, store: Store, plan: Plan, scheme: str
) -> None:
    page = record_page(opened, in_the_middle(store, plan.ruleset), phone=True, color_scheme=scheme)
    # At the end of the page nothing lies half under Undo, which would make it small.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    judge(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for name in ("Undo", "Redo"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
    small = page.evaluate(
        """() => [...document.querySelectorAll('.tap, .mark, .send, .undo, .redo')]
          .map(one => [one, one.getBoundingClientRect()])
          .filter(([, box]) => box.width && (box.height < 48 || box.width < 40))
          .map(([one, box]) => `${one.className} ${box.width}×${box.height}`)"""
    )
    assert small == []


@pytest.mark.parametrize("scripts", [True, False])
def test_new_game_that_is_refused_says_why_at_the_top_and_leads_to_the_field(
    opened: Opened, complaints: list[str], *, scripts: bool
) -> None:
    page = opened("/games/new?ruleset=legend-of-monopoly", phone=True, java_script_enabled=scripts)
    page.get_by_text("How the rules are read").tap()
    page.locator("[id='option.tokens']").fill("sword")
    page.get_by_role("button", name="Start the game").tap()
    alert = page.get_by_role("alert")
    expect(alert).to_be_in_viewport(ratio=1)
    if scripts:
        expect(alert).to_be_focused()
        judge(page)
    alert.get_by_role("link", name="To the field").tap()
    expect(page.locator("[id='option.tokens']")).to_be_in_viewport(ratio=1)
    expect(page.locator("[id='option.tokens']")).to_have_value("sword")
    complaints.clear()  # the console names the status 422


@pytest.mark.parametrize("phone", [False, True])
def test_no_form_is_wider_than_the_page(opened: Opened, store: Store, *, phone: bool) -> None:
    page = record_page(opened, in_the_middle(store, "legend-of-monopoly"), phone=phone)
    page.evaluate("document.querySelectorAll('.besides, .more-forms').forEach(one => one.open = true)")
    expect(page.locator(".number-field").first).to_be_visible()
    wide = page.evaluate(
        """() => [document.documentElement, ...document.querySelectorAll('.sheet, .sheet .column')]
          .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.className || one.tagName)"""
    )
    assert wide == []


@pytest.mark.parametrize("height", [664, 844])
@pytest.mark.parametrize("ruleset", [plan.ruleset for plan in PLANS])
def test_the_first_choices_are_in_sight_on_a_phone(
    opened: Opened, store: Store, ruleset: str, height: int
) -> None:
    game = in_sight(store, ruleset, 30)
    page = record_page(opened, game, phone=True, viewport={"width": 390, "height": height})
    assert len(page.locator(".echoed li").all()) > 1
    bar, tops = choices(page)
    assert len(tops) > 1
    assert max(tops[:2]) + 16 <= bar
    entry = page.locator(".echoed .newest").bounding_box()
    assert entry is not None
    assert entry["height"] <= 50


def test_both_dice_and_their_button_are_in_sight_on_a_phone(opened: Opened, store: Store) -> None:
    page = record_page(opened, in_sight(store, "legend-of-monopoly", 2), phone=True)
    bar, tops = choices(page)
    assert len(page.locator(".dice").all()) == 2
    assert len(tops) == 13
    assert max(tops) + 44 <= bar


def in_sight(store: Store, ruleset: str, entries: int) -> str:
    game = f"sight-{ruleset}-{entries}"
    if not any(entry.game == game for entry in store.catalogue.list(limit=200)):
        play_at_random(store, game, ruleset, ["Ann", "Bo"], most=entries)
    return game


def choices(page: Page) -> tuple[float, list[float]]:
    """Measure where the bar of Undo begins, and where each choice does that must be made."""
    folded = "" if page.locator(".dice").count() else ", .besides > summary"
    found: tuple[float, list[float]] = page.evaluate(
        """wanted => [document.querySelector('.undo-bar').getBoundingClientRect().top,
          [...document.querySelectorAll(wanted)].filter(one => one.checkVisibility())
            .map(one => one.getBoundingClientRect().top)]""",
        f".due-of :is(button, summary, .mark){folded}",
    )
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_form_of_a_new_game(opened: Opened, scheme: str) -> None:
    page = opened("/games/new?ruleset=legend-of-monopoly&players=3", phone=True, color_scheme=scheme)
    page.locator("summary", has_text="How the rules are read").tap()
    judge(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def judge(page: Page) -> None:
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found: dict[str, Any] = Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}}).response
    bad = [(item["id"], [node["target"] for node in item["nodes"]][:3]) for item in found["violations"]]
    assert bad == [], json.dumps(bad)
