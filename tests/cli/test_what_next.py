"""A message about damage, a full disk or a wrong file says what to do next, and that command works."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import socket
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from shutil import disk_usage

import pytest

from cli.commands import demo
from eventstore.errors import REPAIR
from tests.cli.conftest import Run
from tests.eventstore.played import damage

NEW = ("monsters-forever", "--player", "Ann", "--player", "Bo", "--id")


@pytest.fixture
def path(run: Run, duel: str, place: Path) -> Path:
    """One game with some moves, in one file."""
    for move in ("A6-A5", "A8xB8", "."):
        assert run("record", duel, move).exit_code == 0
    return place / "tabletape.db"


def said(text: str) -> str:
    return " ".join(text.split())


def spoil(path: Path, start: int, count: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[start : start + count] = b"\xee" * count
    path.write_bytes(raw)


# --- damage ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", ["list", "verify", "doctor", "backup copy.db", "record duel .", "undo duel"]
)
def test_a_file_without_its_header_leads_to_repair(run: Run, path: Path, words: str) -> None:
    spoil(path, 0, 100)
    done = run(*words.split())
    assert done.exit_code == 1
    told = said(done.stdout + done.stderr)
    assert "is not a Tabletape database: it is another kind of file." in told
    assert "If it was one, it may be damaged: try `tabletape repair NEW.db`." in told
    assert run("repair", "new.db").exit_code == 0
    assert [game["game"] for game in json.loads(run("--db", "new.db", "list", "--json").stdout)] == ["duel"]


def test_a_backup_without_its_header_leads_to_its_own_repair(run: Run, path: Path, place: Path) -> None:
    assert run("backup", "my copy.db").exit_code == 0
    spoil(place / "my copy.db", 0, 100)
    told = said(run("restore", "my copy.db").stderr)
    assert told.endswith("it may be damaged: try `tabletape --db 'my copy.db' repair NEW.db`.")


def test_where_nothing_could_be_saved_nothing_is_put_in_its_place(run: Run, path: Path, place: Path) -> None:
    spoil(path, 4096, path.stat().st_size - 4096)
    told = said(run("repair", "new.db").stdout)
    assert "--force" not in told
    assert "Nothing could be saved. Keep the damaged file, and look for a backup to restore." in told


def test_an_empty_file_does_not_lead_to_repair(run: Run, place: Path) -> None:
    (place / "tabletape.db").touch()
    assert "repair" not in run("list").stderr


@pytest.mark.parametrize("words", ["list", "verify", "doctor", "backup copy.db", "record duel ."])
def test_a_file_cut_in_half_leads_to_repair_and_on_to_restore(
    run: Run, path: Path, place: Path, words: str
) -> None:
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)
    told = run("--db", path.name, *words.split())
    assert told.exit_code == (1 if words == "doctor" else 4)
    assert REPAIR.replace("tabletape", "tabletape --db tabletape.db") in said(told.stdout + told.stderr)
    done = run("--db", path.name, "repair", "new.db")
    how = done.stdout.splitlines()[-1]
    first, second = (shlex.split(part) for part in how.split("`")[1::2])
    assert run(*first[1:]).exit_code == 0
    refused = run("--db", path.name, "restore", "new.db")
    assert (refused.exit_code, refused.stderr.count("\n")) == (3, 1)
    assert "--force restores it all the same" in refused.stderr
    assert run(*second[1:]).exit_code == 0
    assert run("list").exit_code == 0
    assert (place / "tabletape.db.before-restore-1").exists()


def test_what_sqlite_finds_is_one_short_sentence_with_a_count(run: Run, path: Path) -> None:
    run("simulate", "monsters-forever", "-n", "12", "--save", "--seed", "1")
    run("list")
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)
    first, *lines = run("repair", "new.db").stdout.splitlines()
    assert first.startswith("SQLite finds the file damaged: ")
    assert first.endswith(" more).")
    assert len(first) < 120
    lost = [line for line in lines if line.startswith("Nothing of ")]
    assert lost
    assert all(" It had at least " in line and line.endswith(" events.") for line in lost)
    assert not any("at least 1 event" in line for line in lost), "the list of games knows how many they were"


def test_verify_ends_with_repair_and_warnings_name_it(run: Run, path: Path) -> None:
    damage(path, "UPDATE events SET by = 'somebody' WHERE seq = 3")
    assert run("verify").stdout.endswith(f"fault.\n{REPAIR}\n")
    assert REPAIR not in run("verify", "--json").stdout
    assert run("backup", "copy.db").stderr.endswith(f"{REPAIR}\n")
    assert run("export", "duel").stderr.endswith(f"{REPAIR}\n")


def test_an_intact_database_is_not_told_to_be_repaired(run: Run, path: Path) -> None:
    assert "repair" not in run("verify").stdout + run("doctor").stdout
    assert "--force" not in run("repair", "new.db").stdout


def test_one_page_of_events_does_not_hide_the_list(run: Run, path: Path) -> None:
    run("simulate", "monsters-forever", "-n", "3", "--save", "--seed", "1")
    run("new", *NEW, "late")
    assert json.loads(run("list", "--json").stdout)
    root = _leaf_of_events(path)
    spoil(path, (root - 1) * 4096, 4096)
    assert [game["game"] for game in json.loads(run("list", "--json").stdout)] == ["late", "duel"]


def _leaf_of_events(path: Path) -> int:
    """The page that holds the first events; a second one is made for the last."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").fetchone()
    page = path.read_bytes()[(root - 1) * 4096 :][:4096]
    assert page[0] == 5, "the table has more than one page"
    cell = int.from_bytes(page[12:14], "big")
    return int.from_bytes(page[cell : cell + 4], "big")


