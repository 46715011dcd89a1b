"""The command line in a folder of its own, 80 columns wide, without colours, at a fixed time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from freezegun import freeze_time

from cli import main

Run = Callable[..., Result]
NOON = "2026-09-14T12:00:00Z"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("TABLETAPE_DB", "TABLETAPE_DEBUG", "FORCE_COLOR", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TZ", "UTC")
    return tmp_path


@pytest.fixture
def noon() -> Iterator[None]:
    """Stop the clock."""
    with freeze_time(NOON):
        yield


@pytest.fixture
def run(noon: None) -> Run:
    """Run a command; its `Result` has `stdout`, `stderr` and `exit_code`."""
    runner = CliRunner()

    def invoke(*args: Any, stdin: str | bytes | None = None) -> Result:
        return runner.invoke(main, [str(arg) for arg in args], input=stdin, catch_exceptions=False)

    return invoke


@pytest.fixture
def duel(run: Run) -> str:
    """A game of Monsters Forever for Ann and Bo that has just begun."""
    done = run("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--command-id", "duel")
    assert done.exit_code == 0, done.stderr
    return "duel"
