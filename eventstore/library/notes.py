"""Notes: their versions, who may read them, and those that a record file brings."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import msgspec

from eventstore.log.rows import Append
from eventstore.refusals import UnknownNote
from eventstore.replay import notes
from eventstore.replay.notes import NoteRemoved, NoteWritten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from eventstore.log.contract import EventLog
    from eventstore.log.note import Note
    from eventstore.log.rows import NewEvent
    from eventstore.replay.game import Game


def versions(game: Game, note: str) -> list[Note]:
    """A note as it was after each writing, the oldest first; one that was taken away too.

    Errors:  `UnknownNote`.
    """
    rows = notes.rows(game.replay.log, game.id, game.notes_head)
    found = [
        notes.note_of(row, event)
        for row, event in rows
        if isinstance(event, NoteWritten) and event.id == note
    ]
    if not found:
        raise UnknownNote(game.id, note)
    return found


def readable_by_step(game: Game, signatures: frozenset[str]) -> dict[int | None, list[Note]]:
    """Notes by step, those that the viewer may read: people write in them what a seat may not know.

    Signatures: under which the viewer's seat writes.
    Hidden:  where something is, a seat reads its own notes, and the table none.
    """
    found = game.all_notes_by_step()
    if game.shows_all:
        return found
    own = {step: [note for note in several if note.by in signatures] for step, several in found.items()}
    return {step: several for step, several in own.items() if several}


def merge(log: EventLog, game: str, brought: Iterable[Note]) -> list[NewEvent]:
    """The events that bring these notes in, the later of two that have one id standing."""
    rows = notes.rows(log, game)
    standing = notes.standing(rows)
    gone = {
        event.id: row.recorded_at
        for row, event in rows
        if isinstance(event, NoteRemoved) and event.id not in standing
    }
    return [event for note in brought if (event := _brought(note, standing.get(note.id), gone)) is not None]


def command(log: EventLog, game: str, events: Sequence[NewEvent]) -> Append:
    """These events as one command, for the head of now."""
    head = log.head(notes.stream(game))
    after = 0 if head is None else head.seq
    return Append(notes.stream(game), tuple(events), after, secrets.token_hex(16), "")


def written(note: Note) -> NewEvent:
    """The line that writes a note anew, stamped as it was."""
    return notes.encoded(NoteWritten(note.id, note.seq, note.text, note.glyph, note.tags), note.by, note.at)


def _brought(note: Note, ours: Note | None, gone: Mapping[str, str]) -> NewEvent | None:
    if ours is not None and msgspec.structs.replace(ours, version=note.version) == note:
        return None
    if note.at <= (ours.at if ours is not None else gone.get(note.id, "")):
        return None
    replaces = None if ours is None else ours.version
    event = NoteWritten(note.id, note.seq, note.text, note.glyph, note.tags, replaces)
    return notes.encoded(event, note.by, note.at)
