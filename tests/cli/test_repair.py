"""`repair` writes what can be kept to a new database, and says in words what became of each game."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.eventstore.played import damage

ROOT = Path(__file__).resolve().parents[2]
OF = "game = (SELECT game FROM games WHERE id = 'duel')"


@pytest.fixture
def two(run: Run, duel: str) -> str:
    """`duel` with four events and a note, and another game."""
    for move in ("A6-A5", "A8xB8", "."):
        assert run("record", duel, move).exit_code == 0
    run("note", f"{duel}@2", "--text", "well played")
    run("set", duel, "--title", "Friday night")
    run("new", "monsters-forever", "--player", "Cleo", "--player", "Dag", "--id", "second")
    run("record", "second", "A6-A5")
    return duel


def test_an_intact_database_needs_no_repair(run: Run, two: str) -> None:
    before = [run("export", game).stdout for game in (two, "second")]
    done = run("repair", "new.db")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == "new.db: 2 games, 6 events.\nNothing needed repair.\n"
    assert [run("--db", "new.db", "export", game).stdout for game in (two, "second")] == before
    answer = json.loads(run("repair", "other.db", "--json").stdout)
    assert answer == {
        "file": "other.db", "games": 2, "events": 6, "intact": 2, "repaired": [], "faults": [],
        "complete": True,
    }  # fmt: skip


def test_a_chain_that_breaks_costs_nothing_but_the_id(run: Run, place: Path, two: str) -> None:
    damage(place / "tabletape.db", f"UPDATE events SET by = 'somebody' WHERE seq = 3 AND {OF}")  # noqa: S608
    second = run("export", "second").stdout
    old = (place / "tabletape.db").read_bytes()
    done = run("repair", "new.db")
    assert (done.exit_code, done.stderr) == (0, "")
    first, last, how = done.stdout.splitlines()
    assert first.startswith("duel is kept as duel-repaired with all 4 events; the rules accept them. ")
    assert last == "new.db: 2 games, 6 events."
    assert how == (
        "Use it with `tabletape --db new.db list`, or put it in the place of the damaged one with"
        " `tabletape restore new.db --force`, which keeps that one beside it."
    )
    assert (place / "tabletape.db").read_bytes() == old
    assert run("--db", "new.db", "verify").exit_code == 0
    assert run("--db", "new.db", "export", "second").stdout == second
    listed = json.loads(run("--db", "new.db", "list", "--json").stdout)
    assert [(entry["game"], entry["title"]) for entry in listed] == [
        ("second", None),
        ("duel-repaired", "Friday night (repaired)"),
    ]
    assert json.loads(run("--db", "new.db", "note", "duel", "--json").stdout)[0]["text"] == "well played"


def test_what_cannot_be_kept_is_said_and_is_exit_code_4(run: Run, place: Path, two: str) -> None:
    damage(place / "tabletape.db", f"UPDATE events SET payload = '{{' WHERE seq = 3 AND {OF}")  # noqa: S608
    done = run("repair", "new.db", "--json")
    answer = json.loads(done.stdout)
    (account,) = answer["repaired"]
    assert done.exit_code == 4
    assert (answer["complete"], answer["intact"], answer["games"]) == (False, 1, 2)
    assert {key: value for key, value in account.items() if key != "message"} == {
        "game": "duel", "kept_as": "duel-repaired", "events": 2, "lost": 2, "notes": 0, "complete": False,
    }  # fmt: skip
    said = "duel is kept as duel-repaired with the first 2 of 4 events: event 3 cannot be read."
    assert account["message"].startswith(said)
    assert "1 note stood on events that are not kept." in account["message"]
    assert run("--db", "new.db", "verify").exit_code == 0


def test_a_file_that_is_there_is_left_alone(run: Run, place: Path, two: str) -> None:
    (place / "new.db").write_text("a diary", encoding="utf-8")
    refused = run("repair", "new.db")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == "Error: new.db is there already.\n"
    assert (place / "new.db").read_text(encoding="utf-8") == "a diary"
    for name in ("tabletape.db", "tabletape.db-wal", "none/new.db", "-"):
        assert run("repair", name).exit_code in {1, 2}, name
    assert not (place / "-").exists()
    assert sorted(file.name for file in place.iterdir()) == ["new.db", "tabletape.db", "tabletape.db.lock"]
    assert run("verify", two).exit_code == 0


def test_a_database_that_is_not_there_is_not_made(run: Run, place: Path) -> None:
    refused = run("repair", "new.db", "--json")
    assert json.loads(refused.stderr)["error"]["code"] == "database-missing"
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("room", [8, 60, 100, 130, 150])
def test_a_disk_that_takes_no_more_is_one_sentence(run: Run, place: Path, two: str, room: int) -> None:
    """The file grows to so many KiB, and no further: while it is copied, made or written to."""
    run("import", ROOT / "cli" / "samples" / "six-attic.tape.jsonl")
    before = {file.name: file.read_bytes() for file in place.iterdir()}
    done = subprocess.run(
        [sys.executable, "-c", "from cli import main; main()", "repair", "new.db"],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room * 1024, room * 1024)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, ""), done
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("Error: The disk takes no more"), two
    assert "new.db was not made. Free some room and try again." in done.stderr
    assert {file.name: file.read_bytes() for file in place.iterdir()} == before
