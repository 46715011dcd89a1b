"""A new database from a damaged one: intact games to the byte, of the others what can be borne out."""

# ruff: noqa: S608 - the values are those of this file

from __future__ import annotations

import errno
import json
import os
import random
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from freezegun import freeze_time

from eventstore.access.actor import Actor
from eventstore.audit.repair import RepairedGame, RepairReport, repair
from eventstore.audit.verify import verify
from eventstore.errors import (
    DamagedDatabase,
    DatabaseLocked,
    NewerSchema,
    NotADatabase,
    StorageFault,
    TabletapeError,
)
from eventstore.formats.record_file import export_record
from eventstore.log.chain import ZERO, link
from eventstore.log.rows import Append, NewEvent
from eventstore.recording.amending import HistoryEdit, Replace
from eventstore.recording.commands import Amend, Branch, Record, Redo, Undo, WriteNote
from eventstore.sqlite import schema
from eventstore.sqlite.backup import FileExists, NoPlace, back_up
from eventstore.sqlite.lock import FileLock
from eventstore.sqlite.log import SqliteLog
from eventstore.sqlite.repair import salvage
from eventstore.sqlite.schema.migrations import MIGRATIONS
from eventstore.store import Store
from games.core.registry import registry_of
from games.examples.high_card import CardPassed
from tests.eventstore.played import REGISTRY, ROUND, begin, damage, play

FRIDAY = len(ROUND) + 5
"""Events of `friday`: the start, a round, an undo, a redo, and an amendment with what it puts."""


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return tmp_path / "new.db"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """`friday` with undos, an amendment and notes; `saturday`, longer; a variation; a hidden game; keys."""
    return recorded_at(tmp_path_factory.mktemp("recorded") / "games.db")


def recorded_at(path: Path) -> bytes:
    """The same bytes each time, so that a seed means the same damage."""
    chance = random.Random(1)  # noqa: S311 - to be repeated
    with (
        freeze_time("2026-09-14T18:00:00Z"),
        mock.patch.object(secrets, "token_bytes", chance.randbytes),
        mock.patch.object(secrets, "choice", chance.choice),
        Store.open(path, registry=REGISTRY) as store,
    ):
        record_all(store)
    return path.read_bytes()


def test_what_is_damaged_here_is_the_same_each_time(recorded: bytes, tmp_path: Path) -> None:
    assert recorded.count(b"2026-09-14T18:00:00.000000Z") > 300
    assert recorded_at(tmp_path / "again.db") == recorded


@pytest.fixture
def made(recorded: bytes, path: Path) -> Path:
    path.write_bytes(recorded)
    return path


def record_all(store: Store) -> None:
    friday = begin(store, game="friday", title="Friday night", played_on="2026-09-14", place="Kitchen")
    for event in ROUND:
        store.do(friday, Record([event]))
    store.do(friday, Undo())
    store.do(friday, Redo())
    store.do(friday, Amend([HistoryEdit(8, Replace([CardPassed("p2", "c08")]))], reason="it was c08"))
    store.do(friday, WriteNote(3, text="good", id="note-1"), Actor("ann"))
    store.do(friday, WriteNote(9, glyph="!", tags=["end"]))
    saturday = begin(store, game="saturday", players=("Çağla", "Bo"))
    play(store, saturday, 200)
    play(store, saturday, 100, at_once=False)
    store.do(saturday, WriteNote(100, text="x" * 9_000))
    store.do(friday, Branch(3, as_game="what-if"))
    begin(store, game="hidden-one")
    store.hide("hidden-one")
    store.access.add("phone", seat="p1")
    store.catalogue.list()


def exported(path: Path, game: str) -> bytes:
    with Store.open(path, registry=REGISTRY, read_only=True) as opened:
        return b"".join(export_record(opened, opened.game(game)))


