"""Files that are not ours, or not ours to write: one sentence, and nothing is touched."""

from __future__ import annotations

import os
import resource
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import astuple

from eventstore.errors import (
    DamagedDatabase,
    DatabaseLocked,
    DatabaseMissing,
    DatabaseReadOnly,
    NewerSchema,
    NotADatabase,
    OlderSchema,
    StorageFault,
    TabletapeError,
)
from eventstore.log.chain import unchecked, verify_chain
from eventstore.log.in_memory import MemoryLog
from eventstore.log.rows import UNCHECKED, NewEvent
from eventstore.sqlite import schema
from eventstore.sqlite.log import SqliteLog
from eventstore.sqlite.schema.migrations import MIGRATIONS
from eventstore.testing.log_contract import GAME, OTHER, bare, facts, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def contents(place: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in place.iterdir() if file.is_file()}


def a_text(path: Path) -> None:
    path.write_text("Dear diary, " * 20)


def a_short_text(path: Path) -> None:
    path.write_text("hello")


def an_empty_file(path: Path) -> None:
    path.touch()


def a_folder(path: Path) -> None:
    path.mkdir()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def another_programs_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE events(position INTEGER PRIMARY KEY, payload TEXT)")


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (a_text, "another kind of file"),
        (a_short_text, "another kind of file"),
        (an_empty_file, "it is empty"),
        (a_folder, "it is a folder"),
        (a_pipe, "it is a pipe or a device"),
        (a_device, "it is a pipe or a device"),
        (another_programs_database, "of another program"),
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_not_ours_is_named_and_not_touched(
    tmp_path: Path, what: Callable[[Path], None], words: str, *, read_only: bool
) -> None:
    path = tmp_path / "games.db"
    what(path)
    before = contents(tmp_path)
    with pytest.raises(NotADatabase, match=words):
        SqliteLog.open(path, read_only=read_only)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("how", [{"create": False}, {"read_only": True}])
def test_a_file_that_is_not_there_is_not_made_unasked(tmp_path: Path, how: dict[str, bool]) -> None:
    with pytest.raises(DatabaseMissing, match="there is no such file"):
        SqliteLog.open(tmp_path / "games.db", **how)  # type: ignore[arg-type]
    assert contents(tmp_path) == {}


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatabaseMissing, match="its folder does not exist"):
        SqliteLog.open(tmp_path / "nowhere" / "games.db")


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TabletapeError, match=r"games\.db"):
        SqliteLog.open(tmp_path / "file" / "games.db")


def test_a_database_is_made_whole(tmp_path: Path) -> None:
    (tmp_path / "games.db.new").write_text("left by one that was killed while it made a database")
    with SqliteLog.open(tmp_path / "games.db") as log:
        assert log.games() == []
    assert set(contents(tmp_path)) == {"games.db", "games.db.lock"}
    with closing(sqlite3.connect(tmp_path / "games.db")) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (schema.APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_database_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    def broken(db: object) -> None:
        raise StorageFault("games.db", "the disk is full")

    path = str(tmp_path / "games.db")
    with pytest.raises(StorageFault):
        schema.make(path, [*MIGRATIONS, broken])
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("taken", range(1, len(MIGRATIONS)))
def test_an_older_database_is_brought_up_to_date(tmp_path: Path, taken: int) -> None:
    path = tmp_path / "games.db"
    schema.make(str(path), MIGRATIONS[:taken])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO games(id) VALUES ('old-game')")
    with SqliteLog.open(path) as log:
        assert log.games() == ["old-game"]
        started(log, 2)
        log.snapshots.put_all(GAME, "everything", [(1, b"one", b"state")])
        assert log.snapshots.bytes_used(GAME) == 5
    assert layout(path) == layout_of_a_new_one(tmp_path)


def older(path: Path, log: MemoryLog) -> None:
    """A database as it was before commands moved into their events, with what is in this log."""
    schema.make(str(path), MIGRATIONS[:6])
    keys = {game: key for key, game in enumerate(log.games(), 1)}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO games(id) VALUES (?)", [(game,) for game in keys])
        connection.executemany(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(row[0], keys[row[1]], *row[2:]) for row in map(astuple, log.follow(0))],
        )
        connection.executemany(
            "INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?)",
            [(keys[game], *astuple(commit)[1:-1]) for game in keys for commit in log.commits(game)],
        )


