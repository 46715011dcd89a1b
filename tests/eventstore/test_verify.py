"""What was changed, cannot be read or does not stand is named by game and seq; nothing is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eventstore.audit.verify import Finding, verify
from eventstore.audit.verify import damage as all_damage
from eventstore.errors import UnknownGame
from eventstore.recording.commands import Record, Redo, Undo, WriteNote
from eventstore.store import Store
from games.core import serialization
from games.core.registry import UnknownRuleset, registry_of
from games.examples.high_card import RULESETS, TOY, CardsTurned, HighCard
from tests.eventstore.played import begin, damage, play

OLD = RULESETS[1]


def found(store: Store, game: str | None = None) -> list[tuple[int, str]]:
    store.replays.forget()
    return [(fault.seq, fault.code) for fault in verify(store, None if game is None else [game]).faults]


@pytest.fixture
def game(store: Store) -> str:
    game = begin(store)
    play(store, game, 3)
    play(store, game, 120)
    store.do(game, Undo(2))
    store.do(game, Redo())
    store.do(game, WriteNote(4, text="x"))
    return game


def test_sound_games_have_no_faults(store: Store, game: str) -> None:
    other = begin(store, version=1)
    play(store, other, 30)
    report = verify(store)
    assert (report.games, report.events, report.faults) == (2, 158, ())
    assert verify(store, [other]).events == 31


def test_a_changed_line_is_named_to_its_command(store: Store, path: Path, game: str) -> None:
    damage(path, "UPDATE events SET by = 'eve' WHERE seq = 3 AND game = 1")
    assert verify(store).faults == (
        Finding(
            game,
            2,
            "changed",
            "The chain breaks between events 1 and 4; the events themselves fit the rules.",
        ),
    )


def sentence(store: Store, game: str, code: str = "changed") -> str:
    store.replays.forget()
    (fault,) = [fault for fault in verify(store, [game]).faults if fault.code == code]
    return fault.message


def test_a_break_of_the_chain_says_what_the_rules_say_of_its_events(
    store: Store, path: Path, game: str
) -> None:
    laid = '{"kind":"card_laid","player":"p1","card":"c99"}'
    damage(path, "UPDATE events SET payload = ?, kind = 'card_laid' WHERE seq = 4 AND game = 1", laid)
    assert sentence(store, game).startswith(
        "The chain breaks between events 1 and 4; event 4 does not fit the rules: "
    )
    damage(path, "UPDATE events SET by = 'eve' WHERE seq = 60 AND game = 1")
    broken = [fault.message for fault in verify(store, [game]).faults if fault.code == "changed"]
    said = "the rules could not be followed as far as there"
    assert broken[1:] == [f"The chain breaks between events 4 and 124; {said}."]


def test_a_break_of_the_chain_says_that_an_event_cannot_be_read(store: Store, path: Path, game: str) -> None:
    damage(path, """UPDATE events SET payload = '{"kind":"x"}', kind = 'x' WHERE seq = 3 AND game = 1""")
    assert sentence(store, game).startswith(
        "The chain breaks between events 1 and 4; event 3 cannot be read: high-card 2 has no event of kind"
    )


def test_a_break_of_the_chain_says_that_an_undo_points_nowhere(store: Store, path: Path, game: str) -> None:
    damage(path, """UPDATE events SET payload = '{"kind":"record.undone","to":999}' WHERE seq = 125""")
    said = "The chain breaks between events 124 and 126; event 125 does not fit the history: "
    assert sentence(store, game).startswith(said)


def test_a_break_of_the_chain_says_which_events_still_count(store: Store, path: Path) -> None:
    game = begin(store)
    play(store, game, 3)
    play(store, game, 1)
    play(store, game, 1)
    store.do(game, Undo(3))
    damage(path, "UPDATE events SET by = 'eve' WHERE seq = 3 AND game = 1")
    said = "The chain breaks between events 1 and 4; the events there that still count fit the rules."
    assert sentence(store, game) == said
    damage(path, "UPDATE events SET by = 'recorder' WHERE seq = 3 AND game = 1")
    damage(path, "UPDATE events SET by = 'eve' WHERE seq = 5 AND game = 1")
    said = "no event there counts any more, so the rules do not apply"
    assert sentence(store, game) == f"The chain breaks between events 4 and 5; {said}."
    damage(path, "UPDATE events SET by = 'recorder' WHERE seq = 5 AND game = 1")
    damage(path, "UPDATE events SET by = 'eve' WHERE kind = 'record.undone'")
    said = "The chain breaks between events 6 and 9; the events themselves fit the rules."
    assert sentence(store, game) == said
    damage(path, "UPDATE events SET by = 'recorder' WHERE kind = 'record.undone'")
    damage(path, "UPDATE events SET by = 'eve' WHERE seq = 1 AND game = 1")
    said = "The chain breaks between the start and event 1; the event itself fits the rules."
    assert sentence(store, game) == said


def test_a_break_in_the_notes_says_that_they_can_be_read(store: Store, path: Path, game: str) -> None:
    damage(path, "UPDATE events SET by = 'eve' WHERE kind = 'note.written'")
    assert sentence(store, game, "notes-changed") == (
        "In the notes: The chain breaks between the start and event 1; the notes themselves can be read."
    )


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ('{"kind":"dragon_flown"}', ("unknown-kind", "has no event of kind 'dragon_flown'")),
        ('{"kind":"card_laid","player":"p1"}', ("wrong-fields", "missing required field `card`")),
        ('{"kind":"card_laid","player":"p1","card":"c99"}', ("against-the-rules", "is against the rules")),
    ],
)
def test_what_cannot_stand_is_named_by_its_seq(
    store: Store, path: Path, game: str, payload: str, said: tuple[str, str]
) -> None:
    damage(path, "UPDATE events SET payload = ?, kind = json_extract(?, '$.kind') WHERE seq = 4 AND game = 1",
           payload, payload)  # fmt: skip
    assert found(store) == [(2, "changed"), (4, said[0])]
    (fault,) = [fault for fault in verify(store).faults if fault.seq == 4]
    assert f"Event 4 of game {game}" in fault.message
    assert said[1] in fault.message


def test_bad_json_is_said_once(store: Store, path: Path, game: str) -> None:
    damage(path, "UPDATE events SET payload = '{' WHERE seq = 4 AND game = 1")
    assert found(store, game) == [(2, "changed"), (4, "unreadable")]


def test_every_unreadable_event_is_listed(store: Store, path: Path, game: str) -> None:
    damage(
        path, "UPDATE events SET payload = '{\"kind\":\"x\"}', kind = 'x' WHERE seq IN (30, 50) AND game = 1"
    )
    assert found(store, game) == [(5, "changed"), (30, "unknown-kind"), (50, "unknown-kind")]


def test_a_missing_row_and_a_wrong_kind_are_named(store: Store, path: Path, game: str) -> None:
    damage(path, "UPDATE events SET kind = 'card_passed' WHERE seq = 2 AND game = 1")
    assert found(store, game) == [(2, "kind-differs")]
    damage(path, "DELETE FROM events WHERE seq = 3 AND game = 1")
    assert (3, "missing") in found(store, game)


def test_an_undo_that_points_nowhere_is_named(store: Store, path: Path, game: str) -> None:
    damage(path, """UPDATE events SET payload = '{"kind":"record.undone","to":999}' WHERE seq = 125""")
    assert found(store, game) == [(125, "changed"), (125, "bad-history")]
    damage(path, """UPDATE events SET payload = '{"kind":"record.undone","to":"x"}' WHERE seq = 125""")
    assert found(store, game) == [(125, "changed"), (125, "bad-history")]


def test_notes_are_checked_too(store: Store, path: Path, game: str) -> None:
    damage(path, "UPDATE events SET payload = replace(payload, '\"x\"', '\"y\"') WHERE kind = 'note.written'")
    assert found(store) == [(1, "notes-changed")]
    damage(path, "UPDATE events SET payload = '{\"kind\":\"note.written\"}' WHERE kind = 'note.written'")
    assert (1, "notes-unreadable") in found(store, game)


def test_a_snapshot_that_lies_is_named(store: Store, path: Path, game: str) -> None:
    damage(path, "UPDATE keyframes SET state = CAST(replace(state, '1', '2') AS BLOB) WHERE step = 100")
    assert found(store) == [(101, "keyframe-differs")]
    store.log.snapshots.clear()
    assert found(store) == []


def test_without_its_ruleset_only_the_chain_is_checked(store: Store, path: Path, game: str) -> None:
    damage(path, "UPDATE events SET payload = '{\"kind\":\"x\"}', kind = 'x' WHERE seq = 4 AND game = 1")
    with Store.open(path, registry=registry_of()) as bare:
        assert found(bare, game) == [(2, "changed")]
        assert sentence(bare, game) == "The chain breaks between events 1 and 4."


def test_a_game_that_cannot_begin_is_named(store: Store, path: Path, game: str) -> None:
    damage(
        path,
        "UPDATE events SET payload = replace(payload, '\"seats\"', '\"chairs\"') WHERE seq = 1 AND game = 1",
    )
    assert found(store, game) == [(1, "changed"), (1, "wrong-fields")]


def test_an_unknown_game_is_refused(store: Store) -> None:
    with pytest.raises(UnknownGame):
        verify(store, ["nowhere"])
    with pytest.raises(UnknownGame):
        verify(store, ["\udcff"])


# --- another version of the rules ---


def p1_scores_late(state: HighCard, event: CardsTurned) -> HighCard:
    """The rule that version 3 changes: from round 4 on p1 scores, whoever had the higher card."""
    after: Any = TOY.evolve[CardsTurned](state, event)
    if state.round < 4:
        return after  # type: ignore[no-any-return]
    return msgspec.structs.replace(after, points={**state.points, "p1": state.points["p1"] + 1})


NEW = replace(TOY, version=3, evolve={**TOY.evolve, CardsTurned: p1_scores_late})


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "versions.db", registry=registry_of((NEW, *RULESETS))) as opened:
        yield opened


def hashes(store: Store, game: str) -> list[str]:
    return [
        sha256(serialization.freeze(position.state)).hexdigest() for position in store.game(game).positions()
    ]


def test_another_version_is_compared_step_by_step_and_nothing_changes(versions: Store) -> None:
    game = begin(versions, version=2)
    play(versions, game, 60)
    before, log = hashes(versions, game), versions.log.record(game)
    assert verify(versions, rules=2).faults == ()
    (fault,) = verify(versions, [game], rules=3).faults
    assert fault.code == "rules-differ"
    position = versions.game(game).position(fault.seq - 1)
    assert (position.kind, position.before.round) == ("cards_turned", 4)
    assert position.state.points != NEW.evolve[CardsTurned](position.before, position.event).points
    assert (
        fault.message
        == f"Step {position.step} (cards_turned) is not the same by versions 2 and 3 of high-card."
    )
    assert hashes(versions, game) == before
    assert versions.log.record(game) == log


def test_an_event_that_another_version_cannot_read_differs(versions: Store) -> None:
    game = begin(versions, version=1)
    versions.do(
        game,
        Record(
            [
                {"kind": "hand_dealt", "player": "p1", "cards": ["c01", None, None]},
                {"kind": "hand_dealt", "player": "p2", "cards": [None, None, None]},
                {"kind": "card_laid", "seat": "p1", "card": "c01"},
            ]
        ),
    )
    (fault,) = verify(versions, rules=2).faults
    assert (fault.seq, fault.code) == (2, "rules-differ")
    assert "by versions 1 and 2 of high-card: Event 4 of game" in fault.message


def test_a_version_that_is_not_installed_is_refused_for_a_named_game(versions: Store) -> None:
    game = begin(versions)
    with pytest.raises(UnknownRuleset, match="has no version 7"):
        verify(versions, [game], rules=7)
    assert verify(versions, rules=7).faults == ()


def test_an_index_that_lacks_a_row_is_found_though_no_game_reads_it(
    store: Store, path: Path, game: str
) -> None:
    store.access.add("tablet")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        row = connection.execute("SELECT * FROM sqlite_schema WHERE name = 'keys_name'").fetchone()
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'keys_name'")
        connection.commit()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "INSERT INTO keys(name, added_at, hash) SELECT 'other', added_at, randomblob(32) FROM keys"
        )
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", row)
        connection.commit()
    (fault,) = verify(store).faults
    assert (fault.game, fault.seq, fault.code) == ("", 0, "damaged-database")
    assert fault.message.startswith("SQLite finds the file damaged: ")
    assert "keys_name" in fault.message
    assert verify(store, [game]).faults == ()


@pytest.mark.parametrize(
    ("act", "gone"),
    [
        ("DROP TRIGGER events_no_update", "trigger events_no_update is"),
        ("DROP TRIGGER events_no_delete; DROP TRIGGER events_no_update",
         "triggers events_no_delete and events_no_update are"),
        (("DROP TRIGGER events_no_delete; "
          "CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT 1; END"),
         "trigger events_no_delete is"),
    ],
)  # fmt: skip
def test_triggers_that_are_gone_are_named(store: Store, path: Path, game: str, act: str, gone: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(act)
    (fault,) = verify(store).faults
    assert (fault.game, fault.seq, fault.code) == ("", 0, "unguarded")
    assert fault.message == (
        f"SQLite does not protect events against changes: {gone} missing."
        " Compare each game's head with one kept elsewhere."
    )


def test_damage_of_one_record_is_told_apart(store: Store, path: Path, game: str) -> None:
    other = begin(store)
    assert all_damage(store, game) == []
    sql = "UPDATE events SET by = 'eve' WHERE seq = 1 AND game = (SELECT game FROM games WHERE id = ?)"
    damage(path, sql, f"{game}/notes")
    assert [fault.code for fault in all_damage(store, game)] == ["changed"]
    assert all_damage(store, other) == []
    with pytest.raises(UnknownGame):
        all_damage(store, "nowhere")
