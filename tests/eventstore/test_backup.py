"""A backup is the whole database at one moment, and brings it back; nothing is half done by either."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from eventstore.access.actor import Actor
from eventstore.audit.verify import verify
from eventstore.errors import (
    DatabaseLocked,
    DatabaseMissing,
    NewerSchema,
    NotADatabase,
    StorageFault,
    TabletapeError,
)
from eventstore.files import system
from eventstore.log.chain import ZERO, link
from eventstore.recording.commands import Record, Undo, WriteNote
from eventstore.sqlite import backup as backups
from eventstore.sqlite import schema
from eventstore.sqlite.backup import DamagedBackup, FileExists, NoPlace, WouldLose, back_up, restore
from eventstore.sqlite.lock import FileLock
from eventstore.sqlite.log import SqliteLog
from eventstore.sqlite.schema.migrations import MIGRATIONS
from eventstore.store import Store
from eventstore.testing.log_contract import facts
from tests.eventstore.played import REGISTRY, ROUND, begin, damage

if TYPE_CHECKING:
    from collections.abc import Callable


def opened(path: Path) -> Store:
    return Store.open(path, registry=REGISTRY)


def contents(place: Path) -> dict[str, bytes]:
    """Every file but the empty ones of locks."""
    return {
        file.name: file.read_bytes()
        for file in place.rglob("*")
        if file.is_file() and not file.name.endswith(".lock")
    }


def tell(path: Path, game: str) -> list[tuple[int, str]]:
    with opened(path) as store:
        return [(event.seq, event.payload) for event in store.log.events(game)]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Where a backup goes: a folder of its own."""
    (tmp_path / "stick").mkdir()
    return tmp_path / "stick" / "copy.db"


@pytest.fixture
def game(path: Path) -> str:
    """A database with one game of a few events, one note, a title, and nobody who has it open."""
    with opened(path) as store:
        made = begin(store, title="Friday")
        store.do(made, Record(ROUND[:4]))
        store.do(made, WriteNote(3, text="well laid"))
    return made


def make_backup(path: Path, copy: Path) -> None:
    with opened(path) as store:
        back_up(store.log, copy)


# --- backing up ------------------------------------------------------------------------------------------


def test_a_copy_is_the_database_at_one_moment_while_others_write(
    path: Path, copy: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "_PAGES", 1)
    with opened(path) as store, opened(path) as other:
        head = store.log.head(game)
        left = list(ROUND[4:])

        def meanwhile(what: str, done: int, total: int) -> None:
            if what == "Copying" and left and done > 1:
                other.do(game, Record([left.pop(0)]))

        done = back_up(store.log, copy, watch=meanwhile)
        assert not left
        assert other.log.head(game) != head
    with opened(copy) as store:
        assert store.log.head(game) == head
        assert verify(store).faults == ()
        assert store.catalogue.get(game).title == "Friday"
        assert [note.text for note in store.game(game).all_notes] == ["well laid"]
    assert (done.games, done.events, done.faults) == (1, 5, ())


def test_a_copy_is_one_file_that_is_read_where_nothing_can_be_written(
    path: Path, copy: Path, game: str
) -> None:
    path.chmod(0o640)
    with opened(path) as store:
        done = back_up(store.log, copy)
    assert list(copy.parent.iterdir()) == [copy]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o640
    assert done.bytes == copy.stat().st_size
    with SqliteLog.open(copy, read_only=True) as log:
        assert log.head(game)
    assert list(copy.parent.iterdir()) == [copy]


def test_progress_is_told_up_to_the_end(path: Path, copy: Path, game: str) -> None:
    told: list[tuple[str, int, int]] = []
    with opened(path) as store:
        back_up(store.log, copy, watch=lambda *how: told.append(how))
        streams = store.log.games()
    assert streams == [game, f"{game}/notes"]
    assert [how for how in told if how[0] == "Checking"] == [("Checking", 1, 2), ("Checking", 2, 2)]
    assert next(how for how in told if how[0] == "Copying")[1:] == (told[0][2],) * 2


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal", ".lock"])
@pytest.mark.parametrize("way", ["name", "link", "second name"])
def test_a_backup_never_goes_onto_the_database(
    path: Path, tmp_path: Path, game: str, end: str, way: str
) -> None:
    with opened(path) as store:
        store.do(game, WriteNote(2, text="so that there are files beside it"))
        target = Path(f"{path}{end}")
        if way == "link":
            (tmp_path / "link").symlink_to(target)
            target = tmp_path / "link"
        elif way == "second name":
            if not target.exists():
                return
            os.link(target, tmp_path / "second")
            target = tmp_path / "second"
        before = contents(tmp_path)
        with pytest.raises(NoPlace, match="belongs to the database"):
            back_up(store.log, target, force=True)
        assert contents(tmp_path) == before


