"""Files that never end are refused, not read until there is no memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.shell import files
from tests.cli.conftest import Run

NEW = ("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--data")


def test_a_card_file_has_room_for_two_megabytes(run: Run, tmp_path: Path) -> None:
    cards = run("rulesets", "monsters-of-war", "--data").stdout.encode()
    for room, code in ((2 * 1024 * 1024, 0), (2 * 1024 * 1024 + 1, 1)):
        (tmp_path / "cards.json").write_bytes(cards.ljust(room))
        done = run(*NEW, "cards.json")
        assert done.exit_code == code, done.stderr
    assert done.stderr == "Error: cards.json is too large: a card file has room for 2 MB.\n"


def test_an_endless_card_file_is_refused(run: Run) -> None:
    done = run(*NEW, "/dev/zero")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "/dev/zero is too large" in done.stderr


@pytest.mark.parametrize(
    "wish",
    [("import",), ("record", "duel", "--batch"), ("amend", "duel", "--edits")],
    ids=lambda wish: wish[0],
)
def test_a_device_is_no_file_of_lines(run: Run, duel: str, wish: tuple[str, ...]) -> None:
    done = run(*wish, "/dev/zero")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == "Error: /dev/zero is a device: name a file, or - for a pipe.\n"


@pytest.mark.parametrize(("before", "megabytes"), [(b"", 4), (b"{}\n", 4), (b"", 2), (b"{}\n", 2)])
def test_a_line_that_never_ends_is_not_read(
    run: Run, monkeypatch: pytest.MonkeyPatch, before: bytes, megabytes: int
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 3 * 1024 * 1024)
    done = run("import", "-", stdin=before + bytes(megabytes * 1024 * 1024))
    assert done.exit_code == 1
    assert ("has a line of more than" in done.stderr) == (megabytes == 4)
