"""A variation is a game of its own: its parent as it was up to a step, and nothing that came later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from freezegun import freeze_time

from eventstore.access.actor import Actor
from eventstore.errors import CommandReused, Conflict, UnknownGame, Unreadable
from eventstore.formats.record_file import export_record, import_records
from eventstore.library import variations
from eventstore.log.history import Runs
from eventstore.recording.amending import HistoryEdit, Keep, Remove, Replace, Settlement
from eventstore.recording.commands import Amend, Branch, Check, Deal, Record, Rule, Undo, WriteNote
from eventstore.recording.commands import branch as branching
from eventstore.refusals import BadDetail, BadId, GameIdTaken, TextOnly, Unfinished, UnknownStep
from eventstore.simulation import save, simulate
from eventstore.sqlite import log as sqlite_log
from eventstore.sqlite.tables.changes import parents_of
from eventstore.store import Store
from games.core import serialization
from games.core.events import Parent, RecordClosed
from games.core.registry import registry_of
from games.core.ruleset import IllegalAction
from games.examples.high_card import TOY, CardLaid
from tests.eventstore.played import REGISTRY, ROUND, begin, damage, play


@pytest.fixture
def game(store: Store) -> str:
    """A game with an undone line and an amendment: 8 steps, the seqs not in a row."""
    game = begin(store, title="Friday", played_on="2026-09-14", time_zone="Europe/Helsinki", place="Home")
    store.do(game, Record(ROUND[:3]), Actor("ann"))
    store.do(game, Undo())
    store.do(game, Record([CardLaid("p1", "c02"), *ROUND[3:4]]))
    store.do(game, Amend([HistoryEdit(6, Replace([CardLaid("p1", "c01")]))], reason="misread"), Actor("bo"))
    store.do(game, Record(ROUND[4:]))
    return game


def entries(store: Store, game: str, last: int | None = None) -> list[tuple[str, str, str]]:
    return [(position.payload, position.at, position.by) for position in store.game(game).positions(0, last)]


def removed(store: Store, game: str, seq: int) -> None:
    """Take an event out; what becomes impossible is kept by a ruling where it can be."""
    settle: dict[int, Settlement] = {}
    while faults := store.do(game, Amend([HistoryEdit(seq, Remove())], settle=settle)).result.faults:
        settle[faults[0].seq] = Keep("as played") if faults[0].keepable else Remove()


def frozen(store: Store, game: str, step: int | None = None) -> bytes:
    return serialization.freeze(store.game(game).position(step).state)


def test_its_log_is_the_effective_history_renumbered_and_its_start_names_the_parent(
    store: Store, game: str
) -> None:
    runs = store.game(game).runs
    assert runs != Runs(((1, len(runs)),)), "this game has nothing to renumber"
    head = store.game(game).head
    for step in range(len(runs)):
        answer = store.do(game, Branch(step))
        rows = store.log.events(answer.game.id)
        assert (answer.seq, answer.step, answer.appended) == (step + 1, step, step + 1)
        assert [(row.payload, row.recorded_at, row.by) for row in rows][1:] == entries(store, game, step)[1:]
        begun, parents = json.loads(rows[0].payload), json.loads(store.game(game).position(0).payload)
        assert (list(begun)[-1], begun.pop("parent")) == (
            "parent",
            {"game": game, "head": head, "step": step},
        )
        assert parents.pop("parent") is None
        assert list(begun.items()) == list(parents.items())
        assert frozen(store, answer.game.id) == frozen(store, game, step)
        assert len(store.log.commits(answer.game.id)) == 1


def test_what_becomes_of_the_parent_later_changes_nothing(store: Store, game: str) -> None:
    variation = store.do(game, Branch(5)).game.id
    before, file = entries(store, variation), b"".join(export_record(store, store.game(variation)))
    removed(store, game, 2)
    store.do(game, Undo())
    store.replays.forget()
    assert (entries(store, variation), b"".join(export_record(store, store.game(variation)))) == (
        before,
        file,
    )
    store.do(variation, Record([ROUND[5]]))
    assert store.game(game).position().step != 6
    assert store.game(variation).position().step == 6


def test_the_same_command_makes_one_variation_whatever_came_between(store: Store, game: str) -> None:
    first = store.do(game, Branch(4, after=store.game(game).head, id="what-if-1"))
    assert first.game.id == "what-if-1"
    store.do(game, Undo(6))
    again = store.do(game, Branch(4, after=1, id="what-if-1"))
    assert (again.game.id, again.seq, again.step, again.repeated) == (
        first.game.id,
        first.seq,
        first.step,
        True,
    )
    with pytest.raises(CommandReused):
        store.do(game, Branch(3, id="what-if-1"))
    assert len(store.variations(game)) == 1


def test_an_id_of_ones_own(store: Store, game: str) -> None:
    assert store.do(game, Branch(1, as_game="bold-attack")).game.id == "bold-attack"
    assert store.do(game, Branch(1, as_game="bold-attack")).repeated
    with pytest.raises(GameIdTaken):
        store.do(game, Branch(2, as_game="bold-attack"))
    with pytest.raises(GameIdTaken):
        store.do(game, Branch(2, as_game=game, id="another"))
    with pytest.raises(BadId):
        store.do(game, Branch(2, as_game="Bold!"))


@pytest.mark.parametrize("step", [-1, 9, 10**30])
def test_a_step_that_is_not_there_is_refused(store: Store, game: str, step: int) -> None:
    with pytest.raises(UnknownStep):
        store.do(game, Branch(step))
    assert store.log.games() == [game]


def test_a_step_is_that_of_the_head_it_was_asked_for(store: Store, game: str) -> None:
    with pytest.raises(Conflict):
        store.do(game, Branch(2, after=3))
    with pytest.raises(UnknownGame):
        store.do("nothing", Branch(0))
    assert store.log.games() == [game]


def test_a_game_that_cannot_be_read_is_refused(store: Store, path: Path, game: str) -> None:
    with Store.open(path, registry=registry_of(())) as other, pytest.raises(TextOnly):
        other.do(game, Branch(0))
    seq = store.game(game).runs.seq_at(4)
    damage(path, 'UPDATE events SET payload = \'{"kind":"spell_cast"}\' WHERE seq = ?', seq)
    store.replays.forget()
    with pytest.raises(Unreadable, match=f"Event {seq} of game {game}"):
        store.do(game, Branch(4))
    assert store.do(game, Branch(3)).step == 3, "what stands before the fault can be left"


def test_a_row_that_is_gone_is_not_passed_over(store: Store, path: Path) -> None:
    game = begin(store)
    play(store, game, 60)
    damage(path, "DELETE FROM events WHERE seq = 20")
    store.replays.forget()
    with pytest.raises(Unreadable, match=f"Event 20 of game {game}"):
        store.do(game, Branch(60))
    opened = store.game(game)
    with pytest.raises(Unreadable, match=f"Event 20 of game {game}"):
        branching._rows(opened, Parent(game, opened.head, 60))
    assert store.log.games() == [game]


def test_a_record_that_ends_within_an_amendment_is_refused(store: Store, path: Path, game: str) -> None:
    file = b"".join(export_record(store, store.game(game))).split(b"\n")
    cut = next(place for place, line in enumerate(file) if b"record.amended" in line) + 1
    with Store.open(path.with_name("other.db"), registry=REGISTRY) as other:
        import_records(other, [("cut.tape.jsonl", b"\n".join([*file[:cut], b'{"seq":']))])
        with pytest.raises(Unfinished):
            other.do(game, Branch(1))


def test_names_day_and_place_are_the_parents_and_notes_stay_with_it(store: Store, game: str) -> None:
    store.do(game, WriteNote(2, text="bold"))
    entry, parent = store.catalogue.get(store.do(game, Branch(3)).game.id), store.catalogue.get(game)
    assert (entry.seats, entry.played_on, entry.time_zone, entry.place) == (
        parent.seats,
        parent.played_on,
        parent.time_zone,
        parent.place,
    )
    assert entry.title == "Friday, from step 3"
    assert store.catalogue.get(store.do(game, Branch(3, title=" If only ")).game.id).title == "If only"
    assert store.catalogue.get(store.do(begin(store), Branch(0)).game.id).title == "What if, from step 0"
    assert store.game(entry.game).all_notes == []
    with pytest.raises(BadDetail):
        store.do(game, Branch(3, title="x" * 201))


def test_a_title_of_the_greatest_length_leaves_room_for_the_step(store: Store) -> None:
    game = begin(store, title="x" * 200)
    title = store.catalogue.get(store.do(game, Branch(0)).game.id).title
    assert title is not None
    assert len(title) == 200
    assert title.endswith("x, from step 0")


def test_rulings_and_checks_come_along_without_the_number_of_what_they_stand_for(
    store: Store, game: str
) -> None:
    removed(store, game, 2)
    store.do(game, Rule("a bet", changes=[{"at": "/points/p1", "now": 3}]))
    store.do(game, Check({"points.p1": 3}))
    opened = store.game(game)
    rulings = [json.loads(p) for p, _, _ in entries(store, game) if "record.ruled" in p]
    assert [said for said in rulings if "instead_of" in said], "nothing stands for an event here"
    variation = store.do(game, Branch(opened.steps)).game.id
    said = [json.loads(p) for p, _, _ in entries(store, variation) if "record.ruled" in p]
    assert said == [{k: v for k, v in ruling.items() if k != "instead_of"} for ruling in rulings]
    assert store.game(variation).position().kind == "record.checked"
    assert frozen(store, variation) == frozen(store, game)


def test_a_closed_game_may_be_left_at_its_end_and_gone_on_with_by_undo(store: Store, game: str) -> None:
    store.do(game, Record([RecordClosed("agreed")]))
    last = store.game(game).steps
    variation = store.do(game, Branch(last))
    assert variation.outcome is not None
    with pytest.raises(IllegalAction):
        store.do(variation.game.id, Record(ROUND[:1]))
    store.do(variation.game.id, Undo())
    assert store.game(variation.game.id).position().outcome() is None


def test_a_dealt_games_draws_are_dealt_anew_behind_the_step(store: Store) -> None:
    game = begin(store, origin="dealt")
    store.do(game, Deal())
    variation = store.do(game, Branch(1)).game.id
    assert store.do(variation, Deal()).appended


def test_a_variation_of_a_variation_leaves_that_one(store: Store, game: str) -> None:
    first = store.do(game, Branch(4)).game.id
    second = store.do(first, Branch(2)).game.id
    assert store.game(second).parent == Parent(first, 5, 2)
    assert [one.game for one in store.variations(game)] == [first]
    assert [one.game for one in store.variations(first)] == [second]


def test_lists_leave_variations_out_unless_asked(store: Store, game: str) -> None:
    other = begin(store)
    first = store.do(game, Branch(4)).game.id
    assert [one.game for one in store.variations(game)] == [first], "at once, before any list"
    second = store.do(game, Branch(2)).game.id
    hidden = store.do(game, Branch(2)).game.id
    store.do(other, Branch(0))
    store.hide(hidden)

    def ids(**asked: object) -> set[str]:
        return {entry.game for entry in store.catalogue.list(**asked)}  # type: ignore[arg-type]

    assert ids() == ids(text="ann") == {game, other}
    assert ids(variations=True) >= {game, other, first, second}
    assert ids(of=game) == {first, second}
    assert ids(of=game, hidden=True) == {first, second, hidden}
    assert ids(of="nothing") == set()
    assert [one.game for one in store.variations(game)] == [first, second]


def test_variations_of_a_simulated_game_are_found(store: Store) -> None:
    (game,) = save(store, [simulate(TOY.id, 2, 1, registry=REGISTRY)])
    variation = store.do(game, Branch(3)).game.id
    assert [entry.game for entry in store.catalogue.list(of=game)] == [variation]
    assert store.catalogue.list(variations=True) == []


@pytest.mark.database
def test_what_leaves_a_game_is_found_by_an_index(store: Store) -> None:
    with store.log.reader() as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sqlite_log._VARIATIONS}", parents_of("k7m2"))
        assert "catalogue_variations" in " ".join(row[3] for row in plan)


def test_export_and_import_keep_the_parent(store: Store, path: Path, game: str) -> None:
    variation = store.do(game, Branch(6, title="If only")).game.id
    files = [(name, b"".join(export_record(store, store.game(name)))) for name in (game, variation)]
    for order in (files, files[::-1], files[1:]):
        with Store.open(path.with_name(f"{len(order)}-{order[0][0]}.db"), registry=REGISTRY) as other:
            import_records(other, order)
            (found,) = other.variations(game)
            assert (found.game, found.parent, found.title) == (
                variation,
                store.game(variation).parent,
                "If only",
            )
            assert b"".join(export_record(other, other.game(variation))) == files[1][1]
            assert [entry.game for entry in other.catalogue.list(of=game)] == [variation]


# --- where it leaves now -------------------------------------------------------------------------------


def leaves_at(store: Store, game: str, variation: str) -> int | None:
    parent = store.game(variation).parent
    assert parent is not None
    return variations.leaves_at(store.game(game), parent)


def test_it_leaves_where_its_last_step_now_is(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(ROUND[:4]))
    fourth, third = (store.do(game, Branch(step)).game.id for step in (4, 3))
    assert (leaves_at(store, game, fourth), leaves_at(store, game, third)) == (4, 3)
    store.do(game, Amend([HistoryEdit(5, Replace([CardLaid("p2", "c05")]))]))
    assert leaves_at(store, game, fourth) == 4, "what replaced the step stands there"
    store.do(game, Undo(2))
    assert leaves_at(store, game, fourth) is None
    assert leaves_at(store, game, third) == 3


@pytest.mark.parametrize(
    "parent", [Parent("x", 10**9, 1), Parent("x", 0, 0), Parent("x", 9, -1), Parent("x", 2, 5)]
)
def test_a_place_that_never_was_is_no_step(store: Store, parent: Parent) -> None:
    game = begin(store)
    store.do(game, Record(ROUND))
    assert variations.leaves_at(store.game(game), parent) is None


@pytest.fixture(autouse=True)
def _clock() -> Iterator[None]:
    with freeze_time("2026-09-15T18:00:00Z", auto_tick_seconds=60):
        yield
