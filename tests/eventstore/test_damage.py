"""One flipped bit in a row: the game and the event are named, the rest goes on, and no text is quoted."""

# ruff: noqa: S608 - the values are those of this file

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from eventstore.access.actor import Actor
from eventstore.audit.verify import verify
from eventstore.errors import TabletapeError, UnknownGame, Unreadable
from eventstore.formats.csv import export_csv
from eventstore.formats.record_file import export_record, import_records
from eventstore.library.sittings import sittings
from eventstore.recording.commands import Record, Undo, WriteNote
from eventstore.refusals import BadRecord, TextOnly
from eventstore.store import Store
from tests.eventstore.played import REGISTRY, ROUND, begin, damage, play

Found = set[tuple[str, int, str]]


@pytest.fixture
def game(store: Store) -> str:
    """Twelve events, three, an undo: its commands end at seqs 1, 13, 16 and 17."""
    game = begin(store, game="friday")
    play(store, game, 12)
    play(store, game, 3)
    store.do(game, Undo())
    store.do(game, WriteNote(2, text="x"))
    return game


@pytest.fixture
def other(store: Store) -> str:
    other = begin(store, game="saturday")
    play(store, other, 5)
    return other


def flip(path: Path, column: str, seq: int, letter: str) -> None:
    """Put a byte that is no UTF-8 in the place of a letter, or of the first one."""
    flipped = f"CAST(replace({column}, '{letter}', x'E3') AS TEXT)"
    if not letter:
        flipped = f"CAST(x'E3' || substr({column}, 2) AS TEXT)"
    damage(path, f"UPDATE events SET {column} = {flipped} WHERE seq = {seq} AND game = 1")


def found(store: Store) -> Found:
    store.replays.forget()
    return {(fault.game, fault.seq, fault.code) for fault in verify(store).faults}


@pytest.mark.parametrize(
    ("flipped", "faults"),
    [
        (("payload", 1, "k"), {(1, "changed"), (1, "unreadable")}),
        (("payload", 2, "p"), {(2, "changed"), (2, "wrong-fields")}),
        (("payload", 2, "0"), {(2, "changed"), (2, "against-the-rules")}),
        (("payload", 17, "t"), {(17, "changed"), (17, "bad-history")}),
        (("kind", 2, "d"), {(2, "kind-differs")}),
        (("by", 2, "r"), {(2, "changed")}),
        (("recorded_at", 1, "-"), {(1, "changed")}),
        (("hash", 13, ""), {(2, "changed"), (2, "checksum-differs")}),
        (("command_id", 17, ""), {(17, "checksum-differs")}),
        (("request", 13, ""), {(2, "checksum-differs")}),
    ],
)
def test_a_text_that_is_no_utf_8_any_more_is_named_and_the_rest_goes_on(
    store: Store,
    path: Path,
    game: str,
    other: str,
    *,
    flipped: tuple[str, int, str],
    faults: set[tuple[int, str]],
) -> None:
    column, seq, letter = flipped
    flip(path, column, seq, letter)
    assert found(store) == {(game, *fault) for fault in faults}
    assert verify(store, [other]).faults == ()
    assert {entry.game for entry in store.catalogue.list()} == {game, other}
    assert {hit.game for hit in store.catalogue.search("Ann")} >= {other}
    for viewer in ("everything", "p1"):
        assert len(list(store.game(game, viewer=viewer).positions())) == store.game(game).position().step + 1
        with suppress(TextOnly):
            b"".join(export_record(store, store.game(game, viewer=viewer)))
            "".join(export_csv(store.game(game, viewer=viewer))).encode()
    opened = store.game(game)
    assert sittings(opened)
    if column in ("payload", "by", "recorded_at"):
        whole = b"".join(export_record(store, store.game(game)))
        with pytest.raises(BadRecord, match=f"line {seq + 1}: it is no UTF-8 text"):
            import_records(store, [("file", whole)])
    with suppress(TabletapeError):
        store.do(game, Undo())


def test_no_refusal_quotes_what_a_viewer_may_not_see(store: Store, path: Path, game: str) -> None:
    assert '"c07"' in store.log.events(game, 3, 3)[0].payload
    flip(path, "payload", 3, "p")
    store.replays.forget()
    for position in store.game(game, viewer="p1").positions(2):
        assert position.fault == "Event 3 of game friday cannot be read."
        assert "c07" not in position.payload


@pytest.mark.parametrize("kept", ["NULL", "''", "'zz'", "substr(hash, 3)", "upper(hash)", "x'FF'"])
def test_a_kept_value_that_was_changed_is_named_and_the_chain_goes_on(
    store: Store, path: Path, game: str, kept: str
) -> None:
    damage(path, f"UPDATE events SET hash = CAST({kept} AS TEXT) WHERE seq = 13 AND game = 1")
    damage(path, "UPDATE events SET by = 'eve' WHERE seq = 17 AND game = 1")
    assert found(store) == {
        (game, 2, "changed"),
        (game, 2, "checksum-differs"),
        (game, 17, "changed"),
    }


@pytest.mark.parametrize(("first", "fault"), [("NULL", (2, "changed")), ("5", (2, "commit-missing"))])
def test_a_command_whose_beginning_was_changed_is_named(
    store: Store, path: Path, game: str, first: str, fault: tuple[int, str]
) -> None:
    damage(path, f"UPDATE events SET first_seq = {first} WHERE seq = 13 AND game = 1")
    assert found(store) == {(game, *fault), (game, 2, "checksum-differs")}