# --- the next command ------------------------------------------------------------------------------------


@pytest.mark.parametrize("db", ["other.db", "a file.db"])
def test_the_next_command_works_as_it_is_printed(run: Run, place: Path, db: str) -> None:
    made = run("--db", db, "new", *NEW, "elsewhere")
    words = shlex.split(made.stderr.rpartition("Next: ")[2])
    assert words == ["tabletape", "--db", db, "record", "elsewhere"]
    assert run(*words[1:], "A6-A5").exit_code == 0
    copied = run("branch", "elsewhere@1", "--db", db, "--id", "bold")
    assert shlex.split(copied.stderr.rpartition("Next: ")[2]) == ["tabletape", "--db", db, "record", "bold"]
    hidden = run("--db", db, "hide", "elsewhere").stdout
    assert run(*shlex.split(hidden.split("`")[1])[1:]).stdout.startswith("elsewhere")
    unknown = run("--db", db, "show", "nosuch").stderr
    assert run(*shlex.split(unknown.split("`")[1])[1:]).exit_code == 0
    assert not (place / "tabletape.db").exists()


def test_without_db_the_next_command_has_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLETAPE_DB", "env.db")
    assert run("new", *NEW, "friday").stderr == "Started. Next: tabletape record friday\n"


# --- files -----------------------------------------------------------------------------------------------


def test_an_import_counts_what_is_new(run: Run, path: Path) -> None:
    run("export", "duel", "-o", "duel.tape.jsonl")
    assert run("--db", "o.db", "import", "duel.tape.jsonl").stderr == "  4 events, 0 notes; the game is new\n"
    run("note", "duel@1", "--text", "good")
    run("export", "duel", "-o", "duel.tape.jsonl")
    again = run("--db", "o.db", "import", "duel.tape.jsonl")
    assert again.stderr == "  0 new events, 1 new note; the game was already here\n"


def test_another_game_of_that_id_leads_to_copy(run: Run, path: Path) -> None:
    run("--db", "o.db", "new", *NEW, "duel", "--title", "Another")
    run("--db", "o.db", "record", "duel", "A6-A7")
    run("--db", "o.db", "export", "duel", "-o", "o.tape.jsonl")
    refused = run("import", "o.tape.jsonl")
    assert refused.exit_code == 1
    assert said(refused.stderr).endswith("nothing was imported. Use --copy to import it as a new game.")
    assert run("import", "o.tape.jsonl", "--copy").exit_code == 0


