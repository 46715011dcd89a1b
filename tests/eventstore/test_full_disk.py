"""On a full disk a database is read to its last event, and a refusal says what was not written."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from eventstore.errors import DatabaseReadOnly, LogClosed, NoRoom, OutcomeUnknown, StorageFault
from eventstore.formats.record_file import export_record, import_records
from eventstore.recording.amending import HistoryEdit, Remove
from eventstore.recording.commands import Amend, Branch, Check, New, Record, Restore, Undo, WriteNote
from eventstore.recording.typed_lines import read_line
from eventstore.simulation import SimulatedGame, save, simulate
from eventstore.sqlite import schema, writer
from eventstore.sqlite.backup import back_up
from eventstore.sqlite.log import SqliteLog
from eventstore.sqlite.schema.migrations import MIGRATIONS
from eventstore.store import Store
from tests.eventstore.test_opening import another_user
from tests.full_disk import full, record_and_die

GAME = "friday"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A game of two moves, of which the list does not know yet."""
    path = tmp_path / "disk" / "games.db"
    path.parent.mkdir()
    with Store.open(path) as store:
        store.do(None, New("monsters-forever", ["Ann", "Bo"], game=GAME))
        store.catalogue.list()
        store.do(GAME, Record(read_line(store.game(GAME), "A6-A5; A8xB8")))
    return path


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where there is room: copies to read from go there."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    return place


@pytest.fixture(params=["no -wal", "commits in the -wal"])
def steps(request: pytest.FixtureRequest, path: Path) -> int:
    """How many steps the game has, the last of them perhaps in the `-wal` alone."""
    if request.param == "no -wal":
        return 2
    record_and_die(path, GAME, ".")
    return 3


def of(path: Path) -> dict[str, bytes]:
    """What the files beside a database hold; SQLite makes an empty `-wal` even on a full disk."""
    files = (file for file in path.parent.iterdir() if file.is_file())
    return {file.name: content for file in files if (content := file.read_bytes())}


def tape_of(store: Store, game: str = GAME) -> bytes:
    return b"".join(export_record(store, store.game(game)))


def test_everything_that_reads_works(path: Path, steps: int, tmp_path: Path, elsewhere: Path) -> None:
    copy = tmp_path / "copy.db"
    with full(path):
        before = of(path)
        with Store.open(path) as store:
            assert store.game(GAME).steps == steps
            assert [entry.steps for entry in store.catalogue.list()] == [steps]
            assert [entry.game for entry in store.catalogue.search("zombies")] == [GAME]
            assert tape_of(store).count(b"\n") == steps + 2
            assert back_up(store.log, copy).events == steps + 1
            assert store.log.read_only is False
        assert of(path) == before
    assert list(elsewhere.iterdir()) == []
    with Store.open(copy) as store:
        assert store.game(GAME).steps == steps


def test_saved_states_are_left_out(path: Path) -> None:
    with full(path), SqliteLog.open(path) as log:
        log.snapshots.put_all(GAME, "everything", [(1, b"one", b"state")])
        assert log.snapshots.bytes_used(GAME) == 0
    with SqliteLog.open(path) as log:
        log.snapshots.put_all(GAME, "everything", [(1, b"one", b"state")])
        assert log.snapshots.bytes_used(GAME) > 0


def test_what_is_written_works_again_as_soon_as_there_is_room(path: Path, steps: int) -> None:
    move = "." if steps == 2 else "B6-B8"
    with full(path):
        store = Store.open(path)
        with pytest.raises(NoRoom):
            store.do(GAME, Record(read_line(store.game(GAME), move)))
        assert store.game(GAME).steps == steps
    with store:
        store.do(GAME, Record(read_line(store.game(GAME), move)))
        assert store.game(GAME).steps == steps + 1
    with Store.open(path) as store:
        assert store.game(GAME).steps == steps + 1


def test_what_another_program_writes_once_there_is_room_is_seen(path: Path, steps: int) -> None:
    move = "." if steps == 2 else "B6-B8"
    with full(path):
        store = Store.open(path)
        assert store.game(GAME).steps == steps
    with store:
        record_and_die(path, GAME, move)
        assert store.game(GAME).steps == steps + 1


