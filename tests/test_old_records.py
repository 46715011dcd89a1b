"""A database and a record file written by version 0.1.0 (schema 10) open, verify, export and answer as then.

`tests/old_records/` holds them with what that program answered. They are never written again.
"""

from __future__ import annotations

import gzip
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cli import main

HERE = Path(__file__).with_name("old_records")
EXPECTED: dict[str, Any] = json.loads((HERE / "schema-10.json").read_text(encoding="utf-8"))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((HERE / "schema-10.db.gz").read_bytes()))
    return path


def run(database: Path, *args: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["--db", str(database), *args], input=stdin)


def test_the_database_verifies(database: Path) -> None:
    done = run(database, "verify", "--json")
    assert (done.exit_code, json.loads(done.stdout)["faults"]) == (0, [])


@pytest.mark.parametrize("game", EXPECTED["exports"])
def test_a_game_is_exported_to_the_same_bytes(database: Path, game: str) -> None:
    done = run(database, "export", game)
    assert done.exit_code == 0
    assert sha256(done.stdout_bytes).hexdigest() == EXPECTED["exports"][game]


def test_a_repeated_command_gets_its_first_answer(database: Path) -> None:
    """Other commands have moved the games on since, and many would be refused now."""
    before = json.loads(run(database, "verify", "--json").stdout)
    repeated = [one for one in EXPECTED["commands"] if "--command-id" in one["args"]]
    assert len(repeated) > 15
    for one in repeated:
        done = run(database, *one["args"], "--json", stdin=one["stdin"])
        assert (done.exit_code, json.loads(done.stdout)) == (0, one["answer"]), one["args"]
    assert json.loads(run(database, "verify", "--json").stdout) == before


def test_the_record_file_comes_in_and_goes_out_the_same(tmp_path: Path) -> None:
    file = HERE / "friday.tape.jsonl"
    fresh = tmp_path / "fresh.db"
    assert run(fresh, "import", str(file)).exit_code == 0
    assert run(fresh, "export", "friday").stdout_bytes == file.read_bytes()
