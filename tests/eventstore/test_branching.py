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
from eventstore.sqlite.table_changes import parents_of
from eventstore.store import Store
from games.core import serialization
from games.core.events import Parent, RecordClosed
from games.core.registry import registry_of
from games.core.ruleset import IllegalAction
from games.examples.high_card import TOY, CardLaid
from tests.eventstore.played import REGISTRY, ROUND, begin, damage, play


@pytest.fixture
def game(tape: Store) -> str:
    """A game with an undone line and an amendment: 8 steps, the seqs not in a row."""
    game = begin(tape, title="Friday", played_on="2026-09-14", time_zone="Europe/Helsinki", place="Home")
    tape.do(game, Record(ROUND[:3]), Actor("ann"))
    tape.do(game, Undo())
    tape.do(game, Record([CardLaid("p1", "c02"), *ROUND[3:4]]))
    tape.do(game, Amend([HistoryEdit(6, Replace([CardLaid("p1", "c01")]))], reason="misread"), Actor("bo"))
    tape.do(game, Record(ROUND[4:]))
    return game


def entries(tape: Store, game: str, last: int | None = None) -> list[tuple[str, str, str]]:
    return [(moment.payload, moment.at, moment.by) for moment in tape.game(game).positions(0, last)]


def removed(tape: Store, game: str, seq: int) -> None:
    """Take an event out; what becomes impossible is kept by a ruling where it can be."""
    settle: dict[int, Settlement] = {}
    while faults := tape.do(game, Amend([HistoryEdit(seq, Remove())], settle=settle)).result.faults:
        settle[faults[0].seq] = Keep("as played") if faults[0].keepable else Remove()


def frozen(tape: Store, game: str, step: int | None = None) -> bytes:
    return serialization.freeze(tape.game(game).position(step).state)


def test_its_log_is_the_effective_history_renumbered_and_its_start_names_the_parent(
    tape: Store, game: str
) -> None:
    runs = tape.game(game).runs
    assert runs != Runs(((1, len(runs)),)), "this game has nothing to renumber"
    head = tape.game(game).head
    for step in range(len(runs)):
        answer = tape.do(game, Branch(step))
        rows = tape.log.events(answer.game.id)
        assert (answer.seq, answer.step, answer.appended) == (step + 1, step, step + 1)
        assert [(row.payload, row.recorded_at, row.by) for row in rows][1:] == entries(tape, game, step)[1:]
        begun, parents = json.loads(rows[0].payload), json.loads(tape.game(game).position(0).payload)
        assert (list(begun)[-1], begun.pop("parent")) == (
            "parent",
            {"game": game, "head": head, "step": step},
        )
        assert parents.pop("parent") is None
        assert list(begun.items()) == list(parents.items())
        assert frozen(tape, answer.game.id) == frozen(tape, game, step)
        assert len(tape.log.commits(answer.game.id)) == 1


def test_what_becomes_of_the_parent_later_changes_nothing(tape: Store, game: str) -> None:
    variation = tape.do(game, Branch(5)).game.id
    before, file = entries(tape, variation), b"".join(export_record(tape, tape.game(variation)))
    removed(tape, game, 2)
    tape.do(game, Undo())
    tape.replays.forget()
    assert (entries(tape, variation), b"".join(export_record(tape, tape.game(variation)))) == (before, file)
    tape.do(variation, Record([ROUND[5]]))
    assert tape.game(game).position().step != 6
    assert tape.game(variation).position().step == 6


def test_the_same_command_makes_one_variation_whatever_came_between(tape: Store, game: str) -> None:
    first = tape.do(game, Branch(4, after=tape.game(game).head, id="what-if-1"))
    assert first.game.id == "what-if-1"
    tape.do(game, Undo(6))
    again = tape.do(game, Branch(4, after=1, id="what-if-1"))
    assert (again.game.id, again.seq, again.step, again.repeated) == (
        first.game.id,
        first.seq,
        first.step,
        True,
    )
    with pytest.raises(CommandReused):
        tape.do(game, Branch(3, id="what-if-1"))
    assert len(tape.variations(game)) == 1


def test_an_id_of_ones_own(tape: Store, game: str) -> None:
    assert tape.do(game, Branch(1, as_game="bold-attack")).game.id == "bold-attack"
    assert tape.do(game, Branch(1, as_game="bold-attack")).repeated
    with pytest.raises(GameIdTaken):
        tape.do(game, Branch(2, as_game="bold-attack"))
    with pytest.raises(GameIdTaken):
        tape.do(game, Branch(2, as_game=game, id="another"))
    with pytest.raises(BadId):
        tape.do(game, Branch(2, as_game="Bold!"))


