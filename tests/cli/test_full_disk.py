"""On a full disk every command that reads works, and the others say what was not written."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from eventstore.errors import NoRoom
from eventstore.sqlite.log import SqliteLog
from tests.cli.conftest import Run
from tests.full_disk import full, record_and_die
from tests.needs import leave_out

READING = (
    "list", "list --json", "show duel", "show duel@1 --json", "cat duel", "cat duel --raw", "verify",
    "export duel", "export duel --format csv", "stats", "stats --csv", "search zombies", "check duel",
    "key list", "doctor", "backup {elsewhere}/copy.db", "export duel -o {elsewhere}/duel.tape.jsonl",
)  # fmt: skip
WRITING = {
    "record duel .": "this move was not recorded",
    "record duel '.; B6-B8'": "none of these 2 moves was recorded",
    "undo duel": "nothing was undone",
    "note duel@1 --text Bold.": "this note was not saved",
    "new monsters-forever --player Ann --player Bo": "this game was not started",
    "branch duel@1": "this variation was not started",
    "amend duel @1 --with A6-A7": "this correction was not recorded",
    "check duel pantry.A=9": "this check was not recorded",
    "set duel --title Friday": "names and title were not changed",
    "hide duel": "the list was not changed",
    "key add Tom": "no key was made",
    "simulate monsters-forever -n 1 --save": "no simulated game was kept",
    "import {elsewhere}/other.tape.jsonl": "no game of this file was imported",
}


@pytest.fixture
def path(place: Path, duel: str, run: Run, elsewhere: Path) -> Path:
    """A game of two moves, and one of another database as a file."""
    assert run("record", duel, "A6-A5; A8xB8").exit_code == 0
    new = ("new", "monsters-forever", "--player", "Cleo", "--player", "Dan", "--id", "other")
    run("--db", elsewhere / "other.db", *new)
    run("--db", elsewhere / "other.db", "export", "other", "-o", elsewhere / "other.tape.jsonl")
    return place / "tabletape.db"


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another disk, with room."""
    place = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setenv("TMPDIR", str(place))
    return place


@pytest.mark.parametrize("unmoved", [False, True], ids=["no -wal", "commits in the -wal"])
def test_what_reads_works_as_ever(run: Run, path: Path, elsewhere: Path, *, unmoved: bool) -> None:
    if unmoved:
        record_and_die(path, "duel", ".")
    with full(path):
        for line in READING:
            done = run(*shlex.split(line.format(elsewhere=elsewhere)))
            assert (line, done.exit_code, done.stderr if done.exit_code else "") == (line, 0, "")
        assert json.loads(run("show", "duel", "--json").stdout)["step"] == (3 if unmoved else 2)


@pytest.mark.parametrize("line", WRITING)
def test_what_writes_says_what_was_not_written(run: Run, path: Path, elsewhere: Path, line: str) -> None:
    words = shlex.split(line.format(elsewhere=elsewhere))
    before = run("export", "duel").stdout
    with full(path):
        done = run(*words)
        assert done.exit_code == 1
        said = " ".join(done.stderr.split())
        assert f": {WRITING[line]}. Free some room and try again." in said
        assert said.startswith("Error: The disk takes no more files")
        told = json.loads(run(*words, "--json").stderr)["error"]
        assert told["code"] == "storage-fault"
        assert WRITING[line] in told["message"]
    assert run("export", "duel").stdout == before


def test_of_a_batch_no_line_is_recorded(run: Run, path: Path) -> None:
    moved = {"kind": "creature_moved", "team": "B", "from": "B6", "to": "B7"}
    lines = "\n".join(map(json.dumps, ({"kind": "turn_ended", "team": "A"}, moved)))
    with full(path):
        done = run("record", "duel", "--batch", "-", stdin=lines)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "none of these 2 moves was recorded" in " ".join(done.stderr.split())
    assert json.loads(run("show", "duel", "--json").stdout)["step"] == 2


