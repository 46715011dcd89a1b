"""Write a note on an event, and take one away."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self

import msgspec

from eventstore.library import details
from eventstore.log.ids import digest
from eventstore.log.rows import Append
from eventstore.recording.commands.command import Command, Decision
from eventstore.refusals import BadDetail, StaleNote, UnknownNote
from eventstore.replay import notes
from eventstore.replay.notes import NoteRemoved, NoteWritten
from games.core.ruleset import TABLE, IllegalAction
from games.core.seat_permissions import NOT_YOURS

if TYPE_CHECKING:
    from eventstore.access.actor import Actor
    from eventstore.log.note import Note
    from eventstore.replay.game import Game
    from games.core.ruleset import Random

_ID: Final = re.compile(r"[a-z0-9-]{1,64}")
_ID_LENGTH: Final = 8


class WriteNote(Command, frozen=True):
    """Write a note on an event, or `note` anew; the answer's result is the note.

    Errors:  `UnknownEvent`, `UnknownNote`, `BadDetail`; `StaleNote` with both texts when another version
             stands there by now.
    """

    seq: int
    text: str = ""
    glyph: str | None = None
    """One of `! ? !! ?? !? ?!`."""
    tags: Sequence[str] = ()
    note: str | None = None
    """The id of a note that is written anew; None: a new one."""
    replaces: int | None = None
    """The version that was edited."""
    new: str | None = None
    """The id of a new note; `complete` draws one."""

    judged_as: ClassVar[Literal["actor", "house", "whole"]] = "house"
    unwritten: ClassVar[str] = "this note was not saved"

    def complete(self, draw: Callable[[int], str]) -> Self:
        """See `Command`."""
        if self.note is not None or self.new is not None:
            return self
        return msgspec.structs.replace(self, new=draw(_ID_LENGTH))

    def stream(self, game: str) -> str:
        """See `Command`: the notes of the game."""
        return notes.stream(game)

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        return digest(
            "write", self.seq, self.text, self.glyph, list(self.tags), self.note, self.replaces, actor.by
        )

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        _ = chance
        _must_write(game)
        game.must_have(self.seq)
        written = checked(self.note or self.new or "", self.seq, self.text, self.glyph, self.tags)
        if self.note is not None:
            old = _known(game, self.note)
            if self.replaces not in (None, old.version):
                raise StaleNote(old, written.text)
            written = msgspec.structs.replace(written, replaces=old.version)
        return _decision(self, game, written)

    def result(self, game: Game) -> Any:
        """See `Command`: the note as it was written."""
        return notes.note_at(game.replay.log, game.id, game.notes_head)


class RemoveNote(Command, frozen=True):
    """Take a note away; the answer's result is how it stood.

    Errors:  `UnknownNote`.
    """

    note: str

    judged_as: ClassVar[Literal["actor", "house", "whole"]] = "house"
    unwritten: ClassVar[str] = "this note was not deleted"

    def stream(self, game: str) -> str:
        """See `Command`: the notes of the game."""
        return notes.stream(game)

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        return digest("remove", self.note, actor.by)

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        _ = chance
        _must_write(game)
        _known(game, self.note)
        return _decision(self, game, NoteRemoved(self.note))

    def result(self, game: Game) -> Any:
        """See `Command`: the note as it stood before."""
        return _known(game.with_notes(game.notes_head - 1), self.note)


def _must_write(game: Game) -> None:
    """Refuse a note by somebody who enters nothing in this game.

    Errors:  `IllegalAction` `not-yours`.
    """
    if game.bound_seat == TABLE:
        raise IllegalAction(NOT_YOURS, "Notes are written with a key.")


def _decision(command: WriteNote | RemoveNote, game: Game, event: NoteWritten | NoteRemoved) -> Decision:
    row = notes.encoded(event, game.actor.by)
    request = command.request(game.id, game.actor)
    append = Append(notes.stream(game.id), (row,), game.notes_head, command.id or "", request)
    return Decision(game, command, append)


def checked(note: str, seq: int, text: str, glyph: str | None, tags: Sequence[str]) -> NoteWritten:
    """A note as it is kept.

    Errors:  `BadDetail`.
    """
    kept = details.passage("text", text)
    mark, labels = details.glyph(glyph), details.tags(tuple(tags))
    if not (kept.strip() or mark or labels):
        raise BadDetail("note", "it has neither text nor mark nor tag")
    return NoteWritten(note, seq, kept, mark, labels)


def well_formed(note: Note) -> Note:
    """The same note.

    Errors:  `BadDetail` where `WriteNote` would not have kept it just so.
    """
    if not _ID.fullmatch(note.id):
        raise BadDetail("note", f"{note.id!r} cannot be a note's id: it has 1 to 64 of a-z, 0-9 and -")
    kept = checked(note.id, note.seq, note.text, note.glyph, note.tags)
    if (kept.text, kept.glyph, kept.tags) != (note.text, note.glyph, note.tags):
        raise BadDetail("note", "its text has other line ends, or its tags are not trimmed")
    return note


def _known(game: Game, name: str) -> Note:
    found = next((note for note in game.all_notes if note.id == name), None)
    if found is None:
        raise UnknownNote(game.id, name)
    return found
