"""The notes of a game as its stream of notes leaves them: read, and in which order they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eventstore.errors import Unreadable
from eventstore.log.note import Note
from eventstore.log.rows import NewEvent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventstore.log.contract import EventLog
    from eventstore.log.rows import StoredEvent


class NoteWritten(msgspec.Struct, frozen=True, tag="note.written", tag_field="kind", omit_defaults=True):
    """A note, new or in the place of its version `replaces`."""

    id: str
    seq: int
    text: str
    glyph: str | None
    tags: tuple[str, ...]
    replaces: int | None = None


class NoteRemoved(msgspec.Struct, frozen=True, tag="note.removed", tag_field="kind"):
    """A note is taken away."""

    id: str


NoteEvent = NoteWritten | NoteRemoved
_decoder = msgspec.json.Decoder(NoteWritten | NoteRemoved)
_encoder = msgspec.json.Encoder()


def stream(game: str) -> str:
    """The id of a game's stream of notes."""
    return f"{game}/notes"


def rows(log: EventLog, game: str, last: int | None = None) -> list[tuple[StoredEvent, NoteEvent]]:
    """The events of a game's notes up to event `last` of their stream.

    Errors:  `Unreadable` for a damaged one.
    """
    if last == 0:
        return []
    return [(row, decode(row)) for row in log.events(stream(game), 1, last)]


def standing(found: Iterable[tuple[StoredEvent, NoteEvent]]) -> dict[str, Note]:
    """The notes that these events leave, by id, in the order of their last writing."""
    notes: dict[str, Note] = {}
    for row, event in found:
        notes.pop(event.id, None)
        if isinstance(event, NoteWritten):
            notes[event.id] = note_of(row, event)
    return notes


def note_at(log: EventLog, game: str, seq: int) -> Note | None:
    """The note as event `seq` of the stream wrote it; None where it took one away."""
    row = log.events(stream(game), seq, seq)[0]
    event = decode(row)
    return note_of(row, event) if isinstance(event, NoteWritten) else None


def in_order(notes: Iterable[Note]) -> list[Note]:
    """By seq, then by id: the order of the record file."""
    return sorted(notes, key=lambda note: (note.seq, note.id))


def readable(row: StoredEvent) -> NoteEvent | None:
    """A line of a stream of notes; None where it cannot be read."""
    try:
        return decode(row)
    except Unreadable:
        return None


def standing_after(lines: Iterable[StoredEvent]) -> list[Note]:
    """The notes that these lines leave, in the order of writing; lines that cannot be read are skipped."""
    found = ((row, readable(row)) for row in lines)
    return list(standing((row, event) for row, event in found if event is not None).values())


def note_of(row: StoredEvent, event: NoteWritten) -> Note:
    """The note as this event of its stream leaves it."""
    return Note(event.id, event.seq, row.recorded_at, row.by, event.text, event.glyph, event.tags, row.seq)


def encoded(event: NoteEvent, by: str, at: str | None = None) -> NewEvent:
    """The event as the log takes it; `at` keeps the stamp of another record."""
    kind = "note.written" if isinstance(event, NoteWritten) else "note.removed"
    return NewEvent(kind, _encoder.encode(event).decode(), by, at)


def decode(row: StoredEvent) -> NoteEvent:
    """Read one event of a stream of notes.

    Errors:  `Unreadable`.
    """
    try:
        return _decoder.decode(row.payload)
    except (msgspec.DecodeError, UnicodeEncodeError) as fault:
        raise Unreadable(row.game, row.seq, f"it is no note ({fault})") from fault
