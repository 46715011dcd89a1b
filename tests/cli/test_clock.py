"""A machine whose clock is past all years records nothing, and says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eventstore import log
from tests.cli.conftest import Run

SAYS = "The clock of this machine shows a year after 9999: set it right. Nothing was recorded."
YEAR_10000 = 253_402_300_800
WISHES = [
    ("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--time-zone", "Europe/Helsinki"),
    ("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--played-on", "2026-09-14"),
    ("record", "duel", "A8xB8"),
    ("undo", "duel"),
    ("note", "duel", "--text", "x"),
    ("branch", "duel@0"),
    ("import", "duel.tape.jsonl"),
    ("key", "add"),
    ("demo", "--load-only"),
    ("simulate", "monsters-forever", "-n", "1", "--save"),
]


@pytest.fixture
def past_all_years(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return lambda: monkeypatch.setattr(log, "time_ns", lambda: YEAR_10000 * 1_000_000_000)


@pytest.mark.parametrize("wish", WISHES, ids=" ".join)
def test_nothing_is_recorded_past_the_year_9999(
    run: Run, duel: str, place: Path, past_all_years: Callable[[], None], wish: tuple[str, ...]
) -> None:
    run("record", duel, "A6-A5")
    run("export", duel, "-o", "duel.tape.jsonl")
    was = run("export", duel).stdout, run("list").stdout
    past_all_years()
    done = run(*wish)
    told = run(*wish, "--json")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.endswith(f"Error: {SAYS}\n")
    assert json.loads(told.stderr.splitlines()[-1])["error"] == {"code": "bad-clock", "message": SAYS}
    assert (run("export", duel).stdout, run("list").stdout) == was
