"""Serving: the address is told at once, the pages answer, and it ends when asked to."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.cli.conftest import Run

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60


@contextmanager
def started(*args: str, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """Start `tabletape` with its output in pipes, as a supervisor would."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from cli import main; main(prog_name='tabletape')", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def address(process: subprocess.Popen[str]) -> str:
    """Read the address, which must come although nobody reads a terminal."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("Tabletape is at http://127.0.0.1:"), line
    return line.split()[3]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl+C", "terminated"])
def test_demo_serves_the_samples_until_it_is_ended(place: Path, how: signal.Signals) -> None:
    with started("demo", "--port", "0", cwd=place) as process:
        with urlopen(address(process), timeout=PATIENCE) as answer:  # noqa: S310 - our own address
            assert "Friday duel" in answer.read().decode()
        process.send_signal(how)
        _, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "Traceback" not in complaint


def test_demo_takes_another_port_and_serve_says_that_it_cannot(place: Path, run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with started("demo", "--port", str(port), cwd=place) as process:
            assert f":{port}/" not in address(process)
        refused = run("serve", "--port", port, "--json")
    assert refused.exit_code == 1
    error = json.loads(refused.stderr)["error"]
    assert error["code"] == "cannot-listen"
    assert str(port) in error["message"]
    assert not (place / "tabletape.db").exists()


def test_serve_shows_the_database_of_the_person(place: Path, duel: str) -> None:
    with started("serve", "--port", "0", cwd=place) as process:
        url = address(process)
        with urlopen(f"{url}games/{duel}", timeout=PATIENCE) as answer:  # noqa: S310 - our own address
            assert "Ann" in answer.read().decode()


def test_demo_has_a_database_of_its_own_and_a_second_run_adds_nothing(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLETAPE_DB", "mine.db")

    def state(database: str, games: list[str]) -> list[str]:
        shown = [run("--db", database, "show", game, "--json").stdout for game in games]
        return [run("--db", database, "list", "--json").stdout, *shown]

    first = json.loads(run("demo", "--load-only", "--json").stdout)
    assert len(first["games"]) >= 5
    before = state(first["db"], first["games"])
    assert json.loads(run("demo", "--load-only", "--json").stdout) == first
    assert state(first["db"], first["games"]) == before
    assert not (place / "mine.db").exists()
    assert not (place / "tabletape.db").exists()
