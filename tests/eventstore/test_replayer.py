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
from eventstore.errors import UnknownGame, Unreadable
from eventstore.log.history import Runs
from eventstore.log.rows import NewEvent
from eventstore.log.snapshots import SqliteSnapshots
from eventstore.recording.commands import Record, Redo, Undo, WriteNote
from eventstore.refusals import TextOnly, UnknownEvent, UnknownStep, UnknownViewer
from eventstore.replay import folding, replay
from eventstore.replay.seat_names import told_apart
from eventstore.store import Store
from games.core import serialization
from games.core.events import RecordClosed
from games.core.registry import registry_of
from games.examples.high_card import TOY, CardLaid, HandDealt, Options
from tests.eventstore.played import REGISTRY, begin, damage, play

VIEWERS = ("everything", "table", "p1", "p2")


@pytest.fixture
def cold(tape: Store) -> Store:
    """A store that has kept nothing in memory yet, and keeps no snapshots."""
    return Store(tape.log, REGISTRY, keep=False)


def test_a_moment_says_what_happened_and_what_is_next(tape: Store) -> None:
    game = begin(tape)
    play(tape, game, 2)
    tape.do(game, Record([{"kind": "card_laid", "player": "p1", "card": None}]), Actor("u7"))
    moment = tape.game(game).position()
    assert (moment.game, moment.step, moment.steps, moment.head, moment.seq, moment.by) == (
        game,
        3,
        3,
        4,
        4,
        "u7",
    )
    assert moment.payload == '{"kind":"card_laid","player":"p1","card":null}'
    assert moment.caption({"p1": "Ann"}) == "Ann lays an unseen card."
    assert (moment.notation(), moment.seat()) == ("p1: lay ?", "p1")
    assert [due.seat for due in moment.pending()] == ["p2"]
    assert {event.player for event in moment.legal("p2")} == {"p2"}  # type: ignore[attr-defined]
    assert list(moment.legal("p1")) == []
    assert moment.scene() is not None
    assert moment.plain()["round"] == 1  # type: ignore[index]
    assert (moment.outcome(), moment.closing, moment.fault) == (None, None, None)


def test_forms_are_those_of_the_kinds_that_are_due(tape: Store) -> None:
    moment = tape.game(begin(tape)).position()
    assert [form.kind for form in moment.choices("chance")] == ["hand_dealt"]
    assert list(moment.choices("p1")) == []


def test_step_0_has_nothing_before_it(tape: Store) -> None:
    moment = tape.game(begin(tape)).position(0)
    assert (moment.step, moment.before, moment.kind) == (0, None, "record.started")
    assert moment.caption() == "A game of High Card begins."
    assert moment.seat() is None


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_way_to_a_step_gives_the_same_state(tape: Store, cold: Store, viewer: str) -> None:
    game = begin(tape)
    play(tape, game, 260)
    folded = [moment.state for moment in cold.game(game, viewer=viewer).positions()]
    assert len(folded) == 261
    rng = random.Random(4)  # noqa: S311 - to be repeated
    for step in [*(rng.randint(0, 260) for _ in range(60)), 100, 101, 200, 260]:
        assert tape.game(game, viewer=viewer).position(step).state == folded[step]
        assert cold.game(game, viewer=viewer).state_from_start(step) == folded[step]
    middle = list(tape.game(game, viewer=viewer).positions(150, 155))
    assert [moment.state for moment in middle] == folded[150:156]
    assert middle[0].before == folded[149]


