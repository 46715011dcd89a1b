"""Simulated games: the same whatever the number of processes, counted, capped, and kept only when asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cli.shell import progress
from tests.cli.conftest import Run
from tests.cli.terminal import session

WAR = ("simulate", "monsters-of-war", "--seed", "7")


def test_the_number_of_processes_changes_nothing(run: Run) -> None:
    alone = run(*WAR, "-n", 12, "--processes", 1, "--json")
    several = run(*WAR, "-n", 12, "--processes", 3, "--json")
    assert alone.stdout == several.stdout
    answer = json.loads(alone.stdout)
    assert list(answer) == ["games", "events", "endings", "wins", "length"]
    assert list(answer["length"]) == ["median", "max"]
    assert answer["games"] == sum(answer["endings"].values()) == 12
    draws = answer["endings"].get("draw", 0)
    assert sum(answer["wins"].values()) + draws == 12
    assert json.loads(run("simulate", "monsters-of-war", "--seed", 8, "-n", 12, "--json").stdout) != answer


def test_an_ending_has_one_name_here_and_in_the_statistics(run: Run) -> None:
    said = run(*WAR, "-n", 12, "--save").stdout
    rows = {" ".join(line.split()[:-2]) for line in said.splitlines()[1:-1]}
    counted = json.loads(run("stats", "--origin", "simulated", "--json").stdout)["rulesets"][0]
    assert rows == {
        *(ending["words"] for ending in counted["endings"]),
        *("first (p1) wins", "second (p2) wins"),
    }


def test_more_games_begin_with_the_same_games(run: Run) -> None:
    def kept(database: str, number: int) -> set[str]:
        run("--db", database, *WAR, "-n", number, "--save")
        listed = json.loads(run("--db", database, "list", "--origin", "simulated", "--json").stdout)
        rows = [json.loads(run("--db", database, "cat", game["game"], "--json").stdout) for game in listed]
        return {json.dumps([row["event"] for row in game]) for game in rows}

    two, four = kept("two.db", 2), kept("four.db", 4)
    assert (len(two), len(four)) == (2, 4)
    assert two < four


def test_saved_games_are_kept_out_of_the_list_unless_asked_for(run: Run) -> None:
    run(*WAR, "-n", 3, "--save", "--by", "nightly")
    assert json.loads(run("list", "--json").stdout) == []
    kept = json.loads(run("list", "--origin", "simulated", "--json").stdout)
    assert len(kept) == 3
    assert '"by":"nightly"' in run("cat", kept[0]["game"], "--raw").stdout
    assert run("verify").exit_code == 0


def test_without_save_nothing_is_written(run: Run, place: Path) -> None:
    assert run(*WAR, "-n", 2).exit_code == 0
    assert list(place.iterdir()) == []


def test_caps_end_a_game(run: Run) -> None:
    wish = ("simulate", "monsters-forever", "-n", 2, "--players", 3, "--json")
    assert json.loads(run(*wish, "--max-rounds", 1).stdout)["endings"] == {"max-rounds": 2}
    capped = json.loads(run(*wish, "--max-events", 5).stdout)
    assert capped["endings"] == {"unfinished": 2}
    assert capped["length"] == {"median": 5, "max": 5}


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (("monster", "-n", "2"), "unknown-ruleset"),
        (("monsters-forever", "--players", "4"), "wrong-number-of-players"),
        (("monsters-of-war", "--max-rounds", "4"), "unknown-option"),
        (("monsters-of-war", "--option", "days=often"), "bad-option"),
    ],
)
def test_a_wrong_wish_is_refused_before_anything_starts(run: Run, wish: tuple[str, ...], code: str) -> None:
    done = run("simulate", *wish, "-n", 100, "--json")
    assert done.exit_code == 1
    assert json.loads(done.stderr)["error"]["code"] == code


def test_an_interrupt_ends_it_quietly(place: Path) -> None:
    with session("simulate", "monsters-forever", "-n", "5000", "--processes", "2", cwd=place) as terminal:
        terminal.until("playing")
        terminal.keys("\x03")
        assert terminal.ended() == 130
    assert "Traceback" not in terminal.raw
    assert "Interrupted." in terminal.raw


def test_a_bar_is_drawn_on_a_terminal_and_only_for_long_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(progress.tracked(range(3), 3, "playing")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert list(progress.tracked(range(3), 3, "playing")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    assert list(progress.tracked(range(3), 3, "playing")) == [0, 1, 2]
    assert "playing" in capsys.readouterr().err


def children(process: subprocess.Popen[str]) -> list[int]:
    """One of them only keeps count of what they share; the next ones play."""
    return [
        int(text) for text in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    ]


@contextmanager
def playing(place: Path) -> Iterator[subprocess.Popen[str]]:
    """Play far more games than anybody waits for, in processes that are there."""
    begun = subprocess.Popen(
        [sys.executable, "-c", "from cli import main; main(prog_name='tabletape')",
         "simulate", "monsters-of-war", "-n", "1000000", "--processes", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place, start_new_session=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )  # fmt: skip
    with begun:
        while begun.poll() is None and len(children(begun)) < 2:
            pass
        try:
            yield begun
        finally:
            with suppress(ProcessLookupError):
                os.killpg(begun.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("how", "everybody", "code", "said"),
    [
        (signal.SIGINT, True, 130, "Interrupted.\n"),
        (signal.SIGTERM, False, 143, ""),
        (signal.SIGKILL, False, -9, None),
    ],
)
def test_the_processes_of_a_game_that_is_ended_end_with_it(
    place: Path, how: signal.Signals, *, everybody: bool, code: int, said: str | None
) -> None:
    with playing(place) as begun:
        (os.killpg if everybody else os.kill)(begun.pid, how)
        # They hold the other ends of these pipes: nothing ends before the last of them has.
        stdout, stderr = begun.communicate(timeout=60)
    assert (begun.returncode, stdout) == (code, "")
    assert said is None or stderr == said


def test_a_process_that_is_ended_from_outside_ends_the_command(place: Path) -> None:
    with playing(place) as begun:
        _, player, *_ = children(begun)
        os.kill(player, signal.SIGTERM)
        stdout, stderr = begun.communicate(timeout=60)
    assert (begun.returncode, stdout) == (1, "")
    assert stderr == "Error: One of the processes that play was ended from outside; nothing was counted.\n"
