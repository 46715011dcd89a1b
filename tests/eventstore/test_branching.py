"""A variation is a game of its own: its parent as it was up to a step, and nothing that came later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from freezegun import freeze_time

from eventstore.errors import CommandReused, Conflict, UnknownGame, Unreadable
from eventstore.formats.record_file import export_tape, import_tapes
from eventstore.log.history import Runs
from eventstore.recording import branching
from eventstore.recording.amending import Keep, Remove, Replace, Settlement, Wish
from eventstore.recording.simulation import save, simulate
from eventstore.refusals import BadDetail, BadId, GameIdTaken, TextOnly, Unfinished, UnknownStep
from eventstore.store import Tabletape
from games.core import serialization
from games.core.events import Parent, RecordClosed
from games.core.registry import registry_of
from games.core.ruleset import IllegalAction
from games.examples.high_card import TOY, CardLaid
from tests.eventstore.played import REGISTRY, ROUND, begin, damage, play


@pytest.fixture
def game(tape: Tabletape) -> str:
    """A game with an undone line and an amendment: 8 steps, the seqs not in a row."""
    game = begin(tape, title="Friday", played_on="2026-09-14", time_zone="Europe/Helsinki", place="Home")
    tape.recorder.record(game, ROUND[:3], by="ann")
    tape.recorder.undo(game)
    tape.recorder.record(game, [CardLaid("p1", "c02"), *ROUND[3:4]])
    tape.recorder.amend(game, [Wish(6, Replace([CardLaid("p1", "c01")]))], reason="misread", by="bo")
    tape.recorder.record(game, ROUND[4:])
    return game


def entries(tape: Tabletape, game: str, last: int | None = None) -> list[tuple[str, str, str]]:
    return [(moment.payload, moment.at, moment.by) for moment in tape.replayer.moments(game, 0, last)]


def removed(tape: Tabletape, game: str, seq: int) -> None:
    """Take an event out; what becomes impossible is kept by a ruling where it can be."""
    settle: dict[int, Settlement] = {}
    while faults := tape.recorder.amend(game, [Wish(seq, Remove())], settle=settle).faults:
        settle[faults[0].seq] = Keep("as played") if faults[0].keepable else Remove()


def frozen(tape: Tabletape, game: str, step: int | None = None) -> bytes:
    return serialization.freeze(tape.replayer.at(game, step).state)


def test_its_log_is_the_effective_history_renumbered_and_its_start_names_the_parent(
    tape: Tabletape, game: str
) -> None:
    runs = tape.replayer.tape(game).runs
    assert runs != Runs(((1, len(runs)),)), "this game has nothing to renumber"
    head = tape.replayer.tape(game).head.seq
    for step in range(len(runs)):
        answer = tape.recorder.branch(game, step)
        rows = tape.log.events(answer.game)
        assert (answer.seq, answer.step, answer.appended) == (step + 1, step, step + 1)
        assert [(row.payload, row.recorded_at, row.by) for row in rows][1:] == entries(tape, game, step)[1:]
        begun, parents = json.loads(rows[0].payload), json.loads(tape.replayer.at(game, 0).payload)
        assert (list(begun)[-1], begun.pop("parent")) == (
            "parent",
            {"game": game, "head": head, "step": step},
        )
        assert parents.pop("parent") is None
        assert list(begun.items()) == list(parents.items())
        assert frozen(tape, answer.game) == frozen(tape, game, step)
        assert len(tape.log.commits(answer.game)) == 1


def test_what_becomes_of_the_parent_later_changes_nothing(tape: Tabletape, game: str) -> None:
    variation = tape.recorder.branch(game, 5).game
    before, file = entries(tape, variation), b"".join(export_tape(tape, variation))
    removed(tape, game, 2)
    tape.recorder.undo(game)
    tape.replayer.forget()
    assert (entries(tape, variation), b"".join(export_tape(tape, variation))) == (before, file)
    tape.recorder.record(variation, [ROUND[5]])
    assert tape.replayer.at(game).step != 6
    assert tape.replayer.at(variation).step == 6


def test_the_same_command_makes_one_variation_whatever_came_between(tape: Tabletape, game: str) -> None:
    first = tape.recorder.branch(game, 4, command_id="what-if-1", after=tape.replayer.tape(game).head.seq)
    assert first.game == "what-if-1"
    tape.recorder.undo(game, 6)
    again = tape.recorder.branch(game, 4, command_id="what-if-1", after=1)
    assert (again.game, again.seq, again.step, again.repeated) == (first.game, first.seq, first.step, True)
    with pytest.raises(CommandReused):
        tape.recorder.branch(game, 3, command_id="what-if-1")
    assert len(tape.catalogue.variations(game)) == 1


def test_an_id_of_ones_own(tape: Tabletape, game: str) -> None:
    assert tape.recorder.branch(game, 1, as_game="bold-attack").game == "bold-attack"
    assert tape.recorder.branch(game, 1, as_game="bold-attack").repeated
    with pytest.raises(GameIdTaken):
        tape.recorder.branch(game, 2, as_game="bold-attack")
    with pytest.raises(GameIdTaken):
        tape.recorder.branch(game, 2, as_game=game, command_id="another")
    with pytest.raises(BadId):
        tape.recorder.branch(game, 2, as_game="Bold!")


@pytest.mark.parametrize("step", [-1, 9, 10**30])
def test_a_step_that_is_not_there_is_refused(tape: Tabletape, game: str, step: int) -> None:
    with pytest.raises(UnknownStep):
        tape.recorder.branch(game, step)
    assert tape.log.games() == [game]


def test_a_step_is_that_of_the_head_it_was_asked_for(tape: Tabletape, game: str) -> None:
    with pytest.raises(Conflict):
        tape.recorder.branch(game, 2, after=3)
    with pytest.raises(UnknownGame):
        tape.recorder.branch("nothing", 0)
    assert tape.log.games() == [game]


def test_a_game_that_cannot_be_read_is_refused(tape: Tabletape, path: Path, game: str) -> None:
    with Tabletape.open(path, registry=registry_of(())) as other, pytest.raises(TextOnly):
        other.recorder.branch(game, 0)
    seq = tape.replayer.tape(game).runs.seq_at(4)
    damage(path, 'UPDATE events SET payload = \'{"kind":"spell_cast"}\' WHERE seq = ?', seq)
    tape.replayer.forget()
    with pytest.raises(Unreadable, match=f"Event {seq} of game {game}"):
        tape.recorder.branch(game, 4)
    assert tape.recorder.branch(game, 3).step == 3, "what stands before the fault can be left"


def test_a_row_that_is_gone_is_not_passed_over(tape: Tabletape, path: Path) -> None:
    game = begin(tape)
    play(tape, game, 60)
    damage(path, "DELETE FROM events WHERE seq = 20")
    tape.replayer.forget()
    with pytest.raises(Unreadable, match=f"Event 20 of game {game}"):
        tape.recorder.branch(game, 60)
    opened = tape.replayer.tape(game)
    with pytest.raises(Unreadable, match=f"Event 20 of game {game}"):
        branching.rows(tape.log, opened, Parent(game, opened.head.seq, 60))
    assert tape.log.games() == [game]


def test_a_record_that_ends_within_an_amendment_is_refused(tape: Tabletape, path: Path, game: str) -> None:
    file = b"".join(export_tape(tape, game)).split(b"\n")
    cut = next(place for place, line in enumerate(file) if b"record.amended" in line) + 1
    with Tabletape.open(path.with_name("other.db"), registry=REGISTRY) as other:
        import_tapes(other, [("cut.tape.jsonl", b"\n".join([*file[:cut], b'{"seq":']))])
        with pytest.raises(Unfinished):
            other.recorder.branch(game, 1)


def test_names_day_and_place_are_the_parents_and_notes_stay_with_it(tape: Tabletape, game: str) -> None:
    tape.notes.write(game, 2, text="bold")
    entry, parent = tape.catalogue.get(tape.recorder.branch(game, 3).game), tape.catalogue.get(game)
    assert (entry.seats, entry.played_on, entry.time_zone, entry.place) == (
        parent.seats,
        parent.played_on,
        parent.time_zone,
        parent.place,
    )
    assert entry.title == "Friday, from step 3"
    assert tape.catalogue.get(tape.recorder.branch(game, 3, title=" If only ").game).title == "If only"
    assert tape.catalogue.get(tape.recorder.branch(begin(tape), 0).game).title == "What if, from step 0"
    assert tape.notes.of(entry.game) == []
    with pytest.raises(BadDetail):
        tape.recorder.branch(game, 3, title="x" * 201)


def test_a_title_of_the_greatest_length_leaves_room_for_the_step(tape: Tabletape) -> None:
    game = begin(tape, title="x" * 200)
    title = tape.catalogue.get(tape.recorder.branch(game, 0).game).title
    assert title is not None
    assert len(title) == 200
    assert title.endswith("x, from step 0")


def test_rulings_and_checks_come_along_without_the_number_of_what_they_stand_for(
    tape: Tabletape, game: str
) -> None:
    removed(tape, game, 2)
    tape.recorder.rule(game, changes=[{"at": "/points/p1", "now": 3}], reason="a bet")
    tape.recorder.checked(game, {"points.p1": 3})
    opened = tape.replayer.tape(game)
    rulings = [json.loads(p) for p, _, _ in entries(tape, game) if "record.ruled" in p]
    assert [said for said in rulings if "instead_of" in said], "nothing stands for an event here"
    variation = tape.recorder.branch(game, opened.steps).game
    said = [json.loads(p) for p, _, _ in entries(tape, variation) if "record.ruled" in p]
    assert said == [{k: v for k, v in ruling.items() if k != "instead_of"} for ruling in rulings]
    assert tape.replayer.at(variation).kind == "record.checked"
    assert frozen(tape, variation) == frozen(tape, game)


def test_a_closed_game_may_be_left_at_its_end_and_gone_on_with_by_undo(tape: Tabletape, game: str) -> None:
    tape.recorder.record(game, [RecordClosed("agreed")])
    last = tape.replayer.tape(game).steps
    variation = tape.recorder.branch(game, last)
    assert variation.outcome is not None
    with pytest.raises(IllegalAction):
        tape.recorder.record(variation.game, ROUND[:1])
    tape.recorder.undo(variation.game)
    assert tape.replayer.at(variation.game).outcome() is None


def test_a_dealt_games_draws_are_dealt_anew_behind_the_step(tape: Tabletape) -> None:
    game = begin(tape, origin="dealt")
    tape.recorder.deal(game)
    variation = tape.recorder.branch(game, 1).game
    assert tape.recorder.deal(variation).appended


def test_a_variation_of_a_variation_leaves_that_one(tape: Tabletape, game: str) -> None:
    first = tape.recorder.branch(game, 4).game
    second = tape.recorder.branch(first, 2).game
    assert tape.replayer.tape(second).parent == Parent(first, 5, 2)
    assert [one.game for one in tape.catalogue.variations(game)] == [first]
    assert [one.game for one in tape.catalogue.variations(first)] == [second]


def test_lists_leave_variations_out_unless_asked(tape: Tabletape, game: str) -> None:
    other = begin(tape)
    first = tape.recorder.branch(game, 4).game
    assert [one.game for one in tape.catalogue.variations(game)] == [first], "at once, before any list"
    second = tape.recorder.branch(game, 2).game
    hidden = tape.recorder.branch(game, 2).game
    tape.recorder.branch(other, 0)
    tape.catalogue.hide(hidden)

    def ids(**asked: object) -> set[str]:
        return {entry.game for entry in tape.catalogue.list(**asked)}  # type: ignore[arg-type]

    assert ids() == ids(text="ann") == {game, other}
    assert ids(variations=True) >= {game, other, first, second}
    assert ids(of=game) == {first, second}
    assert ids(of=game, hidden=True) == {first, second, hidden}
    assert ids(of="nothing") == set()
    assert [one.game for one in tape.catalogue.variations(game)] == [first, second]


def test_variations_of_a_simulated_game_are_found(tape: Tabletape) -> None:
    (game,) = save(tape, [simulate(TOY.id, 2, 1, registry=REGISTRY)])
    variation = tape.recorder.branch(game, 3).game
    assert [entry.game for entry in tape.catalogue.list(of=game)] == [variation]
    assert tape.catalogue.list(variations=True) == []


def test_what_leaves_a_game_is_found_by_an_index(tape: Tabletape) -> None:
    with tape.log.reader() as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {branching._VARIATIONS}", branching.bounds("k7m2"))
        assert "catalogue_variations" in " ".join(row[3] for row in plan)


def test_export_and_import_keep_the_parent(tape: Tabletape, path: Path, game: str) -> None:
    variation = tape.recorder.branch(game, 6, title="If only").game
    files = [(name, b"".join(export_tape(tape, name))) for name in (game, variation)]
    for order in (files, files[::-1], files[1:]):
        with Tabletape.open(path.with_name(f"{len(order)}-{order[0][0]}.db"), registry=REGISTRY) as other:
            import_tapes(other, order)
            (found,) = other.catalogue.variations(game)
            assert (found.game, found.parent, found.title) == (
                variation,
                tape.replayer.tape(variation).parent,
                "If only",
            )
            assert b"".join(export_tape(other, variation)) == files[1][1]
            assert [entry.game for entry in other.catalogue.list(of=game)] == [variation]


# --- where it leaves now -------------------------------------------------------------------------------


def leaves_at(tape: Tabletape, game: str, variation: str) -> int | None:
    parent = tape.replayer.tape(variation).parent
    assert parent is not None
    return branching.leaves_at(tape.replayer.tape(game), parent)


def test_it_leaves_where_its_last_step_now_is(tape: Tabletape) -> None:
    game = begin(tape)
    tape.recorder.record(game, ROUND[:4])
    fourth, third = (tape.recorder.branch(game, step).game for step in (4, 3))
    assert (leaves_at(tape, game, fourth), leaves_at(tape, game, third)) == (4, 3)
    tape.recorder.amend(game, [Wish(5, Replace([CardLaid("p2", "c05")]))])
    assert leaves_at(tape, game, fourth) == 4, "what replaced the step stands there"
    tape.recorder.undo(game, 2)
    assert leaves_at(tape, game, fourth) is None
    assert leaves_at(tape, game, third) == 3


@pytest.mark.parametrize(
    "parent", [Parent("x", 10**9, 1), Parent("x", 0, 0), Parent("x", 9, -1), Parent("x", 2, 5)]
)
def test_a_place_that_never_was_is_no_step(tape: Tabletape, parent: Parent) -> None:
    game = begin(tape)
    tape.recorder.record(game, ROUND)
    assert branching.leaves_at(tape.replayer.tape(game), parent) is None


@pytest.fixture(autouse=True)
def _clock() -> Iterator[None]:
    with freeze_time("2026-09-15T18:00:00Z", auto_tick_seconds=60):
        yield
