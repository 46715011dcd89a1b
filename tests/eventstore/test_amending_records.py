"""Corrections of damaged, cut-off and long records, and of every ruleset's."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eventstore.audit.verify import verify
from eventstore.formats.record_file import export_tape, import_tapes
from eventstore.recording.amending import Insert, Keep, Remove, Replace, Settlement, Wish
from eventstore.refusals import (
    TextOnly,
    Unfinished,
)
from eventstore.store import Tabletape
from games.core import fold
from games.core.events import Change, Event, RecordRuled
from games.core.registry import installed, registry_of
from games.examples.high_card import TOY, CardLaid, CardPassed
from games.testing import playout
from tests.eventstore.played import REGISTRY, begin, damage, play

LOWER = Wish(1, Replace([{"kind": "record.started", "options": {"scores": "lower"}}]))
"""The other wins the first turn, so that p2 draws in p1's place."""


# --- damaged and cut-off records ---


def test_an_event_that_cannot_be_read_is_mended(tape: Tabletape, path: Path, game: str) -> None:
    damage(path, "UPDATE events SET payload = '{\"kind\":\"card_lost\"}', kind = 'card_lost' WHERE seq = 9")
    tape.replayer.forget()
    assert tape.replayer.at(game).fault
    with pytest.raises(TextOnly):
        tape.recorder.record(game, [CardLaid("p1", "c02")])
    (fault,) = tape.recorder.amend(game, [Wish(8, Replace([CardPassed("p2", "c08")]))]).faults
    assert (fault.seq, fault.code, fault.keepable) == (9, "unknown-kind", False)
    tape.recorder.amend(game, [Wish(9, Replace([CardLaid("p1", "c02")]))])
    assert tape.replayer.at(game).readable


def test_a_game_without_its_ruleset_is_not_amended(tape: Tabletape, path: Path, game: str) -> None:
    with Tabletape.open(path, registry=registry_of(())) as other, pytest.raises(TextOnly):
        other.recorder.amend(game, [Wish(9, Remove())])


def test_a_file_that_ends_within_an_amendment_shows_the_version_before(
    tape: Tabletape, tmp_path: Path, game: str
) -> None:
    was = tape.replayer.at(game).state
    tape.recorder.amend(game, [Wish(9, Replace([CardLaid("p2", "c08"), CardLaid("p1", "c02")]))])
    lines = b"".join(export_tape(tape, game)).splitlines(keepends=True)
    assert len(lines) == 13
    with Tabletape.open(tmp_path / "other.db", registry=REGISTRY) as other:
        for end, appended in ((11, 1), (12, 1)):
            part = b"".join(lines[:end]) + b'{"seq":'
            assert import_tapes(other, [("part", part)])[0].events in {10, appended}
            assert other.replayer.at(game).state == was
            assert not other.replayer.tape(game).amended
            acts: tuple[Callable[[], object], ...] = (
                lambda: other.recorder.record(game, [CardLaid("p2", "c08")]),
                lambda: other.recorder.undo(game),
                lambda: other.recorder.amend(game, [Wish(9, Remove())]),
                lambda: other.recorder.rule(game, changes=[{"at": "/points/p2", "now": 5}], reason="r"),
            )
            for act in acts:
                with pytest.raises(Unfinished, match="ends within an amendment"):
                    act()
        assert import_tapes(other, [("whole", b"".join(lines))])[0].events == 1
        assert other.replayer.at(game).state == tape.replayer.at(game).state
        assert b"".join(export_tape(other, game)) == b"".join(lines)


# --- long games, keyframes, other rulesets ---


def test_a_long_game_is_judged_again_from_the_first_changed_step_only(path: Path) -> None:
    judged: list[object] = []

    def check(state: Any, event: Any) -> None:
        judged.append(event)
        TOY.check(state, event)

    with Tabletape.open(path, registry=registry_of((replace(TOY, check=check),))) as tape:
        _long(tape, judged)


