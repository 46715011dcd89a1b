"""What refusals say to people, and what they say to programs."""

from __future__ import annotations

import json
from pathlib import Path

from cli.shell.prompt import MoveEntry, listing
from cli.shell.views import due_lines
from games.core.events import RecordClosed
from games.core.ruleset import Pending
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
    typed = "what is this, " * 4 + "that nobody understands"
    whole = run("record", duel, typed).stderr
    assert whole.count("\n") == 1
    with session("record", duel, cwd=place) as terminal:
        terminal.until("Ann> ")
        terminal.keys(f"{typed}\n")
        said = terminal.until("Ann> ")
    told = said[said.index("Refused:") :].splitlines()[:-1]
    assert len(told) > 1
    assert max(map(len, told)) < 100, told
    assert " ".join("".join(f"{line} " for line in told).split()).startswith(
        " ".join(whole.replace("Error:", "Refused:").split())
    )


def test_a_game_started_before_is_there_already(run: Run) -> None:
    wish = ("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--id", "friday")
    first = run(*wish)
    assert (first.stdout, first.stderr) == ("friday\n", "Started. Next: tabletape record friday\n")
    run("record", "friday", "A6-A5")
    again = run(*wish)
    assert again.stdout == first.stdout
    assert again.stderr == "Already there: friday, 1 step. Next: tabletape record friday\n"
    assert json.loads(run(*wish, "--json").stdout) == {"game": "friday", "seq": 1}
    named = run(*wish[:-1], "saturday", "--command-id", "k7", "--json")
    assert json.loads(named.stdout)["game"] == "saturday"
    assert "4 to 64 of" in run(*wish[:-1], "Fri day").stderr


def test_a_number_behind_a_game_is_told_where_it_belongs(run: Run, duel: str) -> None:
    assert "Did you mean duel@2?" in run("show", duel, 2).stderr
    assert "Did you mean duel -n 3?" in run("undo", duel, 3).stderr
    assert "Did you mean" not in run("show", duel, "p1").stderr
    assert "Did you mean" not in run("verify", duel, "3", "4").stderr


def test_a_mistyped_game_is_guessed(run: Run, duel: str) -> None:
    assert run("show", "duul").stderr == "Error: There is no game duul; did you mean duel?\n"
    said = run("show", "elsewhere").stderr
    assert said == "Error: There is no game elsewhere. `tabletape list` lists those here.\n"


def test_the_piece_of_another_says_whose_turn_it_is(run: Run, duel: str) -> None:
    said = run("record", duel, "B6-A1").stderr
    assert said.startswith(
        "Error: It is the turn of Zombies (A), Ann; on B6 stands a creature of Vampires (B)"
    )


def test_a_question_can_be_left_and_lists_what_fits(run: Run, place: Path) -> None:
    run("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--id", "cards")
    run("record", "cards", "deal")
    with session("record", "cards", cwd=place) as terminal:
        terminal.until("> ")
        terminal.keys("?\n")
        assert "as now" not in terminal.until("> ")
        for word in ("q", "quit"):
            terminal.keys("1\n")
            assert "Enter leaves" in terminal.until("leaves: ")
            terminal.keys(f"{word}\n")
            terminal.until("Left as it was")
            terminal.until("> ")
        terminal.keys("1\n")
        terminal.until("leaves: ")
        terminal.keys("??\n")
        listed = terminal.until("leaves: ")
        assert "m12a  Monster 12" in listed
        terminal.keys("\n")
        terminal.until("Left as it was")
        terminal.until("> ")
        terminal.keys("\x04")
        assert terminal.ended() == 0


def test_help_writes_moves_of_this_game(run: Run, duel: str, place: Path) -> None:
    with session("record", duel, cwd=place) as terminal:
        terminal.until("Ann> ")
        terminal.keys("?\n")
        shown = terminal.until("Ann> ")
    assert "as now A2-A5" in shown
    assert "Short forms: A6-A5 (move) · A8xB8 (attack)" in shown


def test_one_kind_has_no_heading_and_a_name_stands_once() -> None:
    due = (Pending("p1", ("card_drawn",), why="{p1} draws"),)
    event = RecordClosed("agreed")
    one = [MoveEntry("p1", "card_drawn", must=True, text="draw", what=event)]
    assert list(listing(due, one, {"p1": "Ann"}, 80)) == ["Ann draws", "     1 draw"]
    two = [*one, MoveEntry("p1", "card_passed", must=True, text="pass", what=event)]
    assert "card passed" in "\n".join(listing(due, two, {"p1": "Ann"}, 80))
    assert due_lines((Pending("chance", ("card_drawn",), must=False, why="{p1} draws"),), {"p1": "Ann"}) == [
        "Possible: Ann draws"
    ]
