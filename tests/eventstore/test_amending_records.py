"""Corrections of damaged, cut-off and long records, and of every ruleset's."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eventstore.audit.verify import verify
from eventstore.formats.record_file import export_record, import_records
from eventstore.recording.amending import HistoryEdit, Insert, Keep, Remove, Replace, Settlement
from eventstore.recording.commands import Amend, New, Record, Redo, Rule, Undo
from eventstore.refusals import (
    TextOnly,
    Unfinished,
)
from eventstore.store import Store
from games.core import fold
from games.core.events import Change, Event, RecordRuled
from games.core.registry import installed, registry_of
from games.examples.high_card import TOY, CardLaid, CardPassed
from games.testing import playout
from tests.eventstore.played import REGISTRY, begin, damage, play

LOWER = HistoryEdit(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


# --- damaged and cut-off records ---


def test_an_event_that_cannot_be_read_is_mended(store: Store, path: Path, game: str) -> None:
    damage(path, "UPDATE events SET payload = '{\"kind\":\"card_lost\"}', kind = 'card_lost' WHERE seq = 9")
    store.replays.forget()
    assert store.game(game).position().fault
    with pytest.raises(TextOnly):
        store.do(game, Record([CardLaid("p1", "c02")]))
    (fault,) = store.do(game, Amend([HistoryEdit(8, Replace([CardPassed("p2", "c08")]))])).result.faults
    assert (fault.seq, fault.code, fault.keepable) == (9, "unknown-kind", False)
    store.do(game, Amend([HistoryEdit(9, Replace([CardLaid("p1", "c02")]))]))
    assert store.game(game).position().readable


def test_a_game_without_its_ruleset_is_not_amended(store: Store, path: Path, game: str) -> None:
    with Store.open(path, registry=registry_of(())) as other, pytest.raises(TextOnly):
        other.do(game, Amend([HistoryEdit(9, Remove())]))


def test_a_file_that_ends_within_an_amendment_shows_the_version_before(
    store: Store, tmp_path: Path, game: str
) -> None:
    was = store.game(game).position().state
    store.do(game, Amend([HistoryEdit(9, Replace([CardLaid("p2", "c08"), CardLaid("p1", "c02")]))]))
    lines = b"".join(export_record(store, store.game(game))).splitlines(keepends=True)
    assert len(lines) == 13
    with Store.open(tmp_path / "other.db", registry=REGISTRY) as other:
        for end, appended in ((11, 1), (12, 1)):
            part = b"".join(lines[:end]) + b'{"seq":'
            assert import_records(other, [("part", part)])[0].events in {10, appended}
            assert other.game(game).position().state == was
            assert not other.game(game).amended
            acts: tuple[Callable[[], object], ...] = (
                lambda: other.do(game, Record([CardLaid("p2", "c08")])),
                lambda: other.do(game, Undo()),
                lambda: other.do(game, Amend([HistoryEdit(9, Remove())])),
                lambda: other.do(game, Rule("r", changes=[{"at": "/points/p2", "now": 5}])),
            )
            for act in acts:
                with pytest.raises(Unfinished, match="ends within an amendment"):
                    act()
        assert import_records(other, [("whole", b"".join(lines))])[0].events == 1
        assert other.game(game).position().state == store.game(game).position().state
        assert b"".join(export_record(other, other.game(game))) == b"".join(lines)


# --- long games, snapshots, other rulesets ---


def test_a_long_game_is_judged_again_from_the_first_changed_step_only(path: Path) -> None:
    judged: list[object] = []

    def check(state: Any, event: Any) -> None:
        judged.append(event)
        TOY.check(state, event)

    with Store.open(path, registry=registry_of((replace(TOY, check=check),))) as store:
        _long(store, judged)


def _long(store: Store, judged: list[object]) -> None:
    game = begin(store, options={"rounds": 100_000})
    play(store, game, 20_000)
    judged.clear()
    late = store.game(game).position(19_990)
    answer = store.do(game, Amend([HistoryEdit(late.seq, Replace([late.event]))]))  # type: ignore[list-item]
    assert (answer.result.faults, answer.step, answer.appended, len(judged)) == ((), 20_000, 2, 11)
    early = store.game(game).position(1)
    answer = store.do(game, Amend([HistoryEdit(early.seq, Replace([early.event]))]))  # type: ignore[list-item]
    assert (answer.result.faults, answer.step) == ((), 20_000)
    rng = random.Random(5)  # noqa: S311 - to be repeated
    for step in (rng.randint(0, 20_000) for _ in range(5)):
        assert store.game(game).position(step).state == store.game(game).state_from_start(step)


def test_snapshots_of_an_amendment_are_those_of_its_own_history(store: Store) -> None:
    game = begin(store, options={"rounds": 100_000})
    play(store, game, 600)
    was = [store.game(game).position(step).state for step in range(601)]
    store.do(
        game, Amend([HistoryEdit(11, Insert([RecordRuled("a bet", (Change("/round", 2, 3),))]))], reason="x")
    )
    for _ in range(2):
        assert store.game(game).position(400).state == store.game(game).state_from_start(400)
        assert store.game(game).position(601).state.round == was[600].round + 1
        assert verify(store).faults == ()
        store.do(game, Undo())
        store.replays.forget()
        assert [store.game(game).position(step).state for step in range(0, 601, 25)] == was[::25]
        assert verify(store).faults == ()
        store.do(game, Redo())
        store.replays.forget()


@pytest.mark.parametrize(("name", "version"), [(TOY.id, TOY.version), *installed()])
def test_amended_games_of_every_ruleset_are_legal_for_every_viewer(
    tmp_path: Path, name: str, version: int
) -> None:
    registry = REGISTRY if name == TOY.id else installed()
    rules = registry.find(name, version)
    rng = random.Random(version)  # noqa: S311 - to be repeated
    with (
        Store.open(tmp_path / "here.db", registry=registry) as store,
        Store.open(tmp_path / "there.db", registry=registry) as other,
    ):
        game = store.do(None, New(name, ["x"] * rules.seats[0], version=version)).game.id
        state = store.game(game).position().state
        events: list[Event] = []
        while len(events) < 60 and rules.outcome(state) is None:
            events.append(playout.next_event(rules, state, rng))
            state = fold.evolve(rules, state, events[-1])
        store.do(game, Record(events))
        kept = 0
        for _ in range(8):
            if store.game(game).position().step < 10:
                store.do(game, Undo())
            kept += _amended_at_random(store, game, rng)
            step = rng.randint(0, store.game(game).position().step)
            for viewer in fold.viewers(store.game(game).started):  # type: ignore[arg-type]
                file = b"".join(export_record(store, store.game(game, viewer=viewer)))
                found = import_records(other, [(viewer, file)], copy=True)[0].game
                if viewer != "everything":
                    continue
                assert found == game
                assert b"".join(export_record(other, other.game(game))) == file
                assert store.game(game).position(step).state == store.game(game).state_from_start(step)
        assert kept
        assert verify(store).faults == ()


def _amended_at_random(store: Store, game: str, rng: random.Random) -> int:
    """Remove an event; keep what can be kept of the rest, else remove it; give how many were kept."""
    steps = store.game(game).position().step
    wish = HistoryEdit(store.game(game).runs.seq_at(rng.randint(max(1, steps - 25), steps)), Remove())
    settle: dict[int, Settlement] = {}
    answer = store.do(game, Amend([wish], dry_run=True))
    while answer.result.faults:
        fault = answer.result.faults[0]
        settle[fault.seq] = Keep() if fault.keepable and rng.random() < 0.8 else Remove()
        answer = store.do(game, Amend([wish], settle=settle, dry_run=True))
    store.do(game, Amend([wish], settle=settle))
    return sum(isinstance(how, Keep) for how in settle.values())
