"""Serving: the address is told at once, the pages answer, and it ends when asked to."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
import segno

from cli.commands.serve import code, invitation
from replay_web.http.access import WHO_SEES_WHAT
from tests.cli.conftest import Run
from tests.full_disk import full

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


def test_two_hundred_idle_connections_shut_nobody_out(place: Path) -> None:
    with started("demo", "--port", "0", cwd=place) as process, ExitStack() as idle:
        home = urlsplit(address(process))
        for _ in range(200):
            idle.enter_context(socket.create_connection((home.hostname, home.port), timeout=PATIENCE))
        with urlopen(home.geturl() + "healthz", timeout=PATIENCE) as answer:  # noqa: S310 - our own address
            assert answer.status == 200


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


def test_a_page_that_is_told_of_changes_holds_up_nobody(place: Path, duel: str, run: Run) -> None:
    with started("serve", "--port", "0", "--threads", "4", cwd=place) as process:
        url = address(process)
        stream = f"{url}games/{duel}/news/stream?since=1"
        with urlopen(stream, timeout=PATIENCE) as told:  # noqa: S310 - our own address
            assert told.readline().startswith(b"retry: ")
            with pytest.raises(HTTPError) as full:
                urlopen(stream, timeout=PATIENCE)  # noqa: S310 - our own address
            full.value.close()
            assert full.value.code == 503
            assert run("note", duel, "--text", "no event").exit_code == 0
            assert run("record", duel, "A6-A5").exit_code == 0
            assert b"data: 2\n" in iter(told.readline, b"")
            process.send_signal(signal.SIGINT)
            _, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "still running" not in complaint


def test_serve_answers_to_the_names_of_this_machine_alone(place: Path, duel: str) -> None:
    with started("serve", "--port", "0", cwd=place) as process:
        url = address(process)
        port = url.split(":")[2].strip("/")
        for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
            asked = Request(f"{url}games", headers={"Host": host})  # noqa: S310 - our own address
            with urlopen(asked, timeout=PATIENCE) as answer:  # noqa: S310 - our own address
                assert answer.status == 200
        for host in ("elsewhere.example", "192.168.1.7", f"localhost.elsewhere.example:{port}"):
            asked = Request(f"{url}games", headers={"Host": host})  # noqa: S310 - our own address
            with pytest.raises(HTTPError) as refused, urlopen(asked, timeout=PATIENCE):  # noqa: S310
                pass
            refused.value.close()
            assert refused.value.code == 400


def told(process: subprocess.Popen[str]) -> str:
    """Read all that is said before the pages are served."""
    assert process.stdout is not None
    said = ""
    while WHO_SEES_WHAT[-1][-20:] not in said:
        line = process.stdout.readline()
        assert line, said
        said += line
    return said


def test_serve_in_a_network_makes_the_table_key_once_and_says_who_sees_what(place: Path, duel: str) -> None:
    with started("serve", "--lan", "--port", "0", cwd=place) as process:
        said = told(process)
        key = said.split("Table key: ")[1].split()[0]
        port = said.split()[3].split(":")[2].strip("/")
        here = f"http://127.0.0.1:{port}"
        with urlopen(f"{here}/games/{duel}", timeout=PATIENCE) as answer:  # noqa: S310 - our own address
            assert "Sign in" in answer.read().decode()
        form = f"key={key}".encode()
        asked = Request(f"{here}/sign-in", data=form, headers={"Origin": here})  # noqa: S310 - our own address
        with urlopen(asked, timeout=PATIENCE) as answer:  # noqa: S310 - our own address
            assert answer.url == f"{here}/games"
        writing = Request(f"{here}/games/{duel}/notes", data=b"", headers={"Origin": here})  # noqa: S310
        with pytest.raises(HTTPError) as refused, urlopen(writing, timeout=PATIENCE):  # noqa: S310
            pass
        refused.value.close()
        assert refused.value.headers["X-Error-Code"] == "key-needed"
        process.send_signal(signal.SIGINT)
        more, complaint = process.communicate(timeout=PATIENCE)
    assert key not in more + complaint, "nothing is logged"
    flat = " ".join(said.split())
    assert all(sentence in flat for sentence in WHO_SEES_WHAT)
    with started("serve", "--lan", "--port", "0", "--json", cwd=place) as process:
        assert process.stdout is not None
        again = json.loads(process.stdout.readline())
    assert again["key"] is None
    assert again["url"].startswith("http://")


def test_demo_in_a_network_asks_for_the_table_key_as_serve_does(place: Path) -> None:
    with started("demo", "--lan", "--port", "0", cwd=place) as process:
        said = told(process)
        here = f"http://127.0.0.1:{said.split('Tabletape is at ')[1].split()[0].split(':')[2].strip('/')}"
        writing = Request(f"{here}/games", data=b"", headers={"Origin": here})  # noqa: S310 - our own address
        with pytest.raises(HTTPError) as refused, urlopen(writing, timeout=PATIENCE):  # noqa: S310
            pass
        refused.value.close()
        assert refused.value.headers["X-Error-Code"] == "key-needed"
        form = f"key={said.split('Table key: ')[1].split()[0]}".encode()
        asked = Request(f"{here}/sign-in", data=form, headers={"Origin": here})  # noqa: S310 - our own address
        with urlopen(asked, timeout=PATIENCE) as answer:  # noqa: S310 - our own address
            assert answer.url == f"{here}/games"


def test_an_open_address_is_guarded_without_being_asked_for(place: Path, duel: str) -> None:
    with started("serve", "--host", "0.0.0.0", "--port", "0", "--json", cwd=place) as process:  # noqa: S104
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["key"]


def test_the_code_holds_the_key_behind_the_hash_and_is_drawn_to_the_letter() -> None:
    url = "http://192.168.1.7:8765/"
    lines = list(invitation(url, "abcde-fghjk", read_only=False))
    wanted = f"{url}sign-in#key=abcde-fghjk"
    assert lines[: len(list(code(wanted)))] == list(code(wanted))
    assert modules(list(code(wanted))) == [
        [bool(module) for module in row] for row in segno.make(wanted, error="l", micro=False).matrix
    ]
    assert max(len(line) for line in lines) <= 80
    without = "\n".join(invitation(url, None, read_only=False))
    assert "tabletape key add NAME" in without
    assert "Table key:" not in without
    assert "nobody can write" in "\n".join(invitation(url, None, read_only=True))


def test_on_a_full_disk_the_pages_are_served_and_the_missing_key_is_explained(place: Path, duel: str) -> None:
    with full(place / "tabletape.db"), started("serve", "--lan", "--port", "0", cwd=place) as process:
        said = " ".join(told(process).split())
        here = f"http://127.0.0.1:{said.split('Tabletape is at ')[1].split()[0].split(':')[2].strip('/')}"
        with urlopen(f"{here}/games", timeout=PATIENCE) as page:  # noqa: S310 - our own address
            assert duel in page.read().decode()
    assert "no key was made. Free some room and try again. `tabletape key add` makes one" in said
    assert "Table key:" not in said


def modules(lines: list[str]) -> list[list[bool]]:
    """Read a code back from half blocks; light is drawn, dark is left."""
    halves = {"█": (False, False), "▀": (False, True), "▄": (True, False), " ": (True, True)}
    rows = [[halves[character][half] for character in line] for line in lines for half in (0, 1)]
    return [row[2:-2] for row in rows[2 : len(rows[0]) - 2]]


def test_demo_has_a_database_of_its_own_and_a_second_run_adds_nothing(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLETAPE_DB", "mine.db")

    def state(database: str, games: list[str]) -> list[str]:
        shown = [run("--db", database, "show", game, "--json").stdout for game in games]
        return [run("--db", database, "list", "--json").stdout, *shown]

    first = json.loads(run("demo", "--load-only", "--json").stdout)
    assert len(first["games"]) >= 10
    before = state(first["db"], first["games"])
    assert json.loads(run("demo", "--load-only", "--json").stdout) == first
    assert state(first["db"], first["games"]) == before
    assert not (place / "mine.db").exists()
    assert not (place / "tabletape.db").exists()


def test_demo_leaves_a_sample_of_an_older_release_as_it_is(run: Run) -> None:
    wish = ("--db", "tabletape-demo.db")
    run(*wish, "new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--id", "friday-duel")
    done = run("demo", "--load-only", "--json")
    assert (done.exit_code, "friday-duel" in json.loads(done.stdout)["games"]) == (0, True)
    assert done.stderr == (
        "friday-duel is another game here than the sample of this release, and is left as it is.\n"
    )
    assert json.loads(run(*wish, "show", "friday-duel", "--json").stdout)["steps"] == 0
    assert json.loads(run(*wish, "show", "six-attic", "--json").stdout)["steps"] > 0
