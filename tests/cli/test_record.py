"""Recording: by hand in a real terminal, from a pipe, from the command line and from a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.shell.prompt import MoveEntry, listing
from games.core.events import RecordClosed
from games.core.ruleset import Pending
from tests.cli.conftest import Run
from tests.cli.terminal import session

MOVE = {"kind": "creature_moved", "team": "A", "from": "A6", "to": "A5"}
ATTACK = {"kind": "creature_attacked", "team": "A", "from": "A8", "target": "B8"}


def lines(*events: object) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def head(run: Run, game: str) -> int:
    return int(json.loads(run("show", game, "--json").stdout)["head"])


def test_by_hand(run: Run, duel: str, place: Path) -> None:
    with session("record", duel, cwd=place) as terminal:
        assert "3 A6-A5" in terminal.until("Ann> ")
        terminal.keys("3\n")
        assert "Ann moves Zombies from A6 to A5" in terminal.until("Ann> ")
        terminal.keys("A8xB8\n")
        assert "captured" in terminal.until("Ann> ")
        terminal.keys("A1-A8\n")
        assert "Refused:" in terminal.until("Ann> ")
        terminal.keys("77\n")
        assert "no move 77" in terminal.until("Ann> ")
        terminal.keys("undo 2\n")
        assert "step 0 of 0" in terminal.until("Ann> ")
        terminal.keys("redo 2\n")
        assert "step 2 of 2" in terminal.until("Ann> ")
        terminal.keys("note !! first blood\n")
        assert "Noted on step 2" in terminal.until("Ann> ")
        terminal.keys("?\n")
        assert "everything is already kept" in terminal.until("Ann> ")
        terminal.keys('{"kind": "turn_ended", "team": "A"}\n')
        after = terminal.until("Bo> ")
        assert "Ann moves Zombies from A6 to A5" in after, "the last three entries stand above the prompt"
        assert "Ann ends the turn" in after
        terminal.keys("B6-B8; B8xA8>A6; .\n")
        terminal.until("Ann> ")
        terminal.keys("\x04")
        terminal.until("kept at step 7")
        assert terminal.ended() == 0
    assert "first blood" in run("cat", duel).stdout


def test_by_hand_an_interrupt_loses_nothing(run: Run, duel: str, place: Path) -> None:
    with session("record", duel, cwd=place) as terminal:
        terminal.until("Ann> ")
        terminal.keys("A6-A5\n")
        terminal.until("Ann> ")
        terminal.keys("A8x")
        terminal.until("A8x")
        assert terminal.interrupted() == 130
    assert "Traceback" not in terminal.raw
    assert head(run, duel) == 2


def test_by_hand_a_clash_shows_what_the_other_recorded(run: Run, duel: str, place: Path) -> None:
    with session("record", duel, cwd=place) as terminal:
        terminal.until("Ann> ")
        assert run("record", duel, "A6-A7").exit_code == 0
        terminal.keys("A6-A5\n")
        terminal.until("Refused:")
        assert "Ann moves Zombies from A6 to A7" in terminal.until("Ann> ")
    assert head(run, duel) == 2


def test_a_form_is_asked_field_by_field(run: Run, place: Path) -> None:
    run("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--command-id", "cards")
    run("record", "cards", "deal")
    with session("record", "cards", cwd=place) as terminal:
        assert "Everybody turns a card: which for Ann and Bo?" in terminal.until("> ")
        terminal.keys("1\n")
        assert "Ann: which? Monster 1, Monster 2" in terminal.until("leaves: ")
        terminal.keys("monster\n")
        assert "Ann: 'monster' could be Monster 1, Monster 2" in terminal.until("leaves: ")
        terminal.keys("m12a\n")
        assert "Bo: which?" in terminal.until("leaves: ")
        terminal.keys("M07B\n")
        assert "Ann turns 12, Bo turns 7" in terminal.until("> ")
        terminal.keys("1\n")
        terminal.until("leaves: ")
        terminal.keys("\n")
        terminal.until("Left as it was")
        terminal.until("> ")
        terminal.keys("\x04")
        assert terminal.ended() == 0
    assert head(run, "cards") == 3


def test_a_dealt_game_deals_on_enter_and_asks_before_a_draw_is_undone(run: Run, place: Path) -> None:
    wish = ("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--dealt", "--command-id", "luck")
    assert run(*wish).exit_code == 0
    with session("record", "luck", cwd=place) as terminal:
        assert "Enter" in terminal.until("> ")
        terminal.keys("\n")
        assert "step 1 of 1" in terminal.until("> ")
        terminal.keys("undo\n")
        assert "dealt" in terminal.until("> ")
        terminal.keys("undo!\n")
        assert "step 0 of 0" in terminal.until("> ")
        terminal.keys("deal all\n")
        terminal.until("record> ")
    refused = run("undo", "luck")
    assert refused.exit_code == 1
    assert "dealt" in refused.stderr
    assert run("undo", "luck", "--again").exit_code == 0


def test_a_long_list_is_cut_until_all_of_it_is_asked_for() -> None:
    due = (Pending("p1", ("dice_rolled",)),)
    event = RecordClosed("agreed")
    found = [MoveEntry("p1", "dice_rolled", True, f"r {number}", event) for number in range(1, 101)]  # noqa: FBT003
    short = "\n".join(listing(due, found, {"p1": "Ann"}, 80, most=40))
    assert "r 40" in short
    assert "r 41" not in short
    assert "up to 100" in short
    assert "100 r 100" in "\n".join(listing(due, found, {"p1": "Ann"}, 80))


def test_a_pipe_stops_at_the_first_refusal(run: Run, duel: str) -> None:
    done = run("record", duel, stdin="# the opening\nA6-A5\n\nA8xC8\nA8xB8\n")
    assert done.exit_code == 1
    assert done.stdout == "    1  Ann moves Zombies from A6 to A5\n"
    assert "Line 4" in done.stderr
    assert head(run, duel) == 2


def test_a_pipe_answers_json_line_by_line(run: Run, duel: str) -> None:
    done = run("record", duel, "--json", stdin="A6-A5\nA8xB8\n")
    assert [json.loads(line)["seq"] for line in done.stdout.splitlines()] == [2, 3]


def test_a_pipe_answers_json_alone_whatever_is_typed(run: Run, duel: str) -> None:
    typed = ("A6-A5", "note !! first", "board", "moves", "?", "undo")
    lines = run("record", duel, "--json", stdin="\n".join(typed)).stdout.splitlines()
    moved, noted, board, moves, help_, undone = map(json.loads, lines)
    assert (moved["seq"], undone["seq"], undone["step"]) == (2, 3, 0)
    assert noted == {"game": duel, "note": noted["note"], "seq": 2}
    assert (board["step"], board["state"]["turn"]) == (1, moves[0]["event"]["team"])
    assert [move["number"] for move in moves] == list(range(1, len(moves) + 1))
    assert set(moves[0]) == {"number", "seat", "kind", "must", "text", "event", "asks"}
    assert "undo [N], redo [N]" in help_["commands"]
    assert "creature_moved" in help_["short_forms"]


def test_a_pipe_answers_a_question_about_an_answer_as_json(run: Run) -> None:
    run("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--id", "cards")
    run("record", "cards", "deal")
    done = run("record", "cards", "--json", stdin="moves\n1\n??\n9\n7\n")
    moves, asked, answer = map(json.loads, done.stdout.splitlines())
    assert moves[0]["event"] is None
    assert asked == moves[0]["asks"][0]
    assert "m12a" in asked["values"]
    assert answer["step"] == 2


def test_a_batch_is_one_command(run: Run, duel: str) -> None:
    done = run("record", duel, "--batch", "-", "--json", stdin=lines(MOVE, ATTACK))
    assert json.loads(done.stdout) == {"game": duel, "seq": 3, "step": 2, "appended": 2, "outcome": None}


def test_a_batch_from_a_file(run: Run, duel: str, place: Path) -> None:
    (place / "moves.jsonl").write_text(lines(MOVE, ATTACK), encoding="utf-8")
    assert run("record", duel, "--batch", "moves.jsonl").exit_code == 0
    assert head(run, duel) == 3


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        (lines(MOVE) + "\n" + '{"kind": "creature_moved"', 3, "malformed-line"),
        (lines(MOVE) + "[1, 2]\n", 2, "malformed-line"),
        (lines(MOVE) + "\udcff\n", 2, "malformed-line"),
        ("\n" + lines(MOVE, {"kind": "creature_flew"}), 3, "malformed-event"),
        ("\n\n" + lines(MOVE, MOVE), 4, None),
    ],
    ids=["cut", "no object", "no UTF-8", "no such kind", "not legal"],
)
def test_a_batch_names_the_line_and_writes_nothing(
    run: Run, duel: str, text: str, line: int, code: str | None
) -> None:
    done = run("record", duel, "--batch", "-", "--json", stdin=text.encode(errors="surrogateescape"))
    error = json.loads(done.stderr)["error"]
    assert done.exit_code == 1
    assert error["line"] == line
    assert code in {None, error["code"]}
    assert done.stdout == ""
    assert head(run, duel) == 1


def test_a_refused_move_carries_rule_and_alternatives(run: Run, duel: str) -> None:
    error = json.loads(run("record", duel, "A8xB8", "--json").stderr)["error"]
    assert error["code"]
    assert error["rule"]
    assert MOVE in error["legal"]
    assert len(error["legal"]) <= 50


@pytest.mark.parametrize("move", ["A6-A5", "what now"])
def test_a_closed_record_says_that_it_is_closed(run: Run, duel: str, move: str) -> None:
    run("record", duel, '{"kind": "record.closed", "how": "abandoned"}')
    for done in (run("record", duel, move, "--json"), run("record", duel, "--json", stdin=f"{move}\n")):
        assert done.exit_code == 1
        assert json.loads(done.stderr)["error"]["code"] == "record-closed"


def test_the_same_command_twice_is_one(run: Run, duel: str) -> None:
    wish = ("record", duel, "A6-A5", "--command-id", "tap-1", "--json")
    first, second = run(*wish), run(*wish)
    assert first.stdout == second.stdout
    assert head(run, duel) == 2
    other = run("record", duel, "A6-A7", "--command-id", "tap-1", "--json")
    assert other.exit_code == 3
    assert json.loads(other.stderr)["error"]["code"] == "command-id-reused"


def test_a_stale_head_is_a_conflict_and_says_the_head(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5")
    for wish in (
        ("record", duel, "A8xB8"),
        ("record", duel),
        ("undo", duel),
        ("redo", duel),
        ("note", duel, "--text", "hm"),
        ("set", duel, "--title", "hm"),
        ("hide", duel),
    ):
        done = run(*wish, "--after", "1", "--json", stdin="")
        assert (wish[0], done.exit_code) == (wish[0], 3)
        error = json.loads(done.stderr)["error"]
        assert (error["code"], error["head"]) == ("conflict", 2)
    assert head(run, duel) == 2


def test_undo_several_is_one_command_of_several_rows(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5; A8xB8; .")
    done = json.loads(run("undo", duel, "-n", 3, "--json").stdout)
    assert (done["seq"], done["step"], done["appended"]) == (7, 0, 3)
    assert json.loads(run("redo", duel, "-n", 3, "--json").stdout)["step"] == 3