def test_a_log_that_was_closed_is_not_opened_again_by_a_write(path: Path) -> None:
    with full(path):
        log = SqliteLog.open(path)
        log.close()
    with pytest.raises(LogClosed):
        log.write(lambda connection: connection.execute("DELETE FROM keyframes"))


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with full(Path(f"{path}.new")), pytest.raises(NoRoom, match=r"nothing was written to .*new\.db\."):
        SqliteLog.open(path)
    assert not path.exists()


def test_a_database_that_has_to_be_brought_up_to_date_says_so(path: Path) -> None:
    old = path.with_name("old.db")
    schema.make(str(old), MIGRATIONS[:-1])
    with full(old), pytest.raises(NoRoom, match="not brought up to date, and cannot be read before that"):
        SqliteLog.open(old)


def test_without_room_for_a_copy_the_refusal_says_how_much_is_needed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_and_die(path, GAME, ".")
    usage = shutil.disk_usage(path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=0))
    with full(path), pytest.raises(StorageFault, match=r"the 2 MB to read a copy in; .* TMPDIR"):
        SqliteLog.open(path)


def test_a_copy_that_a_killed_process_left_is_removed_by_the_next(path: Path, elsewhere: Path) -> None:
    record_and_die(path, GAME, ".")
    gone, here = elsewhere / "tabletape-999999999-x_1.copy", elsewhere / f"tabletape-{os.getpid()}-x_1.copy"
    for folder in (gone, here):
        folder.mkdir()
        (folder / "copy.db").touch()
    with full(path), SqliteLog.open(path) as log:
        assert log.head(GAME)
        (copied,) = (place for place in elsewhere.iterdir() if place != here)
        assert copied.stat().st_mode & 0o077 == 0
    assert list(elsewhere.iterdir()) == [here]


