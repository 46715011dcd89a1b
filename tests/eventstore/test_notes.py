"""Notes stay with their event, through undo, amendments and two people's edits."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from freezegun import freeze_time

from eventstore.access.actor import Actor
from eventstore.errors import CommandReused, UnknownGame, Unreadable
from eventstore.formats.record_file import export_record
from eventstore.log.note import Note
from eventstore.recording.commands import Redo, RemoveNote, Undo, WriteNote
from eventstore.recording.commands.note import well_formed
from eventstore.refusals import BadDetail, StaleNote, UnknownEvent, UnknownNote
from eventstore.store import Store
from tests.eventstore.played import HOSTILE, REGISTRY, begin, damage, play
from tests.eventstore.test_replay import append


@freeze_time("2026-09-14T18:03:05.123456Z")
def test_a_note_is_kept_beside_the_game(store: Store, path: Path) -> None:
    game = begin(store)
    play(store, game, 3)
    head = store.log.head(game)
    note = store.do(
        game, WriteNote(3, text="a slip\r\nor not", glyph="?!", tags=(" hand ", "hand", "p1")), Actor("u3")
    ).result
    assert note == Note(
        note.id, 3, "2026-09-14T18:03:05.123456Z", "u3", "a slip\nor not", "?!", ("hand", "p1"), 1
    )
    assert store.log.head(game) == head
    with Store.open(path, registry=REGISTRY) as later:
        assert later.game(game).all_notes == [note]
    assert store.log.events(f"{game}/notes")[0].payload == (
        f'{{"kind":"note.written","id":"{note.id}","seq":3,"text":"a slip\\nor not",'
        '"glyph":"?!","tags":["hand","p1"]}'
    )


def test_a_seat_reads_what_was_written_with_its_keys_and_no_other_note(store: Store) -> None:
    game = begin(store)
    play(store, game, 3)
    store.access.add("ann", seat="p1")
    store.access.add("lost", seat="p1")
    store.access.revoke("lost")
    store.access.add("bo", seat="p2")
    store.access.add()
    for by in ("p1", "ann", "lost", "p2", "bo", "table-key", "recorder", "unknown"):
        store.do(game, WriteNote(3, text=by), Actor(by))

    def read(viewer: str) -> set[str]:
        return {
            note.text
            for notes in store.notes_by_step(store.game(game, viewer=viewer)).values()
            for note in notes
        }

    assert read("p1") == {"p1", "ann", "lost"}
    assert read("p2") == {"p2", "bo"}
    assert store.notes_by_step(store.game(game, viewer="table")) == {}
    assert read("everything") == {note.text for note in store.game(game).all_notes}
    file = b"".join(export_record(store, store.game(game, viewer="p1"))).decode()
    assert {json.loads(line)["note"]["text"] for line in file.splitlines() if '"note"' in line} == read("p1")


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_kept_as_it_is(store: Store, text: str) -> None:
    game = begin(store)
    store.do(game, WriteNote(1, text=text, tags=(text[:40],)))
    assert [(note.text, note.tags) for note in store.game(game).all_notes] == [(text, (text[:40].strip(),))]


def test_an_edit_names_the_version_and_the_second_editor_sees_both_texts(store: Store) -> None:
    game = begin(store)
    first = store.do(game, WriteNote(1, text="one")).result
    second = store.do(game, WriteNote(1, text="two", note=first.id, replaces=first.version)).result
    assert (second.id, second.version, second.text) == (first.id, 2, "two")
    with pytest.raises(StaleNote) as told:
        store.do(game, WriteNote(1, text="my two", note=first.id, replaces=first.version))
    assert (told.value.theirs, told.value.yours, told.value.code) == (second, "my two", "stale-note")
    assert store.game(game).all_notes == [second]
    assert store.do(game, WriteNote(1, text="three", note=first.id)).result.text == "three"


def test_a_removed_note_is_gone_and_stays_in_the_log(store: Store) -> None:
    game = begin(store)
    note = store.do(game, WriteNote(1, glyph="!!")).result
    assert store.do(game, RemoveNote(note.id)).result == note
    assert store.game(game).all_notes == []
    assert [row.kind for row in store.log.events(f"{game}/notes")] == ["note.written", "note.removed"]
    for command in (
        lambda: store.do(game, RemoveNote(note.id)).result,
        lambda: store.do(game, WriteNote(1, text="x", note=note.id)).result,
    ):
        with pytest.raises(UnknownNote):
            command()


def test_a_repeat_is_one_note(store: Store) -> None:
    game = begin(store)
    first = store.do(game, WriteNote(1, text="one", id="n1")).result
    assert store.do(game, WriteNote(1, text="one", id="n1")).result == first
    assert store.game(game).all_notes == [first]
    with pytest.raises(CommandReused):
        store.do(game, WriteNote(1, text="two", id="n1"))
    gone = store.do(game, RemoveNote(first.id, id="n2")).result
    assert store.do(game, RemoveNote(first.id, id="n2")).result == gone


def test_notes_come_by_event_then_by_id(store: Store) -> None:
    game = begin(store)
    play(store, game, 3)
    notes = [store.do(game, WriteNote(seq, text="x")).result for seq in (4, 2, 2, 3)]
    assert store.game(game).all_notes == sorted(notes, key=lambda note: (note.seq, note.id))


def test_a_note_goes_where_its_event_goes(store: Store) -> None:
    game = begin(store)
    play(store, game, 3)
    on_deal = store.do(game, WriteNote(2, text="the deal")).result
    on_last = store.do(game, WriteNote(4, text="the last")).result
    assert store.game(game).all_notes_by_step() == {1: [on_deal], 3: [on_last]}
    store.do(game, Undo())
    assert store.game(game).all_notes_by_step() == {1: [on_deal], None: [on_last]}
    store.do(game, Redo())
    payload = store.log.events(game, 2, 2)[0].payload
    append(
        store, game, '{"kind":"record.amended","edits":[{"after":1,"drop":1,"put":1}],"reason":"r"}', payload
    )
    assert store.game(game).all_notes_by_step() == {1: [on_deal], 3: [on_last]}
    append(store, game, '{"kind":"record.amended","edits":[{"after":3,"drop":1,"put":0}],"reason":"r"}')
    assert store.game(game).all_notes_by_step() == {1: [on_deal], None: [on_last]}


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({}, BadDetail),
        ({"text": " \n"}, BadDetail),
        ({"text": "x" * 10_001}, BadDetail),
        ({"text": "a\x07"}, BadDetail),
        ({"text": "a\ud800"}, BadDetail),
        ({"glyph": "!!!"}, BadDetail),
        ({"glyph": "!", "tags": ["x" * 41]}, BadDetail),
        ({"glyph": "!", "tags": ["a\nb"]}, BadDetail),
        ({"glyph": "!", "tags": [str(number) for number in range(21)]}, BadDetail),
        ({"text": "x", "seq": 2}, UnknownEvent),
        ({"text": "x", "seq": 0}, UnknownEvent),
        ({"text": "x", "game": "nowhere"}, UnknownGame),
        ({"text": "x", "note": "nothing"}, UnknownNote),
    ],
)
def test_a_note_that_cannot_be_kept_is_refused(
    store: Store, given: dict[str, object], refusal: type[Exception]
) -> None:
    game, given = begin(store), dict(given)
    about = str(given.pop("game", game))
    command = WriteNote(**{"seq": 1, **given})  # type: ignore[arg-type]
    with pytest.raises(refusal):
        store.do(about, command)
    assert store.log.games() == [game]


def test_the_longest_note_is_allowed(store: Store) -> None:
    assert len(store.do(begin(store), WriteNote(1, text="😀" * 10_000)).result.text) == 10_000


def test_a_damaged_note_is_named(store: Store, path: Path) -> None:
    game = begin(store)
    store.do(game, WriteNote(1, text="x"))
    damage(path, "UPDATE events SET payload = '{\"kind\":\"note.written\"}' WHERE kind = 'note.written'")
    with pytest.raises(Unreadable, match="it is no note"):
        _ = store.game(game).all_notes


def test_a_note_from_elsewhere_is_as_ours() -> None:
    note = Note("n1", 1, "2026-09-14T18:03:05.123456Z", "recorder", "x", "!", ("a",))
    assert well_formed(note) == note
    for wrong in ({"id": "N 1"}, {"text": "a\r\nb"}, {"tags": (" a",)}, {"glyph": "?!?"}, {"glyph": ""}):
        with pytest.raises(BadDetail):
            well_formed(msgspec.structs.replace(note, **wrong))