@pytest.mark.parametrize("step", [-1, 9, 10**30])
def test_a_step_that_is_not_there_is_refused(tape: Store, game: str, step: int) -> None:
    with pytest.raises(UnknownStep):
        tape.do(game, Branch(step))
    assert tape.log.games() == [game]


def test_a_step_is_that_of_the_head_it_was_asked_for(tape: Store, game: str) -> None:
    with pytest.raises(Conflict):
        tape.do(game, Branch(2, after=3))
    with pytest.raises(UnknownGame):
        tape.do("nothing", Branch(0))
    assert tape.log.games() == [game]


def test_a_game_that_cannot_be_read_is_refused(tape: Store, path: Path, game: str) -> None:
    with Store.open(path, registry=registry_of(())) as other, pytest.raises(TextOnly):
        other.do(game, Branch(0))
    seq = tape.game(game).runs.seq_at(4)
    damage(path, 'UPDATE events SET payload = \'{"kind":"spell_cast"}\' WHERE seq = ?', seq)
    tape.replays.forget()
    with pytest.raises(Unreadable, match=f"Event {seq} of game {game}"):
        tape.do(game, Branch(4))
    assert tape.do(game, Branch(3)).step == 3, "what stands before the fault can be left"


def test_a_row_that_is_gone_is_not_passed_over(tape: Store, path: Path) -> None:
    game = begin(tape)
    play(tape, game, 60)
    damage(path, "DELETE FROM events WHERE seq = 20")
    tape.replays.forget()
    with pytest.raises(Unreadable, match=f"Event 20 of game {game}"):
        tape.do(game, Branch(60))
    opened = tape.game(game)
    with pytest.raises(Unreadable, match=f"Event 20 of game {game}"):
        branching._rows(opened, Parent(game, opened.head, 60))
    assert tape.log.games() == [game]


def test_a_record_that_ends_within_an_amendment_is_refused(tape: Store, path: Path, game: str) -> None:
    file = b"".join(export_record(tape, tape.game(game))).split(b"\n")
    cut = next(place for place, line in enumerate(file) if b"record.amended" in line) + 1
    with Store.open(path.with_name("other.db"), registry=REGISTRY) as other:
        import_records(other, [("cut.tape.jsonl", b"\n".join([*file[:cut], b'{"seq":']))])
        with pytest.raises(Unfinished):
            other.do(game, Branch(1))


def test_names_day_and_place_are_the_parents_and_notes_stay_with_it(tape: Store, game: str) -> None:
    tape.do(game, WriteNote(2, text="bold"))
    entry, parent = tape.catalogue.get(tape.do(game, Branch(3)).game.id), tape.catalogue.get(game)
    assert (entry.seats, entry.played_on, entry.time_zone, entry.place) == (
        parent.seats,
        parent.played_on,
        parent.time_zone,
        parent.place,
    )
    assert entry.title == "Friday, from step 3"
    assert tape.catalogue.get(tape.do(game, Branch(3, title=" If only ")).game.id).title == "If only"
    assert tape.catalogue.get(tape.do(begin(tape), Branch(0)).game.id).title == "What if, from step 0"
    assert tape.game(entry.game).notes == []
    with pytest.raises(BadDetail):
        tape.do(game, Branch(3, title="x" * 201))


def test_a_title_of_the_greatest_length_leaves_room_for_the_step(tape: Store) -> None:
    game = begin(tape, title="x" * 200)
    title = tape.catalogue.get(tape.do(game, Branch(0)).game.id).title
    assert title is not None
    assert len(title) == 200
    assert title.endswith("x, from step 0")


def test_rulings_and_checks_come_along_without_the_number_of_what_they_stand_for(
    tape: Store, game: str
) -> None:
    removed(tape, game, 2)
    tape.do(game, Rule("a bet", changes=[{"at": "/points/p1", "now": 3}]))
    tape.do(game, Check({"points.p1": 3}))
    opened = tape.game(game)
    rulings = [json.loads(p) for p, _, _ in entries(tape, game) if "record.ruled" in p]
    assert [said for said in rulings if "instead_of" in said], "nothing stands for an event here"
    variation = tape.do(game, Branch(opened.steps)).game.id
    said = [json.loads(p) for p, _, _ in entries(tape, variation) if "record.ruled" in p]
    assert said == [{k: v for k, v in ruling.items() if k != "instead_of"} for ruling in rulings]
    assert tape.game(variation).position().kind == "record.checked"
    assert frozen(tape, variation) == frozen(tape, game)


def test_a_closed_game_may_be_left_at_its_end_and_gone_on_with_by_undo(tape: Store, game: str) -> None:
    tape.do(game, Record([RecordClosed("agreed")]))
    last = tape.game(game).steps
    variation = tape.do(game, Branch(last))
    assert variation.outcome is not None
    with pytest.raises(IllegalAction):
        tape.do(variation.game.id, Record(ROUND[:1]))
    tape.do(variation.game.id, Undo())
    assert tape.game(variation.game.id).position().outcome() is None


