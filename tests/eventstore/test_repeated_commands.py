"""Every kind of command, sent twice under one id with the game moved on in between, gets its first answer."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from eventstore.access.actor import Actor
from eventstore.errors import CommandReused, Conflict
from eventstore.log.note import Note
from eventstore.recording import commands
from eventstore.recording.amending import HistoryEdit, Replace
from eventstore.recording.commands import (
    Amend,
    Answer,
    Branch,
    Check,
    Command,
    Deal,
    New,
    Record,
    Redo,
    RemoveNote,
    Restore,
    Rule,
    Undo,
    WriteNote,
)
from eventstore.refusals import GameIdTaken, UnknownNote
from eventstore.replay.game import Game
from eventstore.store import Store
from games.core.events import RecordClosed
from games.core.ruleset import IllegalAction
from games.examples.high_card import TOY, CardLaid, CardPassed
from tests.eventstore.played import ROUND, begin

Made = Callable[[Store, str], Command]
ID = "sent-twice"


def noted(store: Store, game: str) -> Command:
    note = store.do(game, WriteNote(2, text="as it was", new="anote234")).result
    return RemoveNote(note.id, id=ID)


def undone(store: Store, game: str) -> Command:
    store.do(game, Undo())
    return Redo(id=ID)


def left(store: Store, game: str) -> Command:
    store.do(game, Undo(2))
    store.do(game, Record([CardPassed("p2", "c08")]))
    (line,) = store.game(game).lines
    return Restore(line.tip, id=ID)


KINDS: dict[str, Made] = {
    "Record": lambda _store, _game: Record([CardLaid("p2", "c05")], id=ID),
    "Undo": lambda _store, _game: Undo(2, id=ID),
    "Redo": undone,
    "Restore": left,
    "Amend": lambda _store, _game: Amend(
        [HistoryEdit(8, Replace([CardPassed("p2", "c08")]))], reason="it was c08", id=ID
    ),
    "Rule": lambda _store, _game: Rule("agreed", changes=[{"at": "/points/p1", "now": 7}], id=ID),
    "Check": lambda _store, _game: Check({"deck": 6}, id=ID),
    "Branch": lambda _store, _game: Branch(3, id=ID),
    "WriteNote": lambda _store, _game: WriteNote(2, text="once", id=ID),
    "RemoveNote": noted,
}


def test_every_command_is_tried() -> None:
    kinds = {name for name in commands.__all__ if isinstance(getattr(commands, name), type)}
    tried = {*KINDS, "New", "Deal"}
    assert {name for name in kinds if issubclass(getattr(commands, name), Command)} - {"Command"} == tried


def plain(answer: Answer) -> dict[str, Any]:
    """What an answer says; that of a note says nothing of the game, which may have moved on."""
    if isinstance(answer.result, Note):
        return {"note": answer.result, "head": answer.game.notes_head}
    return {name: value for name, value in answer.plain().items() if name != "repeated"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moved_on", ["by a move", "closed", "undone"])
def test_a_repeat_gets_its_first_answer(store: Store, kind: str, moved_on: str) -> None:
    game = begin(store)
    store.do(game, Record(ROUND))
    command = KINDS[kind](store, game)
    first = store.do(game, command)
    count = len(store.log.games())
    match moved_on:
        case "by a move" if store.game(game).closing is None:
            store.do(game, Rule("otherwise", changes=[{"at": "/points/p2", "now": 5}]))
        case "closed" if store.game(game).closing is None:
            store.do(game, Record([RecordClosed("abandoned")]))
        case _:
            store.do(game, Undo(again=True))
    head, notes = store.game(game).head, store.game(game).notes_head
    again = store.do(game, command)
    assert (first.repeated, again.repeated) == (False, True)
    assert plain(again) == plain(first)
    assert (store.game(game).head, store.game(game).notes_head, len(store.log.games())) == (
        head,
        notes,
        count,
    )


def test_a_command_that_never_was_has_no_answer(store: Store) -> None:
    game = begin(store)
    assert store.answer_to(store.game(game), "never") is None


def test_the_repeat_of_a_variation_is_looked_at_as_its_first_answer_was(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(ROUND))
    first, again = (store.do(game, Branch(3, id=ID), viewer="p1") for _ in range(2))
    assert (first.game.viewer, again.game.viewer) == ("p1", "p1")
    assert first.game == again.game


def test_two_new_games_that_wish_for_one_id_at_the_same_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = store.answered

    def overtaken(*asked: Any) -> Answer | None:
        found = answered(*asked)
        monkeypatch.undo()
        begin(store, game="friday", players=("Cem", "Dag"))
        return found

    monkeypatch.setattr(store, "answered", overtaken)
    with pytest.raises(GameIdTaken):
        begin(store, game="friday")
    assert store.game("friday").names == {"p1": "Cem", "p2": "Dag"}


def test_a_note_goes_in_beside_another_one_though_it_names_the_head_of_the_game(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = begin(store)
    head = store.do(game, Record(ROUND)).game.head
    decide = WriteNote.decide

    def overtaken(command: WriteNote, opened: Game, chance: Any) -> Any:
        decided = decide(command, opened, chance)
        monkeypatch.undo()
        store.do(game, WriteNote(2, text="first"))
        return decided

    monkeypatch.setattr(WriteNote, "decide", overtaken)
    store.do(game, WriteNote(3, text="second", after=head))
    assert [note.text for note in store.game(game).all_notes] == ["first", "second"]
    with pytest.raises(Conflict) as refused:
        store.do(game, WriteNote(3, text="third", after=head - 1))
    assert (refused.value.game, refused.value.head) == (game, head)


def test_a_guest_enters_nothing_where_cards_are_hidden(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(ROUND))
    note = store.do(game, WriteNote(2, text="x", new="anote234")).result
    guest = Actor("guest", None, sees_all=False)
    tried = (Record([CardLaid("p2", "c05")]), Undo(), WriteNote(2, text="y"), RemoveNote(note.id))
    for command in tried:
        with pytest.raises(IllegalAction) as refused:
            store.do(game, command, guest)
        assert refused.value.code == "not-yours", command
    seat = Actor("p2", "p2", sees_all=False)
    assert store.do(game, Record([CardLaid("p2", "c05")]), seat).game.steps == len(ROUND) + 1


def test_the_second_would_be_refused_without_the_id(store: Store) -> None:
    game = begin(store)
    store.do(game, Record(ROUND))
    store.do(game, Record([CardLaid("p2", "c05")], id=ID))
    with pytest.raises(IllegalAction):
        store.do(game, Record([CardLaid("p2", "c05")]))
    assert store.do(game, Record([CardLaid("p2", "c05")], id=ID)).repeated
    note = store.do(game, WriteNote(2, text="x", new="anote234")).result
    store.do(game, RemoveNote(note.id, id="gone"))
    with pytest.raises(UnknownNote):
        store.do(game, RemoveNote(note.id))
    assert store.do(game, RemoveNote(note.id, id="gone")).result == note


@pytest.mark.parametrize("kind", KINDS)
def test_another_request_under_the_id_is_refused(store: Store, kind: str) -> None:
    game = begin(store)
    store.do(game, Record(ROUND))
    command = KINDS[kind](store, game)
    store.do(game, command)
    other = Branch(4, id=ID) if kind == "Branch" else WriteNote(1, text="y", id=ID)
    if kind not in {"Branch", "WriteNote", "RemoveNote"}:
        other = Record([RecordClosed("conceded", seat="p1")], id=ID)
    with pytest.raises(CommandReused):
        store.do(game, other)


def test_a_game_and_its_draws_are_begun_once(store: Store) -> None:
    new = New(TOY.id, ("Ann", "Bo"), origin="dealt", id=ID)
    first = store.do(None, new)
    dealt = store.do(first.game.id, Deal(id="dealt"), chance=random.Random(1))  # noqa: S311 - to be repeated
    store.do(first.game.id, Undo(again=True))
    again = store.do(first.game.id, Deal(id="dealt"), chance=random.Random(2))  # noqa: S311 - another draw
    assert plain(again) == plain(dealt)
    assert plain(store.do(None, new)) == plain(first)