# --- where nothing may be written ------------------------------------------------------------------------


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may reach."""
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        Path(place).chmod(0o755)
        yield Path(place)


@pytest.mark.parametrize("gone", [(), ("-shm",), (".lock",), ("-shm", ".lock")], ids=" ".join)
def test_a_read_only_folder_is_read_with_the_commits_in_its_wal(
    path: Path, open_folder: Path, monkeypatch: pytest.MonkeyPatch, gone: tuple[str, ...]
) -> None:
    record_and_die(path, GAME, ".")
    for file in path.parent.iterdir():
        shutil.copy(file, open_folder)
        (open_folder / file.name).chmod(0o644)
    there = open_folder / path.name
    for end in gone:
        Path(f"{there}{end}").unlink()
    monkeypatch.delenv("TMPDIR")
    open_folder.chmod(0o555)
    before = of(there)
    with another_user():
        with pytest.raises(DatabaseReadOnly):
            SqliteLog.open(there)
        with SqliteLog.open(there, read_only=True) as log:
            assert len(log.events(GAME)) == 4
    assert of(there) == before
    open_folder.chmod(0o755)


# --- what was not written ----------------------------------------------------------------------------------


def simulated() -> SimulatedGame:
    return simulate("monsters-forever", 2, seed=1)


WRITES: dict[str, Callable[[Store], Any]] = {
    "this game was not started": lambda store: store.do(None, New("monsters-forever", ["Ann", "Bo"])),
    "this variation was not started": lambda store: store.do(GAME, Branch(1)),
    "this move was not recorded": lambda store: store.do(GAME, Record(read_line(store.game(GAME), "."))),
    "none of these 2 moves was recorded": lambda store: store.do(
        GAME, Record(read_line(store.game(GAME), ".; B6-B8"))
    ),
    "this correction was not recorded": lambda store: store.do(GAME, Amend([HistoryEdit(3, Remove())])),
    "this check was not recorded": lambda store: store.do(GAME, Check({"pantry.A": 9})),
    "nothing was undone": lambda store: store.do(GAME, Undo()),
    "the game was left as it is": lambda store: store.do(GAME, Restore(1)),
    "this note was not saved": lambda store: store.do(GAME, WriteNote(2, text="Bold.")).result,
    "no key was made": lambda store: store.access.add(),
    "names and title were not changed": lambda store: store.set_details(GAME, title="Friday"),
    "the list was not changed": lambda store: store.hide(GAME),
    "no simulated game was kept": lambda store: save(store, [simulated()]),
}


@pytest.mark.parametrize("said", WRITES)
def test_a_refusal_says_what_was_not_written(path: Path, said: str) -> None:
    with full(path), Store.open(path) as store:
        before = tape_of(store)
        with pytest.raises(NoRoom) as refused:
            WRITES[said](store)
        assert str(refused.value).endswith(f": {said}. Free some room and try again.")
        assert refused.value.code == "storage-fault"
        assert tape_of(store) == before


def test_of_an_import_it_says_that_no_game_came_in(path: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "other.db") as store:
        store.do(None, New("monsters-forever", ["Ann", "Bo"], game="sunday"))
        file = ("sunday", tape_of(store, "sunday"))
    with full(path), Store.open(path) as store:
        with pytest.raises(NoRoom, match="no game of this file was imported"):
            import_records(store, [file])
        assert store.log.games() == [GAME]


def test_of_a_session_it_says_that_nobody_is_signed_in_or_out(path: Path) -> None:
    with Store.open(path) as store:
        _, key = store.access.add()
        session = store.access.begin(key) or ""
    with full(path), Store.open(path) as store:
        with pytest.raises(NoRoom, match="you are not signed in"):
            store.access.begin(key)
        with pytest.raises(NoRoom, match="you are still signed in"):
            store.access.end(session)
        with pytest.raises(NoRoom, match="the key was not revoked"):
            store.access.revoke("table-key")
        assert store.access.who(session) is not None


def test_a_disk_that_fills_while_the_database_is_open_is_read_on(path: Path) -> None:
    with Store.open(path) as store:
        pages = store.log.write(lambda connection: connection.execute("PRAGMA page_count").fetchone()[0])
        # SQLite says the same of a database that may grow no more as of a disk without room.
        store.log.write(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchone())
        store.do(GAME, Record(read_line(store.game(GAME), ".")))
        # The pages that are there have some room left.
        with suppress(NoRoom):
            for _ in range(40):
                store.do(GAME, WriteNote(2, text="Bold. " * 600))
        with pytest.raises(NoRoom, match=r"^The disk is full: this note was not saved"):
            store.do(GAME, WriteNote(2, text="Bold. " * 600))
        assert [entry.steps for entry in store.catalogue.list()] == [3]
        assert [entry.game for entry in store.catalogue.search("bold")] == [GAME]


@pytest.mark.parametrize("fault", [NoRoom, OutcomeUnknown, StorageFault])
def test_whatever_keeps_the_list_from_being_written_it_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch, fault: type[StorageFault]
) -> None:
    def refused(log: SqliteLog, _: object) -> None:
        raise fault(log.path, "the disk failed")

    with Store.open(path) as store:
        monkeypatch.setattr(SqliteLog, "write", refused)
        assert [entry.steps for entry in store.catalogue.list()] == [2]
        assert [entry.game for entry in store.catalogue.search("zombies")] == [GAME]
        store.log.snapshots.put_all(GAME, "everything", [(1, b"one", b"state")])
        assert store.log.snapshots.bytes_used(GAME) == 0


@pytest.mark.parametrize(("room", "grows"), [(0, True), (2**62, False)], ids=["room", "scarce"])
def test_where_room_is_scarce_the_wal_is_moved_after_each_commit(
    path: Path, monkeypatch: pytest.MonkeyPatch, room: int, *, grows: bool
) -> None:
    """It is then written again from its start, and does not grow until it cannot be moved any more."""
    monkeypatch.setattr(writer, "_SCARCE_BYTES", room)
    sizes = list[int]()
    with Store.open(path) as store:
        for number in range(30):
            store.do(GAME, WriteNote(2, text=f"Note {number}."))
            sizes.append(Path(f"{path}-wal").stat().st_size)
    assert (sizes[-1] > 3 * sizes[4]) is grows
