"""Recorder, replayer, notes and record file against an editor with two stacks."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from eventstore.exchange.tape import export_tape, import_tapes
from eventstore.refusals import NothingToRedo, NothingToUndo
from eventstore.tabletape import Tabletape
from eventstore.verify import verify
from games import replay, wire
from games.playout import next_event
from games.toy import TOY
from tests.eventstore.played import HOSTILE, REGISTRY, begin

VIEWERS = ("everything", "table", "p1", "p2")


class Editor(RuleBasedStateMachine):
    """The model: the states so far, and those that were undone last."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.place = Path(self.folder.name)
        self.tape = Tabletape.open(self.place / "games.db", registry=REGISTRY)
        self.copies = 0

    @initialize(names=st.sampled_from(HOSTILE))
    def begin(self, names: str) -> None:
        self.game = begin(self.tape, players=(names, names), title=names)
        self.states: list[Any] = [self.tape.replayer.at(self.game).state]
        self.undone: list[Any] = []
        self.notes: dict[str, str] = {}

    @rule(count=st.integers(1, 30), seed=st.integers(0, 9))
    def record(self, count: int, seed: int) -> None:
        rng, events = random.Random(seed), []  # noqa: S311 - to be repeated
        for _ in range(count):
            events.append(next_event(TOY, self.states[-1], rng))
            self.states.append(replay.evolve(TOY, self.states[-1], events[-1]))
        self.undone = []
        answer = self.tape.recorder.record(self.game, events)
        assert (answer.step, answer.appended) == (len(self.states) - 1, count)

    @rule(n=st.integers(1, 25))
    def undo(self, n: int) -> None:
        if n >= len(self.states):
            with pytest.raises(NothingToUndo):
                self.tape.recorder.undo(self.game, n)
            return
        self.tape.recorder.undo(self.game, n)
        for _ in range(n):
            self.undone.append(self.states.pop())

    @rule(n=st.integers(1, 25))
    def redo(self, n: int) -> None:
        if n > len(self.undone):
            with pytest.raises(NothingToRedo):
                self.tape.recorder.redo(self.game, n)
            return
        self.tape.recorder.redo(self.game, n)
        for _ in range(n):
            self.states.append(self.undone.pop())

    @rule(text=st.sampled_from(HOSTILE), data=st.data())
    def annotate(self, text: str, data: st.DataObject) -> None:
        seq = data.draw(st.integers(1, self.tape.replayer.at(self.game).head))
        note = self.tape.notes.write(self.game, seq, text=text)
        self.notes[note.id] = text

    @rule(data=st.data(), viewer=st.sampled_from(VIEWERS))
    def jump(self, data: st.DataObject, viewer: str) -> None:
        step = data.draw(st.integers(0, len(self.states) - 1))
        moment = self.tape.replayer.at(self.game, step, viewer)
        if viewer == "everything":
            assert moment.state == self.states[step]
        assert moment.state == self.tape.replayer.replay(self.game, step, viewer)

    @rule()
    def forget(self) -> None:
        self.tape.replayer.forget()

    @rule()
    def lose_the_keyframes(self) -> None:
        self.tape.log.keyframes.clear()

    @rule(viewer=st.sampled_from(VIEWERS))
    def send(self, viewer: str) -> None:
        self.copies += 1
        file = b"".join(export_tape(self.tape, self.game, viewer))
        with Tabletape.open(self.place / f"{self.copies}.db", registry=REGISTRY) as other:
            game = import_tapes(other, [("file", file)])[0].game
            assert b"".join(export_tape(other, game)) == file
            there, here = other.replayer.at(game), self.tape.replayer.at(self.game, viewer=viewer)
            assert wire.freeze(there.state) == wire.freeze(here.state)

    @invariant()
    def the_same(self) -> None:
        moment = self.tape.replayer.at(self.game)
        assert (moment.step, moment.state) == (len(self.states) - 1, self.states[-1])
        assert {note.id: note.text for note in self.tape.notes.of(self.game)} == self.notes
        (entry,) = self.tape.catalogue.list()
        assert (entry.steps, entry.seq) == (moment.step, moment.head)

    def teardown(self) -> None:
        assert verify(self.tape).faults == ()
        self.tape.close()
        self.folder.cleanup()


def test_the_store_is_an_editor_that_loses_nothing() -> None:
    run_state_machine_as_test(
        Editor,
        settings=settings(
            max_examples=20,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
