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
from click.testing import CliRunner
from playwright.sync_api import Locator, Page, expect

from cli import main
from eventstore.tabletape import Tabletape
from games import playout, wire
from replay_web.naming import Naming
from tests.browser.conftest import Opened
from tests.replay_web import sheets
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


def ways(store: Tabletape, game: str, page: Page, rng: random.Random) -> Way:
    """Draw what happens next, as the sheet has it."""
    moment = store.replayer.at(game)
    rules: Any = moment.ruleset
    drawn = playout.next_event(rules if rules.bot else replace(rules, deal=None), moment.state, rng)
    naming = Naming(moment, store.replayer.tape(game).names)
    found = way(sheets.Page(page.content()), wire.event_to(drawn), naming)
    assert found is not None, f"{drawn} is nowhere on the sheet"
    return found


def play(
    page: Page, store: Tabletape, plan: Plan, game: str
) -> tuple[list[dict[str, Any]], list[float], int]:
    """Tap a whole game, three times something wrong first; give what was meant, seconds and taps."""
    rng = random.Random(plan.seed)  # noqa: S311 - seeded on purpose
    wrong = random.Random(plan.seed)  # noqa: S311 - seeded on purpose
    meant: list[dict[str, Any]] = []
    seconds: list[float] = []
    taps = mistakes = 0
    while store.replayer.at(game).outcome() is None:
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
    with Tabletape.open(games) as store:
        return [row.payload for row in store.log.events(game)]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.ruleset)
def test_whole_game_by_touch_is_the_one_recorded_from_a_file(
    opened: Opened, store: Tabletape, plan: Plan, games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = opened("/games/new", phone=True)
    game = start_by_touch(page, plan)
    meant, seconds, taps = play(page, store, plan, game)
    tape = store.replayer.tape(game)
    rows = store.log.events(game)
    assert [rows[seq - 1].payload for seq in tape.runs] == from_file(games, plan, meant)
    assert len(rows) == len(meant) + 1 + 2 * len(MISTAKES)
    expect(page.locator(".over")).to_be_visible()
    seconds.sort()
    with capsys.disabled():
        print(  # noqa: T201 - measured, not asserted
            f"\n{plan.ruleset}: {len(meant)} entries, {taps / len(meant):.2f} taps and "
            f"{seconds[len(seconds) // 2]:.2f} s each, page {len(page.content()) // 1000} KB"
        )