def test_no_refusal_to_record_says_more_than_the_asker_may_know(store: Store, path: Path) -> None:
    game = begin(store, game="friday")
    store.do(game, Record(ROUND[:5]))
    damage(path, "UPDATE events SET payload = replace(payload, 'c04', 'c99') WHERE seq = 6")
    with Store.open(path, registry=REGISTRY) as cold:
        for viewer, said in (("everything", "c99"), ("p1", "Event 6 of game friday cannot be read")):
            with pytest.raises(TextOnly, match=said) as refusal:
                cold.do(game, Record(ROUND[5:6]), viewer=viewer)
            assert ("c99" in str(refusal.value)) is (viewer == "everything")


@pytest.mark.parametrize("kept", ["NULL", "'zz'", "substr(hash, 3)"])
def test_nothing_is_appended_to_a_kept_value_that_is_none(
    store: Store, path: Path, game: str, other: str, kept: str
) -> None:
    damage(path, f"UPDATE events SET hash = {kept} WHERE seq = 17 AND game = 1")
    sentence = "Event 17 of game friday cannot be read: the chain value kept with it is not 64 hex digits."
    with Store.open(path, registry=REGISTRY) as cold:
        with pytest.raises(Unreadable, match=sentence):
            play(cold, game, 1)
        assert len(cold.log.events(game)) == 17
        assert play(cold, other, 1).seq == 7


@pytest.mark.parametrize("became", ["'FRIDAY'", "CAST(x'667269E3' AS TEXT)"])
def test_a_game_whose_id_was_changed_is_named_and_the_others_are_checked(
    store: Store, path: Path, game: str, other: str, became: str
) -> None:
    of_other = "game = (SELECT game FROM games WHERE id = ?)"
    damage(path, f"UPDATE events SET by = 'eve' WHERE seq = 2 AND {of_other}", other)
    damage(path, f"UPDATE games SET id = {became} WHERE id = ?", game)
    store.replays.forget()
    report = verify(store)
    assert report.games == 2
    assert {(fault.game, fault.code) for fault in report.faults} == {
        ("", "missing"),
        ("", "orphaned"),
        (other, "changed"),
    }
    assert game.upper()[:3] in report.faults[0].message.upper()
    assert report.faults[1].message == "There are notes of game 'friday', and there is no such game."


def as_blob(path: Path, column: str, seq: int) -> None:
    """What one bit in the head of a row does: a text of 13 + 2n is a blob of 12 + 2n."""
    strict = "UPDATE sqlite_schema SET sql = replace(sql, '{}', '{}') WHERE name = 'events'"
    for change in (
        strict.format(") STRICT", ")/*STRICT*/"),
        f"UPDATE events SET {column} = CAST({column} AS BLOB) WHERE seq = {seq} AND game = 1",
        strict.format(")/*STRICT*/", ") STRICT"),
    ):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("DROP TRIGGER IF EXISTS events_no_update")
            connection.execute(change)


@pytest.mark.parametrize(
    ("column", "seq"),
    [("kind", 2), ("by", 2), ("recorded_at", 1), ("payload", 3), ("payload", 17), ("hash", 17)],
)
def test_a_text_that_became_a_blob_is_found_by_sqlite_and_breaks_nothing(
    store: Store, path: Path, game: str, other: str, *, column: str, seq: int
) -> None:
    whole = b"".join(export_record(store, store.game(game)))
    as_blob(path, column, seq)
    with Store.open(path, registry=REGISTRY) as cold:
        unguarded, damaged = verify(cold).faults
        assert (damaged.game, damaged.code, unguarded.code) == ("", "damaged-database", "unguarded")
        assert f"events.{column}" in damaged.message
        assert {entry.game for entry in cold.catalogue.list()} == {game, other}
        assert [position.fault for position in cold.game(game).positions() if position.fault] == []
        assert b"".join(export_record(cold, cold.game(game))) == whole
        assert play(cold, game, 1).seq == 18


def test_a_game_of_which_nothing_is_left_is_named(store: Store, path: Path, game: str, other: str) -> None:
    damage(path, "DELETE FROM events WHERE game = 1")
    faults = [fault for fault in verify(store).faults if not fault.game]
    assert [(fault.seq, fault.code, fault.message) for fault in faults] == [
        (0, "missing", "Game 'friday' has no events."),
        (
            0,
            "position-missing",
            "The positions of 7 events are 1 to 7; here they are 18 to 24, and position 1 is missing.",
        ),
    ]
    with pytest.raises(UnknownGame):
        verify(store, [game])
    assert verify(store, [other]).faults == ()


def test_a_game_whose_only_event_lost_its_seq_is_named(store: Store, path: Path) -> None:
    begin(store, game="sunday")
    damage(path, "UPDATE events SET seq = 0 WHERE seq = 1")
    assert ("sunday", 1, "changed") in found(store)


def test_pages_that_cannot_be_read_take_only_their_own_game_from_verify(
    store: Store, path: Path, game: str
) -> None:
    large = begin(store, game="monday")
    play(store, large, 200)
    store.do(large, Undo(), Actor("somebody-else"))
    play(store, large, 200)
    store.log.close()
    damage(path, "UPDATE events SET by = 'eve' WHERE seq = 2 AND game = 1")
    raw = path.read_bytes()
    page = raw.index(b"somebody-else") // 4096 * 4096
    path.write_bytes(raw[:page] + b"\xff" * 4096 + raw[page + 4096 :])
    with Store.open(path, registry=REGISTRY, read_only=True) as cold:
        found = {(fault.game, fault.seq, fault.code) for fault in verify(cold).faults}
    assert found == {("", 0, "damaged-database"), (large, 0, "damaged-database"), (game, 2, "changed")}