def rows(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def repaired(path: Path, new: Path) -> tuple[RepairReport, dict[str, RepairedGame]]:
    """Repair, and see that the old file is untouched, nothing else is left, and the new one is intact."""
    beside = {file: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    done = repair(path, new, registry=REGISTRY)
    left = {file: file.read_bytes() for file in path.parent.iterdir() if file.is_file() and file != new}
    assert left == beside
    with Store.open(new, registry=REGISTRY, create=False) as opened:
        report = verify(opened)
        assert report.faults == ()
        assert (report.games, report.events) == (done.games, done.events)
        listed = opened.catalogue.list(hidden=True, variations=True)
        assert len(listed) == done.games
    return done, {account.game: account for account in done.accounts}


# --- nothing is wrong ------------------------------------------------------------------------------------


def test_an_intact_database_comes_over_with_everything(made: Path, new: Path) -> None:
    games = ["friday", "saturday", "what-if", "hidden-one"]
    before = [exported(made, game) for game in games]
    done, accounts = repaired(made, new)
    assert (done.games, done.intact, done.faults, done.complete, accounts) == (4, 4, (), True, {})
    assert [exported(new, game) for game in games] == before
    for table in ("commits", "names", "keys", "catalogue WHERE title = 'Friday night'"):
        of = "JOIN games USING (game)" if table in {"commits", "names"} else ""
        columns = {
            "commits": "id, first_seq, last_seq, command_id, request, hash",
            "names": "id, seat, name, folded",
            "keys": "*",
        }.get(table, "title, played_on, time_zone, place, hidden")
        query = f"SELECT {columns} FROM {table} {of} ORDER BY 1, 2, 3"
        assert rows(new, query) == rows(made, query) != []
    assert rows(new, "SELECT id FROM games JOIN catalogue USING (game) WHERE hidden = 1") == [("hidden-one",)]
    with Store.open(new, registry=REGISTRY) as opened:
        again = opened.do("friday", WriteNote(3, text="good", id="note-1"), Actor("ann")).result
        assert (again.text, len(opened.game("friday").all_notes)) == ("good", 2)
        assert [one.game for one in opened.variations("friday")] == ["what-if"]
        assert opened.game("friday").amended


def test_a_session_goes_on_and_a_revoked_key_stays_revoked(made: Path, new: Path) -> None:
    with Store.open(made, registry=REGISTRY) as opened:
        _, typed = opened.access.add("tablet")
        _, other = opened.access.add("lost-phone")
        shown = opened.access.begin(typed)
        opened.access.revoke("lost-phone")
    repaired(made, new)
    with Store.open(new, registry=REGISTRY) as opened:
        key = opened.access.who(shown or "")
        assert key is not None
        assert (key.name, opened.access.begin(other)) == ("tablet", None)


def test_it_runs_while_others_have_the_database_open(made: Path, new: Path) -> None:
    with Store.open(made, registry=REGISTRY) as opened:
        play(opened, "saturday", 3, seed=5)  # it is in the write-ahead log alone
        assert Path(f"{made}-wal").stat().st_size
        done = repair(made, new, registry=REGISTRY)
        assert done.complete
        play(opened, "saturday", 1, seed=6)
    with Store.open(new, registry=REGISTRY) as other:
        assert len(other.log.events("saturday")) == 304


def test_a_writer_that_does_not_stop_is_waited_for_and_nothing_is_left(made: Path, new: Path) -> None:
    with closing(FileLock(str(made), 0.1)) as lock, lock.held(), pytest.raises(DatabaseLocked):
        repair(made, new, registry=REGISTRY, wait=0.01)
    assert not new.exists()
    assert not list(new.parent.glob(".tabletape*"))


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_database_of_an_older_version_is_read_and_not_written(
    store: Store, path: Path, new: Path, tmp_path: Path, version: int
) -> None:
    game = begin(store, game="friday", title="Friday")
    play(store, game, 20, at_once=False)
    record, commits = store.log.record(game)
    old = tmp_path / "old.db"
    schema.make(str(old), MIGRATIONS[:version])
    columns = ["position", "game", "seq", "kind", "by", "recorded_at", "payload"]
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        connection.execute("INSERT INTO games VALUES (1, 'friday')")
        by_last = {commit.last_seq: commit for commit in commits}
        for row in record:
            values = [row.position, 1, row.seq, row.kind, row.by, row.recorded_at, row.payload]
            commit = by_last[row.seq]
            command = [commit.first_seq, commit.last_seq, commit.command_id, commit.request, commit.hash]
            if version < 7:
                connection.execute(f"INSERT INTO events VALUES ({', '.join('?' * 7)})", values)
                connection.execute("INSERT INTO commits VALUES (1, ?, ?, ?, ?, ?)", command)
            else:
                named = [*columns, "first_seq", "command_id", "request", "hash"]
                marks = ", ".join("?" * len(named))
                more = [command[0], *command[2:]]
                connection.execute(f"INSERT INTO events({', '.join(named)}) VALUES ({marks})", values + more)
        if version > 2:
            connection.execute("INSERT INTO catalogue(game, title, hidden) VALUES (1, 'Friday', 0)")
            connection.execute("INSERT INTO names VALUES (1, 'p1', 'Ann', 'ann'), (1, 'p2', 'Bo', 'bo')")
    done, accounts = repaired(old, new)
    assert (done.intact, accounts) == (1, {})
    with Store.open(new, registry=REGISTRY) as opened:
        assert opened.log.commits("friday") == commits
        assert opened.game("friday").details.names == ({"p1": "Ann", "p2": "Bo"} if version > 2 else {})


# --- one game is damaged ---------------------------------------------------------------------------------


@pytest.fixture
def others(made: Path) -> Iterator[None]:
    """The other games come over to the byte."""
    games = ["saturday", "what-if", "hidden-one"]
    before = [exported(made, game) for game in games]
    yield
    assert [exported(made.parent / "new.db", game) for game in games] == before


def on_friday(sql: str) -> str:
    return f"{sql} AND game = (SELECT game FROM games WHERE id = 'friday')"


def test_heads_that_were_remembered_over_a_rollback_cost_no_event(
    made: Path, new: Path, others: None
) -> None:
    """Event 6 on chains from a value after an event that was taken back: the chain breaks between 5 and 6."""
    with Store.open(made, registry=REGISTRY) as opened:
        record, commits = opened.log.record("friday")
    values = [bytes.fromhex(commit.hash) for commit in commits]
    value = link(values[4], 6, record[5].recorded_at, "somebody-else", '{"kind":"taken_back"}')
    by_last = {commit.last_seq for commit in commits}
    for row in record[5:]:
        value = link(value, row.seq, row.recorded_at, row.by, row.payload)
        if row.seq in by_last:
            damage(made, on_friday("UPDATE events SET hash = ? WHERE seq = ?"), value.hex(), row.seq)
    assert bytes.fromhex(commits[0].hash) == link(
        ZERO, 1, record[0].recorded_at, record[0].by, record[0].payload
    )
    done, accounts = repaired(made, new)
    account = accounts["friday"]
    assert (account.kept_as, account.events, account.lost, account.notes) == (
        "friday-repaired", FRIDAY, 0, 2,
    )  # fmt: skip
    assert (account.complete, done.complete, done.intact, done.games) == (True, True, 3, 4)
    assert account.message.startswith(f"friday is kept as friday-repaired with all {FRIDAY} events;")
    with Store.open(new, registry=REGISTRY) as opened:
        kept = opened.log.events("friday-repaired")
        assert [(row.seq, row.kind, row.by, row.recorded_at, row.payload) for row in kept] == [
            (row.seq, row.kind, row.by, row.recorded_at, row.payload) for row in record
        ]
        about = opened.game("friday-repaired").details
        assert (about.title, about.played_on, about.place) == (
            "Friday night (repaired)", "2026-09-14", "Kitchen",
        )  # fmt: skip
        assert about.names == {"p1": "Ann", "p2": "Bo"}
        assert [note.text for note in opened.game("friday-repaired").all_notes] == ["good", ""]
        assert opened.log.head("friday") is None
        assert play(opened, "friday-repaired", 1).seq == FRIDAY + 1
        again = opened.do("friday-repaired", WriteNote(3, text="good", id="note-1"), Actor("ann")).result
        assert again.text == "good"


@pytest.mark.parametrize(
    ("sql", "kept", "said"),
    [
        ("UPDATE events SET payload = '{' WHERE seq = 6", 5, "event 6 cannot be read"),
        ("""UPDATE events SET payload = '{"kind":"dragon_flown"}', kind = 'dragon_flown' WHERE seq = 6""",
         5, "has no event of kind 'dragon_flown'"),
        ("UPDATE events SET payload = replace(payload, 'c04', 'c99') WHERE seq = 5", 4, "against the rules"),
        ("DELETE FROM events WHERE seq = 7", 6, "event 7 is gone"),
        ("""UPDATE events SET payload = '{"kind":"record.undone","to":999}' WHERE seq = 10""",
         9, "event 10 refers to events that are not there"),
        ("UPDATE events SET payload = replace(payload, 'c08', 'c99') WHERE seq = 13",
         11, "against the rules"),
        ("DELETE FROM events WHERE seq = 13", 11, "not complete"),
    ],
)  # fmt: skip
def test_an_event_that_cannot_be_kept_ends_the_record(
    made: Path, new: Path, others: None, *, sql: str, kept: int, said: str
) -> None:
    damage(made, on_friday(sql))
    done, accounts = repaired(made, new)
    account = accounts["friday"]
    assert (account.events, account.complete, done.complete) == (kept, False, False)
    assert said in account.message
    assert account.lost == FRIDAY - kept
    with Store.open(new, registry=REGISTRY) as opened:
        assert len(opened.log.events("friday-repaired")) == kept
        assert [note.seq for note in opened.game("friday-repaired").all_notes] == [
            seq for seq in (3, 9) if seq <= kept
        ]


def test_where_the_damaged_event_was_replaced_the_game_as_it_stands_is_kept(
    made: Path, new: Path, others: None
) -> None:
    """The amendment put another event in the place of event 8: the game goes on without event 8."""
    damage(made, on_friday("UPDATE events SET payload = '{' WHERE seq = 8"))
    with Store.open(made, registry=REGISTRY) as opened:
        runs = list(opened.game("friday").runs)
        payloads = [row.payload for row in opened.log.events("friday")]
    assert 8 not in runs
    _, accounts = repaired(made, new)
    account = accounts["friday"]
    assert account.events == len(runs) == 9
    assert "with the 9 steps of the game as it stood" in account.message
    with Store.open(new, registry=REGISTRY) as opened:
        assert [row.payload for row in opened.log.events("friday-repaired")] == [
            payloads[seq - 1] for seq in runs
        ]
        # The note on event 9, which is step 8, is on the ninth row now.
        assert [note.seq for note in opened.game("friday-repaired").all_notes] == [3, 9]


def test_a_damaged_event_that_was_undone_costs_only_itself(store: Store, path: Path, new: Path) -> None:
    game = begin(store, game="friday")
    store.do(game, Record(ROUND[:5]))
    store.do(game, Undo())
    store.do(game, Record(ROUND[4:]))
    store.log.close()
    damage(path, "UPDATE events SET payload = '{' WHERE seq = 6")
    _, accounts = repaired(path, new)
    assert accounts["friday"].events == len(ROUND) + 1
    with Store.open(new, registry=REGISTRY) as opened:
        assert opened.game("friday-repaired").steps == len(ROUND)


def test_a_ruling_does_not_name_an_event_that_is_left_out(store: Store, path: Path, new: Path) -> None:
    game = begin(store, game="friday")
    store.do(game, Record(ROUND[:5]))
    store.do(game, Undo())
    ruled = '{"kind":"record.ruled","reason":"agreed","changes":[],"instead_of":6,"says":null}'
    store.log.append(game, [NewEvent("record.ruled", ruled)], after=7, command_id="ruled", request="")
    store.log.close()
    damage(path, "UPDATE events SET payload = '{' WHERE seq = 6")
    _, accounts = repaired(path, new)
    assert (accounts["friday"].events, accounts["friday"].notes) == (6, 0)
    with Store.open(new, registry=REGISTRY) as opened:
        last = opened.log.events("friday-repaired")[-1]
    assert json.loads(last.payload) == {
        "kind": "record.ruled", "reason": "agreed", "changes": [], "says": None,
    }  # fmt: skip


def test_an_event_against_the_rules_that_was_undone_ends_nothing(store: Store, path: Path, new: Path) -> None:
    game = begin(store, game="friday")
    store.do(game, Record(ROUND[:5]))
    store.do(game, Undo())
    store.do(game, Record(ROUND[4:]))
    store.log.close()
    damage(path, "UPDATE events SET payload = replace(payload, 'c01', 'c99') WHERE seq = 6")
    done, accounts = repaired(path, new)
    assert (accounts["friday"].events, accounts["friday"].complete) == (len(ROUND) + 3, True)
    assert done.complete


def test_a_note_in_the_record_and_an_event_among_the_notes_are_left_out(
    made: Path, new: Path, others: None
) -> None:
    kind, payload = (
        "note.written",
        '{"kind":"note.written","id":"astray","seq":2,"text":"?","glyph":null,"tags":[]}',
    )
    damage(made, on_friday("UPDATE events SET kind = ?, payload = ? WHERE seq = 10"), kind, payload)
    damage(
        made,
        "INSERT INTO events(game, seq, kind, by, recorded_at, payload, first_seq, command_id, request, hash)"
        " SELECT game, 3, 'card_laid', 'recorder', '2026-09-14T18:03:05.123456Z',"
        """ '{"kind":"card_laid","player":"p1","card":"c01"}', 3, 'astray', '', ? FROM games"""
        " WHERE id = 'friday/notes'",
        "00" * 32,
    )
    done, accounts = repaired(made, new)
    account = accounts["friday"]
    assert not done.complete
    assert "event 10 is a note, and no event of a game" in account.message
    assert "1 line of its notes cannot be read." in account.message
    assert (account.events, account.notes) == (9, 2)


def test_a_record_whose_notes_alone_are_damaged_keeps_its_id(made: Path, new: Path, others: None) -> None:
    events = exported(made, "friday").split(b'{"note"')[0]
    damage(made, "UPDATE events SET payload = replace(payload, 'good', 'bad') WHERE kind = 'note.written'")
    _, accounts = repaired(made, new)
    account = accounts["friday"]
    assert (account.kept_as, account.complete, account.notes) == ("friday", True, 2)
    assert "The chain of its notes does not hold; all 2 notes can be read." in account.message
    assert exported(new, "friday").split(b'{"note"')[0] == events


def test_a_note_that_cannot_be_read_takes_no_other_away(made: Path, new: Path, others: None) -> None:
    damage(made, "UPDATE events SET payload = '{' WHERE kind = 'note.written' AND by = 'ann'")
    done, accounts = repaired(made, new)
    account = accounts["friday"]
    assert (account.kept_as, account.complete, account.notes, done.complete) == ("friday", False, 1, False)
    assert "1 line of its notes cannot be read." in account.message


def test_a_time_and_a_writer_that_cannot_be_read_are_said(made: Path, new: Path, others: None) -> None:
    damage(made, on_friday("UPDATE events SET by = 'no key', recorded_at = 'noon' WHERE seq = 4"))
    _, accounts = repaired(made, new)
    account = accounts["friday"]
    assert (account.events, account.complete) == (FRIDAY, False)
    assert "The author or time of 1 event could not be read." in account.message
    with Store.open(new, registry=REGISTRY) as opened:
        third, fourth = opened.log.events("friday-repaired", 3, 4)
        assert (fourth.by, fourth.recorded_at) == ("recorder", third.recorded_at)


def test_a_repaired_variation_keeps_its_parent(made: Path, new: Path) -> None:
    damage(made, "UPDATE events SET by = 'eve' WHERE seq = 2"
           " AND game = (SELECT game FROM games WHERE id = 'what-if')")  # fmt: skip
    repair(made, new, registry=REGISTRY)
    with Store.open(new, registry=REGISTRY) as opened:
        (variation,) = opened.variations("friday")
        assert (variation.game, variation.parent.step) == ("what-if-repaired", 3)


def test_a_repaired_parent_says_that_its_variations_name_the_old_one(
    made: Path, new: Path, others: None
) -> None:
    damage(made, on_friday("UPDATE events SET by = 'eve' WHERE seq = 2"))
    _, accounts = repaired(made, new)
    assert "1 variation of it still names friday as its parent." in accounts["friday"].message


def test_a_hidden_game_stays_hidden(made: Path, new: Path) -> None:
    damage(made, "UPDATE events SET by = 'eve' WHERE game = (SELECT game FROM games WHERE id = 'hidden-one')")
    repaired(made, new)
    with Store.open(new, registry=REGISTRY) as opened:
        assert opened.catalogue.get("hidden-one-repaired").hidden


def test_a_title_of_full_length_is_marked_and_one_that_is_none_is_replaced(
    store: Store, path: Path, new: Path
) -> None:
    long = begin(store, game="long", title="x" * 200)
    bare = begin(store, game="bare")
    bell = begin(store, game="bell", title="Bell")
    store.log.close()
    damage(path, "UPDATE events SET by = 'eve'")
    damage(path, "UPDATE catalogue SET title = char(7) WHERE title = 'Bell'")
    _, accounts = repaired(path, new)
    with Store.open(new, registry=REGISTRY) as opened:
        titles = [opened.game(f"{game}-repaired").details.title for game in (long, bare, bell)]
    assert titles == ["x" * 189 + " (repaired)", "bare (repaired)", "bell (repaired)"]
    assert "Its title could not be read." in accounts["bell"].message


def test_a_game_of_rules_that_are_not_installed_is_kept_as_far_as_it_can_be_read(
    made: Path, new: Path
) -> None:
    damage(made, on_friday("UPDATE events SET payload = '{' WHERE seq = 6"))
    before = exported(made, "saturday")
    done = repair(made, new, registry=registry_of([]))
    (account,) = done.accounts
    assert (account.kept_as, account.events) == ("friday-repaired", 5)
    with Store.open(new, registry=REGISTRY) as opened:
        assert b"".join(export_record(opened, opened.game("saturday"))) == before


def test_a_command_id_that_was_changed_costs_no_byte_of_the_record(made: Path, new: Path) -> None:
    before = exported(made, "friday")
    damage(made, on_friday("UPDATE events SET command_id = 'two words' WHERE seq = 4"))
    done, accounts = repaired(made, new)
    assert exported(new, "friday") == before
    assert "The ids of 1 command cannot be read" in accounts["friday"].message
    assert not done.complete


def test_a_command_that_differs_from_its_checksum_costs_no_byte_of_the_record(made: Path, new: Path) -> None:
    before = exported(made, "friday")
    damage(made, on_friday("UPDATE events SET request = 'another' WHERE seq = 4"))
    done, accounts = repaired(made, new)
    assert exported(new, "friday") == before
    friday = accounts["friday"]
    assert friday.kept_as == "friday"
    assert "The command of event 4 does not match its checksum." in friday.message
    assert not done.complete


# --- rows that belong to nothing -------------------------------------------------------------------------


def test_a_game_without_rows_and_one_without_an_id_are_named(made: Path, new: Path) -> None:
    damage(made, on_friday("DELETE FROM events WHERE 1"))
    damage(made, "INSERT INTO games(id) VALUES ('monday')")
    damage(made, "DELETE FROM games WHERE id = 'saturday'")
    done, accounts = repaired(made, new)
    assert accounts["friday"].kept_as is None
    assert accounts["monday"].message == "Nothing of monday can be found."
    saturday = accounts["saturday"]
    assert (saturday.kept_as, saturday.events, saturday.notes) == ("saturday-repaired", 301, 1)
    assert "Its id is that of the only notes without a game." in saturday.message
    assert not done.complete


def test_notes_without_a_game_are_named_and_a_game_without_an_id_gets_one(made: Path, new: Path) -> None:
    damage(made, "DELETE FROM games WHERE id IN ('saturday', 'friday')")
    done, _ = repaired(made, new)
    said = {account.message.partition(":")[0] for account in done.accounts}
    assert "1 line of notes belong to saturday, which is not in the database" in said
    assert "2 lines of notes belong to friday, which is not in the database" in said
    nameless = [account for account in done.accounts if not account.game]
    assert sorted(account.events for account in nameless) == [FRIDAY, 301]
    with Store.open(new, registry=REGISTRY) as opened:
        names = [opened.game(str(account.kept_as)).details.names for account in nameless]
    assert {"p1": "Çağla", "p2": "Bo"} in names
    assert not done.complete


def test_a_tail_that_is_missing_with_its_commands_is_known_from_the_list(made: Path, new: Path) -> None:
    damage(made, on_friday("DELETE FROM events WHERE seq > 9"))
    before = exported(made, "friday")
    done, accounts = repaired(made, new)
    assert exported(new, "friday") == before
    assert "The list of games counted 4 events more" in accounts["friday"].message
    assert not done.complete


def test_a_damaged_record_without_its_tail_says_that_the_rest_is_lost(made: Path, new: Path) -> None:
    damage(made, on_friday("DELETE FROM events WHERE seq > 9"))
    damage(made, on_friday("UPDATE events SET by = 'eve' WHERE seq = 2"))
    done, accounts = repaired(made, new)
    said = f"with the first 9 of {FRIDAY} events: the others cannot be read."
    assert said in accounts["friday"].message
    assert (accounts["friday"].lost, done.complete) == (FRIDAY - 9, False)


# --- what verify says is never passed over ---


ROWS = {
    "names of no game": ("UPDATE names SET game = game + 90", False),
    "a title of no game": ("UPDATE catalogue SET game = 99 WHERE title = 'Friday night'", False),
    "a catalogue without a row": ("DELETE FROM catalogue WHERE title = 'Friday night'", False),
    "words of no game": ("INSERT INTO texts(game, typed, notes, captions) VALUES (77, 'a', '', '')", True),
    "a keyframe of no game": ("INSERT INTO keyframes VALUES (77, 'everything', 1, x'00', x'00')", True),
    "a keyframe that lies": ("UPDATE keyframes SET state = x'7b7d'", True),
    "a session of no key": (
        "INSERT INTO sessions VALUES ('abc', 77, zeroblob(32), '2026-09-14T18:03:05.123456Z')", False,
    ),
    "a session that cannot be read": (
        "INSERT INTO sessions VALUES ('abc', 1, x'00', '2026-09-14T18:03:05.123456Z')", False,
    ),
    "a key without a time": ("UPDATE keys SET added_at = 'x'", False),
    "a key with half a hash": ("UPDATE keys SET hash = x'00ff'", False),
    "a key that was revoked some time": ("UPDATE keys SET revoked_at = 'yesterday'", False),
    "a key that nobody can be called": ("UPDATE keys SET name = 'Ann S.'", False),
    "part of a command": ("UPDATE events SET hash = 1e300 WHERE game = 3 AND command_id IS NULL", True),
    "a first event of another name": ("UPDATE events SET payload = '{' WHERE seq = 1 AND game = 3", False),
}  # fmt: skip


@pytest.mark.parametrize("what", ROWS)
def test_what_verify_reports_is_told(made: Path, new: Path, what: str) -> None:
    sql, complete = ROWS[what]
    damage(made, sql)
    with Store.open(made, registry=REGISTRY, read_only=True) as opened:
        faults = [fault for fault in verify(opened).faults if fault.code != "unguarded"]
    assert faults
    done, accounts = repaired(made, new)
    assert done.faults or accounts
    assert done.complete is complete


def test_names_of_no_game_are_named(made: Path, new: Path) -> None:
    damage(made, "UPDATE names SET game = game + 90")
    done, accounts = repaired(made, new)
    assert (done.intact, accounts, done.complete) == (4, {}, False)
    assert done.faults == (
        "Titles, names, dates and places of games that are not in the file are left out: Ann, Bo, Çağla.",
    )


# --- the file itself is damaged --------------------------------------------------------------------------


def swept(path: Path, new: Path) -> RepairReport | None:
    """Repair whatever became of the file; every game that `verify` calls intact is there to the byte."""
    intact = {}
    faulty = set()
    try:
        with Store.open(path, registry=REGISTRY, read_only=True) as opened:
            faulty = {fault.game for fault in verify(opened).faults}
            for game in opened.log.games():
                if "/" not in game and game not in faulty:
                    try:
                        intact[game] = b"".join(export_record(opened, opened.game(game)))
                    except TabletapeError:
                        continue
    except TabletapeError:
        pass
    for file in path.parent.glob(f"{path.name}-*"):
        file.unlink()
    before = path.read_bytes()
    try:
        done = repair(path, new, registry=REGISTRY)
    except (NotADatabase, DamagedDatabase, NewerSchema):
        assert not intact
        assert not new.exists()
        return None
    finally:
        assert not list(new.parent.glob(".tabletape*"))
        assert path.read_bytes() == before
    assert not any("None" in account.message for account in done.accounts)
    assert bool(done.faults or done.accounts) >= bool(faulty)
    with Store.open(new, registry=REGISTRY, create=False) as opened:
        assert verify(opened).faults == ()
        for game, record in intact.items():
            assert opened.log.head(game) is not None, game
            found = b"".join(export_record(opened, opened.game(game)))
            assert found == record or more_was_found(found, record), game
    return done


def more_was_found(found: bytes, record: bytes) -> bool:
    """Whether names or lines came back that SQLite misses in a damaged file, and all else is there."""
    one, other = found.split(b"\n"), record.split(b"\n")
    new, old = json.loads(one[0]), json.loads(other[0])
    for name, before in zip(new.pop("seats"), old.pop("seats"), strict=True):
        if before["name"] not in {name["name"], f"Player {before['seat'][1:]}"}:
            return False
    del new["head"], old["head"]
    return bool(new == old and (one[1:] == other[1:] or set(other[1:]) < set(one[1:])))


def test_no_page_that_is_zeroed_takes_a_game_away_that_is_intact(made: Path, tmp_path: Path) -> None:
    raw = made.read_bytes()
    kept = set()
    for page in range(1, len(raw) // 4096):
        torn = tmp_path / "torn" / "torn.db"
        torn.parent.mkdir()
        torn.write_bytes(raw[: page * 4096] + bytes(4096) + raw[(page + 1) * 4096 :])
        done = swept(torn, torn.with_name("new.db"))
        assert done is not None
        kept.add(done.events)
        shutil.rmtree(torn.parent)
    # The most that one page holds of the events; never all that lies below an interior page.
    assert max(kept) == 301 + FRIDAY + 4 + 1
    assert min(kept) > 0


def test_a_lost_root_of_events_costs_no_event(made: Path, new: Path) -> None:
    ((root,),) = rows(made, "SELECT rootpage FROM sqlite_schema WHERE name = 'events'")
    raw = bytearray(made.read_bytes())
    assert raw[(root - 1) * 4096] == 5
    before = [exported(made, game) for game in ("friday", "saturday")]
    raw[(root - 1) * 4096 : root * 4096] = b"\xff" * 4096
    made.write_bytes(raw)
    done, accounts = repaired(made, new)
    assert [exported(new, game) for game in ("friday", "saturday")] == before
    assert (accounts, done.intact, done.complete) == ({}, 4, True)
    assert len(done.faults) == 1


def test_a_lost_leaf_of_events_is_named_by_its_game(made: Path, new: Path) -> None:
    raw = bytearray(made.read_bytes())
    place = raw.index(b'"reason":"it was c08"') // 4096 * 4096
    raw[place : place + 4096] = b"\xff" * 4096
    made.write_bytes(raw)
    done, accounts = repaired(made, new)
    assert not done.complete
    assert accounts["friday"].lost > 0
    assert accounts["friday"].lost + accounts["friday"].events == FRIDAY


@pytest.mark.parametrize("index", ["sqlite_autoindex_events_1", "sqlite_autoindex_games_1", "events_command"])
def test_a_damaged_index_costs_nothing(made: Path, new: Path, index: str) -> None:
    ((root,),) = rows(made, f"SELECT rootpage FROM sqlite_schema WHERE name = '{index}'")
    before = [exported(made, game) for game in ("friday", "saturday", "what-if", "hidden-one")]
    raw = bytearray(made.read_bytes())
    raw[(root - 1) * 4096 : root * 4096] = b"\xff" * 4096
    made.write_bytes(raw)
    done, accounts = repaired(made, new)
    assert [exported(new, game) for game in ("friday", "saturday", "what-if", "hidden-one")] == before
    assert (accounts, done.complete, len(done.faults)) == ({}, True, 1)


def test_ids_come_from_their_index_where_their_table_is_lost(made: Path, new: Path) -> None:
    ((root,),) = rows(made, "SELECT rootpage FROM sqlite_schema WHERE name = 'games'")
    before = exported(made, "friday")
    raw = bytearray(made.read_bytes())
    raw[(root - 1) * 4096 : root * 4096] = bytes(4096)
    made.write_bytes(raw)
    repaired(made, new)
    assert exported(new, "friday") == before


@pytest.mark.parametrize(
    "place", [0, 5, 16, 18, 20, 21, 28, 32, 44, 56, 59, 60, 63, 68, 71, 92, 96, 100, 101, 103, 108]
)
def test_a_damaged_header_costs_no_event(made: Path, tmp_path: Path, place: int) -> None:
    before = exported(made, "saturday")
    raw = bytearray(made.read_bytes())
    raw[place] ^= 0x40
    torn = tmp_path / "torn" / "torn.db"
    torn.parent.mkdir()
    torn.write_bytes(raw)
    done = swept(torn, torn.with_name("new.db"))
    assert done is not None
    assert exported(torn.with_name("new.db"), "saturday") == before
    assert place not in {0, 20, 21, 44, 56, 59, 68, 71} or len(done.faults) == 1


@pytest.mark.parametrize("part", [3, 5, 8, 9])
def test_a_file_that_was_cut_off_gives_what_is_there(made: Path, tmp_path: Path, part: int) -> None:
    raw = made.read_bytes()
    torn = tmp_path / "torn" / "torn.db"
    torn.parent.mkdir()
    torn.write_bytes(raw[: len(raw) * part // 10 + 77])
    done = swept(torn, torn.with_name("new.db"))
    assert done is not None
    assert done.events > 0


@pytest.mark.parametrize("seed", range(60))
def test_whatever_bytes_are_flipped_the_new_database_is_intact(made: Path, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    raw = bytearray(made.read_bytes())
    for _ in range(chance.choice([1, 1, 3, 30, 300])):
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    torn = tmp_path / "torn" / "torn.db"
    torn.parent.mkdir()
    torn.write_bytes(raw)
    swept(torn, torn.with_name("new.db"))


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_write_ahead_log_counts_as_it_counts_for_sqlite(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Up to the damage, that is; read without SQLite, it comes to the same."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    torn = tmp_path / "torn" / "torn.db"
    torn.parent.mkdir()
    with Store.open(made, registry=REGISTRY) as opened:
        play(opened, "saturday", 40, seed=9, at_once=False)
        shutil.copy(made, torn)
        wal = bytearray(Path(f"{made}-wal").read_bytes())
    if seed:
        wal[chance.randrange(len(wal))] ^= 1 << chance.randrange(8)
    Path(f"{torn}-wal").write_bytes(wal)
    done = repair(torn, torn.with_name("new.db"), registry=REGISTRY)
    assert done.intact == 4
    assert 301 + FRIDAY + 5 <= done.events <= 341 + FRIDAY + 5
    assert seed or done.events == 341 + FRIDAY + 5
    monkeypatch.setattr(salvage, "_settled", lambda _: "SQLite cannot read the file")
    assert repair(torn, torn.with_name("other.db"), registry=REGISTRY).events == done.events


def test_a_bit_of_a_pointer_that_sqlite_ignores_costs_nothing(made: Path, new: Path) -> None:
    raw = bytearray(made.read_bytes())
    leaf = raw.index(b'"reason":"it was c08"') // 4096 * 4096
    assert raw[leaf] == 13
    raw[leaf + 8] ^= 0x80
    made.write_bytes(raw)
    done, accounts = repaired(made, new)
    assert (done.intact, done.complete, accounts) == (4, True, {})


def test_a_wrong_length_of_the_last_column_costs_no_event(made: Path, new: Path) -> None:
    """One flipped bit, by which SQLite finds the file malformed, though it reads every event of it."""
    before = exported(made, "saturday")
    raw = bytearray(made.read_bytes())
    ((game, kind),) = rows(made, "SELECT game, kind FROM events JOIN games USING (game)"
                                 " WHERE id = 'saturday' AND seq = 173")  # fmt: skip
    data = raw.index(bytes((game, 0, 173)) + kind.encode())
    raw[data - 1] ^= 0x40
    made.write_bytes(raw)
    done, accounts = repaired(made, new)
    assert exported(new, "saturday") == before
    assert (done.intact, len(done.faults), accounts) == (4, 1, {})


def test_a_row_that_names_another_game_is_found_by_its_index(made: Path, new: Path) -> None:
    before = exported(made, "saturday")
    raw = bytearray(made.read_bytes())
    ((game, kind),) = rows(made, "SELECT game, kind FROM events JOIN games USING (game)"
                                 " WHERE id = 'saturday' AND seq = 250")  # fmt: skip
    number = raw.index(bytes((game, 0, 250)) + kind.encode())
    raw[number] = 0x43
    made.write_bytes(raw)
    done, _ = repaired(made, new)
    assert exported(new, "saturday") == before
    assert (done.intact, done.complete) == (4, True)


def test_the_log_of_another_database_is_left_out(made: Path, new: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "other.db"
    other.parent.mkdir()
    with Store.open(other, registry=REGISTRY) as opened:
        play(opened, begin(opened, game="elsewhere"), 50)
        shutil.copy(f"{other}-wal", f"{made}-wal")
    before = exported_alone(made)
    done = repair(made, new, registry=REGISTRY)
    assert exported(new, "saturday") == before
    assert (done.intact, done.complete) == (4, True)
    assert done.faults == (f"{made}-wal belongs to another database, and was left out.",)


def exported_alone(path: Path) -> bytes:
    copy = path.with_name("alone.db")
    shutil.copy(path, copy)
    return exported(copy, "saturday")


def test_sectors_that_the_disk_cannot_read_are_passed_over(
    made: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = made.read_bytes().index(b'"reason":"it was c08"') // 4096 * 4096
    read = os.pread

    def failing(handle: int, length: int, start: int) -> bytes:
        if start <= place < start + length:
            raise OSError(errno.EIO, "Input/output error")
        return read(handle, length, start)

    monkeypatch.setattr(os, "pread", failing)
    done = repair(made, new, registry=REGISTRY)
    monkeypatch.undo()
    assert exported(new, "saturday") == exported(made, "saturday")
    assert not done.complete
    assert any(account.game == "friday" and account.lost for account in done.accounts)


# --- what is refused -------------------------------------------------------------------------------------


def test_a_file_that_is_there_is_never_touched(made: Path, new: Path) -> None:
    new.write_text("a diary", encoding="utf-8")
    with pytest.raises(FileExists):
        repair(made, new, registry=REGISTRY)
    assert new.read_text(encoding="utf-8") == "a diary"
    for name in (made, Path(f"{made}-wal"), Path(f"{made}.lock"), made.parent / "no" / "new.db"):
        with pytest.raises(NoPlace):
            repair(made, name, registry=REGISTRY)


@pytest.mark.parametrize("end", ["-wal", "-journal"])
def test_a_new_database_takes_no_journal_of_another(made: Path, new: Path, end: str) -> None:
    Path(f"{new}{end}").write_bytes(b"another's")
    with pytest.raises(NoPlace, match=f"{end} lies beside it"):
        repair(made, new, registry=REGISTRY)
    with SqliteLog.open(made) as log, pytest.raises(NoPlace, match=f"{end} lies beside it"):
        back_up(log, new)
    assert not new.exists()


def test_what_is_no_database_of_ours_is_refused(tmp_path: Path, new: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE t(a)")
    for content in (other.read_bytes(), b"", b"x" * 50, b"x" * 5_000):
        other.write_bytes(content)
        with pytest.raises(NotADatabase):
            repair(other, new, registry=REGISTRY)
    assert not new.exists()


def test_what_a_newer_tabletape_made_is_refused(made: Path, new: Path) -> None:
    damage(made, f"PRAGMA user_version = {schema.VERSION + 1}")
    damage(
        made,
        "INSERT INTO _sqlite_migrations(migration_set, name, applied_at) VALUES ('tabletape', 'm99_new', '')",
    )
    with pytest.raises(NewerSchema):
        repair(made, new, registry=REGISTRY)
    assert not new.exists()


def test_a_full_disk_is_one_sentence_and_leaves_nothing(
    made: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(made.parent.iterdir())

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copymode", full)
    with pytest.raises(TabletapeError, match=r"The disk is full: .*new\.db was not made\."):
        repair(made, new, registry=REGISTRY)
    assert sorted(made.parent.iterdir()) == before


def test_a_database_that_changes_while_it_is_copied_is_copied_again(
    made: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_file, copied = salvage._copy_file, []

    def changing(source: str, *others: str) -> None:
        copy_file(source, *others)
        copied.append(source)
        if len(copied) == 1:
            os.utime(source, (1, 1))

    monkeypatch.setattr(salvage, "_copy_file", changing)
    assert repair(made, new, registry=REGISTRY).complete
    assert copied == [str(made), str(made)]


def test_what_is_written_otherwise_than_it_was_read_is_refused(
    made: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = NewEvent

    def other(kind: str, payload: str, by: str, at: str | None) -> NewEvent:
        return stored(kind, payload, "eve", at)

    monkeypatch.setattr("eventstore.audit.repair.NewEvent", other)
    with pytest.raises(StorageFault, match=r"new\.db .*what was written of friday is not what was read"):
        repair(made, new, registry=REGISTRY)
    assert not new.exists()


def test_a_disk_that_fills_up_while_games_are_written_is_named_by_the_new_file(
    made: Path, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(made.parent.iterdir())

    def full(log: SqliteLog, *_: object, **__: object) -> None:
        raise StorageFault(log.path, "the disk is full, and nothing of this was kept")

    monkeypatch.setattr(SqliteLog, "append_all", full)
    with pytest.raises(StorageFault) as refusal:
        repair(made, new, registry=REGISTRY)
    assert str(refusal.value).startswith(f"{new} could not be read or written: the disk is full")
    assert sorted(made.parent.iterdir()) == before


def test_no_command_is_written_that_was_not_meant(made: Path, new: Path) -> None:
    """What a record could never have held is not carried over as if it were intact."""
    with Store.open(made, registry=REGISTRY) as opened:
        event = NewEvent("note.written", '{"kind":"note.written"}')
        opened.log.append_all([Append("friday/notes", (event,), 2, "bare", "")])
    _, accounts = repaired(made, new)
    assert accounts["friday"].notes == 2
