"""`backup` and `restore` say what they did, what they refuse and what would be right."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from cli.shell import progress
from tests.cli.conftest import Run
from tests.eventstore.played import damage

NEW = ("new", "monsters-forever", "--player", "Ann", "--player", "Bo")


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_there_and_back(run: Run, place: Path, duel: str) -> None:
    run("record", duel, "A6-A5")
    made = json.loads(run("backup", "copy.db", "--json").stdout)
    assert made == {"file": "copy.db", "games": 1, "events": 2, "bytes": (place / "copy.db").stat().st_size}
    record = run("export", duel).stdout
    (place / "tabletape.db").unlink()
    back = run("restore", "copy.db", "--json")
    assert json.loads(back.stdout) == {
        "db": "tabletape.db", "file": "copy.db", "games": 1, "events": 2, "kept": None, "revoked": [],
    }  # fmt: skip
    assert run("export", duel).stdout == record
    assert run("verify").exit_code == 0


def test_it_is_said_in_words(run: Run, place: Path, duel: str) -> None:
    size = f"{(place / 'tabletape.db').stat().st_size:,}"
    done = run("backup", "copy.db")
    assert (done.stdout, done.stderr) == (f"copy.db: 1 game, 1 event, {size} bytes.\n", ""), duel
    done = run("restore", "copy.db")
    assert done.stdout == "tabletape.db: 1 game, 1 event.\n"
    assert done.stderr == f"What was there is kept as {place / 'tabletape.db.before-restore-1'}\n"


def test_a_file_that_is_there_stays_without_force(run: Run, place: Path, duel: str) -> None:
    (place / "copy.db").write_text("a diary", encoding="utf-8")
    refused = run("backup", "copy.db")
    assert (refused.exit_code, refused.stdout) == (1, ""), duel
    assert refused.stderr == "Error: copy.db is there already; --force takes its place.\n"
    assert (place / "copy.db").read_text(encoding="utf-8") == "a diary"
    assert run("backup", "copy.db", "--force").exit_code == 0


def test_what_a_killed_one_left_goes_with_the_next(run: Run, place: Path, duel: str) -> None:
    here, ended = os.uname().nodename, subprocess.Popen(["true"])
    ended.wait()
    gone = [place / f".tabletape-{here}-{ended.pid}.part{end}" for end in ("", "-journal")]
    stay = [place / f".tabletape-{here}-{os.getppid()}.part", place / f".tabletape-x{here}-{ended.pid}.part"]
    for file in (*gone, *stay):
        file.touch()
    assert run("backup", "copy.db").exit_code == 0, duel
    assert not any(file.exists() for file in gone)
    assert all(file.exists() for file in stay)


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_stream_is_no_backup(run: Run, place: Path, duel: str, command: str) -> None:
    before = sorted(place.iterdir())
    done = run(command, "-", "--json")
    assert (done.exit_code, done.stdout) == (2, ""), duel
    assert json.loads(done.stderr)["error"]["code"] == "usage"
    assert sorted(place.iterdir()) == before


def test_the_database_is_never_its_own_backup(run: Run, place: Path, duel: str) -> None:
    for command in ("backup", "restore"):
        done = run(command, "--force", place / "tabletape.db", "--json")
        assert (done.exit_code, json.loads(done.stderr)["error"]["code"]) == (1, "no-place")
    assert run("show", duel).exit_code == 0


def test_what_would_be_lost_is_named_with_the_way_to_do_it_all_the_same(
    run: Run, place: Path, duel: str
) -> None:
    run("backup", "copy.db")
    run("record", duel, "A6-A5")
    for number in range(7):
        run(*NEW, "--id", f"game{number}")
    refused = run("restore", "copy.db")
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert one_line(refused.stderr) == (
        f"Error: {place}/tabletape.db has what the backup lacks: duel (2 events here, 1 there), game0, game1,"
        " game2, game3 and 3 more; --force restores it all the same and keeps what is here beside it."
    )
    assert len(json.loads(run("list", "--json").stdout)) == 8
    done = run("restore", "copy.db", "--force")
    assert done.exit_code == 0
    assert [game["game"] for game in json.loads(run("list", "--json").stdout)] == [duel]
    kept = place / "tabletape.db.before-restore-1"
    assert len(json.loads(run("--db", kept, "list", "--json").stdout)) == 8


def test_a_damaged_database_is_copied_and_brought_back_with_a_warning(
    run: Run, place: Path, duel: str
) -> None:
    run("record", duel, "A6-A5")
    damage(place / "tabletape.db", "UPDATE events SET payload = replace(payload, 'A5', 'A7') WHERE seq = 2")
    made = run("backup", "copy.db")
    assert made.exit_code == 4
    assert made.stdout.startswith("copy.db: 1 game, 2 events")
    assert one_line(made.stderr).startswith(
        f"Warning: the database is damaged, and so is its copy: {duel}: The chain breaks between"
    )
    refused = run("restore", "copy.db", "--json")
    assert refused.exit_code == 4
    assert json.loads(refused.stderr)["error"]["code"] == "damaged-backup"
    assert "--force" in json.loads(refused.stderr)["error"]["message"]
    forced = run("restore", "copy.db", "--force")
    assert forced.exit_code == 4
    assert "damaged, as the backup is" in forced.stderr
    assert run("verify").exit_code == 4


def test_what_is_no_backup_is_refused_in_one_sentence(run: Run, place: Path, duel: str) -> None:
    (place / "diary.db").write_text("Dear diary, " * 20, encoding="utf-8")
    with closing(sqlite3.connect(place / "recipes.db")) as connection:
        connection.execute("CREATE TABLE recipes(name)")
    for file, code in (
        ("diary.db", "not-a-tabletape-database"),
        ("recipes.db", "not-a-tabletape-database"),
        (".", "not-a-tabletape-database"),
        ("none.db", "database-missing"),
    ):
        done = run("restore", file, "--force", "--json")
        assert (done.exit_code, json.loads(done.stderr)["error"]["code"]) == (1, code)
        assert str(place / "tabletape.db") not in done.stderr
        assert run("show", duel).exit_code == 0
    assert not list(place.glob("*before*"))


def test_there_is_nothing_to_copy_where_there_is_no_database(run: Run, place: Path) -> None:
    done = run("backup", "copy.db", "--json")
    assert (done.exit_code, json.loads(done.stderr)["error"]["code"]) == (1, "database-missing")
    assert list(place.iterdir()) == []


def test_what_goes_on_long_is_drawn_on_a_terminal_alone(
    run: Run, duel: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    assert run("backup", "copy.db").stderr == "", duel
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.bar() as watch:
        watch("Copying", 3, 7)
        watch("Checking", 1, 2)
    said = capsys.readouterr().err
    assert "Checking" in said
    assert "1/2" in said
