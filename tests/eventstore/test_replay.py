"""States at any step, for any viewer, from snapshots or from the start; what is broken is shown as text."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eventstore.access.actor import Actor
from eventstore.cache import Cache
from eventstore.errors import UnknownGame, Unreadable
from eventstore.log.history import Runs
from eventstore.log.rows import NewEvent
from eventstore.recording.commands import Record, Redo, Undo, WriteNote
from eventstore.refusals import TextOnly, UnknownEvent, UnknownStep, UnknownViewer
from eventstore.replay import folding
from eventstore.replay.seat_names import told_apart
from eventstore.sqlite.tables.snapshots import SqliteSnapshots
from eventstore.store import Store
from games.core import serialization
from games.core.events import RecordClosed
from games.core.registry import registry_of
from games.examples.high_card import TOY, CardLaid, HandDealt, Options
from tests.eventstore.played import REGISTRY, begin, damage, play

VIEWERS = ("everything", "table", "p1", "p2")


@pytest.fixture
def cold(store: Store) -> Store:
    """A store that has kept nothing in memory yet, and keeps no snapshots."""
    return Store(store.log, REGISTRY, keep=False)


def test_a_moment_says_what_happened_and_what_is_next(store: Store) -> None:
    game = begin(store)
    play(store, game, 2)
    store.do(game, Record([{"kind": "card_laid", "player": "p1", "card": None}]), Actor("u7"))
    position = store.game(game).position()
    assert (position.game, position.step, position.steps, position.head, position.seq, position.by) == (
        game,
        3,
        3,
        4,
        4,
        "u7",
    )
    assert position.payload == '{"kind":"card_laid","player":"p1","card":null}'
    assert position.caption({"p1": "Ann"}) == "Ann lays an unseen card."
    assert (position.notation(), position.seat()) == ("p1: lay ?", "p1")
    assert [due.seat for due in position.pending()] == ["p2"]
    assert {event.player for event in position.legal("p2")} == {"p2"}  # type: ignore[attr-defined]
    assert list(position.legal("p1")) == []
    assert position.scene() is not None
    assert position.plain()["round"] == 1  # type: ignore[index]
    assert (position.outcome(), position.closing, position.fault) == (None, None, None)


def test_forms_are_those_of_the_kinds_that_are_due(store: Store) -> None:
    position = store.game(begin(store)).position()
    assert [form.kind for form in position.choices("chance")] == ["hand_dealt"]
    assert list(position.choices("p1")) == []


def test_step_0_has_nothing_before_it(store: Store) -> None:
    position = store.game(begin(store)).position(0)
    assert (position.step, position.before, position.kind) == (0, None, "record.started")
    assert position.caption() == "A game of High Card begins."
    assert position.seat() is None


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_way_to_a_step_gives_the_same_state(store: Store, cold: Store, viewer: str) -> None:
    game = begin(store)
    play(store, game, 260)
    folded = [position.state for position in cold.game(game, viewer=viewer).positions()]
    assert len(folded) == 261
    rng = random.Random(4)  # noqa: S311 - to be repeated
    for step in [*(rng.randint(0, 260) for _ in range(60)), 100, 101, 200, 260]:
        assert store.game(game, viewer=viewer).position(step).state == folded[step]
        assert cold.game(game, viewer=viewer).state_from_start(step) == folded[step]
    middle = list(store.game(game, viewer=viewer).positions(150, 155))
    assert [position.state for position in middle] == folded[150:156]
    assert middle[0].before == folded[149]


def test_a_viewer_observes_their_own_record(store: Store) -> None:
    game = begin(store)
    store.do(game, Record([HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06"))]))
    assert (
        store.game(game, viewer="p2").position(1).payload
        == '{"kind":"hand_dealt","player":"p1","cards":[null,null,null]}'
    )
    assert '"seen_as":"p2"' in store.game(game, viewer="p2").position(0).payload
    assert "c01" not in store.game(game, viewer="p2").position(1).caption()
    assert store.game(game, viewer="p2").position(2).state.hands["p1"].known == ()
    assert store.game(game, viewer="p2").position(2).state.hands["p2"].known == ("c04", "c05", "c06")


def test_snapshots_are_kept_while_replaying_and_recording(store: Store, cold: Store) -> None:
    game = begin(store)
    play(store, game, 250)
    tape_now = store.game(game)
    keys = [(step, tape_now.runs.digest(step)) for step in (100, 200)]
    assert [store.log.snapshots.get(game, "everything", [key])[0] for key in keys] == [100, 200]  # type: ignore[index]
    store.log.snapshots.clear()
    cold.game(game).position()
    assert store.log.snapshots.bytes_used(game) == 0
    Store(store.log, REGISTRY).game(game).position()
    assert [store.log.snapshots.get(game, "everything", [key])[0] for key in keys] == [100, 200]  # type: ignore[index]


def test_a_seek_folds_from_the_snapshot(store: Store, cold: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    game = begin(store)
    play(store, game, 250)
    asked: list[tuple[int, int | None]] = []
    fetch = store.log.payload_array
    monkeypatch.setattr(
        store.log,
        "payload_array",
        lambda game, first, last: asked.append((first, last)) or fetch(game, first, last),
    )
    cold.game(game).position(230)
    assert asked == [(227, 231)]


def test_games_that_begin_alike_share_what_never_changes(store: Store, cold: Store) -> None:
    one, same, other = begin(store), begin(store), begin(store, options={"rounds": 3})
    setups = [cold.game(game).position(0).state.setup for game in (one, same, other)]
    assert setups[0] is setups[1]
    assert setups[2] != setups[0]


@pytest.mark.parametrize(
    ("size", "first"), [(100, 25), (1_000, 100), (1_100, 400), (4_000, 400), (50_000, 6_400)]
)
def test_snapshots_take_a_twelfth_of_the_room_however_large_a_state(
    monkeypatch: pytest.MonkeyPatch, size: int, first: int
) -> None:
    monkeypatch.setattr(serialization, "freeze", bytes)
    steps, payload, row = 19_200, 60, 80
    states: list[tuple[int, Any]] = [(step, size) for step in range(steps + 1)]
    kept = folding.snapshots(Runs.of([(1, steps + 1)]), states, payload)
    assert [step for step, _, _ in kept] == list(range(first, steps + 1, first))
    room = sum(len(state) for _, _, state in kept)
    assert first == folding.SELDOM or room <= steps * (payload + row) / 12


def test_a_viewer_of_a_long_game_has_snapshots_of_their_own(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "VIEWER_FROM", 150)
    monkeypatch.setattr(folding, "VIEWER_EVERY", 100)
    game = begin(store)
    play(store, game, 260)
    expected = store.game(game, viewer="p1").state_from_start(245)
    store.game(game, viewer="p1").position(259)
    tape_now = store.game(game)
    assert store.log.snapshots.nearest(game, "p1", 245, tape_now.runs.digest)[0] == 200  # type: ignore[index]
    store.replays.forget()
    assert store.game(game, viewer="p1").position(245).state == expected


@pytest.mark.parametrize("state", [b"{}", b"no json", b'{"phase":"laying"}'])
def test_a_snapshot_that_does_not_fit_is_as_good_as_none(store: Store, state: bytes) -> None:
    game = begin(store)
    play(store, game, 150)
    expected = store.game(game).position(120).state
    digest = store.game(game).runs.digest(100)
    store.log.snapshots.put_all(game, "everything", [(100, digest, state)])
    store.replays.forget()
    assert store.game(game).position(120).state == expected


def test_the_game_that_was_looked_at_longest_ago_is_forgotten_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.replays, "_kept", Cache(2))
    one, two, three = (begin(store) for _ in range(3))
    store.replays.forget()
    for game in (one, two, one, three):
        store.game(game).position()
    assert set(store.replays._kept.keys()) == {one, three}


def test_a_log_that_cannot_take_snapshots_is_read_all_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = begin(store)
    play(store, game, 150)
    store.log.snapshots.clear()

    def full(*_: object) -> None:
        raise Unreadable(game, 1, "the disk is full")

    monkeypatch.setattr(SqliteSnapshots, "put_all", full)
    assert store.game(game).position(140).step == 140


def test_undo_and_a_new_line_never_take_the_old_lines_snapshot(store: Store) -> None:
    game = begin(store)
    play(store, game, 120)
    store.do(game, Undo(30))
    play(store, game, 40, seed=77)
    assert store.game(game).position(110).state == store.game(game).state_from_start(110)
    assert store.game(game).position().step == 130


def test_what_was_recorded_before_somebody_elses_undo_is_not_taken_for_the_present(store: Store) -> None:
    game = begin(store)
    play(store, game, 6)
    was = store.game(game)
    states = [was.position(step).state for step in (5, 6)]
    store.do(game, Undo(2))
    play(store, game, 4, seed=33)
    for step in (5, 6, 7, 8):
        assert [was.position(step).state for step in (5, 6)] == states
        store.replays.keep(was.replay)
        assert store.game(game).position(step).state == store.game(game).state_from_start(step)


@pytest.mark.parametrize("step", [-1, 4, 10**9])
def test_a_step_that_is_not_there_is_refused(store: Store, step: int) -> None:
    game = begin(store)
    play(store, game, 3)
    with pytest.raises(UnknownStep, match="its steps are 0 to 3"):
        store.game(game).position(step)
    with pytest.raises(UnknownStep):
        store.game(game).state_from_start(step)


def test_games_and_viewers_that_are_not_there_are_refused(store: Store) -> None:
    game = begin(store)
    store.do(game, WriteNote(1, text="a note makes a stream of its own"))
    for name in ("nowhere", f"{game}/notes"):
        with pytest.raises(UnknownGame):
            store.game(name)
    with pytest.raises(UnknownViewer, match="everything, table, p1, p2"):
        store.game(game, viewer="p3").position()


def test_an_event_is_found_where_it_is_now(store: Store) -> None:
    game = begin(store)
    play(store, game, 5)
    assert store.game(game).step_of(6) == 5
    store.do(game, Undo())
    assert store.game(game).step_of(6) is None
    store.do(game, Redo())
    assert store.game(game).step_of(6) == 5
    with pytest.raises(UnknownEvent):
        store.game(game).step_of(99)


def test_an_amended_event_is_folded_in_its_place(store: Store) -> None:
    game = begin(store)
    store.do(game, Record([HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06"))]))
    append(
        store,
        game,
        '{"kind":"record.amended","edits":[{"after":1,"drop":1,"put":1}],"reason":"misread"}',
        '{"kind":"hand_dealt","player":"p1","cards":["c10","c11","c12"]}',
    )
    position = store.game(game).position()
    assert (position.step, position.seq, position.head) == (2, 3, 5)
    assert position.state.hands["p1"].known == ("c10", "c11", "c12")
    assert store.game(game).step_of(2) == 1
    assert store.do(game, Undo()).step == 2
    assert store.game(game).position().state.hands["p1"].known == ("c01", "c02", "c03")


def test_an_amended_start_sets_the_game_up_anew(store: Store) -> None:
    game = begin(store)
    play(store, game, 2)
    started = msgspec.structs.replace(store.game(game).position(0).started, options=Options(rounds=7))
    amendment = '{"kind":"record.amended","edits":[{"after":0,"drop":1,"put":1}],"reason":"seven rounds"}'
    append(store, game, amendment, serialization.encode_event(started))
    assert store.game(game).position().state.setup.options.rounds == 7
    store.do(game, Undo())
    assert store.game(game).position().state.setup.options.rounds == 1000


def test_names_come_from_beside_the_log(store: Store) -> None:
    game = begin(store, players=("Ann", ""))
    assert store.game(game).names == {"p1": "Ann", "p2": "Player 2"}


# --- what is broken ---


@pytest.mark.parametrize(
    "payload",
    [
        '{"kind":"dragon_flown"}',
        '{"kind":"card_laid","player":"p1"}',
        '{"kind":"card_laid","player":"p9","card":null}',
        "{",
    ],
)
def test_a_broken_replay_shows_everything_up_to_the_last_good_event(
    store: Store, path: Path, payload: str
) -> None:
    game = begin(store)
    play(store, game, 20)
    good = [position.state for position in store.game(game).positions()]
    damage(path, "UPDATE events SET payload = ? WHERE seq = 11", payload)
    damage(path, "DELETE FROM keyframes")
    store.replays.forget()
    positions = list(store.game(game).positions())
    assert [position.state for position in positions] == [*good[:10], *[None] * 11]
    assert positions[10].payload == payload
    assert f"Event 11 of game {game}" in str(positions[10].fault)
    assert {position.fault_from for position in positions[10:]} == {10}
    for step in (20, 9, 10, None):
        position = store.game(game).position(step)
        assert position.readable is (step == 9)
    with pytest.raises(TextOnly):
        play_one(store, game)
    with pytest.raises(Unreadable, match=f"Event 11 of game {game}"):
        store.game(game).state_from_start()


def test_what_cannot_be_read_is_told_to_no_restricted_viewer(store: Store, path: Path) -> None:
    game = begin(store)
    store.do(game, Record([HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06"))]))
    private = '{"kind":"card_laid","player":"p1","card":"c02","extra":"c02"}'
    damage(path, "UPDATE events SET payload = ? WHERE seq = 3", private)
    store.replays.forget()
    position = store.game(game, viewer="p2").position(2)
    assert position.payload == '{"kind":"card_laid"}'
    assert "c02" not in f"{position.fault} {position.caption()} {position.notation()} {position.plain()}"
    assert position.fault == f"Event 3 of game {game} cannot be read."
    assert store.game(game).position(2).payload == private


def test_a_row_that_is_gone_is_named(store: Store, path: Path) -> None:
    game = begin(store)
    play(store, game, 5)
    damage(path, "DELETE FROM events WHERE seq = 3")
    store.replays.forget()
    gone = store.game(game).position(2)
    assert (gone.readable, gone.payload) == (False, "")
    assert gone.fault == f"Event 3 of game {game} cannot be read: it is gone from the log."
    assert store.game(game).position(1).readable
    assert store.game(game).position(4).payload != ""


def test_a_rewriting_event_that_points_nowhere_leaves_what_was_before_it(store: Store, path: Path) -> None:
    game = begin(store)
    play(store, game, 5)
    store.do(game, Undo())
    damage(path, """UPDATE events SET payload = '{"kind":"record.undone","to":99}' WHERE seq = 7""")
    store.replays.forget()
    assert (store.game(game).position().step, store.game(game).position().readable) == (5, True)
    assert "99 is no earlier event" in str(store.game(game).damage)
    with pytest.raises(TextOnly, match="99 is no earlier event"):
        play_one(store, game)
    opened = store.game(game)
    assert (opened.at_head(6).damage, opened.at_head(6).steps) == (None, 5)
    assert (opened.at_head(7).damage, opened.at_head(7).steps) == (opened.damage, opened.steps)


def test_a_game_without_its_ruleset_opens_as_text(store: Store, path: Path) -> None:
    game = begin(store)
    play(store, game, 3)
    store.do(game, Undo())
    with Store.open(path, registry=registry_of()) as bare:
        opened = bare.game(game)
        assert (opened.ruleset, opened.ruleset_id, opened.version, opened.seats) == (
            None,
            TOY.id,
            2,
            ("p1", "p2"),
        )
        assert opened.text_only == "the ruleset high-card, version 2, is not installed here"
        assert [position.kind for position in bare.game(game).positions()] == [
            "record.started",
            *["hand_dealt"] * 2,
        ]
        position = bare.game(game).position()
        assert (position.caption(), position.pending(), position.outcome(), position.scene()) == (
            "hand_dealt",
            (),
            None,
            None,
        )
        assert bare.game(game, viewer="p1").position().payload == '{"kind":"hand_dealt"}'


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('"rounds":1000', '"rounds":1000,"speed":3'),
        ('"rounds":1000', '"rounds":"many"'),
        ('"parent":null', '"parent":null,"weather":"rain"'),
        ('"kind":"record.started"', '"kind":"card_laid"'),
    ],
)
def test_an_unknown_option_or_field_opens_as_text(store: Store, path: Path, was: str, now: str) -> None:
    game = begin(store)
    play(store, game, 3)
    damage(path, "UPDATE events SET payload = replace(payload, ?, ?) WHERE seq = 1", was, now)
    store.replays.forget()
    assert store.game(game).ruleset is None
    assert "Event 1 of game" in str(store.game(game).position().fault)
    assert len(list(store.game(game).positions())) == 4
    with pytest.raises(TextOnly):
        store.game(game).state_from_start()


def test_a_strangers_setup_that_stumbles_opens_as_text(store: Store, path: Path) -> None:
    game = begin(store)

    def stumbles(_: Any) -> Any:
        raise KeyError("cards")

    with Store.open(path, registry=registry_of((replace(TOY, setup=stumbles),))) as other:
        assert "its ruleset cannot set it up (KeyError: 'cards')" in str(other.game(game).text_only)


def test_an_old_version_keeps_its_meaning_beside_a_new_one(store: Store, path: Path) -> None:
    game = begin(store, version=1)
    play(store, game, 30)
    was = [serialization.freeze(position.state) for position in store.game(game).positions()]

    def lower_wins(state: Any, event: Any) -> Any:
        return TOY.evolve[type(event)](
            msgspec.structs.replace(state, points=dict.fromkeys(state.points, 0)), event
        )

    turned = next(kind for kind in TOY.evolve if kind.__name__ == "CardsTurned")
    changed = replace(TOY, evolve={**TOY.evolve, turned: lower_wins})
    old = next(ruleset for ruleset in REGISTRY.values() if ruleset.version == 1)
    with Store.open(path, registry=registry_of((changed, old))) as later:
        assert [serialization.freeze(position.state) for position in later.game(game).positions()] == was


def append(store: Store, game: str, *payloads: str) -> None:
    rows = [NewEvent(msgspec.json.decode(text)["kind"], text) for text in payloads]
    head = store.log.head(game)
    assert head is not None
    store.log.append(game, rows, after=head.seq, command_id=f"by-hand-{head.seq}", request="x")


def play_one(store: Store, game: str) -> None:
    events: list[Any] = [CardLaid("p1", None), RecordClosed("abandoned")]
    store.do(game, Record(events))


def test_many_games_do_not_fill_the_memory(store: Store) -> None:
    names: Mapping[str, str] = {begin(store): "" for _ in range(70)}
    for game in names:
        assert store.game(game).position().step == 0
    assert len(store.replays._kept.keys()) == 64


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (("Ann", "Bo"), ["Ann", "Bo"]),
        (("Ann", "Ann"), ["Ann (1)", "Ann (2)"]),
        (("Player 2", ""), ["Player 2 (1)", "Player 2 (2)"]),
        (("Strasse", "Straße"), ["Strasse (1)", "Straße (2)"]),
    ],
)
def test_players_of_one_name_are_told_apart(store: Store, typed: tuple[str, ...], shown: list[str]) -> None:
    game = begin(store, players=typed)
    assert list(store.game(game).names.values()) == shown


def test_a_number_is_given_once() -> None:
    names = told_apart({"p1": "Ann", "p2": "ann", "p3": "Ann (1)"})
    assert names == {"p1": "Ann (2)", "p2": "ann (3)", "p3": "Ann (1)"}
