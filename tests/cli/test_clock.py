"""A machine whose clock is past all years records nothing, and says why."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eventstore.log import contract
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
    return lambda: monkeypatch.setattr(contract, "time_ns", lambda: YEAR_10000 * 1_000_000_000)


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


# --- a clock that Python cannot read -----------------------------------------------------------------------

UNREADABLE = """
import time
def unreadable():
    raise OverflowError("timestamp too large to convert to C _PyTime_t")
time.time = time.time_ns = time.monotonic = time.monotonic_ns = time.perf_counter = unreadable
from cli import main
main()
"""
"""Every clock of this process fails, before anything reads it."""
SAYS_UNREADABLE = SAYS.replace("a year after 9999", "a year before 1678 or after 2261")
READING = (
    "list", "show duel", "cat duel", "verify", "search zombies", "stats", "check duel", "key list",
    "export duel", "export duel -o out.tape.jsonl", "backup out.db", "restore out.db", "rulesets",
)  # fmt: skip


def unreadable(*words: str) -> tuple[int, str]:
    command = [sys.executable, "-c", UNREADABLE, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stderr.strip()


def test_what_reads_needs_no_clock(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5")
    assert {line: unreadable(*line.split())[0] for line in READING} == dict.fromkeys(READING, 0)


@pytest.mark.parametrize("wish", [*WISHES[:4], ("serve", "--port", "0"), ("repair", "new.db")], ids=" ".join)
def test_what_writes_or_serves_says_that_it_cannot_be_read(
    run: Run, duel: str, wish: tuple[str, ...]
) -> None:
    run("record", duel, "A6-A5")
    assert unreadable(*wish) == (1, f"Error: {SAYS_UNREADABLE}")
    assert run("list").stdout.count("\n") == 1


def test_doctor_reports_it(run: Run, duel: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNREADABLE, "doctor", "--json"], capture_output=True, text=True, check=False
    )
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1
    assert checks.pop("clock") == {"name": "clock", "ok": False, "message": SAYS_UNREADABLE}
    assert all(check["ok"] for check in checks.values())
    well = {check["name"]: check["ok"] for check in json.loads(run("doctor", "--json").stdout)["checks"]}
    assert well["clock"]
