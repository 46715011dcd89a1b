"""Work of every kind, with a mark in the shim's log after each thing that was acknowledged.

A mark is JSON. `kind` says what was acknowledged:

commit:     a command of a game, with the value of the chain after it
title:      a title, which is no event
file:       an export or a backup that said that it is done, with its SHA-256
restoring:  a database is about to be replaced by a backup
restored:   it was, and what was there before is `kept`
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import stat
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any
from unittest import mock

from eventstore.files import system
from eventstore.log.ids import new_id
from eventstore.log.rows import NewEvent
from eventstore.recording.commands import New, Record, Undo, WriteNote
from eventstore.recording.typed_lines import read_line
from eventstore.simulation import save, simulate
from eventstore.sqlite import appender, backup, writer
from eventstore.store import Store
from tests.faults.shim import Shim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OLD, GAMES = "old.db", "games.db"
THREADS = 4
_ROUNDS = 6
_EVENT = NewEvent("record.checked", '{"kind":"record.checked","claims":[]}', "recorder")


class Marks:
    """Writes down what was acknowledged."""

    def __init__(self, shim: Shim, stale: Path) -> None:
        self._shim = shim
        self._stale = stale
        self._taken = 0
        self._lock = Lock()

    def __call__(self, kind: str, **facts: Any) -> None:
        with self._lock:
            self._shim.mark(json.dumps({"kind": kind, **facts}))
            self._taken += 1
            if self._taken % 10 == 0:
                self._keep_shared_memory()

    def _keep_shared_memory(self) -> None:
        """Keep what lies in the shared memory of SQLite now; a disk may show it much later."""
        for file in Path.cwd().glob("*.db-shm"):
            shutil.copy(file, self._stale / f"{self._taken:04}-{file.name}")

    def head(self, store: Store, db: str, game: str) -> None:
        found = store.log.head(game)
        assert found is not None
        self("commit", db=db, game=game, seq=found.seq, hash=found.hash)

    def heads(self, store: Store, db: str) -> None:
        for game in store.log.games():
            self.head(store, db, game)

    def file(self, path: str, db: str) -> None:
        self("file", path=path, db=db, sha=hashlib.sha256(Path(path).read_bytes()).hexdigest())


def make_old() -> str:
    """Make a database of an older version with a game in it; to be called before anything is logged."""
    from tests.eventstore.test_opening import older  # noqa: PLC0415

    with Store.open("new.db") as store:
        game = store.do(None, New("monsters-forever", ["Ann", "Bo"], game="long-ago")).game.id
        for move in ("A6-A5", ".", "B6-B5"):
            store.do(game, Record(read_line(store.game(game), move)))
        store.do(game, WriteNote(2, text="a note", tags=()))
        older(Path(OLD), store.log)  # type: ignore[arg-type]
    for file in Path.cwd().glob("new.db*"):
        file.unlink()
    return OLD


def work(log: str, stale: str, plant: str | None = None) -> None:
    """Do it all in this folder, with a fault planted if so wished."""
    shim = Shim(Path.cwd())
    marks = Marks(shim, Path(stale))
    shim.log(Path(log))
    with mock.patch.object(writer, "_CHECKPOINT_PAGES", 12), PLANTS[plant](marks):
        with Store.open(OLD) as store:
            marks.heads(store, OLD)
            _append(store, OLD, "long-ago", marks)
        _record(marks)
        _exchange(marks)
        _bring_back(marks)


def _record(marks: Marks) -> None:
    with Store.open(GAMES) as store:
        game = store.do(None, New("monsters-forever", ["Ann", "Bo"], game="friday")).game.id
        marks.head(store, GAMES, game)
        for number in range(_ROUNDS):
            _append(store, GAMES, game, marks)
            store.do(game, Undo())
            marks.head(store, GAMES, game)
            store.do(game, WriteNote(1, text=f"note {number}", tags=()))
            marks.head(store, GAMES, f"{game}/notes")
            store.set_details(game, title=f"Friday {number}")
            marks("title", db=GAMES, game=game, title=f"Friday {number}")
            other = store.do(None, New("legend-of-monopoly", ["Cem", "Dea"], game=f"game-{number}")).game.id
            marks.head(store, GAMES, other)
        _at_once(store, marks)
        saved = save(store, [simulate("monsters-forever", 2, seed, 60) for seed in range(3)])
        for name in saved:
            marks.head(store, GAMES, name)


def _append(store: Store, db: str, game: str, marks: Marks) -> None:
    """Append an event as `record` does, and one as a program does that knows no rules."""
    store.do(game, Record([{"kind": "record.checked", "claims": []}]))
    marks.head(store, db, game)
    head = store.log.head(game)
    assert head is not None
    receipt = store.log.append(game, [_EVENT], after=head.seq, command_id=new_id(), request="r")
    marks("commit", db=db, game=game, seq=receipt.last_seq, hash=receipt.head)


def _at_once(store: Store, marks: Marks) -> None:
    """Append from several threads, so that their commands share transactions."""

    def append(game: str) -> None:
        for number in range(_ROUNDS):
            head = store.log.head(game)
            assert head is not None
            receipt = store.log.append(
                game, [_EVENT] * 3, after=head.seq, command_id=f"{game}-{number}", request="r"
            )
            marks("commit", db=GAMES, game=game, seq=receipt.last_seq, hash=receipt.head)

    threads = [Thread(target=append, args=(f"game-{number}",)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _exchange(marks: Marks) -> None:
    """Export, import and back up, twice over, with appends between."""
    for number in range(3):
        command("--db", OLD, "export", "long-ago", "-o", "long-ago.tape.jsonl")
        marks.file("long-ago.tape.jsonl", OLD)
        command("--db", GAMES, "import", "long-ago.tape.jsonl")
        with Store.open(GAMES) as store:
            marks.head(store, GAMES, "long-ago")
            marks.head(store, GAMES, "long-ago/notes")
        command("--db", GAMES, "export", "friday", "-o", "friday.csv")
        marks.file("friday.csv", GAMES)
        command("--db", GAMES, "backup", "--force", "copy.db")
        marks.file("copy.db", GAMES)
        with Store.open(GAMES) as store:
            _append(store, GAMES, "friday", marks)
        with Store.open(OLD) as store:
            _append(store, OLD, "long-ago", marks)
            store.do("long-ago", WriteNote(2, text=f"another note {number}", tags=()))
            marks.head(store, OLD, "long-ago/notes")


def _bring_back(marks: Marks) -> None:
    """Restore the backup twice, and append to what was restored."""
    for number in range(1, 3):
        marks("restoring", db=GAMES, file="copy.db", kept=f"{GAMES}.before-restore-{number}")
        command("--db", GAMES, "restore", "--force", "copy.db")
        marks("restored", db=GAMES)
        with Store.open(GAMES) as store:
            for _ in range(4):
                _append(store, GAMES, "friday", marks)
        # The next restore finds what a process leaves that was killed: commits in the write-ahead log.
        child = os.fork()
        if child == 0:
            _append(Store.open(GAMES), GAMES, "friday", marks)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


def command(*argv: str) -> None:
    """Run a command of the command line here."""
    from cli import main  # noqa: PLC0415

    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = main(list(argv), standalone_mode=False)
    assert not status, (argv, status, said.getvalue())


# --- planted faults ----------------------------------------------------------------------------------


@contextmanager
def _nothing(_: Marks) -> Iterator[None]:
    yield


def _synchronous(how: str) -> Callable[[Marks], Any]:
    """Trust the operating system more than we may."""
    prepare = writer.Writer._prepare

    def prepared(self: writer.Writer, connection: Any) -> None:
        prepare(self, connection)
        connection.execute(f"PRAGMA synchronous={how}")

    return lambda _: mock.patch.object(writer.Writer, "_prepare", prepared)


def _answered_before_commit(marks: Marks) -> Any:
    following = appender._following

    def answered(head: Any, asked: Any, stamp: str) -> Any:
        made = following(head, asked, stamp)
        marks("commit", db=GAMES, game=asked.game, seq=made[3].last_seq, hash=made[3].head)
        return made

    return mock.patch.object(appender, "_following", answered)


def _unsynced(wanted: Callable[[int], bool]) -> Callable[[Marks], Any]:
    """Leave out the syncs of files or folders that are ours; SQLite's own stay."""
    fsync = os.fsync

    def synced(handle: int) -> None:
        if not wanted(os.fstat(handle).st_mode):
            fsync(handle)

    return lambda _: mock.patch.object(os, "fsync", synced)


def _renamed_before_it_is_synced(_: Marks) -> Any:
    sync, late = system.sync, list[Path]()

    def synced(place: Path) -> None:
        if place.is_file():
            late.append(place)
            return
        for file in late:
            target = Path("copy.db") if file.name.endswith(".part") else file
            if target.exists():
                sync(target)
        late.clear()
        sync(place)

    return mock.patch.object(backup.system, "sync", synced)


PLANTS: dict[str | None, Callable[[Marks], Any]] = {
    None: _nothing,
    "synchronous=OFF": _synchronous("OFF"),
    "synchronous=NORMAL": _synchronous("NORMAL"),
    "answered before COMMIT": _answered_before_commit,
    "files are not synced": _unsynced(stat.S_ISREG),
    "folders are not synced": _unsynced(stat.S_ISDIR),
    "renamed before it is synced": _renamed_before_it_is_synced,
}