def test_a_viewer_is_told_his_own_record(tape: Store) -> None:
    game = begin(tape)
    tape.do(game, Record([HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06"))]))
    assert (
        tape.game(game, viewer="p2").position(1).payload
        == '{"kind":"hand_dealt","player":"p1","cards":[null,null,null]}'
    )
    assert '"seen_as":"p2"' in tape.game(game, viewer="p2").position(0).payload
    assert "c01" not in tape.game(game, viewer="p2").position(1).caption()
    assert tape.game(game, viewer="p2").position(2).state.hands["p1"].known == ()
    assert tape.game(game, viewer="p2").position(2).state.hands["p2"].known == ("c04", "c05", "c06")


def test_snapshots_are_kept_while_replaying_and_recording(tape: Store, cold: Store) -> None:
    game = begin(tape)
    play(tape, game, 250)
    tape_now = tape.game(game)
    keys = [(step, tape_now.runs.digest(step)) for step in (100, 200)]
    assert [tape.log.snapshots.get(game, "everything", [key])[0] for key in keys] == [100, 200]  # type: ignore[index]
    tape.log.snapshots.clear()
    cold.game(game).position()
    assert tape.log.snapshots.bytes_used(game) == 0
    Store(tape.log, REGISTRY).game(game).position()
    assert [tape.log.snapshots.get(game, "everything", [key])[0] for key in keys] == [100, 200]  # type: ignore[index]


def test_a_seek_folds_from_the_snapshot(tape: Store, cold: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    game = begin(tape)
    play(tape, game, 250)
    asked: list[tuple[int, int | None]] = []
    fetch = tape.log.payload_array
    monkeypatch.setattr(
        tape.log,
        "payload_array",
        lambda game, first, last: asked.append((first, last)) or fetch(game, first, last),
    )
    cold.game(game).position(230)
    assert asked == [(227, 231)]


def test_games_that_begin_alike_share_what_never_changes(tape: Store, cold: Store) -> None:
    one, same, other = begin(tape), begin(tape), begin(tape, options={"rounds": 3})
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


def test_a_viewer_of_a_long_game_has_snapshots_of_his_own(
    tape: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folding, "VIEWER_FROM", 150)
    monkeypatch.setattr(folding, "VIEWER_EVERY", 100)
    game = begin(tape)
    play(tape, game, 260)
    expected = tape.game(game, viewer="p1").state_from_start(245)
    tape.game(game, viewer="p1").position(259)
    tape_now = tape.game(game)
    assert tape.log.snapshots.nearest(game, "p1", 245, tape_now.runs.digest)[0] == 200  # type: ignore[index]
    tape.replays.forget()
    assert tape.game(game, viewer="p1").position(245).state == expected


@pytest.mark.parametrize("state", [b"{}", b"no json", b'{"phase":"laying"}'])
def test_a_snapshot_that_does_not_fit_is_as_good_as_none(tape: Store, state: bytes) -> None:
    game = begin(tape)
    play(tape, game, 150)
    expected = tape.game(game).position(120).state
    digest = tape.game(game).runs.digest(100)
    tape.log.snapshots.put_all(game, "everything", [(100, digest, state)])
    tape.replays.forget()
    assert tape.game(game).position(120).state == expected


def test_the_game_that_was_looked_at_longest_ago_is_forgotten_first(
    tape: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "_GAMES", 2)
    one, two, three = (begin(tape) for _ in range(3))
    tape.replays.forget()
    for game in (one, two, one, three):
        tape.game(game).position()
    assert set(tape.replays._kept) == {one, three}


def test_a_log_that_cannot_take_snapshots_is_read_all_the_same(
    tape: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = begin(tape)
    play(tape, game, 150)
    tape.log.snapshots.clear()

    def full(*_: object) -> None:
        raise Unreadable(game, 1, "the disk is full")

    monkeypatch.setattr(SqliteSnapshots, "put_all", full)
    assert tape.game(game).position(140).step == 140


def test_undo_and_a_new_line_never_take_the_old_lines_snapshot(tape: Store) -> None:
    game = begin(tape)
    play(tape, game, 120)
    tape.do(game, Undo(30))
    play(tape, game, 40, seed=77)
    assert tape.game(game).position(110).state == tape.game(game).state_from_start(110)
    assert tape.game(game).position().step == 130


def test_what_was_recorded_before_somebody_elses_undo_is_not_taken_for_the_present(tape: Store) -> None:
    game = begin(tape)
    play(tape, game, 6)
    was = tape.game(game)
    states = [was.position(step).state for step in (5, 6)]
    tape.do(game, Undo(2))
    play(tape, game, 4, seed=33)
    for step in (5, 6, 7, 8):
        assert [was.position(step).state for step in (5, 6)] == states
        tape.replays.keep(was.replay)
        assert tape.game(game).position(step).state == tape.game(game).state_from_start(step)


@pytest.mark.parametrize("step", [-1, 4, 10**9])
def test_a_step_that_is_not_there_is_refused(tape: Store, step: int) -> None:
    game = begin(tape)
    play(tape, game, 3)
    with pytest.raises(UnknownStep, match="its steps are 0 to 3"):
        tape.game(game).position(step)
    with pytest.raises(UnknownStep):
        tape.game(game).state_from_start(step)


def test_games_and_viewers_that_are_not_there_are_refused(tape: Store) -> None:
    game = begin(tape)
    tape.do(game, WriteNote(1, text="a note makes a stream of its own"))
    for name in ("nowhere", f"{game}/notes"):
        with pytest.raises(UnknownGame):
            tape.game(name)
    with pytest.raises(UnknownViewer, match="everything, table, p1, p2"):
        tape.game(game, viewer="p3").position()


def test_an_event_is_found_where_it_is_now(tape: Store) -> None:
    game = begin(tape)
    play(tape, game, 5)
    assert tape.game(game).step_of(6) == 5
    tape.do(game, Undo())
    assert tape.game(game).step_of(6) is None
    tape.do(game, Redo())
    assert tape.game(game).step_of(6) == 5
    with pytest.raises(UnknownEvent):
        tape.game(game).step_of(99)


def test_an_amended_event_is_folded_in_its_place(tape: Store) -> None:
    game = begin(tape)
    tape.do(game, Record([HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06"))]))
    append(
        tape,
        game,
        '{"kind":"record.amended","edits":[{"after":1,"drop":1,"put":1}],"reason":"misread"}',
        '{"kind":"hand_dealt","player":"p1","cards":["c10","c11","c12"]}',
    )
    moment = tape.game(game).position()
    assert (moment.step, moment.seq, moment.head) == (2, 3, 5)
    assert moment.state.hands["p1"].known == ("c10", "c11", "c12")
    assert tape.game(game).step_of(2) == 1
    assert tape.do(game, Undo()).step == 2
    assert tape.game(game).position().state.hands["p1"].known == ("c01", "c02", "c03")


def test_an_amended_start_sets_the_game_up_anew(tape: Store) -> None:
    game = begin(tape)
    play(tape, game, 2)
    started = msgspec.structs.replace(tape.game(game).position(0).started, options=Options(rounds=7))
    amendment = '{"kind":"record.amended","edits":[{"after":0,"drop":1,"put":1}],"reason":"seven rounds"}'
    append(tape, game, amendment, serialization.encode_event(started))
    assert tape.game(game).position().state.setup.options.rounds == 7
    tape.do(game, Undo())
    assert tape.game(game).position().state.setup.options.rounds == 1000


def test_names_come_from_beside_the_log(tape: Store) -> None:
    game = begin(tape, players=("Ann", ""))
    assert tape.game(game).names == {"p1": "Ann", "p2": "Player 2"}


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
    tape: Store, path: Path, payload: str
) -> None:
    game = begin(tape)
    play(tape, game, 20)
    good = [moment.state for moment in tape.game(game).positions()]
    damage(path, "UPDATE events SET payload = ? WHERE seq = 11", payload)
    damage(path, "DELETE FROM keyframes")
    tape.replays.forget()
    moments = list(tape.game(game).positions())
    assert [moment.state for moment in moments] == [*good[:10], *[None] * 11]
    assert moments[10].payload == payload
    assert f"Event 11 of game {game}" in str(moments[10].fault)
    assert {moment.fault_from for moment in moments[10:]} == {10}
    for step in (20, 9, 10, None):
        moment = tape.game(game).position(step)
        assert moment.readable is (step == 9)
    with pytest.raises(TextOnly):
        play_one(tape, game)
    with pytest.raises(Unreadable, match=f"Event 11 of game {game}"):
        tape.game(game).state_from_start()


def test_what_cannot_be_read_is_told_to_no_restricted_viewer(tape: Store, path: Path) -> None:
    game = begin(tape)
    tape.do(game, Record([HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06"))]))
    private = '{"kind":"card_laid","player":"p1","card":"c02","extra":"c02"}'
    damage(path, "UPDATE events SET payload = ? WHERE seq = 3", private)
    tape.replays.forget()
    moment = tape.game(game, viewer="p2").position(2)
    assert moment.payload == '{"kind":"card_laid"}'
    assert "c02" not in f"{moment.fault} {moment.caption()} {moment.notation()} {moment.plain()}"
    assert moment.fault == f"Event 3 of game {game} cannot be read."
    assert tape.game(game).position(2).payload == private


def test_a_row_that_is_gone_is_named(tape: Store, path: Path) -> None:
    game = begin(tape)
    play(tape, game, 5)
    damage(path, "DELETE FROM events WHERE seq = 3")
    tape.replays.forget()
    gone = tape.game(game).position(2)
    assert (gone.readable, gone.payload) == (False, "")
    assert gone.fault == f"Event 3 of game {game} cannot be read: it is gone from the log."
    assert tape.game(game).position(1).readable
    assert tape.game(game).position(4).payload != ""


def test_a_rewriting_event_that_points_nowhere_leaves_what_was_before_it(tape: Store, path: Path) -> None:
    game = begin(tape)
    play(tape, game, 5)
    tape.do(game, Undo())
    damage(path, """UPDATE events SET payload = '{"kind":"record.undone","to":99}' WHERE seq = 7""")
    tape.replays.forget()
    assert (tape.game(game).position().step, tape.game(game).position().readable) == (5, True)
    assert "99 is no earlier event" in str(tape.game(game).damage)
    with pytest.raises(TextOnly, match="99 is no earlier event"):
        play_one(tape, game)


def test_a_game_without_its_ruleset_opens_as_text(tape: Store, path: Path) -> None:
    game = begin(tape)
    play(tape, game, 3)
    tape.do(game, Undo())
    with Store.open(path, registry=registry_of()) as bare:
        opened = bare.game(game)
        assert (opened.ruleset, opened.ruleset_id, opened.version, opened.seats) == (
            None,
            TOY.id,
            2,
            ("p1", "p2"),
        )
        assert opened.text_only == "the ruleset high-card, version 2, is not installed here"
        assert [moment.kind for moment in bare.game(game).positions()] == [
            "record.started",
            *["hand_dealt"] * 2,
        ]
        moment = bare.game(game).position()
        assert (moment.caption(), moment.pending(), moment.outcome(), moment.scene()) == (
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
def test_an_unknown_option_or_field_opens_as_text(tape: Store, path: Path, was: str, now: str) -> None:
    game = begin(tape)
    play(tape, game, 3)
    damage(path, "UPDATE events SET payload = replace(payload, ?, ?) WHERE seq = 1", was, now)
    tape.replays.forget()
    assert tape.game(game).ruleset is None
    assert "Event 1 of game" in str(tape.game(game).position().fault)
    assert len(list(tape.game(game).positions())) == 4
    with pytest.raises(TextOnly):
        tape.game(game).state_from_start()


def test_a_strangers_setup_that_stumbles_opens_as_text(tape: Store, path: Path) -> None:
    game = begin(tape)

    def stumbles(_: Any) -> Any:
        raise KeyError("cards")

    with Store.open(path, registry=registry_of((replace(TOY, setup=stumbles),))) as other:
        assert "its ruleset cannot set it up (KeyError: 'cards')" in str(other.game(game).text_only)


def test_an_old_version_keeps_its_meaning_beside_a_new_one(tape: Store, path: Path) -> None:
    game = begin(tape, version=1)
    play(tape, game, 30)
    was = [serialization.freeze(moment.state) for moment in tape.game(game).positions()]

    def lower_wins(state: Any, event: Any) -> Any:
        return TOY.evolve[type(event)](
            msgspec.structs.replace(state, points=dict.fromkeys(state.points, 0)), event
        )

    turned = next(kind for kind in TOY.evolve if kind.__name__ == "CardsTurned")
    changed = replace(TOY, evolve={**TOY.evolve, turned: lower_wins})
    old = next(ruleset for ruleset in REGISTRY.values() if ruleset.version == 1)
    with Store.open(path, registry=registry_of((changed, old))) as later:
        assert [serialization.freeze(moment.state) for moment in later.game(game).positions()] == was


def append(tape: Store, game: str, *payloads: str) -> None:
    rows = [NewEvent(msgspec.json.decode(text)["kind"], text) for text in payloads]
    head = tape.log.head(game)
    assert head is not None
    tape.log.append(game, rows, after=head.seq, command_id=f"by-hand-{head.seq}", request="x")


def play_one(tape: Store, game: str) -> None:
    events: list[Any] = [CardLaid("p1", None), RecordClosed("abandoned")]
    tape.do(game, Record(events))


def test_many_games_do_not_fill_the_memory(tape: Store) -> None:
    names: Mapping[str, str] = {begin(tape): "" for _ in range(70)}
    for game in names:
        assert tape.game(game).position().step == 0
    assert len(tape.replays._kept) == 64


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (("Ann", "Bo"), ["Ann", "Bo"]),
        (("Ann", "Ann"), ["Ann (1)", "Ann (2)"]),
        (("Player 2", ""), ["Player 2 (1)", "Player 2 (2)"]),
        (("Strasse", "Straße"), ["Strasse (1)", "Straße (2)"]),
    ],
)
def test_players_of_one_name_are_told_apart(tape: Store, typed: tuple[str, ...], shown: list[str]) -> None:
    game = begin(tape, players=typed)
    assert list(tape.game(game).names.values()) == shown


def test_a_number_is_given_once() -> None:
    names = told_apart({"p1": "Ann", "p2": "ann", "p3": "Ann (1)"})
    assert names == {"p1": "Ann (2)", "p2": "ann (3)", "p3": "Ann (1)"}