def test_in_a_pipe_the_lines_before_are_recorded(
    run: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really, calls = SqliteLog.append, list[str]()

    def filling(log: SqliteLog, game: str, *args: object, **more: object) -> object:
        calls.append(game)
        if len(calls) > 1:
            raise NoRoom(log.path, "the disk is full")
        return really(log, game, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(SqliteLog, "append", filling)
    done = run("record", "duel", stdin=".\n# nothing\nB6-B8\n")
    assert done.exit_code == 1
    assert " ".join(done.stderr.split()) == (
        "Error: Line 3: The disk is full: this move was not recorded; the lines before it are. "
        "Free some room and try again."
    )
    calls.clear()
    calls.append("full from the first line on")
    done = run("record", "duel", stdin="B6-B8\n")
    assert "Line 1: The disk is full: this move was not recorded. Free" in " ".join(done.stderr.split())
    assert json.loads(run("show", "duel", "--json").stdout)["step"] == 3


def test_where_no_database_can_be_made_that_is_said(run: Run, place: Path) -> None:
    with full(place / "tabletape.db.new"):
        done = run("new", "monsters-forever", "--player", "Ann", "--player", "Bo")
    assert done.exit_code == 1
    assert "no database was made at tabletape.db. Free some room" in " ".join(done.stderr.split())
    assert not (place / "tabletape.db").exists()


# --- a real one --------------------------------------------------------------------------------------------

ON_A_FULL_DISK = """
set -e
disk=$1 python=$2; shift 2
mount -t tmpfs -o size=400k full "$disk"
tabletape() { "$python" -c 'from cli import main; main()' "$@"; }
export TABLETAPE_DB="$disk/tabletape.db"
tabletape new monsters-forever --player Ann --player Bo --id duel >&2
"$python" -c 'import sys; from pathlib import Path; from tests.full_disk import record_and_die
record_and_die(Path(sys.argv[1]), "duel", "A6-A5")' "$TABLETAPE_DB"
rm "$disk/tabletape.db-shm"
dd if=/dev/zero of="$disk/filler" bs=1k 2>/dev/null || true
for words in "list" "show duel" "cat duel" "verify" "export duel" "stats" "backup $1/copy.db" \
    "undo duel" "note duel --text x"; do
    tabletape $words >"$1/out" 2>&1 && code=0 || code=$?
    echo "$code $(tail -n 1 "$1/out")"
done
"""


@pytest.fixture
def namespaces() -> None:
    """Let anybody mount a small disk that only they see."""
    probe = ["unshare", "--mount", "--map-root-user", "mount", "-t", "tmpfs", "probe", "/mnt"]
    if shutil.which("unshare") is None or subprocess.run(probe, capture_output=True, check=False).returncode:
        leave_out("MOUNT", "A test of a full disk needs unshare and the right to mount a tmpfs.")


@pytest.mark.usefixtures("namespaces")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    disk, out = tmp_path / "disk", tmp_path / "out"
    disk.mkdir()
    out.mkdir()
    command = [
        "unshare",
        "--mount",
        "--map-root-user",
        "sh",
        "-c",
        ON_A_FULL_DISK,
        "sh",
        disk,
        sys.executable,
    ]
    root = Path(__file__).parents[2]
    env = {**os.environ, "TMPDIR": str(out), "PYTHONPATH": str(root), "COLUMNS": "200"}
    done = subprocess.run(
        [*command, out], capture_output=True, check=False, text=True, env=env, cwd=out, timeout=120
    )
    codes = [line.partition(" ")[0] for line in done.stdout.splitlines()]
    assert codes == ["0"] * 7 + ["1"] * 2, (done.stdout, done.stderr)
    *_, undo, note = done.stdout.splitlines()
    assert undo == "1 Error: The disk is full: nothing was undone. Free some room and try again."
    assert note == "1 Error: The disk is full: this note was not saved. Free some room and try again."
    assert "1 game, 2 events" in done.stdout


FULL_OF_LOG = """
import subprocess, sys
from pathlib import Path
from eventstore.sqlite import writer as sqlite_writer
from eventstore.errors import NoRoom
from eventstore.recording.commands import New, WriteNote
from eventstore.store import Store

disk, out = map(Path, sys.argv[1:])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "full", disk], check=True)
sqlite_writer._SCARCE_BYTES = 0  # as on a disk that something else fills
path = disk / "tabletape.db"

def tabletape(*words):
    done = subprocess.run(
        [sys.executable, "-c", "from cli import main; main()", "--db", path, *words],
        capture_output=True, text=True, check=False,
    )
    print(done.returncode, " ".join((done.stdout if done.returncode == 0 else done.stderr).split())[:200])

with Store.open(path) as store:
    store.do(None, New("monsters-forever", ["Ann", "Bo"], game="duel"))
    kept = 0
    try:
        while True:
            store.do("duel", WriteNote(1, text=f"n{kept} " + "x" * 1900))
            kept += 1
    except NoRoom as fault:
        print(kept, fault)
    assert Path(f"{path}-wal").stat().st_size > 4 * path.stat().st_size
    for again in range(3):
        try:
            store.do("duel", WriteNote(1, text="x" * 1900))
        except NoRoom as fault:
            assert "this note was not saved" in str(fault)
    words = ["list"], ["stats"], ["search", "n1"], ["verify"], ["show", "duel"]
    for line in words:
        tabletape(*line)
    tabletape("note", "duel", "--text", "y" * 1900)
for line in words:
    tabletape(*line)
subprocess.run(["mount", "-o", "remount,size=3m", disk], check=True)
with Store.open(path) as store:
    assert len(store.game("duel").all_notes) == kept
tabletape("note", "duel", "--text", "y" * 1900)
print("-wal" if Path(f"{path}-wal").exists() else "moved")
"""


@pytest.mark.usefixtures("namespaces")
def test_a_disk_that_the_wal_has_filled(tmp_path: Path) -> None:
    """Nothing of the log can be moved into the database any more, and yet all of it can be read."""
    disk, out = tmp_path / "disk", tmp_path / "out"
    disk.mkdir()
    out.mkdir()
    root = Path(__file__).parents[2]
    env = {**os.environ, "TMPDIR": str(out), "PYTHONPATH": str(root), "COLUMNS": "200"}
    command = ["unshare", "--mount", "--map-root-user", sys.executable, "-c", FULL_OF_LOG, disk, out]
    done = subprocess.run(command, capture_output=True, check=False, text=True, env=env, cwd=out, timeout=120)
    assert done.returncode == 0, (done.stdout, done.stderr)
    first, *lines, moved = done.stdout.splitlines()
    assert first.endswith(" The disk is full: this note was not saved. Free some room and try again.")
    codes = [line.partition(" ")[0] for line in lines]
    assert codes == [*"00000", "1", *"00000", "0"], done.stdout
    assert lines[5] == "1 Error: The disk is full: this note was not saved. Free some room and try again."
    assert moved == "moved"
