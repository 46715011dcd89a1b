"""SQLite replays any `-wal` beside a file: that of another database is refused, and nothing is touched."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from eventstore.errors import DatabaseLocked, ForeignWal
from eventstore.recording.commands import New, Record
from eventstore.recording.typed_lines import read_line
from eventstore.sqlite import foreign_wal
from eventstore.sqlite.backup import WouldLose, restore
from eventstore.sqlite.lock import FileLock
from eventstore.sqlite.log import SqliteLog
from eventstore.store import Store
from tests.full_disk import record_and_die

GAME = "friday"


def filled(path: Path, *games: str) -> Path:
    with Store.open(path) as store:
        for game in games:
            store.do(None, New("monsters-forever", ["Ann", "Bo"], game=game))
    return path


def kept_wal(path: Path, target: Path) -> None:
    """The `-wal` of a database in use, as it is now."""
    shutil.copy(f"{path}-wal", f"{target}-wal")


def another_s_newest_moves(place: Path, target: Path) -> None:
    record_and_die(filled(place / "other.db", "sunday"), "sunday", "A6-A5")
    kept_wal(place / "other.db", target)


def all_of_another(place: Path, target: Path) -> None:
    with Store.open(place / "other.db") as store:
        store.do(None, New("monsters-forever", ["Ann", "Bo"], game="sunday"))
        kept_wal(place / "other.db", target)


def another_program_s(place: Path, target: Path) -> None:
    with closing(sqlite3.connect(place / "recipes.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE recipes(name)")
        kept_wal(place / "recipes.db", target)


def one_with_larger_pages(place: Path, target: Path) -> None:
    with closing(sqlite3.connect(place / "wide.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size=8192")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE recipes(name)")
        kept_wal(place / "wide.db", target)


def one_that_ends_within_the_file(place: Path, target: Path) -> None:
    """Only its first page is like ours, and the file has fewer pages with it."""
    with closing(sqlite3.connect(place / "short.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("CREATE TABLE first(x)")
        with closing(sqlite3.connect(target)) as ours:
            rows = ours.execute("SELECT * FROM sqlite_schema WHERE name IN ('events', 'games')").fetchall()
        connection.executemany("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", rows)
        kept_wal(place / "short.db", target)


def an_older_copy_s(place: Path, target: Path) -> None:
    """A copy that went on by itself, while the database went on too."""
    shutil.copy(target, place / "copy.db")
    record_and_die(place / "copy.db", GAME, "A6-A5")
    with Store.open(target) as store:
        store.do(GAME, Record(read_line(store.game(GAME), "A6-A7")))
    kept_wal(place / "copy.db", target)


FOREIGN = [
    another_s_newest_moves, all_of_another, another_program_s, one_with_larger_pages,
    one_that_ends_within_the_file, an_older_copy_s,
]  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    return filled(tmp_path / "here" / "games.db", GAME, "saturday")


def bytes_of(path: Path) -> tuple[bytes, bytes]:
    return path.read_bytes(), Path(f"{path}-wal").read_bytes()


@pytest.mark.parametrize("put", FOREIGN, ids=lambda put: put.__name__)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_wal_of_another_database_is_refused(
    path: Path, tmp_path: Path, put: Callable[[Path, Path], None], *, read_only: bool
) -> None:
    put(tmp_path, path)
    before = bytes_of(path)
    with pytest.raises(ForeignWal, match=r"games\.db-wal belongs to another database") as refused:
        SqliteLog.open(path, read_only=read_only)
    assert (refused.value.code, refused.value.exit_code) == ("damaged-database", 4)
    assert bytes_of(path) == before
    Path(f"{path}-wal").unlink()
    with SqliteLog.open(path, read_only=read_only) as log:
        assert log.games() == [GAME, "saturday"]


def test_without_the_look_sqlite_replaces_the_database(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_of_another(tmp_path, path)
    monkeypatch.setattr(foreign_wal, "refuse", lambda *_: None)
    with SqliteLog.open(path) as log:
        assert "saturday" not in log.games()


def test_the_database_s_own_wal_is_read(path: Path) -> None:
    record_and_die(path, GAME, "A6-A5")
    with SqliteLog.open(path) as log, SqliteLog.open(path, read_only=True) as other:
        assert len(log.events(GAME)) == len(other.events(GAME)) == 2


def test_a_wal_that_goes_on_from_a_copy_of_the_file_is_its_own(path: Path, tmp_path: Path) -> None:
    copy = shutil.copy(path, tmp_path / "copy.db")
    record_and_die(path, GAME, "A6-A5")
    kept_wal(path, copy)
    with SqliteLog.open(copy) as log:
        assert len(log.events(GAME)) == 2


def test_a_checkpoint_cut_off_by_a_power_cut_is_mended_by_its_wal(path: Path, tmp_path: Path) -> None:
    """Pages go into the file in order: the first ones are moved, and the others are as they were."""
    before = path.read_bytes()
    with Store.open(path) as store:
        for number in range(30):
            store.do(None, New("monsters-forever", ["Ann", "Bo"], game=f"more{number}", title="x" * 90))
        store.catalogue.list()
        shutil.copy(f"{path}-wal", tmp_path / "kept")
    after = path.read_bytes()
    torn = tmp_path / "torn.db"
    for place in range(4096, len(after), 4096):
        torn.write_bytes(after[:place] + before[place:])
        Path(f"{torn}-shm").unlink(missing_ok=True)
        shutil.copy(tmp_path / "kept", f"{torn}-wal")
        foreign_wal.refuse(str(torn), 1)
        with SqliteLog.open(torn) as log:
            assert len(log.games()) == 32


@pytest.mark.parametrize("row", ["x'00', 3, NULL, '{}'", "'kind', 'by', 'at', 'state'"])
def test_a_row_that_is_no_event_proves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch, row: str) -> None:
    record_and_die(path, GAME, "A6-A5")
    monkeypatch.setattr(foreign_wal, "_LAST", f"SELECT 7, 'friday', 1, {row}")
    foreign_wal.refuse(str(path), 1)


def test_neither_backup_nor_database_is_taken_for_what_is_in_a_foreign_wal(
    path: Path, tmp_path: Path
) -> None:
    backup = filled(tmp_path / "backup.db", GAME)
    another_s_newest_moves(tmp_path, backup)
    with pytest.raises(ForeignWal):
        restore(path, backup)
    Path(f"{backup}-wal").rename(f"{path}-wal")
    before = bytes_of(path)
    with pytest.raises(WouldLose, match="belongs to another database"):
        restore(path, backup)
    assert bytes_of(path) == before


def test_it_looks_while_nobody_writes(path: Path) -> None:
    record_and_die(path, GAME, "A6-A5")
    lock = FileLock(str(path), 1)
    with closing(lock), lock.held():
        foreign_wal.refuse(str(path), 0.01, held=True)
        with pytest.raises(DatabaseLocked):
            foreign_wal.refuse(str(path), 0.01)


def test_a_reader_does_not_wait_for_who_writes(path: Path) -> None:
    record_and_die(path, GAME, "A6-A5")
    lock = FileLock(str(path), 1)
    with closing(lock), lock.held():
        with SqliteLog.open(path, read_only=True) as log:
            assert len(log.events(GAME)) == 2
        with pytest.raises(DatabaseLocked):
            SqliteLog.open(path, wait=0.01)