def test_a_dealt_games_draws_are_dealt_anew_behind_the_step(tape: Store) -> None:
    game = begin(tape, origin="dealt")
    tape.do(game, Deal())
    variation = tape.do(game, Branch(1)).game.id
    assert tape.do(variation, Deal()).appended


def test_a_variation_of_a_variation_leaves_that_one(tape: Store, game: str) -> None:
    first = tape.do(game, Branch(4)).game.id
    second = tape.do(first, Branch(2)).game.id
    assert tape.game(second).parent == Parent(first, 5, 2)
    assert [one.game for one in tape.variations(game)] == [first]
    assert [one.game for one in tape.variations(first)] == [second]


def test_lists_leave_variations_out_unless_asked(tape: Store, game: str) -> None:
    other = begin(tape)
    first = tape.do(game, Branch(4)).game.id
    assert [one.game for one in tape.variations(game)] == [first], "at once, before any list"
    second = tape.do(game, Branch(2)).game.id
    hidden = tape.do(game, Branch(2)).game.id
    tape.do(other, Branch(0))
    tape.hide(hidden)

    def ids(**asked: object) -> set[str]:
        return {entry.game for entry in tape.catalogue.list(**asked)}  # type: ignore[arg-type]

    assert ids() == ids(text="ann") == {game, other}
    assert ids(variations=True) >= {game, other, first, second}
    assert ids(of=game) == {first, second}
    assert ids(of=game, hidden=True) == {first, second, hidden}
    assert ids(of="nothing") == set()
    assert [one.game for one in tape.variations(game)] == [first, second]


def test_variations_of_a_simulated_game_are_found(tape: Store) -> None:
    (game,) = save(tape, [simulate(TOY.id, 2, 1, registry=REGISTRY)])
    variation = tape.do(game, Branch(3)).game.id
    assert [entry.game for entry in tape.catalogue.list(of=game)] == [variation]
    assert tape.catalogue.list(variations=True) == []


def test_what_leaves_a_game_is_found_by_an_index(tape: Store) -> None:
    with tape.log.reader() as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {sqlite_log._VARIATIONS}", parents_of("k7m2"))
        assert "catalogue_variations" in " ".join(row[3] for row in plan)


def test_export_and_import_keep_the_parent(tape: Store, path: Path, game: str) -> None:
    variation = tape.do(game, Branch(6, title="If only")).game.id
    files = [(name, b"".join(export_record(tape, tape.game(name)))) for name in (game, variation)]
    for order in (files, files[::-1], files[1:]):
        with Store.open(path.with_name(f"{len(order)}-{order[0][0]}.db"), registry=REGISTRY) as other:
            import_records(other, order)
            (found,) = other.variations(game)
            assert (found.game, found.parent, found.title) == (
                variation,
                tape.game(variation).parent,
                "If only",
            )
            assert b"".join(export_record(other, other.game(variation))) == files[1][1]
            assert [entry.game for entry in other.catalogue.list(of=game)] == [variation]


# --- where it leaves now -------------------------------------------------------------------------------


def leaves_at(tape: Store, game: str, variation: str) -> int | None:
    parent = tape.game(variation).parent
    assert parent is not None
    return variations.leaves_at(tape.game(game), parent)


def test_it_leaves_where_its_last_step_now_is(tape: Store) -> None:
    game = begin(tape)
    tape.do(game, Record(ROUND[:4]))
    fourth, third = (tape.do(game, Branch(step)).game.id for step in (4, 3))
    assert (leaves_at(tape, game, fourth), leaves_at(tape, game, third)) == (4, 3)
    tape.do(game, Amend([HistoryEdit(5, Replace([CardLaid("p2", "c05")]))]))
    assert leaves_at(tape, game, fourth) == 4, "what replaced the step stands there"
    tape.do(game, Undo(2))
    assert leaves_at(tape, game, fourth) is None
    assert leaves_at(tape, game, third) == 3


@pytest.mark.parametrize(
    "parent", [Parent("x", 10**9, 1), Parent("x", 0, 0), Parent("x", 9, -1), Parent("x", 2, 5)]
)
def test_a_place_that_never_was_is_no_step(tape: Store, parent: Parent) -> None:
    game = begin(tape)
    tape.do(game, Record(ROUND))
    assert variations.leaves_at(tape.game(game), parent) is None


@pytest.fixture(autouse=True)
def _clock() -> Iterator[None]:
    with freeze_time("2026-09-15T18:00:00Z", auto_tick_seconds=60):
        yield