def test_an_import_calls_other_files_what_they_are(run: Run, path: Path, place: Path) -> None:
    run("backup", "copy.db")
    run("export", "duel", "-o", "duel.csv")
    run("export", "duel", "-o", "duel.tape.jsonl")
    with zipfile.ZipFile("duel.zip", "w") as packed:
        packed.write("duel.tape.jsonl")
    for name, why in (
        ("copy.db", "this is a database, not a record: `tabletape restore` brings a backup back"),
        ("duel.zip", "this is a zip file: unpack it and import the *.tape.jsonl files in it"),
        ("duel.csv", "this is a table of events, which cannot be imported; `tabletape import` takes the"),
    ):
        refused = run("import", name)
        assert refused.exit_code == 1
        assert f"{name}, line 1: {why}" in said(refused.stderr)
    refused = run("restore", "duel.tape.jsonl")
    assert refused.exit_code == 1
    assert said(refused.stderr).endswith("This is a record: `tabletape import` brings its game in.")


def test_gunzip_is_named_only_where_it_helps(run: Run, path: Path, place: Path) -> None:
    plain = run("export", "duel").stdout_bytes
    packed = gzip.compress(plain)
    helped = 0
    for size in range(30, len(packed) - 8, 7):
        (place / "cut.gz").write_bytes(packed[:size])
        refused = run("--db", "o.db", "import", "cut.gz")
        assert (refused.exit_code, "cut off: copy the file again" in said(refused.stderr)) == (1, True)
        if "gunzip" in refused.stderr:
            got = subprocess.run(["gunzip", "-c", "cut.gz"], capture_output=True, check=False).stdout
            assert run("--db", f"{size}.db", "import", "-", stdin=got).exit_code == 4
            helped += 1
    assert helped


def test_a_doubled_key_around_an_event_is_not_said_to_be_in_it(run: Run, path: Path, place: Path) -> None:
    lines = run("export", "duel").stdout.splitlines(keepends=True)
    lines[2] = lines[2].replace('"at":', '"seq":3,"at":')
    (place / "twice.tape.jsonl").write_text("".join(lines), encoding="utf-8")
    refused = run("--db", "o.db", "import", "twice.tape.jsonl")
    assert refused.stderr == (
        'Error: twice.tape.jsonl, line 3: the key "seq" appears twice in the line; nothing was imported.\n'
    )


# --- the disk --------------------------------------------------------------------------------------------


def test_doctor_looks_at_the_room_beside_the_database(
    run: Run, path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def left(bytes_free: int) -> None:
        monkeypatch.setattr("shutil.disk_usage", lambda folder: disk_usage(folder)._replace(free=bytes_free))

    left(1024**2 - 1)
    done = run("doctor")
    assert done.exit_code == 1
    assert f"BAD disk The disk is full: 1,023 KB are free in {place}" in said(done.stdout).replace("- ", "-")
    left(1024**2)
    assert run("doctor").exit_code == 0


def test_a_file_that_cannot_be_written_for_want_of_room_says_so(path: Path) -> None:
    for words in (["export", "duel", "-o", "/dev/full"], ["export", "duel"], ["cat", "duel"]):
        with open("/dev/full", "wb") as full:  # noqa: PTH123 - as a shell opens it
            done = subprocess.run(
                [sys.executable, "-c", "from cli import main; main()", *words],
                stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 1
        assert done.stderr.startswith("Error: "), words
        assert "The disk is full: " in done.stderr
        assert "Free some room and try again." in said(done.stderr)


def test_the_samples_say_that_they_are_on_another_port(capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        with closing(demo._free("127.0.0.1", port)) as other:
            now = other.getsockname()[1]
    assert now != port
    assert capsys.readouterr().err == f"Port {port} cannot be used; the pages are on port {now} instead.\n"
