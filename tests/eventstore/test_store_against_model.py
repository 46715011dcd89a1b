"""Commands, positions, notes and record file against an editor with two stacks, amended as a plain list."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from eventstore.audit.verify import verify
from eventstore.formats.record_file import export_record, import_records
from eventstore.recording.amending import Cut, Fault, HistoryEdit, Insert, Keep, Remove, Replace, Settlement
from eventstore.recording.commands import Amend, Record, Redo, Undo, WriteNote
from eventstore.recording.rulings import said
from eventstore.refusals import NothingToRedo, NothingToUndo
from eventstore.store import Store
from games.core import fold, serialization
from games.core.events import Event, RecordRuled
from games.core.ruleset import DeadEnd, IllegalAction
from games.examples.high_card import TOY
from games.testing.playout import next_event
from tests.eventstore.played import HOSTILE, REGISTRY, begin

MOST_SETTLED = 6
"""After so many settlements the rest of the game is cut off."""
PLAYER = replace(TOY, bot=None)
"""The core's random player: the bot expects hands that no ruling has touched."""
WAYS = ("remove", "replace", "keep", "keep")
VIEWERS = ("everything", "table", "p1", "p2")


class Remade(NamedTuple):
    """What a plain list makes of an amendment."""

    faults: list[int]
    """The steps that became impossible, as if each were removed."""
    states: list[Any]
    """At step 0, then after each event."""
    events: list[Event]
    stuck: Any
    """The state in which the first of them could not be."""


def remade(
    start: Any, old: Sequence[Event], wish: tuple[str, int, Sequence[Event]], settled: dict[int, Settled]
) -> Remade:
    """Amend a list, one event after the other."""
    made = Remade([], [start], [], None)
    how, where, given = wish

    def put(events: Sequence[Event]) -> None:
        for event in events:
            made.events.append(event)
            made.states.append(fold.evolve(TOY, made.states[-1], event))

    for step, event in enumerate(old, 1):
        if step == where and how != "insert":
            put(given)
            continue
        try:
            fold.check(TOY, made.states[-1], event, seats=("p1", "p2"), closed=False)
        except IllegalAction:
            if step in settled and settled[step] is None:
                break
            if step not in settled:
                made.faults.append(step)
                made = made if made.stuck is not None else made._replace(stuck=made.states[-1])
            put(settled.get(step) or ())
        else:
            put([event])
        if step == where:
            put(given)
    return made


Settled = Sequence[Event] | None
"""The events in the place of one that became impossible; None cuts there."""


def chosen(state: Any, rng: random.Random) -> Event | None:
    """What the core's random player does; nothing where a ruling has left nothing that is legal."""
    try:
        event = next_event(PLAYER, state, rng)
        fold.check(TOY, state, event, seats=("p1", "p2"), closed=False)
    except (DeadEnd, IllegalAction, LookupError, ValueError):
        return None
    return event


def settlement(
    way: str, fault: Fault, event: Event, stuck: Any, rng: random.Random
) -> tuple[Settled, Settlement]:
    """Settle a fault, for the list and for the store."""
    if way == "cut":
        return None, Cut()
    other = chosen(stuck, rng)
    if way == "remove" or (way == "replace" and other is None):
        return (), Remove()
    if way == "replace" and other is not None:
        return (other,), Replace([other])
    if isinstance(event, RecordRuled):
        changes = fold.fitted(stuck, event.changes)
    else:
        after = fold.evolve(TOY, stuck, event)
        changes = tuple(fold.difference(serialization.plain_state(stuck), serialization.plain_state(after)))
    return (RecordRuled("agreed", changes, fault.seq, said(TOY, stuck, event)),), Keep("agreed")


