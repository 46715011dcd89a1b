"""What if: a game of its own from a step of another one; lists leave it out, its pages say whose it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.terminal import session


@pytest.fixture
def played(run: Run, duel: str) -> str:
    """Two moves of a duel."""
    run("record", duel, "A6-A5; A8xB8")
    return duel


def test_it_answers_the_new_game_and_its_parent(run: Run, played: str) -> None:
    answer = {"game": "bold", "seq": 2, "parent": {"game": "duel", "head": 3, "step": 1}}
    wish = ("branch", "duel@1", "--command-id", "bold", "--json")
    assert json.loads(run(*wish).stdout) == answer
    run("undo", played, "-n", 2)
    assert json.loads(run(*wish).stdout) == answer, "a repeat gets the first answer, whatever came between"
    clash = run("branch", "duel@0", "--command-id", "bold")
    assert (clash.exit_code, clash.stdout) == (3, "")


def test_people_are_told_whose_it_is_and_how_to_go_on(run: Run, played: str) -> None:
    done = run("branch", "duel@1", "--id", "bold", "--title", "Bo attacks")
    assert done.stdout == "bold\n"
    assert done.stderr == "A what-if of duel from step 1. Next: tabletape record bold\n"
    again = run("branch", "duel@1", "--id", "bold", "--title", "Bo attacks")
    assert (again.stdout, again.stderr[:22]) == ("bold\n", "Already there, 1 step:")


def test_without_a_step_it_leaves_at_the_end_and_says_where_nothing_goes_on(run: Run, played: str) -> None:
    assert json.loads(run("branch", played, "--json").stdout)["parent"]["step"] == 2
    run("record", played, '{"kind": "record.closed", "how": "agreed"}')
    done = run("branch", played, "--id", "over")
    assert (done.exit_code, done.stdout) == (0, "over\n")
    assert "The game is over there: take a step back with undo" in done.stderr
    assert run("undo", "over").exit_code == 0


def test_what_cannot_be_left_is_refused_in_one_sentence(run: Run, played: str) -> None:
    for wish, code, says in (
        (("duel@9",), 1, "Error: Game duel has no step 9: its steps are 0 to 2.\n"),
        (("nothing@1",), 1, "Error: There is no game nothing. `tabletape list` lists those here.\n"),
        (("duel@1", "--after", 2), 3, "duel"),
        (("duel@1", "--id", "duel"), 3, "duel"),
        (("duel@1", "--id", "B!"), 1, "'B!' cannot be a game's id"),
        (("duel@1", "--title", "x" * 201), 1, "title"),
    ):
        done = run("branch", *wish)
        assert (done.exit_code, done.stdout) == (code, ""), wish
        assert says in done.stderr
    assert len(json.loads(run("list", "--variations", "--json").stdout)) == 1


def test_lists_leave_it_out_unless_asked(run: Run, played: str) -> None:
    run("branch", "duel@1", "--id", "bold")
    run("branch", "bold@0", "--id", "bolder")

    def ids(*asked: str) -> set[str]:
        return {entry["game"] for entry in json.loads(run("list", *asked, "--json").stdout)}

    assert (ids(), ids("--variations")) == ({"duel"}, {"duel", "bold", "bolder"})
    assert (ids("--of", "due"), ids("--of", "bold"), ids("--of", "bolder")) == ({"bold"}, {"bolder"}, set())
    assert run("list", "--of", "nothing").exit_code == 1
    assert "what-if of duel" in run("list", "--of", "duel").stdout
    assert run("list", "--of", "bolder").stderr == (
        "No variation of bolder fits; `tabletape branch bolder@STEP` starts one.\n"
    )
    assert json.loads(run("search", "ann", "--json").stdout)[0]["parent"] is None
    assert len(json.loads(run("search", "ann", "--json").stdout)) == 1
    assert len(json.loads(run("search", "ann", "--variations", "--json").stdout)) == 3


def test_show_names_the_parent_and_what_leaves(run: Run, played: str) -> None:
    run("branch", "duel@1", "--id", "bold")
    assert "What-ifs: bold (step 1); `tabletape list --of duel` lists them." in run("show", "duel@0").stdout
    assert "\nA what-if of duel from step 1.\n" in run("show", "bold").stdout
    assert "A what-if" in run("play", "bold").stdout
    shown = json.loads(run("show", "duel", "--json").stdout)
    assert (shown["parent"], shown["variations"]) == (None, ["bold"])
    shown = json.loads(run("show", "bold", "--json").stdout)
    assert (shown["parent"], shown["variations"]) == ({"game": "duel", "head": 3, "step": 1}, [])


def test_cat_says_where_it_leaves_and_with_which_move(run: Run, played: str) -> None:
    run("branch", "duel@1", "--id", "bold")
    assert run("cat", "duel").stdout.splitlines()[2] == "     What if: nothing yet  (bold)"
    assert run("record", "bold", "1").exit_code == 0
    lines = run("cat", "duel").stdout.splitlines()
    assert lines[2] == f"     What if: {run('cat', 'bold').stdout.splitlines()[-1][3:]}  (bold)"
    assert lines[3].startswith("2  ")
    assert run("cat", "bold").stdout.splitlines()[2] == "   — A what-if of duel from step 1 —"
    run("undo", "duel", "-n", 2)
    assert "What if" not in run("cat", "duel").stdout
    assert "What-ifs: bold;" in run("show", "duel").stdout


def test_the_prompt_says_whose_it_is(run: Run, played: str, place: Path) -> None:
    run("branch", "duel@1", "--id", "bold")
    for game, says in (("bold", True), ("duel", False)):
        with session("record", game, cwd=place) as talk:
            assert ("A what-if of duel from step 1." in talk.until("> ")) == says


def test_it_goes_into_a_file_with_its_parent(run: Run, played: str, place: Path) -> None:
    run("branch", "duel@1", "--id", "bold")
    run("export", "bold", "-o", "bold.tape.jsonl")
    done = run("--db", "other.db", "import", "bold.tape.jsonl")
    assert done.exit_code == 0, done.stderr
    other = run("--db", "other.db", "show", "bold").stdout
    assert "A what-if of duel from step 1." in other
    assert run("--db", "other.db", "list", "--json").stdout == "[]\n"
