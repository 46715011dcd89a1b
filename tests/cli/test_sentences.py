"""What refusals say to people, and what they say to programs."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.terminal import session

START = '{"kind": "start_rolled", "player": "p1", "dice": [3, 4]}'


def estate(run: Run) -> str:
    done = run("new", "legend-of-monopoly", "--player", "Ann", "--player", "Bo", "--command-id", "estate")
    assert done.exit_code == 0, done.stderr
    assert run("record", "estate", START).exit_code == 0
    return "estate"


def test_a_refusal_has_names_for_people_and_seats_for_programs(run: Run) -> None:
    game = estate(run)
    said = run("record", game, START).stderr
    assert said.splitlines()[0] == "Error: For the start these are still to throw: Bo (R3)."
    assert run("record", game, stdin=START).stderr.startswith("Error: Line 1: For the start")
    error = json.loads(run("record", game, START, "--json").stderr)["error"]
    assert error["message"] == "For the start these are still to throw: p2."


def test_what_is_not_due_is_said_in_words(run: Run) -> None:
    game = estate(run)
    wrong = '{"kind": "turn_ended", "player": "p1"}'
    said = run("record", game, wrong).stderr.splitlines()[0]
    assert said.startswith("Error: turn ended is not due now: ")
    assert "_" not in said
    assert said.endswith(").")
    assert ". (" not in said


def test_a_long_refusal_breaks_at_words_in_a_terminal(run: Run, duel: str, place: Path) -> None:
    whole = run("record", duel, "what").stderr
    assert whole.count("\n") == 1
    with session("record", duel, cwd=place) as terminal:
        terminal.until("Ann> ")
        terminal.keys("what\n")
        said = terminal.until("Ann> ")
    told = said[said.index("Refused:") :].splitlines()[:-1]
    assert len(told) > 1
    assert max(map(len, told)) < 100, told
    assert " ".join("".join(f"{line} " for line in told).split()).startswith(
        " ".join(whole.replace("Error:", "Refused:").split())
    )