class Editor(RuleBasedStateMachine):
    """The model: every version of the list of events so far, and those that were undone last."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.place = Path(self.folder.name)
        self.store = Store.open(self.place / "games.db", registry=REGISTRY)
        self.copies = 0

    @initialize(names=st.sampled_from(HOSTILE))
    def begin(self, names: str) -> None:
        self.game = begin(self.store, players=(names, names), title=names)
        self.start: Any = self.store.game(self.game).position().state
        self.versions: list[tuple[list[Any], list[Event]]] = [([self.start], [])]
        self.undone: list[tuple[list[Any], list[Event]]] = []
        self.notes: dict[str, str] = {}

    @property
    def states(self) -> list[Any]:
        return self.versions[-1][0]

    @rule(count=st.integers(1, 30), seed=st.integers(0, 9))
    def record(self, count: int, seed: int) -> None:
        rng, new = random.Random(seed), []  # noqa: S311 - to be repeated
        for _ in range(count):
            states, events = self.versions[-1]
            event = chosen(states[-1], rng)
            if event is None:
                break
            new.append(event)
            self.versions.append(([*states, fold.evolve(TOY, states[-1], new[-1])], [*events, new[-1]]))
        if new:
            self.undone = []
            answer = self.store.do(self.game, Record(new))
            assert (answer.step, answer.appended) == (len(self.states) - 1, len(new))

    @precondition(lambda self: len(self.states) > 1)
    @rule(data=st.data(), how=st.sampled_from(("replace", "remove", "insert")), seed=st.integers(0, 99))
    def amend(self, data: st.DataObject, how: str, seed: int) -> None:
        rng = random.Random(seed)  # noqa: S311 - to be repeated
        states, old = self.versions[-1]
        step = data.draw(st.integers(1, len(old)))
        before = states[step if how == "insert" else step - 1]
        event = chosen(before, rng)
        if event is None:
            return
        given = [] if how == "remove" else [event]
        do = Remove() if how == "remove" else Replace(given) if how == "replace" else Insert(given)
        runs = self.store.game(self.game).runs
        wish = [HistoryEdit(runs.seq_at(step), do)]
        settled: dict[int, Settled] = {}
        settle: dict[int, Settlement] = {}
        while True:
            made = remade(self.start, old, (how, step, given), settled)
            answer = self.store.do(self.game, Amend(wish, settle=settle, dry_run=True))
            assert [fault.step for fault in answer.result.faults] == made.faults[:200]
            assert answer.step == len(made.events) or answer.result.unjudged
            if not answer.result.faults:
                break
            fault = answer.result.faults[0]
            way = "cut" if len(settled) >= MOST_SETTLED else rng.choice(WAYS[: 4 if fault.keepable else 2])
            event = old[fault.step - 1]
            settled[fault.step], settle[fault.seq] = settlement(way, fault, event, made.stuck, rng)
        answer = self.store.do(self.game, Amend(wish, settle=settle))
        assert answer.step == len(made.events)
        positions = self.store.game(self.game).positions()
        assert [position.event for position in positions][1:] == made.events
        self.versions.append((made.states, made.events))
        self.undone = []

    @rule(n=st.integers(1, 25))
    def undo(self, n: int) -> None:
        if n >= len(self.versions):
            with pytest.raises(NothingToUndo):
                self.store.do(self.game, Undo(n))
            return
        self.store.do(self.game, Undo(n))
        for _ in range(n):
            self.undone.append(self.versions.pop())

    @rule(n=st.integers(1, 25))
    def redo(self, n: int) -> None:
        if n > len(self.undone):
            with pytest.raises(NothingToRedo):
                self.store.do(self.game, Redo(n))
            return
        self.store.do(self.game, Redo(n))
        for _ in range(n):
            self.versions.append(self.undone.pop())

    @rule(text=st.sampled_from(HOSTILE), data=st.data())
    def annotate(self, text: str, data: st.DataObject) -> None:
        seq = data.draw(st.integers(1, self.store.game(self.game).position().head))
        note = self.store.do(self.game, WriteNote(seq, text=text)).result
        self.notes[note.id] = text

    @rule(data=st.data(), viewer=st.sampled_from(VIEWERS))
    def jump(self, data: st.DataObject, viewer: str) -> None:
        step = data.draw(st.integers(0, len(self.states) - 1))
        position = self.store.game(self.game, viewer=viewer).position(step)
        if viewer == "everything":
            assert position.state == self.states[step]
        assert position.state == self.store.game(self.game, viewer=viewer).state_from_start(step)

    @rule()
    def forget(self) -> None:
        self.store.replays.forget()

    @rule()
    def lose_the_snapshots(self) -> None:
        self.store.log.snapshots.clear()

    @rule(viewer=st.sampled_from(VIEWERS))
    def send(self, viewer: str) -> None:
        self.copies += 1
        file = b"".join(export_record(self.store, self.store.game(self.game, viewer=viewer)))
        with Store.open(self.place / f"{self.copies}.db", registry=REGISTRY) as other:
            game = import_records(other, [("file", file)])[0].game
            assert b"".join(export_record(other, other.game(game))) == file
            there, here = other.game(game).position(), self.store.game(self.game, viewer=viewer).position()
            assert serialization.freeze(there.state) == serialization.freeze(here.state)

    @invariant()
    def the_same(self) -> None:
        position = self.store.game(self.game).position()
        assert (position.step, position.state) == (len(self.states) - 1, self.states[-1])
        assert {note.id: note.text for note in self.store.game(self.game).all_notes} == self.notes
        (entry,) = self.store.catalogue.list()
        assert (entry.steps, entry.seq) == (position.step, position.head)

    def teardown(self) -> None:
        assert verify(self.store).faults == ()
        self.store.close()
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
