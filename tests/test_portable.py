"""Tabletape needs nothing that Windows lacks, and writers exclude one another there, too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from eventstore.errors import DatabaseLocked
from eventstore.files import system
from eventstore.sqlite import lock
from eventstore.sqlite.lock import FileLock, still

ROOT = Path(__file__).resolve().parents[1]
CHILD = [sys.executable, str(ROOT / "tests" / "elsewhere.py")]


def run(*args: str, sent: str = "") -> str:
    done = subprocess.run([*CHILD, *args], input=sent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_imports_where_there_is_no_posix() -> None:
    here = [
        file
        for package in ("games", "eventstore", "replay_web", "cli")
        for file in (ROOT / package).rglob("*.py")
        if file.parent != ROOT / package or file.name != "__init__.py"
    ]
    assert int(run("import")) == len(here) > 300


def test_a_move_is_recorded_listed_and_handed_on_where_there_is_no_posix(tmp_path: Path) -> None:
    database, file, copy = (str(tmp_path / name) for name in ("a.db", "friday.tape.jsonl", "copy.db"))
    call = ("call", "--db", database)
    run(*call, "new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--id", "friday")
    assert "Ann moves Zombies from A6 to A5" in run(*call, "record", "friday", sent="A6-A5\n")
    (listed,) = json.loads(run(*call, "list", "--json"))
    assert (listed["game"], listed["steps"]) == ("friday", 1)
    run(*call, "export", "friday", "-o", file)
    run(*call, "backup", copy)
    assert "all intact" in run("call", "--db", copy, "verify")
    assert run("call", "--db", str(tmp_path / "b.db"), "import", file) == "friday\n"
    assert (tmp_path / "a.db.lock").read_bytes() == b""


@pytest.fixture(params=["flock", "SQLite"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which the lock is held."""
    monkeypatch.setattr(lock, "HAS_FLOCK", request.param == "flock")
    return str(request.param)


@pytest.mark.usefixtures("kind")
def test_one_holder_keeps_all_others_out(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with closing(FileLock(path, 0.01)) as one, closing(FileLock(path, 0.01)) as two:
        with one.held(), pytest.raises(DatabaseLocked):
            two.take()
        with two.held(), pytest.raises(DatabaseLocked):
            one.take()
        one.take()
        one.give()
    assert Path(f"{path}.lock").read_bytes() == b""


@pytest.mark.usefixtures("kind")
def test_a_reader_that_needs_peace_keeps_writers_out(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with still(path, 0.01):
        assert not Path(f"{path}.lock").exists(), "only a writer makes it"
    with closing(FileLock(path, 0.01)) as writer:
        with still(path, 0.01), pytest.raises(DatabaseLocked):
            writer.take()
        with writer.held(), pytest.raises(DatabaseLocked), still(path, 0.01):
            pass
        writer.take()


def holder(path: str) -> subprocess.Popen[str]:
    """Another process without `flock` that has the lock."""
    started = subprocess.Popen(
        [*CHILD, "hold", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout is not None
    assert started.stdout.readline() == "held\n"
    return started


@pytest.mark.parametrize("killed", [False, True], ids=["ends", "is killed"])
def test_another_process_waits_without_flock_until_the_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, killed: bool
) -> None:
    monkeypatch.setattr(lock, "HAS_FLOCK", False)
    path = str(tmp_path / "a.db")
    with holder(path) as other, closing(FileLock(path, 0.05)) as ours:
        with pytest.raises(DatabaseLocked):
            ours.take()
        if killed:
            other.kill()
        other.communicate("\n" if not killed else None)
        ours.take()


def test_two_processes_without_flock_lose_no_count(tmp_path: Path) -> None:
    counter = tmp_path / "a.db"
    counter.write_text("0", encoding="ascii")
    both = [subprocess.Popen([*CHILD, "count", str(counter), "300"]) for _ in range(2)]
    assert [one.wait() for one in both] == [0, 0]
    assert counter.read_text(encoding="ascii") == "600"


@pytest.mark.parametrize("lacking", [(), ("pread", "pwrite")], ids=["as here", "without pread"])
def test_bytes_are_read_and_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: tuple[str, ...]
) -> None:
    for name in lacking:
        monkeypatch.delattr(os, name)
    file = tmp_path / "bytes"
    file.write_bytes(b"0123456789")
    handle = os.open(file, os.O_RDWR | system.BINARY)
    try:
        assert system.write_at(handle, b"ab", 4) == 2
        assert [system.read_at(handle, 3, place) for place in (3, 0, 8, 20)] == [b"3ab", b"012", b"89", b""]
    finally:
        os.close(handle)


def test_a_process_that_cannot_be_asked_is_taken_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    assert system.runs(os.getpid())
    assert not system.runs(ended.pid)
    asked: list[Any] = []
    monkeypatch.setattr(os, "name", "nt")
    monkeypatch.setattr(os, "kill", lambda *args: asked.append(args))
    assert system.runs(ended.pid)
    assert asked == [], "there it would end the process"
