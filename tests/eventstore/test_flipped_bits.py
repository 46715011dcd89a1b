"""Each flipped bit of games, events, commits and notes is reported, and each row that is missing or orphaned.

A seed draws the bit of each byte, and the bits of the file. TABLETAPE_FLIPS=all flips all of them.
"""

# ruff: noqa: S608 - tables and columns are named here

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from eventstore.audit.repair import repair
from eventstore.audit.verify import VerifyReport, verify
from eventstore.errors import TabletapeError
from eventstore.recording.commands import Record, Undo, WriteNote
from eventstore.sqlite import schema
from eventstore.sqlite.backup import DamagedBackup, back_up, restore
from eventstore.sqlite.schema.migrations import MIGRATIONS
from eventstore.store import Store
from tests.eventstore.played import REGISTRY, ROUND, begin, damage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ALL = os.environ.get("TABLETAPE_FLIPS") == "all"
IN_FILE = 500
"""Bits flipped in the file, unless all are."""
COLUMNS = {
    "games": ("game", "id"),
    "events": (
        *("position", "game", "seq", "kind", "by", "recorded_at", "payload"),
        *("first_seq", "command_id", "request", "hash", "checksum"),
    ),
}
EACH = [(table, column) for table, columns in COLUMNS.items() for column in columns]
KEYS = {"games": "game", "events": "position"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games of two commands and an undo, with two notes each; closed, in one file."""
    path = tmp_path_factory.mktemp("whole") / "games.db"
    with Store.open(path, registry=REGISTRY) as store:
        for number, game in enumerate(("friday", "saturday")):
            begin(store, game=game, title=game, options={"rounds": 3})
            store.do(game, Record(ROUND[: 3 + number]))
            store.do(game, Undo())
            store.do(game, WriteNote(2, text="good"))
            store.do(game, WriteNote(3, text="bad"))
        store.catalogue.list(text="good")
        assert verify(store) == VerifyReport(2, 11, (), 0)
    return path


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return shutil.copy(whole, tmp_path / "games.db")


def flips(value: str | int, rng: random.Random) -> Iterator[bytes | int]:
    """What one bit makes of a value: each bit of a number, one or all of each byte of a text."""
    if isinstance(value, int):
        for bit in range(64):
            flipped = (value & 2**64 - 1) ^ 1 << bit
            yield flipped - (flipped >> 63 << 64)
        return
    raw = value.encode()
    for place, byte in enumerate(raw):
        for bit in range(8) if ALL else [rng.randrange(8)]:
            yield raw[:place] + bytes([byte ^ 1 << bit]) + raw[place + 1 :]


def codes(store: Store) -> set[str]:
    store.replays.forget()
    return {fault.code for fault in verify(store).faults} - {"unguarded"}


@pytest.mark.parametrize(("table", "column"), EACH)
def test_each_flipped_bit_of_a_row_is_reported(copy: Path, table: str, column: str) -> None:
    rng = random.Random(f"{table}.{column}")  # noqa: S311 - to be repeated
    key = KEYS[table]
    looked_at = refused = 0
    with (
        Store.open(copy, registry=REGISTRY, read_only=True) as store,
        closing(sqlite3.connect(copy, isolation_level=None)) as connection,
    ):
        connection.execute("PRAGMA synchronous = OFF")
        for guard in ("events_no_update", "events_no_delete"):
            connection.execute(f"DROP TRIGGER {guard}")
        assert codes(store) == set()
        values = connection.execute(f"SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL")
        for row, value in values.fetchall():
            for flipped in flips(value, rng):
                new = "CAST(? AS TEXT)" if isinstance(flipped, bytes) else "?"
                connection.execute("SAVEPOINT flip")
                try:
                    connection.execute(f"UPDATE {table} SET {column} = {new} WHERE {key} = ?", (flipped, row))
                except sqlite3.IntegrityError:
                    connection.execute("RELEASE flip")
                    refused += 1
                    continue
                connection.execute("RELEASE flip")
                assert codes(store), (table, column, row, flipped)
                looked_at += 1
                back = (value, flipped if column == key else row)
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", back)
        assert codes(store) == set()
    assert looked_at > refused
    assert looked_at >= 40


def loosened(connection: sqlite3.Connection, table: str, change: str, values: tuple[object, ...]) -> None:
    """Do what the schema forbids, as damage in the file does; the schema is afterwards as it was."""
    connection.execute("PRAGMA writable_schema = ON")
    (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    loose = sql.replace(" NOT NULL", "").replace(" TEXT", "").replace(" STRICT", "")
    loose = loose.replace(" INTEGER,", ",").replace(" INTEGER DEFAULT", " DEFAULT")
    for text, act in ((loose, change), (sql, None)):
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (text, table))
        version = connection.execute("PRAGMA schema_version").fetchone()[0]
        connection.execute(f"PRAGMA schema_version = {version + 1}")
        if act:
            with closing(sqlite3.connect(_file(connection), isolation_level=None)) as other:
                other.execute(act, values)


def _file(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA database_list").fetchone()[2])


TYPED = [(table, column) for table, column in EACH if column != KEYS[table]]


@pytest.mark.parametrize(("table", "column"), TYPED)
@pytest.mark.parametrize(
    "became", ["NULL", "CAST({} AS BLOB)", "1.5", "7", "'7'", "x''", "''"], ids=lambda text: text
)
def test_each_value_that_is_nothing_or_of_another_type_is_reported(
    copy: Path, table: str, column: str, became: str
) -> None:
    key = KEYS[table]
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        for guard in ("events_no_update", "events_no_delete"):
            connection.execute(f"DROP TRIGGER {guard}")
        rows = connection.execute(f"SELECT {key}, {column}, typeof({column}) FROM {table}").fetchall()
        seen = set()
        for row, value, kind in rows:
            # One row with a command and one without are enough.
            if kind in seen:
                continue
            seen.add(kind)
            new = became.format(column)
            same = connection.execute(
                f"SELECT {new} IS {column} AND typeof({new}) = typeof({column}) FROM {table} WHERE {key} = ?",
                (row,),
            ).fetchone()[0]
            if same:
                continue
            loosened(connection, table, f"UPDATE {table} SET {column} = {new} WHERE {key} = ?", (row,))
            with Store.open(copy, registry=REGISTRY, read_only=True) as store:
                assert codes(store), (table, column, row, new)
            loosened(connection, table, f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (value, row))
        with Store.open(copy, registry=REGISTRY, read_only=True) as store:
            assert codes(store) == set()
    assert seen


def pages(path: Path, tables: tuple[str, ...]) -> list[int]:
    """The pages of these tables and their indexes, from 1."""
    marks = ", ".join("?" * len(tables))
    with closing(sqlite3.connect(path)) as connection:
        query = f"SELECT rootpage FROM sqlite_schema WHERE tbl_name IN ({marks}) AND rootpage > 0"
        left = [row[0] for row in connection.execute(query, tables)]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    raw, found = path.read_bytes(), []
    while left:
        number = left.pop()
        found.append(number)
        page = raw[(number - 1) * size : number * size]
        if page[0] in (2, 5):  # inner pages of an index, of a table
            cells = range(12, 12 + 2 * int.from_bytes(page[3:5], "big"), 2)
            starts = [8, *(int.from_bytes(page[cell : cell + 2], "big") for cell in cells)]
            left += [int.from_bytes(page[start : start + 4], "big") for start in starts]
    return sorted(found)


def read(store: Store) -> Any:
    """All that the log gives, by its queries and through its indexes."""
    log = store.log
    with log.reader() as connection:
        rows = [
            connection.execute(
                f"SELECT {', '.join(map('quote({})'.format, columns))} FROM {table}"
            ).fetchall()
            for table, columns in COLUMNS.items()
        ]
    streams = ("friday", "friday/notes", "saturday", "saturday/notes")
    commands = [(game, commit.command_id) for game in streams for commit in log.commits(game)]
    return (
        rows,
        log.games(),
        log.follow(0),
        [(log.record(game), log.rewrites(game), log.head(game), log.payload_array(game)) for game in streams],
        [log.answered(*command) for command in commands],
    )


def reported(path: Path, before: Any) -> bool:
    """Whether a damaged file is reported; if it is not, what is read of it is what was read before."""
    try:
        with Store.open(path, registry=REGISTRY, read_only=True) as store:
            faults = verify(store).faults
            assert faults or read(store) == before
            return bool(faults)
    except TabletapeError:
        return True


def test_each_flipped_bit_of_the_file_is_reported_or_changes_nothing_that_is_read(copy: Path) -> None:
    rng = random.Random(7)  # noqa: S311 - to be repeated
    with Store.open(copy, registry=REGISTRY, read_only=True) as store:
        before = read(store)
    raw, size = copy.read_bytes(), 4096
    chosen = [(page - 1) * size + place for page in pages(copy, ("games", "events")) for place in range(size)]
    assert len(chosen) >= 6 * size
    used = [(place, bit) for place in chosen if raw[place] for bit in range(8)]
    # NULLs and small numbers are zeros, and so is the room that is free.
    zeros = [(place, bit) for place in chosen if not raw[place] for bit in range(8)]
    flipped = used + zeros if ALL else rng.sample(used, IN_FILE) + rng.sample(zeros, IN_FILE)
    found = 0
    for place, bit in flipped:
        with copy.open("r+b") as file:
            file.seek(place)
            file.write(bytes([raw[place] ^ 1 << bit]))
        found += reported(copy, before)
        with copy.open("r+b") as file:
            file.seek(place)
            file.write(raw[place : place + 1])
    assert copy.read_bytes() == raw
    if not ALL:
        assert found > 0.9 * IN_FILE


# --- rows that are missing, or alone -----------------------------------------------------------------------

ADDED = {
    "an event of no game": (
        "INSERT INTO events(game, seq, kind, by, recorded_at, payload)"
        " SELECT 77, 1, kind, by, recorded_at, payload FROM events WHERE position = 1"
    ),
    "a game without events": "INSERT INTO games(id) VALUES ('sunday')",
    "notes without events": "INSERT INTO games(id) VALUES ('sunday/notes')",
    "a row of the catalogue": "INSERT INTO catalogue(game) VALUES (77)",
    "a name": "INSERT INTO names VALUES (77, 'p1', 'Ann', 'ann')",
    "words": "INSERT INTO texts(game, typed, notes, captions) VALUES (77, '', '', '')",
    "a keyframe": "INSERT INTO keyframes VALUES (77, 'everything', 1, x'00', x'00')",
    "a session": "INSERT INTO sessions VALUES ('abc', 77, zeroblob(32), '2026-09-14T18:03:05.123456Z')",
}


def both(path: Path) -> set[str]:
    """What `verify` finds in the whole database; `backup` must find damage too, and `restore` refuse it."""
    with Store.open(path, registry=REGISTRY) as store:
        found = codes(store)
        copied = back_up(store.log, path.with_name("copy.db"), force=True)
    assert bool(copied.faults) is bool(found)
    if found:
        with pytest.raises(DamagedBackup):
            restore(path.with_name("restored.db"), path.with_name("copy.db"))
    return found


def told(path: Path) -> None:
    """Where `verify` finds something, a repair says something."""
    new = path.with_name("new.db")
    done = repair(path, new, registry=REGISTRY)
    assert done.faults or done.accounts
    with Store.open(new, registry=REGISTRY, create=False) as store:
        assert codes(store) == set()
    for file in new.parent.glob("new.db*"):
        file.unlink()


@pytest.mark.parametrize(("table", "column"), TYPED)
@pytest.mark.parametrize("became", ["NULL", "CAST({} AS BLOB)", "1.5", "7", "1e300"])
def test_a_repair_tells_of_each_value_that_verify_reports(
    copy: Path, table: str, column: str, became: str
) -> None:
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        for guard in ("events_no_update", "events_no_delete"):
            connection.execute(f"DROP TRIGGER {guard}")
        row = connection.execute(f"SELECT max({KEYS[table]}) FROM {table}").fetchone()[0]
        new = became.format(column)
        loosened(connection, table, f"UPDATE {table} SET {column} = {new} WHERE {KEYS[table]} = ?", (row,))
        schema.guard(connection)
    with Store.open(copy, registry=REGISTRY, read_only=True) as store:
        found = codes(store)
    if found:
        told(copy)


@pytest.mark.parametrize(("table", "column"), EACH)
def test_a_repair_tells_of_flipped_bits_that_verify_reports(copy: Path, table: str, column: str) -> None:
    rng = random.Random(f"repair.{table}.{column}")  # noqa: S311 - to be repeated
    raw, key = copy.read_bytes(), KEYS[table]
    with closing(sqlite3.connect(copy)) as connection:
        values = connection.execute(
            f"SELECT {key}, {column} FROM {table} WHERE {column} IS NOT NULL"
        ).fetchall()
    for row, value in rng.sample(values, 2):
        for flipped in rng.sample([*flips(value, rng)], 2):
            copy.write_bytes(raw)
            new = "CAST(? AS TEXT)" if isinstance(flipped, bytes) else "?"
            try:
                damage(copy, f"UPDATE {table} SET {column} = {new} WHERE {key} = ?", flipped, row)
            except sqlite3.IntegrityError:
                continue
            told(copy)


@pytest.mark.parametrize("what", ADDED)
def test_a_row_that_belongs_to_nothing_is_reported(copy: Path, what: str) -> None:
    assert both(copy) == set()
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute(ADDED[what])
    assert both(copy) == {"missing" if "without" in what else "orphaned"}
    told(copy)


def test_each_event_that_is_missing_is_reported(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as connection:
        rows = connection.execute("SELECT position, game, seq FROM events ORDER BY position").fetchall()
    raw = copy.read_bytes()
    for position, game, seq in rows[:-1]:
        copy.write_bytes(raw)
        damage(copy, "DELETE FROM events WHERE position = ?", position)
        found = both(copy)
        assert "position-missing" in found, (position, game, seq)


def test_the_last_event_of_a_game_that_is_missing_is_reported_by_its_position(copy: Path) -> None:
    damage(copy, "DELETE FROM events WHERE game = 1 AND seq = (SELECT max(seq) FROM events WHERE game = 1)")
    assert both(copy) == {"position-missing"}


@pytest.mark.parametrize(
    ("game", "codes"),
    [
        ("friday", {"orphaned"}),
        ("friday/notes", {"orphaned"}),
    ],
)
def test_each_game_that_is_missing_is_reported(copy: Path, game: str, codes: set[str]) -> None:
    damage(copy, "DELETE FROM games WHERE id = ?", game)
    assert both(copy) == codes


def test_a_row_that_the_catalogue_lacks_is_reported(copy: Path) -> None:
    damage(copy, "DELETE FROM catalogue WHERE game = 1")
    assert both(copy) == {"catalogue-missing"}
    with Store.open(copy, registry=REGISTRY) as store:
        (fault,) = verify(store).faults
    assert (fault.game, fault.seq) == ("friday", 0)
    assert fault.message == "The catalogue has no row for this game."


def test_a_row_that_the_catalogue_lacks_is_reported_though_nobody_listed_the_game(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with Store.open(path, registry=REGISTRY) as store:
        begin(store)
    damage(path, "DELETE FROM catalogue")
    assert both(path) == {"catalogue-missing"}


def test_a_game_that_a_program_appended_and_nobody_listed_lacks_nothing(whole: Path, tmp_path: Path) -> None:
    with Store.open(whole, registry=REGISTRY, read_only=True) as store:
        events = store.log.events("friday")
    with Store.open(tmp_path / "other.db", registry=REGISTRY) as other:
        from eventstore.log.rows import NewEvent  # noqa: PLC0415

        new = [NewEvent(event.kind, event.payload) for event in events]
        other.log.append("monday", new, after=0, command_id="c", request="r")
        assert verify(other).faults == ()
        assert [entry.game for entry in other.catalogue.list()] == ["monday"]
        damage(other.log.path, "DELETE FROM catalogue")
        assert codes(other) == {"catalogue-missing"}


@pytest.mark.parametrize("became", ["fridax", "FRIDAY", "frid/y", "friday/x", "saturday/note", "a/b/c"])
def test_an_id_that_is_another_is_reported(copy: Path, became: str) -> None:
    damage(copy, "UPDATE games SET id = ? WHERE id = 'friday'", became)
    found = both(copy)
    assert ("checksum-differs" if became == "fridax" else "missing") in found
    assert "orphaned" in found


def test_an_id_that_is_another_is_reported_where_there_are_no_notes(copy: Path) -> None:
    with Store.open(copy, registry=REGISTRY) as store:
        begin(store, game="sunday")
    damage(copy, "UPDATE games SET id = 'monday' WHERE id = 'sunday'")
    assert both(copy) == {"checksum-differs"}


def test_commands_from_before_checksums_are_counted(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    schema.make(str(path), MIGRATIONS[:10])
    with closing(sqlite3.connect(path)) as old, old:
        old.execute("ATTACH ? AS whole", (str(whole),))
        for table in ("games", "events", "catalogue", "names"):
            columns = ", ".join(row[1] for row in old.execute(f"PRAGMA main.table_info({table})"))
            old.execute(f"INSERT INTO main.{table}({columns}) SELECT {columns} FROM whole.{table}")
    with Store.open(path, registry=REGISTRY) as store:
        report = verify(store)
        assert (report.faults, report.unchecked) == ((), 10)
        assert verify(store, ["friday"]).unchecked == 5
        store.do("friday", Record(ROUND[2:3]))
        assert verify(store).unchecked == 10
    damage(path, "UPDATE events SET request = 'x' WHERE seq = 1 AND game = 1")
    with Store.open(path, registry=REGISTRY) as store:
        assert codes(store) == set()
        last = store.log.head("friday")
    assert last
    damage(path, "UPDATE events SET request = 'x' WHERE seq = ? AND game = 1", last.seq)
    with Store.open(path, registry=REGISTRY) as store:
        assert codes(store) == {"checksum-differs"}
