"""`amend`, `check`, `cat --lines` and `redo --to`: what scripts rely on, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.terminal import session


@pytest.fixture
def played(run: Run, duel: str) -> str:
    """Events 2 to 9: four turns."""
    assert run("record", duel, "A6-A5; .; B6-B5; .; C6-C5; .; D6-D5; .").exit_code == 0
    return duel


def answer(result: Any) -> Any:
    return json.loads(result.stdout)


def test_faults_are_listed_with_exit_code_1_and_nothing_is_appended(run: Run, played: str) -> None:
    done = run("amend", played, 4, "--remove", "--json")
    said = answer(done)
    assert done.exit_code == 1
    assert list(said) == ["game", "seq", "step", "appended", "outcome", "faults", "unjudged", "moot"]
    assert (said["seq"], said["appended"]) == (9, 0)
    assert [fault["seq"] for fault in said["faults"]] == [5, 6, 7, 8, 9]
    assert said["faults"][0] == {
        "seq": 5,
        "step": 4,
        "code": "move-first",
        "message": said["faults"][0]["message"],
        "keepable": True,
    }
    assert answer(run("show", played, "--json"))["head"] == 9


def test_one_command_settles_all(run: Run, played: str) -> None:
    done = run("amend", played, 4, "--remove", "--settle", "5=B6-B7; .", "--json")
    assert (done.exit_code, answer(done)["step"], answer(done)["faults"]) == (0, 8, [])
    shown = answer(run("show", played, "--json"))
    assert shown["amended"] is True
    assert answer(run("undo", played, "--json"))["step"] == 8
    assert answer(run("show", played, "--json"))["amended"] is False


def test_edits_and_settlements_from_a_file(run: Run, played: str, place: Path) -> None:
    edits = {
        "edits": [
            {"seq": "@3", "replace": {"kind": "creature_moved", "team": "B", "from": "B6", "to": "B7"}},
            {"seq": 8, "remove": True},
            {"seq": 7, "insert": ["D6-D7", "."]},
        ],
        "settle": {"9": "remove"},
        "reason": "read from the photograph",
    }
    (place / "edits.json").write_text(json.dumps(edits), encoding="utf-8")
    dry = run("amend", played, "--edits", "edits.json", "--dry-run", "--json")
    assert (dry.exit_code, answer(dry)["appended"]) == (0, 0)
    done = answer(run("amend", played, "--edits", "edits.json", "--json"))
    assert (done["appended"], done["step"]) == (4, 8)
    assert '"reason":"read from the photograph"' in run("cat", played, "--raw").stdout


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "The edits are no JSON object"),
        ("{", "The edits are no JSON object"),
        ('{"edits": 3}', "The edits are {"),
        ('{"edits": [], "more": 1}', "The edits are {"),
        ('{"edits": []}', "There is nothing to record"),
        ('{"edits": [{"seq": 4}]}', "Edit 1 is none of"),
        ('{"edits": [{"seq": 4, "remove": true, "insert": []}]}', "Edit 1 is none of"),
        ('{"edits": [{"seq": 4, "replace": [3]}]}', "Edit 1 is none of"),
        ('{"edits": [{"seq": 4, "remove": true}], "settle": {"5": 3}}', "is settled by remove, cut, keep"),
        ('{"edits": [{"seq": 4, "remove": true}], "settle": {"5": []}}', "is settled by remove, cut, keep"),
        ('{"edits": [{"seq": 4, "replace": [{"kind": "x"}]}]}', "has no kind 'x'"),
        ('{"edits": [{"seq": "@99", "remove": true}]}', "has no step 99"),
    ],
)
def test_a_file_of_edits_that_does_not_fit_is_refused_in_one_sentence(
    run: Run, played: str, content: str, said: str
) -> None:
    done = run("amend", played, "--edits", "-", stdin=content)
    assert done.exit_code == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert answer(run("show", played, "--json"))["head"] == 9


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("4",),
        ("--remove",),
        ("4", "--remove", "--with", "B6-B7"),
        ("4", "--remove", "--settle", "5"),
        ("x", "--remove"),
        ("4", "--remove", "--settle", "x=cut"),
        ("--edits", "-", "--remove"),
        ("4", "--edits", "-"),
    ],
)
def test_what_is_no_amendment_is_a_usage_error(run: Run, played: str, args: tuple[str, ...]) -> None:
    assert run("amend", played, *args, stdin="{}").exit_code == 2


def test_an_illegal_move_is_named_and_what_is_legal_there(run: Run, played: str) -> None:
    done = run("amend", played, 4, "--with", "B6-B8", "--json")
    error = json.loads(done.stderr)["error"]
    assert (done.exit_code, error["message"].partition(":")[0]) == (1, "The new move")
    assert error["legal"]
    done = run("amend", played, 4, "--insert-after", "A1-A3")
    assert done.stderr.startswith("Error: The inserted move: "), done.stderr
    done = run("amend", played, 3, "--remove", "--settle", "4=B6-B8")
    assert done.stderr.startswith("Error: What is to stand at event 4: "), done.stderr


def test_another_option_at_the_first_event(run: Run) -> None:
    run("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--command-id", "war1")
    known = answer(run("rulesets", "--json"))
    option = next(name for item in known if item["ruleset"] == "monsters-of-war" for name in item["options"])
    assert option
    event = json.dumps({"kind": "record.started", "options": {"days": 2}})
    done = run("amend", "war1", 1, "--with", event, "--json")
    assert (done.exit_code, answer(done)["appended"]) == (0, 2)
    assert answer(run("show", "war1", "--json", "--setup"))["state"]["setup"]["options"]["days"] == 2


def test_a_repeated_command_gets_its_first_answer_and_a_stale_one_is_refused(run: Run, played: str) -> None:
    wish = ("amend", played, 9, "--remove", "--command-id", "fix-1", "--json")
    first = answer(run(*wish))
    assert answer(run(*wish)) == first
    assert run("amend", played, 8, "--remove", "--after", 9).exit_code == 3


def test_a_check_that_holds_and_one_that_does_not_are_both_recorded(run: Run, played: str) -> None:
    held = run("check", played, "cell.A5=A", "cell.A6=null", "--json")
    assert (held.exit_code, answer(held)["holds"], answer(held)["drifts"]) == (0, ["cell.A5", "cell.A6"], [])
    run("record", played, "E6-E5")
    done = run("check", played, "cell.A6=A", "pieces.A=6", "--json")
    assert done.exit_code == 0
    assert answer(done)["holds"] == ["pieces.A"]
    assert answer(done)["drifts"] == [
        {"at": "cell.A6", "claimed": "A", "recorded": None, "since": 9, "step": 11}
    ]
    said = run("check", played, "cell.A5=B").stdout
    assert "it held at the check of step 9: it went wrong between steps 10 and 11." in said
    said = run("check", played, "cell.E5=C").stdout
    assert "no check of it held before: it went wrong between steps 1 and 12." in said


def test_a_check_right_behind_one_that_held_leads_nowhere(run: Run, played: str) -> None:
    run("check", played, "cell.A5=A")
    said = run("check", played, "cell.A5=B").stdout
    assert "it held at the check of step 9, and nothing was recorded since: one of the two" in said
    assert "step 10" not in said.partition("Checked.")[0]


def test_a_number_with_noughts_in_front_is_that_number(run: Run, played: str) -> None:
    assert answer(run("check", played, "pieces.A=06", "--json"))["holds"] == ["pieces.A"]
    refused = run("check", played, f"pieces.A={'9' * 40}")
    assert (refused.exit_code, "is no number that can lie at pieces.A" in refused.stderr) == (2, True)


def test_a_table_check_is_said_in_words(run: Run) -> None:
    run("new", "legend-of-monopoly", "--player", "Rosa", "--player", "Ann", "--id", "lands")
    run("check", "lands", "cash.Rosa=740", "round=1", "cell.3=null")
    assert run("cat", "lands").stdout.splitlines()[1] == (
        "1  Table check: Cash (Rosa) is 740, the record has 1500."
    )


def test_a_check_reads_text_and_refuses_what_is_not_on_the_table(run: Run, played: str) -> None:
    assert run("check", played, "gold=3").exit_code == 1
    assert run("check", played, "gold").exit_code == 2
    assert answer(run("check", played, "--json"))["cell.A5"] == "A"
    listed = [line.split(maxsplit=2) for line in run("check", played).stdout.splitlines()]
    assert {key: said for key, _, said in listed}["gone"] == "Out of play"
    assert answer(run("show", played, "--json"))["head"] == 9


def test_an_undone_line_is_shown_and_restored(run: Run, played: str) -> None:
    run("undo", played, "-n", 2)
    run("record", played, "D6-D7")
    (line,) = answer(run("cat", played, "--lines", "--json"))
    assert (line["tip"], line["fork"], [row["seq"] for row in line["steps"]]) == (9, 7, [8, 9])
    assert "redo duel --to 9" in run("cat", played, "--lines").stdout
    assert answer(run("redo", played, "--to", 9, "--json"))["step"] == 8
    assert run("redo", played, "--to", 9, "-n", 2).exit_code == 2
    assert run("cat", played, "--lines", "--raw").exit_code == 2


def test_a_dealt_game_asks_before_an_older_line_takes_draws_back(run: Run, place: Path) -> None:
    run("new", "monster-maker", "--player", "Ann", "--player", "Bo", "--id", "maker", "--dealt")
    run("record", "maker", "--deal")
    head = answer(run("show", "maker", "--json"))["head"]
    refused = run("redo", "maker", "--to", 1)
    assert refused.exit_code == 1
    assert refused.stderr.endswith("ask for that expressly. --again asks for it.\n")
    with session("redo", "maker", "--to", "1", cwd=place) as terminal:
        terminal.until("Go back there all the same?")
        terminal.keys("n\n")
        terminal.until("The game is as it was.")
        assert terminal.ended() == 1
    assert answer(run("show", "maker", "--json"))["head"] == head
    assert answer(run("redo", "maker", "--to", 1, "--again", "--json"))["step"] == 0
    assert run("redo", "maker", "--again").exit_code == 2


def test_rulings_are_loud(run: Run, played: str) -> None:
    run("amend", played, 4, "--remove", "--settle", "5=keep", "--reason", "{p2} forgot to move")
    assert "RULING: Bo ends the turn of Vampires. Bo forgot to move." in run("cat", played).stdout
    assert "RULING: Bo ends the turn of Vampires." in run("show", f"{played}@3").stdout
    assert "This record was amended" in run("show", played).stdout


def test_what_is_typed_cannot_steer_a_terminal(run: Run, played: str) -> None:
    done = run("amend", played, 4, "--with", "\x1b[2J")
    assert done.exit_code == 1
    assert "\x1b" not in done.stderr
