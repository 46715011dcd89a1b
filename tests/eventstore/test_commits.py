"""Decisions are committed one by one, or several in one transaction: all of them or none."""

from __future__ import annotations

import random

import pytest

from eventstore.access.actor import OWNER, Actor
from eventstore.errors import Conflict
from eventstore.recording.commands import Command, Decision, New, Record, Undo, WriteNote
from eventstore.store import Store
from games.examples.high_card import CardLaid
from tests.eventstore.played import ROUND

ANN = Actor("Ann")
CHANCE = random.Random(1)  # noqa: S311 - to be repeated


def begin(store: Store, name: str) -> str:
    store.do(None, New("high-card", ["Ann", "Bo"], game=name))
    store.do(name, Record(ROUND))
    return name


def decided(store: Store, game: str, command: Command) -> Decision:
    return command.complete(lambda count: "x" * count).decide(store.game(game, ANN), CHANCE)


def test_several_decisions_are_committed_together(store: Store) -> None:
    first, second = begin(store, "first"), begin(store, "second")
    sent = [
        decided(store, first, Record([CardLaid("p2", "c05")], id="one")),
        decided(store, second, Undo(2, id="two")),
        decided(store, second, WriteNote(2, text="seen", id="three")),
    ]
    answers = store.commit_all(sent, ANN)
    assert [(one.game.id, one.appended, one.repeated) for one in answers] == [
        (first, 1, False),
        (second, 2, False),
        (second, 1, False),
    ]
    assert [one.step for one in answers[:2]] == [store.game(first).steps, store.game(second).steps]
    assert [note.text for note in store.game(second).all_notes] == ["seen"]
    again = store.commit_all(sent, ANN)
    assert [one.repeated for one in again] == [True, True, True]
    assert [one.step for one in again[:2]] == [one.step for one in answers[:2]]


def test_one_that_somebody_was_faster_than_takes_all_back(store: Store) -> None:
    first, second = begin(store, "first"), begin(store, "second")
    heads = store.head(first), store.head(second)
    sent = [decided(store, first, Undo(1)), decided(store, second, Undo(2))]
    store.do(second, Undo(1))
    with pytest.raises(Conflict) as refused:
        store.commit_all(sent, ANN)
    assert refused.value.game == second
    assert (store.head(first), store.head(second)) == (heads[0], (heads[1] or 0) + 1)
    assert store.game(first).steps == len(ROUND)


def test_new_is_decided_by_begin(store: Store) -> None:
    game = store.game(begin(store, "first"), OWNER)
    with pytest.raises(TypeError, match="begin"):
        New("high-card", ["Ann", "Bo"]).decide(game, CHANCE)