def _long(tape: Tabletape, judged: list[object]) -> None:
    game = begin(tape, options={"rounds": 100_000})
    play(tape, game, 20_000)
    judged.clear()
    late = tape.replayer.at(game, 19_990)
    answer = tape.recorder.amend(game, [Wish(late.seq, Replace([late.event]))])  # type: ignore[list-item]
    assert (answer.faults, answer.step, answer.appended, len(judged)) == ((), 20_000, 2, 11)
    early = tape.replayer.at(game, 1)
    answer = tape.recorder.amend(game, [Wish(early.seq, Replace([early.event]))])  # type: ignore[list-item]
    assert (answer.faults, answer.step) == ((), 20_000)
    rng = random.Random(5)  # noqa: S311 - to be repeated
    for step in (rng.randint(0, 20_000) for _ in range(5)):
        assert tape.replayer.at(game, step).state == tape.replayer.replay(game, step)


def test_keyframes_of_an_amendment_are_those_of_its_own_history(tape: Tabletape) -> None:
    game = begin(tape, options={"rounds": 100_000})
    play(tape, game, 600)
    was = [tape.replayer.at(game, step).state for step in range(601)]
    tape.recorder.amend(
        game, [Wish(11, Insert([RecordRuled("a bet", (Change("/round", 2, 3),))]))], reason="x"
    )
    for _ in range(2):
        assert tape.replayer.at(game, 400).state == tape.replayer.replay(game, 400)
        assert tape.replayer.at(game, 601).state.round == was[600].round + 1
        assert verify(tape).faults == ()
        tape.recorder.undo(game)
        tape.replayer.forget()
        assert [tape.replayer.at(game, step).state for step in range(0, 601, 25)] == was[::25]
        assert verify(tape).faults == ()
        tape.recorder.redo(game)
        tape.replayer.forget()


@pytest.mark.parametrize(("name", "version"), [(TOY.id, TOY.version), *installed()])
def test_amended_games_of_every_ruleset_are_legal_for_every_viewer(
    tmp_path: Path, name: str, version: int
) -> None:
    registry = REGISTRY if name == TOY.id else installed()
    rules = registry.find(name, version)
    rng = random.Random(version)  # noqa: S311 - to be repeated
    with (
        Tabletape.open(tmp_path / "here.db", registry=registry) as tape,
        Tabletape.open(tmp_path / "there.db", registry=registry) as other,
    ):
        game = tape.recorder.new(name, ["x"] * rules.seats[0], version=version).game
        state = tape.replayer.at(game).state
        events: list[Event] = []
        while len(events) < 60 and rules.outcome(state) is None:
            events.append(playout.next_event(rules, state, rng))
            state = fold.evolve(rules, state, events[-1])
        tape.recorder.record(game, events)
        kept = 0
        for _ in range(8):
            if tape.replayer.at(game).step < 10:
                tape.recorder.undo(game)
            kept += _amended_at_random(tape, game, rng)
            step = rng.randint(0, tape.replayer.at(game).step)
            for viewer in fold.viewers(tape.replayer.tape(game).started):  # type: ignore[arg-type]
                file = b"".join(export_tape(tape, game, viewer))
                found = import_tapes(other, [(viewer, file)], copy=True)[0].game
                if viewer != "everything":
                    continue
                assert found == game
                assert b"".join(export_tape(other, game)) == file
                assert tape.replayer.at(game, step).state == tape.replayer.replay(game, step)
        assert kept
        assert verify(tape).faults == ()


def _amended_at_random(tape: Tabletape, game: str, rng: random.Random) -> int:
    """Remove an event; keep what can be kept of the rest, else remove it; give how many were kept."""
    steps = tape.replayer.at(game).step
    wish = Wish(tape.replayer.tape(game).runs.seq_at(rng.randint(max(1, steps - 25), steps)), Remove())
    settle: dict[int, Settlement] = {}
    answer = tape.recorder.amend(game, [wish], dry_run=True)
    while answer.faults:
        fault = answer.faults[0]
        settle[fault.seq] = Keep() if fault.keepable and rng.random() < 0.8 else Remove()
        answer = tape.recorder.amend(game, [wish], settle=settle, dry_run=True)
    tape.recorder.amend(game, [wish], settle=settle)
    return sum(isinstance(how, Keep) for how in settle.values())