def test_commands_of_an_older_database_move_into_their_events(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with MemoryLog() as log:
        started(log, 3)
        started(log, 1, OTHER)
        undo = NewEvent("record.undone", '{"kind":"record.undone","to":2}')
        log.append(GAME, [*facts(2), undo], after=3, command_id="c2", request="r2")
        log.append(OTHER, facts(1), after=1, command_id="c2", request="other")
        told = {game: (log.events(game), [*map(bare, log.commits(game))]) for game in (GAME, OTHER)}
        rewrites = log.rewrites(GAME)
        everything = log.follow(0)
        older(path, log)
    with SqliteLog.open(path) as old:
        assert {game: old.record(game) for game in told} == told
        assert old.follow(0) == everything
        assert old.rewrites(GAME) == rewrites
        assert old.answered(OTHER, "c2") == told[OTHER][1][1]
        assert old.command_of(GAME, 5) == told[GAME][1][1]
        assert old.append(GAME, facts(1), after=0, command_id="c2", request="r2").repeated
        assert old.append(GAME, facts(1), after=6, command_id="c3", request="r").last_seq == 7
        events, commits = old.record(GAME)
        assert verify_chain(events, commits) == []
        assert [commit.checksum == UNCHECKED for commit in commits] == [True, True, False]
        assert unchecked(commits) == 2
        with pytest.raises(DamagedDatabase, match="append-only"):
            old.write(lambda connection: connection.execute("UPDATE events SET hash = NULL"))


@pytest.mark.parametrize(
    ("gone", "found"),
    [
        ("seq = 6", [("changed", 4), ("unreadable", 6)]),
        ("seq >= 5", [("missing", 5), ("unreadable", 6)]),
        ("seq = 3", [("changed", 1), ("unreadable", 3)]),
        ("seq > 0", [("missing", 1), ("missing", 4), ("unreadable", 3), ("unreadable", 6)]),
    ],
)
def test_a_loss_in_an_older_database_shows_after_it_was_brought_up_to_date(
    tmp_path: Path, gone: str, found: list[tuple[str, int]]
) -> None:
    path = tmp_path / "games.db"
    with MemoryLog() as log:
        started(log, 3)
        log.append(GAME, facts(3), after=3, command_id="c2", request="r2")
        head = log.head(GAME)
        older(path, log)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER events_no_delete")
        connection.execute(f"DELETE FROM events WHERE {gone}")  # noqa: S608 - from above
    with SqliteLog.open(path) as old:
        assert [(fault.code, fault.seq) for fault in verify_chain(*old.record(GAME))] == found
        assert old.head(GAME) == head
        assert old.append(GAME, facts(3), after=3, command_id="c2", request="r2").repeated


def layout(path: Path) -> set[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        rows = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master")
        return {*rows, ("version", str(version), "")}


def layout_of_a_new_one(place: Path) -> set[tuple[str, str, str]]:
    schema.make(str(place / "new.db"))
    return layout(place / "new.db")


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    schema.make(str(path), MIGRATIONS[:1])
    before = layout(path)

    def broken(db: object) -> None:
        raise StorageFault(str(path), "the disk is full")

    with (
        closing(sqlite3.connect(path, isolation_level=None)) as connection,
        pytest.raises(StorageFault),
    ):
        schema.migrate(connection, [*MIGRATIONS, broken])
    assert layout(path) == before


def test_an_older_database_is_not_migrated_by_reading(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    schema.make(str(path), MIGRATIONS[:1])
    before = layout(path)
    with pytest.raises(OlderSchema, match="open it once for writing"):
        SqliteLog.open(path, read_only=True)
    assert layout(path) == before


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_database_is_refused(tmp_path: Path, *, read_only: bool) -> None:
    path = tmp_path / "games.db"
    schema.make(str(path), [*MIGRATIONS, unknown_step])
    before = layout(path)
    with pytest.raises(NewerSchema, match="use a newer Tabletape"):
        SqliteLog.open(path, read_only=read_only)
    assert layout(path) == before


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("version", [-1, 0, -(2**31)])
def test_a_version_that_nobody_writes_is_refused(tmp_path: Path, version: int, *, read_only: bool) -> None:
    path = tmp_path / "games.db"
    schema.make(str(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = layout(path)
    with pytest.raises(NotADatabase, match=f"it has schema version {version}, which no Tabletape writes"):
        SqliteLog.open(path, read_only=read_only)
    assert layout(path) == before


def unknown_step(db: object) -> None:
    """A step that this version does not know."""


def test_a_database_that_another_program_keeps_is_refused_and_nothing_is_recorded(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with (
        SqliteLog.open(path, wait=0.01) as log,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        started(log)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseLocked, match="locked by another program"):
            log.append(GAME, facts(1), after=1, command_id="c2", request="r")
        assert len(log.events(GAME)) == 1
        other.execute("ROLLBACK")
        assert log.append(GAME, facts(1), after=1, command_id="c2", request="r").last_seq == 2


def test_a_lock_that_another_writer_keeps_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with SqliteLog.open(path, wait=0.01) as log, SqliteLog.open(path, wait=0.01) as other:
        assert log._writer
        with log._writer._lock.held(), pytest.raises(DatabaseLocked):
            started(other)
        assert started(other).last_seq == 1
        with log._writer._lock.held(), pytest.raises(DatabaseLocked):
            SqliteLog.open(path, wait=0.01)


def test_a_log_opened_read_only_reads_and_refuses_to_write(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with SqliteLog.open(path) as log:
        started(log, 2)
        log.snapshots.put_all(GAME, "everything", [(1, b"one", b"state")])
    with SqliteLog.open(path, read_only=True) as log:
        assert log.read_only
        assert len(log.events(GAME)) == 2
        with pytest.raises(DatabaseReadOnly):
            log.append(GAME, facts(1), after=2, command_id="c2", request="r")
        log.snapshots.put_all(GAME, "everything", [(2, b"two", b"state")])
        assert log.snapshots.bytes_used(GAME) == 5
        with pytest.raises(DatabaseReadOnly):
            log.snapshots.clear()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may reach."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)


@contextmanager
def another_user() -> Iterator[None]:
    """Root may write anywhere, so for a while we are nobody."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.parametrize("keep", ["file", "folder"])
def test_what_may_not_be_written_is_read_and_not_written(open_folder: Path, keep: str) -> None:
    path = open_folder / "games.db"
    with SqliteLog.open(path) as log:
        started(log, 2)
    path.chmod(0o444 if keep == "file" else 0o666)
    open_folder.chmod(0o777 if keep == "file" else 0o555)
    before = contents(open_folder)
    with another_user():
        with pytest.raises(DatabaseReadOnly, match="it is read-only here"):
            SqliteLog.open(path)
        with SqliteLog.open(path, read_only=True) as log:
            assert len(log.events(GAME)) == 2
    assert contents(open_folder) == before


def test_a_lock_that_may_not_be_opened_keeps_nobody_from_reading(open_folder: Path) -> None:
    path = open_folder / "games.db"
    with SqliteLog.open(path) as log:
        started(log, 2)
    path.chmod(0o666)
    open_folder.chmod(0o777)
    Path(f"{path}.lock").chmod(0)
    with another_user():
        with pytest.raises(DatabaseReadOnly, match=r"games\.db\.lock may not be opened"):
            SqliteLog.open(path)
        with SqliteLog.open(path, read_only=True) as log:
            assert len(log.events(GAME)) == 2


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with SqliteLog.open(path) as log:
        started(log, 2)
        pages = log.write(lambda connection: connection.execute("PRAGMA page_count").fetchone()[0])
        # SQLite says the same of a database that may grow no more as of a disk without room.
        log.write(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchone())
        with pytest.raises(StorageFault, match=r"^The disk is full: nothing was written to .*games\.db\."):
            log.append(GAME, facts(20_000), after=2, command_id="c2", request="r")
        assert len(log.events(GAME)) == 2


def test_a_file_that_may_not_grow_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with SqliteLog.open(path) as log:
        started(log, 2)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, before[1]))
        try:
            with pytest.raises(StorageFault, match=r"^The disk takes no more"):
                log.append(GAME, facts(20_000), after=2, command_id="c2", request="r")
            with pytest.raises(StorageFault, match=r"^The disk takes no more"):
                SqliteLog.open(tmp_path / "other.db")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert len(log.events(GAME)) == 2
        assert log.append(GAME, facts(1), after=2, command_id="c3", request="r").last_seq == 3
    assert not {"other.db", "other.db.new"} & set(contents(tmp_path))


def test_what_may_not_be_read_is_named(open_folder: Path) -> None:
    path = open_folder / "games.db"
    with SqliteLog.open(path) as log:
        started(log)
    path.chmod(0)
    with another_user(), pytest.raises(StorageFault, match="permission denied"):
        SqliteLog.open(path, read_only=True)


def test_a_new_database_in_a_folder_that_may_not_be_written_is_refused(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    with another_user(), pytest.raises(DatabaseReadOnly):
        SqliteLog.open(open_folder / "games.db")
    assert contents(open_folder) == {}


def test_a_page_that_was_overwritten_is_named(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with SqliteLog.open(path) as log:
        started(log, 200)
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    path.write_bytes(raw)
    with pytest.raises(DamagedDatabase, match="damaged"), SqliteLog.open(path) as log:
        log.events(GAME)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_schema_that_is_no_text_any_more_is_named(tmp_path: Path, *, read_only: bool) -> None:
    path = tmp_path / "games.db"
    with SqliteLog.open(path) as log:
        started(log)
    raw = path.read_bytes()
    assert raw.count(b"CREATE TABLE games(") == 1
    path.write_bytes(raw.replace(b"CREATE TABLE games(", b"CREAT\xc5 TABLE games("))
    with (
        pytest.raises(DamagedDatabase, match="SQLite finds pages that do not fit"),
        SqliteLog.open(path, read_only=read_only) as log,
    ):
        log.games()


def test_a_link_to_a_database_shares_its_lock(tmp_path: Path) -> None:
    with SqliteLog.open(tmp_path / "games.db") as log:
        started(log)
    (tmp_path / "link.db").symlink_to(tmp_path / "games.db")
    with SqliteLog.open(tmp_path / "link.db") as log:
        assert log.games() == [GAME]
    assert not (tmp_path / "link.db.lock").exists()


def test_a_name_with_marks_that_mean_something_in_an_address(tmp_path: Path) -> None:
    path = tmp_path / "50% of? #games.db"
    with SqliteLog.open(path) as log:
        started(log)
    with SqliteLog.open(path, read_only=True) as log:
        assert log.games() == [GAME]
    assert set(contents(tmp_path)) >= {path.name}
