"""What is wrong with a database is said in one sentence, with the right exit code, and nothing is touched."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from eventstore.errors import DatabaseReadOnly
from eventstore.sqlite.log import SqliteLog
from eventstore.store import Store
from tests.cli.conftest import Run
from tests.eventstore.played import damage

NEW = ("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--command-id", "duel")


def text_file(path: Path) -> None:
    path.write_text("not a database at all, and long enough to be read as one\n" * 40, encoding="utf-8")


def someone_s(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes(name)")


def newer(path: Path) -> None:
    with Store.open(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 999")
        connection.commit()


def folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [text_file, someone_s, newer, folder], ids=lambda make: make.__name__)
@pytest.mark.parametrize("command", [("list",), NEW, ("import", "-"), ("demo", "--load-only")], ids=" ".join)
def test_a_file_that_is_not_ours_is_left_alone(
    run: Run, place: Path, make: Callable[[Path], None], command: tuple[str, ...]
) -> None:
    path = place / "other.db"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    done = run("--db", path, *command, stdin="")
    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert (path.read_bytes() if path.is_file() else b"") == before


@pytest.mark.parametrize(
    "command",
    [("list",), ("show", "duel"), ("cat", "duel"), ("record", "duel", "."), ("export", "duel"), ("verify",)],
    ids=" ".join,
)
def test_where_there_is_none_none_is_made(run: Run, place: Path, command: tuple[str, ...]) -> None:
    done = run(*command, "--json")
    assert done.exit_code == 1
    assert json.loads(done.stderr)["error"]["code"] == "database-missing"
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    "wish",
    [
        ("monsters-for-ever", "--player", "Ann", "--player", "Bo"),
        ("monsters-forever", "--player", "Ann"),
        ("monsters-forever", "--player", "Ann", "--player", "Bo", "--option", "colour=red"),
        ("monsters-forever", "--player", "Ann", "--player", "Bo", "--option", "max_rounds=many"),
        ("monsters-forever", "--player", "Ann", "--player", "Bo", "--seen-as", "p3"),
        ("monsters-forever", "--player", "Ann", "--player", "Bo\x07"),
        ("monsters-forever", "--player", "Ann", "--player", "Bo", "--played-on", "14.9.2026"),
        ("monsters-forever", "--player", "Ann", "--player", "Bo", "--time-zone", "Moon/Crater"),
        ("monsters-forever", "--player", "Ann", "--player", "Bo", "--data", "-"),
        ("monsters-forever", "--player", "Ann", "--player", "Bo", "--after", "3"),
    ],
    ids=lambda wish: wish[-1],
)
def test_a_game_that_cannot_be_begun_makes_no_database(run: Run, place: Path, wish: tuple[str, ...]) -> None:
    done = run("new", *wish, stdin='{"races": {"A": "Zombies"}}')
    assert done.exit_code == (3 if "--after" in wish else 1)
    assert done.stderr.startswith("Error: ")
    assert list(place.iterdir()) == []


def test_a_data_file_names_its_row(run: Run) -> None:
    cards: dict[str, Any] = {"monsters": [{"id": "m1", "attack": 1}], "wars": [], "gambits": []}
    done = run(
        "new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--data", "-", "--json",
        stdin=json.dumps(cards),
    )  # fmt: skip
    assert done.exit_code == 1
    assert json.loads(done.stderr)["error"]["code"] == "bad-data"


def test_a_data_file_is_refused_with_its_name_the_place_and_where_one_is_that_fits(
    run: Run, tmp_path: Path
) -> None:
    cards = json.loads(run("rulesets", "monsters-of-war", "--data").stdout)
    cards["monsters"][3]["attack"] = "x"
    file = tmp_path / "cards.json"
    file.write_text(json.dumps(cards), encoding="utf-8")
    done = run("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--data", str(file))
    assert f'{file}: monsters[3]: attack takes a whole number, not "x". ' in " ".join(done.stderr.split())
    assert "`tabletape rulesets monsters-of-war --data`" in " ".join(done.stderr.split())


def test_a_locked_database_is_a_conflict(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(*NEW).exit_code == 0
    monkeypatch.setattr(SqliteLog, "open", partial(SqliteLog.open, wait=0.05))
    with closing(sqlite3.connect(place / "tabletape.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = run("record", "duel", "A6-A5", "--json")
        other.execute("ROLLBACK")
    assert done.exit_code == 3
    assert json.loads(done.stderr)["error"]["code"] == "database-locked"
    assert json.loads(run("show", "duel", "--json").stdout)["head"] == 1


def test_a_read_only_database_can_be_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(*NEW).exit_code == 0
    really = Store.open

    def kept_from_writing(path: Any, **how: Any) -> Store:
        if not how.get("read_only"):
            raise DatabaseReadOnly(str(path))
        return really(path, **how)

    monkeypatch.setattr(Store, "open", kept_from_writing)
    for command in (("show", "duel"), ("cat", "duel"), ("export", "duel"), ("list",), ("verify",)):
        assert (command, run(*command).exit_code) == (command, 0)
    refused = run("record", "duel", "A6-A5", "--json")
    assert refused.exit_code == 1
    assert json.loads(refused.stderr)["error"]["code"] == "database-read-only"


def test_the_database_is_the_one_named_first_of_all(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLETAPE_DB", "from-environment.db")
    run(*NEW)
    run("--db", "before.db", *NEW)
    run(*NEW, "--db", "behind.db")
    monkeypatch.delenv("TABLETAPE_DB")
    run(*NEW)
    made = {path.name for path in place.glob("*.db")}
    assert made == {"from-environment.db", "before.db", "behind.db", "tabletape.db"}


def test_a_changed_row_is_found(run: Run, place: Path) -> None:
    run(*NEW)
    run("record", "duel", "A6-A5")
    assert run("verify").exit_code == 0
    changed = "UPDATE events SET payload = replace(payload, 'A5', 'A7') WHERE seq = 2"
    damage(place / "tabletape.db", changed)
    done = run("verify", "--json")
    assert done.exit_code == 4
    faults = json.loads(done.stdout)["faults"]
    assert [(fault["game"], fault["seq"]) for fault in faults][:1] == [("duel", 2)]
    assert "duel:2" in run("verify").stdout


def test_one_flipped_bit_leaves_the_other_games_and_breaks_no_command(run: Run, place: Path) -> None:
    run(*NEW)
    run("record", "duel", "A6-A5")
    run("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--command-id", "other")
    damage(
        place / "tabletape.db",
        "UPDATE events SET payload = CAST(replace(payload, 'A5', x'41B5') AS TEXT) WHERE seq = 2",
    )
    codes = {
        line: run(*line.split(), stdin="").exit_code
        for line in ("list", "search Ann", "show duel", "show other", "cat duel", "cat duel --raw",
                     "export duel --format csv", "export duel", "verify duel", "verify other", "verify",
                     "record other A6-A5", "record duel A5-A4", "undo duel")
    }  # fmt: skip
    told = {"verify duel", "verify", "export duel", "export duel --format csv"}
    assert {line for line, code in codes.items() if code == 4} == told
    assert {line for line, code in codes.items() if code == 1} == {"record duel A5-A4"}
    assert set(codes.values()) == {0, 1, 4}


def test_doctor_says_what_is_wrong(run: Run, place: Path) -> None:
    well = json.loads(run("doctor", "--json").stdout)["checks"]
    assert [check["name"] for check in well] == [
        "python",
        "clock",
        "sqlite",
        "rulesets",
        "database",
        "disk",
        "chromium",
    ]
    assert all(check["ok"] for check in well)
    text_file(place / "tabletape.db")
    done = run("doctor")
    assert done.exit_code == 1
    assert "BAD database" in done.stdout


def test_doctor_says_what_may_be_done_to_the_file_in_use_and_names_a_foreign_wal(
    run: Run, place: Path
) -> None:
    run(*NEW)
    path = place / "tabletape.db"
    with closing(sqlite3.connect(place / "recipes.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE recipes(name)")
        foreign = Path(f"{place}/recipes.db-wal").read_bytes()
    said = " ".join(run("doctor").stdout.split())
    assert "copy it with `tabletape backup` only" in said
    assert "tabletape.db.lock is empty and harmless" in said
    Path(f"{path}-wal").write_bytes(foreign)
    before = path.read_bytes()
    done = run("doctor")
    assert done.exit_code == 1
    assert "BAD database" in done.stdout
    assert "tabletape.db-wal belongs to another database" in " ".join(done.stdout.split())
    refused = run("list", "--json")
    assert refused.exit_code == 4
    assert json.loads(refused.stderr)["error"]["code"] == "damaged-database"
    assert (path.read_bytes(), Path(f"{path}-wal").read_bytes()) == (before, foreign)


def test_doctor_and_verify_say_that_events_can_be_changed(run: Run, place: Path) -> None:
    run(*NEW)
    with closing(sqlite3.connect(place / "tabletape.db")) as connection:
        connection.execute("DROP TRIGGER events_no_update")
    looked, checked = run("doctor"), run("verify")
    assert (looked.exit_code, checked.exit_code) == (1, 4)
    for said in (looked.stdout, checked.stdout):
        assert "trigger events_no_update is missing." in " ".join(said.split())


def test_doctor_names_the_releases_of_sqlite_that_can_lose_a_commit(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(version: tuple[int, int, int]) -> str:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
        monkeypatch.setattr(sqlite3, "sqlite_version", ".".join(map(str, version)))
        checks = json.loads(run("doctor", "--json").stdout)["checks"]
        return str(next(check["message"] for check in checks if check["name"] == "sqlite"))

    assert "can lose a commit" in said((3, 40, 1))
    assert "can lose a commit" in said((3, 51, 2))
    assert said((3, 51, 3)) == "3.51.3"
