"""Whatever writes gets its first answer again under its command id, whatever came between."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run

MOVES = "A6-A5; A8xB8"
FIRST = "A6-A5"
COMMANDS = {
    "new": ("new", "monsters-of-war", "--player", "Ann", "--player", "Bo"),
    "new by a name that no game can have": ("new", "monsters-forever", "--player", "Ann", "--player", "Bo"),
    "branch": ("branch", "duel"),
    "branch of a step": ("branch", "duel@2"),
    "branch by an id": ("branch", "duel", "--id", "bold"),
    "amend a step": ("amend", "duel", "@2", "--remove"),
    "amend with names": ("amend", "three", "@1", "--with", "Ann: resign"),
    "record with names": ("record", "three", "Bo: resign"),
    "insert": ("amend", "duel", "@2", "--insert-after", '{"kind": "record.checked", "claims": []}'),
    "settle a step": ("amend", "duel", "@1", "--remove", "--settle", "@2=cut"),
    "note on a step": ("note", "duel@2", "--text", "hi"),
    "note on the last step": ("note", "duel", "--text", "hi"),
    "note with after": ("note", "duel", "--text", "hi", "--after", "3"),
    "undo": ("undo", "duel"),
    "undo two": ("undo", "duel", "-n", "2"),
    "check": ("check", "duel", "round=1"),
    "record": ("record", "other", MOVES),
    "record one": ("record", "other", FIRST),
    "record by number": ("record", "other", "1"),
    "close": ("record", "duel", '{"kind": "record.closed", "how": "agreed"}'),
}
BETWEEN = (
    (),
    (("undo", "duel"), ("undo", "other"), ("undo", "three")),
    (("record", "duel", '{"kind": "record.checked", "claims": []}'), ("record", "other", "1")),
)


@pytest.fixture(autouse=True)
def games(run: Run, duel: str) -> None:
    """Two duels and a game of three, one with two moves and one with one."""
    run("record", duel, MOVES)
    run("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--id", "other")
    run("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--player", "Cem", "--id", "three")
    run("record", "three", "1")


@pytest.mark.parametrize("between", BETWEEN, ids=["nothing", "undone", "recorded"])
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_repeat_gets_the_first_answer(
    run: Run, command: tuple[str, ...], between: tuple[tuple[str, ...], ...]
) -> None:
    asked = (*command, "--command-id", "Zz", "--json")
    first = run(*asked)
    assert first.exit_code == 0, first.stderr
    for other in between:
        run(*other)
    again = run(*asked)
    assert (again.exit_code, again.stdout) == (0, first.stdout), again.stderr


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (("note", "duel@2", "--text", "hi"), ("note", "duel@1", "--text", "hi")),
        (("amend", "duel", "@2", "--remove"), ("amend", "duel", "@1", "--remove", "--settle", "@2=cut")),
        (("record", "other", FIRST), ("record", "other", MOVES)),
        (("branch", "duel@2"), ("branch", "duel@1")),
        (("undo", "duel"), ("record", "duel", "1")),
    ],
)
def test_another_wish_under_the_same_id_is_refused(
    run: Run, first: tuple[str, ...], other: tuple[str, ...]
) -> None:
    assert run(*first, "--command-id", "Zz").exit_code == 0
    done = run(*other, "--command-id", "Zz")
    assert (done.exit_code, done.stdout) == (3, "")


def test_the_id_of_the_command_that_began_a_game_is_no_other_s(run: Run) -> None:
    for wish in (("record", "duel", FIRST), ("amend", "duel", "@2", "--remove"), ("undo", "duel")):
        assert run(*wish, "--command-id", "duel").exit_code == 3, wish


def test_a_command_id_that_no_game_can_have_begins_a_game_of_another_name(run: Run) -> None:
    made = run("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--command-id", "C0")
    assert made.exit_code == 0, made.stderr
    assert len(made.stdout.strip()) == 10
    assert run("show", made.stdout.strip()).exit_code == 0