def test_a_file_that_is_there_stays_unless_it_is_to_go(path: Path, copy: Path, game: str) -> None:
    copy.write_text("a diary")
    with opened(path) as store:
        with pytest.raises(FileExists):
            back_up(store.log, copy)
        assert contents(copy.parent) == {"copy.db": b"a diary"}
        back_up(store.log, copy, force=True)
    with opened(copy) as store:
        assert store.log.games()[0] == game


def test_a_file_that_comes_meanwhile_stays(path: Path, copy: Path, game: str) -> None:
    with opened(path) as store, pytest.raises(FileExists):
        back_up(store.log, copy, watch=lambda *_: copy.write_text("a diary"))
    assert contents(copy.parent) == {"copy.db": b"a diary"}, game


def test_a_copy_is_on_the_disk_before_it_has_its_name(
    path: Path, copy: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_backup(path, copy)
    really, done = Path.replace, []

    def replace(self: Path, target: Path) -> Path:
        done.append(f"{self.suffix} is {target.name}")
        return really(self, target)

    monkeypatch.setattr(system, "sync", lambda place: done.append(f"{place.suffix or 'folder'} synced"))
    monkeypatch.setattr(Path, "replace", replace)
    with opened(path) as store:
        back_up(store.log, copy, force=True)
    restore(path, copy)
    assert done == [
        *(".part synced", ".part is copy.db", "folder synced"),
        *(".part synced", ".part-shm synced", ".part-shm is games.db.before-restore-1"),
        *("folder synced", ".part is games.db", "folder synced"),
    ], game


def test_what_is_no_file_is_refused(path: Path, copy: Path, game: str) -> None:
    with opened(path) as store:
        os.mkfifo(copy)
        for wrong in (copy, copy.parent, copy.parent / "none" / "copy.db", Path("/dev/null")):
            with pytest.raises(NoPlace):
                back_up(store.log, wrong, force=True)
    assert list(copy.parent.iterdir()) == [copy], game


def test_a_database_in_use_is_not_overwritten(path: Path, copy: Path, game: str) -> None:
    with opened(path) as store, opened(copy) as other:
        begin(other)
        with pytest.raises(NoPlace, match="in use"):
            back_up(store.log, copy, force=True)
        assert len(other.log.games()) == 1, game


def test_a_copy_that_cannot_be_put_in_place_leaves_nothing(
    path: Path, copy: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy.write_text("a diary")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for broken in ((Path, "replace"), (system, "sync")):
        with monkeypatch.context() as patch, opened(path) as store:
            patch.setattr(*broken, full)
            with pytest.raises(StorageFault, match=r"^The disk is full: the backup .*copy\.db was not made"):
                back_up(store.log, copy, force=True)
        assert contents(copy.parent) == {"copy.db": b"a diary"}, game


def test_a_damaged_database_is_copied_as_it_is_and_that_is_said(path: Path, copy: Path, game: str) -> None:
    damage(path, "UPDATE events SET payload = replace(payload, 'c02', 'c03') WHERE seq = 2")
    with opened(path) as store:
        done = back_up(store.log, copy)
    assert [(fault.game, fault.code) for fault in done.faults] == [(game, "changed")]
    assert tell(copy, game) == tell(path, game)


def test_a_copy_that_differs_is_not_kept(
    path: Path, copy: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = backups._copy

    def badly(connection: sqlite3.Connection, part: Path, watch: object) -> None:
        really(connection, part, None)
        damage(part, "UPDATE events SET payload = replace(payload, 'c02', 'c03') WHERE seq = 2")

    monkeypatch.setattr(backups, "_copy", badly)
    with opened(path) as store, pytest.raises(StorageFault, match="not what was copied"):
        back_up(store.log, copy)
    assert contents(copy.parent) == {}, game


# --- bringing back ---------------------------------------------------------------------------------------


def test_a_database_that_is_gone_comes_back_whole(path: Path, copy: Path, game: str) -> None:
    make_backup(path, copy)
    copy.chmod(0o640)
    before, bytes_of_copy = tell(path, game), copy.read_bytes()
    path.unlink()
    done = restore(path, copy)
    assert (done.copied.games, done.copied.events, done.kept) == (1, 5, None)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(copy.stat().st_mode) == 0o640
    assert tell(path, game) == before
    assert contents(copy.parent) == {"copy.db": bytes_of_copy}
    with opened(path) as store:
        store.do(game, Record(ROUND[4:5]))
        assert verify(store).faults == ()


def test_what_was_there_is_kept_beside(path: Path, copy: Path, game: str) -> None:
    make_backup(path, copy)
    with opened(path) as store:
        store.set_details(game, title="Saturday")
    first, second = restore(path, copy).kept, restore(path, copy).kept
    assert (first, second) == (f"{path}.before-restore-1", f"{path}.before-restore-2")
    titles = []
    for place in (path, first):
        with opened(Path(place)) as store:
            titles.append(store.catalogue.get(game).title)
    assert titles == ["Friday", "Saturday"]


def more_games(store: Store, game: str) -> str:
    return begin(store)


def a_longer_game(store: Store, game: str) -> str:
    store.do(game, Record(ROUND[4:5]))
    return f"{game} (6 events here, 5 there)"


def a_longer_line_of_notes(store: Store, game: str) -> str:
    store.do(game, WriteNote(1, text="and so it began"))
    return f"the notes of {game} (2 changes here, 1 there)"


@pytest.mark.parametrize("lost", [more_games, a_longer_game, a_longer_line_of_notes])
def test_what_the_backup_lacks_is_named_and_nothing_is_touched(
    path: Path, copy: Path, game: str, lost: Callable[[Store, str], str]
) -> None:
    make_backup(path, copy)
    with opened(path) as store:
        named = lost(store, game)
    before, beside = path.read_bytes(), set(contents(path.parent))
    with pytest.raises(WouldLose) as refused:
        restore(path, copy)
    assert refused.value.games == (named,)
    assert named in str(refused.value)
    assert (path.read_bytes(), set(contents(path.parent))) == (before, beside)
    kept = restore(path, copy, force=True).kept
    assert kept
    assert tell(path, game) == tell(copy, game)
    with pytest.raises(WouldLose) as again:
        restore(kept, copy)
    assert again.value.games == (named,)


def test_a_game_that_went_on_otherwise_is_lost_too(path: Path, copy: Path, game: str) -> None:
    make_backup(path, copy)
    for place, event in ((path, ROUND[4]), (copy, ROUND[4])):
        with opened(place) as store:
            store.do(game, Record([event]), Actor(place.stem))
    with pytest.raises(WouldLose, match="goes on otherwise"):
        restore(path, copy)
    with opened(copy) as store:
        store.do(game, Undo())
    with pytest.raises(WouldLose, match="goes on otherwise"):
        restore(path, copy)


def test_a_backup_that_goes_on_is_no_loss(path: Path, copy: Path, game: str) -> None:
    make_backup(path, copy)
    with opened(copy) as store:
        store.do(game, Record(ROUND[4:]))
    assert restore(path, copy).copied.events == 9
    assert len(tell(path, game)) == 9


@pytest.mark.parametrize("how", [{}, {"read_only": True}], ids=["to write", "to read"])
def test_a_database_that_somebody_has_open_stays(
    path: Path, copy: Path, game: str, how: dict[str, bool]
) -> None:
    make_backup(path, copy)
    before = tell(path, game)
    with Store.open(path, registry=REGISTRY, **how) as other:
        assert other.log.head(game)
        with pytest.raises(DatabaseLocked):
            restore(path, copy, force=True, wait=0.01)
    assert tell(path, game) == before
    assert not list(path.parent.glob("*before*"))
    assert not list(path.parent.glob(".tabletape*"))


def test_a_writer_that_holds_the_lock_is_not_overtaken(path: Path, copy: Path, game: str) -> None:
    make_backup(path, copy)
    with closing(FileLock(str(path), 0.01)) as lock, lock.held(), pytest.raises(DatabaseLocked):
        restore(path, copy, force=True, wait=0.01)
    assert not list(path.parent.glob("*before*")), game


def test_a_damaged_backup_is_refused(path: Path, copy: Path, game: str) -> None:
    make_backup(path, copy)
    damage(copy, "UPDATE events SET payload = replace(payload, 'c02', 'c03') WHERE seq = 2")
    before = tell(path, game)
    with pytest.raises(DamagedBackup, match=f"{copy} is damaged: {game}: The chain breaks"):
        restore(path, copy)
    assert tell(path, game) == before
    damaged = tell(copy, game)
    done = restore(path, copy, force=True)
    assert [fault.game for fault in done.copied.faults] == [game]
    assert tell(path, game) == damaged != before


def a_text(path: Path) -> None:
    path.write_text("Dear diary, " * 20)


def nothing(path: Path) -> None:
    pass


def an_empty_file(path: Path) -> None:
    path.touch()


def a_folder(path: Path) -> None:
    path.mkdir()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_newer_one(path: Path) -> None:
    with opened(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 999")


def anothers(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE events(position INTEGER PRIMARY KEY, payload TEXT)")


def cut_short(path: Path) -> None:
    with opened(path) as store:
        begin(store)
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    ("make", "refusal"),
    [
        (a_text, NotADatabase),
        (nothing, DatabaseMissing),
        (an_empty_file, NotADatabase),
        (a_folder, NotADatabase),
        (a_pipe, NotADatabase),
        (a_newer_one, NewerSchema),
        (anothers, NotADatabase),
        (cut_short, TabletapeError),
    ],
)
def test_what_is_no_backup_touches_nothing(
    path: Path, copy: Path, game: str, make: Callable[[Path], None], refusal: type[TabletapeError]
) -> None:
    make(copy)
    before = contents(path.parent)
    with pytest.raises(refusal) as refused:
        restore(path, copy, force=True)
    assert str(copy) in str(refused.value), game
    assert contents(path.parent) == before


def test_the_database_is_no_backup_of_itself(path: Path, copy: Path, game: str) -> None:
    os.link(path, copy)
    for same in (path, copy):
        with pytest.raises(NoPlace, match="is the database itself"):
            restore(path, same, force=True)
    assert tell(path, game)


@pytest.mark.parametrize("make", [a_text, an_empty_file, anothers, a_newer_one, cut_short])
def test_what_cannot_be_compared_goes_only_by_force_and_is_kept(
    path: Path, copy: Path, game: str, make: Callable[[Path], None]
) -> None:
    make_backup(path, copy)
    path.unlink()
    make(path)
    before = path.read_bytes()
    with pytest.raises(WouldLose, match="cannot be compared"):
        restore(path, copy)
    assert path.read_bytes() == before
    kept = restore(path, copy, force=True).kept
    assert kept
    assert Path(kept).read_bytes() == before
    assert tell(path, game) == tell(copy, game)


@pytest.mark.parametrize("make", [a_folder, a_pipe])
def test_what_is_no_file_is_never_taken_away(
    path: Path, copy: Path, game: str, make: Callable[[Path], None]
) -> None:
    make_backup(path, copy)
    path.unlink()
    make(path)
    with pytest.raises(NotADatabase):
        restore(path, copy, force=True)
    assert path.exists(), game


def test_what_lies_beside_a_lost_database_is_not_read_as_the_backup_s(
    path: Path, copy: Path, game: str, tmp_path: Path
) -> None:
    make_backup(path, copy)
    with opened(path) as store:
        store.do(game, Record(ROUND[4:]))
        for end in ("-wal", "-shm"):
            shutil.copy(f"{path}{end}", tmp_path / f"stray{end}")
    path.unlink()
    for end in ("-wal", "-shm"):
        (tmp_path / f"stray{end}").rename(f"{path}{end}")
    wal = Path(f"{path}-wal").read_bytes()
    kept = restore(path, copy).kept
    assert kept
    assert Path(f"{kept}-wal").read_bytes() == wal
    assert tell(path, game) == tell(copy, game)


def test_a_restore_that_fails_leaves_the_database(
    path: Path, copy: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_backup(path, copy)
    before = tell(path, game)

    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    for broken in ((Path, "replace"), (backups, "_kept_beside")):
        with monkeypatch.context() as patch:
            patch.setattr(*broken, fails)
            with pytest.raises(StorageFault):
                restore(path, copy)
        assert tell(path, game) == before
        assert not list(path.parent.glob(".tabletape*"))


def test_names_that_an_older_version_kept_are_found_however_their_accents_are_made(path: Path) -> None:
    schema.make(str(path), MIGRATIONS[:9])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO games VALUES (1, 'older')")
        connection.execute("INSERT INTO names VALUES (1, 'p1', 'Zoe\u0308', 'zoe\u0308')")
    with opened(path) as store, store.log.reader() as connection:
        assert connection.execute("SELECT folded FROM names").fetchall() == [("zo\u00eb",)]


def test_triggers_that_are_gone_are_told_and_given_back(path: Path, copy: Path, game: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER events_no_delete")
    with opened(path) as store:
        made = back_up(store.log, copy)
    assert [fault.code for fault in made.faults] == ["unguarded"]
    with pytest.raises(DamagedBackup, match="events_no_delete is missing"):
        restore(path, copy)
    restore(path, copy, force=True)
    with closing(sqlite3.connect(path)) as connection:
        assert schema.unguarded(connection) is None
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute("DELETE FROM events")
    assert tell(path, game) == tell(copy, game)


def test_the_triggers_given_back_are_those_of_a_new_database(path: Path, game: str) -> None:
    query = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events' ORDER BY name"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        new = connection.execute(query).fetchall()
        for name in ("events_no_delete", "events_no_update"):
            connection.execute(f"DROP TRIGGER {name}")
        schema.guard(connection)
        assert connection.execute(query).fetchall() == new, game


def test_a_key_that_was_revoked_stays_revoked(path: Path, copy: Path, game: str) -> None:
    with opened(path) as store:
        _, typed = store.access.add("ann")
        _, kept = store.access.add("bo")
        session = store.access.begin(typed)
    make_backup(path, copy)
    with opened(path) as store:
        store.access.revoke("ann")
    assert restore(path, copy).revoked == ("ann",)
    assert restore(path, copy).revoked == ("ann",)
    with opened(path) as store:
        assert (store.access.opened(typed), store.access.opened(kept) is None) == (None, False), game
        assert [key.name for key in store.access.list()] == ["bo"]
        assert session is not None
        assert store.access.who(session) is None


def test_the_live_database_never_has_two_names(
    path: Path, copy: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_backup(path, copy)
    before = tell(path, game)
    replace = Path.replace

    def killed(self: Path, target: Path) -> Path:
        assert not any(other.samefile(path) for other in path.parent.iterdir() if other != path)
        if Path(target) == path:
            raise OSError(5, "Input/output error")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(StorageFault):
        restore(path, copy)
    assert tell(path, game) == before == tell(path.with_name(f"{path.name}.before-restore-1"), game)


def test_a_full_disk_is_not_the_backup_s_fault(
    path: Path, copy: Path, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_backup(path, copy)

    def full(*_: object) -> None:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.execute("PRAGMA max_page_count = 1")
            connection.execute("CREATE TABLE much(x)")

    monkeypatch.setattr(backups, "_copy", full)
    with pytest.raises(StorageFault, match=r"^The disk is full") as refused:
        restore(path, copy)
    assert str(path) in str(refused.value)
    assert str(copy) not in str(refused.value), game


def test_a_backup_of_an_older_version_is_brought_up_to_date(path: Path, copy: Path) -> None:
    schema.make(str(copy), MIGRATIONS[:6])
    with closing(sqlite3.connect(copy)) as connection, connection:
        (event,) = facts(1)
        at = "2026-09-14T12:00:00.000000Z"
        value = link(ZERO, 1, at, event.by, event.payload).hex()
        connection.execute("INSERT INTO games VALUES (1, 'older')")
        row = (event.kind, event.by, at, event.payload)
        connection.execute("INSERT INTO events VALUES (1, 1, 1, ?, ?, ?, ?)", row)
        connection.execute("INSERT INTO commits VALUES (1, 1, 1, 'older', 'r', ?)", (value,))
    before = copy.read_bytes()
    done = restore(path, copy)
    assert (done.copied.events, done.copied.faults) == (1, ())
    assert copy.read_bytes() == before
    with SqliteLog.open(path, read_only=True) as log:
        assert log.games() == ["older"]
