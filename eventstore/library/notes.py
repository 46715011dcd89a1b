"""Comments, marks and tags on events; a stream of their own beside the game's, never folded into a state."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any, Final

import msgspec

from eventstore.errors import Conflict, UnknownGame, Unreadable, unwritten
from eventstore.library import details
from eventstore.library.note import Note
from eventstore.log.ids import digest, is_game_id, new_id
from eventstore.log.rows import RECORDER, Append, NewEvent
from eventstore.recording.idempotency import accepted
from eventstore.refusals import BadDetail, StaleNote, UnknownEvent, UnknownNote
from games.core.ruleset import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from eventstore.access.keys import Access
    from eventstore.log.rows import StoredEvent
    from eventstore.replay.replayer import Replayer
    from eventstore.sqlite.log import SqliteLog

_ID: Final = re.compile(r"[a-z0-9-]{1,64}")


class Written(msgspec.Struct, frozen=True, tag="note.written", tag_field="kind", omit_defaults=True):
    """A note, new or in the place of its version `replaces`."""

    id: str
    seq: int
    text: str
    glyph: str | None
    tags: tuple[str, ...]
    replaces: int | None = None


class Removed(msgspec.Struct, frozen=True, tag="note.removed", tag_field="kind"):
    """A note is taken away."""

    id: str


_decoder = msgspec.json.Decoder(Written | Removed)
_encoder = msgspec.json.Encoder()


def stream(game: str) -> str:
    """The id of a game's stream of notes."""
    return f"{game}/notes"


class Notes:
    """Notes are anchored to `game:seq`; where that event is now, `at_steps` says."""

    def __init__(self, log: SqliteLog, replayer: Replayer, access: Access) -> None:
        self._log = log
        self._replayer = replayer
        self._access = access

    @unwritten("this note was not saved")
    def write(
        self,
        game: str,
        seq: int,
        *,
        text: str = "",
        glyph: str | None = None,
        tags: Sequence[str] = (),
        note: str | None = None,
        replaces: int | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
    ) -> Note:
        """Write a note on an event, or `note` anew.

        replaces: the version that was edited; `StaleNote` with both texts when another stands there by now.
        Errors:   `UnknownGame`, `UnknownEvent`, `UnknownNote`, `BadDetail`, `CommandReused`.
        """
        request = digest("write", seq, text, glyph, list(tags), note, replaces, by)
        while True:
            last = self._head(game)
            done = self._answered(game, command_id, request)
            head, standing = self._standing(game, done)
            if done is not None:
                return _known(game, standing, self._id_at(game, done))
            if not 1 <= seq <= last:
                raise UnknownEvent(game, seq, last)
            written = _checked(note or _new_id(standing), seq, text, glyph, tags)
            if note is not None:
                old = _known(game, standing, note)
                if replaces not in (None, old.version):
                    raise StaleNote(old, written.text)
                written = msgspec.structs.replace(written, replaces=old.version)
            done = self._append(game, head, written, by, command_id, request)
            if done is not None:
                return _known(game, self._standing(game, done)[1], written.id)

    @unwritten("this note was not deleted")
    def remove(self, game: str, note: str, *, command_id: str | None = None, by: str = RECORDER) -> Note:
        """Take a note away; the answer is how it stood.

        Errors:   `UnknownGame`, `UnknownNote`.
        """
        request = digest("remove", note, by)
        self._head(game)
        while True:
            done = self._answered(game, command_id, request)
            if done is not None:
                return _known(game, self._standing(game, done - 1)[1], note)
            head, standing = self._standing(game)
            old = _known(game, standing, note)
            if self._append(game, head, Removed(note), by, command_id, request) is not None:
                return old

    def of(self, game: str) -> list[Note]:
        """A game's notes by seq, then by id.

        Errors:   `UnknownGame`; `Unreadable` for a damaged one.
        """
        self._head(game)
        return in_order(self._standing(game)[1].values())

    def before(self, game: str, command_id: str | None) -> list[Note]:
        """A game's notes as they were when this command came; as they are, if it never did."""
        commit = accepted(self._log, stream(game), command_id)
        return in_order(self._standing(game, commit.first_seq - 1 if commit else None)[1].values())

    def came_as(self, game: str, command_id: str | None) -> Note | None:
        """The note as this command left it; None where it never came, or took one away."""
        commit = accepted(self._log, stream(game), command_id)
        if commit is None:
            return None
        row = self._log.events(stream(game), commit.last_seq, commit.last_seq)[0]
        event = _decode(row)
        return _note(row, event) if isinstance(event, Written) else None

    def versions(self, game: str, note: str) -> list[Note]:
        """A note as it was after each writing, the oldest first; one that was taken away too.

        Errors:   `UnknownGame`, `UnknownNote`.
        """
        self._head(game)
        rows = self._rows(game)
        found = [_note(row, event) for row, event in rows if isinstance(event, Written) and event.id == note]
        if not found:
            raise UnknownNote(game, note)
        return found

    def at_steps(self, game: str) -> dict[int | None, list[Note]]:
        """Notes by the step that shows their event or its replacement now; None holds the orphaned ones."""
        found: dict[int | None, list[Note]] = {}
        tape = self._replayer.tape(game)
        for note in self.of(game):
            found.setdefault(tape.history.where(note.seq, tape.head.seq), []).append(note)
        return found

    def told(self, game: str, viewer: str) -> dict[int | None, list[Note]]:
        """Those of `at_steps` that a viewer may read: people write in them what a seat may not know.

        Hidden:  where something is, a seat reads its own, written under its name or with one of its keys, and
                 the table none.
        """
        found, rules = self.at_steps(game), self._replayer.tape(game).ruleset
        if viewer == EVERYTHING or (rules is not None and not rules.hides):
            return found
        names = self._access.names_of(viewer)
        own = {step: [note for note in notes if note.by in names] for step, notes in found.items()}
        return {step: notes for step, notes in own.items() if notes}

    def merge(self, game: str, notes: Iterable[Note]) -> list[NewEvent]:
        """The events that bring these notes in, the later of two that have one id standing."""
        _, standing = self._standing(game)
        gone = {
            event.id: row.recorded_at
            for row, event in self._rows(game)
            if isinstance(event, Removed) and event.id not in standing
        }
        return [event for note in notes if (event := _brought(note, standing.get(note.id), gone)) is not None]

    def command(self, game: str, events: Sequence[NewEvent]) -> Append:
        """These events as one command, for the head of now."""
        head = self._log.head(stream(game))
        after = 0 if head is None else head.seq
        return Append(stream(game), tuple(events), after, secrets.token_hex(16), "")

    # ---------------------------------------------------------------------------------------------

    def _head(self, game: str) -> int:
        head = self._log.head(game) if is_game_id(game) else None
        if head is None:
            raise UnknownGame(game)
        return head.seq

    def _rows(self, game: str, last: int | None = None) -> list[tuple[StoredEvent, Written | Removed]]:
        return [(row, _decode(row)) for row in self._log.events(stream(game), 1, last)]

    def _standing(self, game: str, last: int | None = None) -> tuple[int, dict[str, Note]]:
        """The head of the stream and the notes by id."""
        standing: dict[str, Note] = {}
        head = 0
        for row, event in self._rows(game, last):
            head = row.seq
            if isinstance(event, Written):
                standing[event.id] = _note(row, event)
            else:
                standing.pop(event.id, None)
        return head, standing

    def _id_at(self, game: str, version: int) -> str:
        return _decode(self._log.events(stream(game), version, version)[0]).id

    def _answered(self, game: str, command: str | None, request: str) -> int | None:
        commit = accepted(self._log, stream(game), command, request)
        return None if commit is None else commit.last_seq

    def _append(self, game: str, head: int, event: Written | Removed, by: str, *asked: Any) -> int | None:
        """The event's place in the stream; None when somebody came first."""
        command_id, request = asked
        kind = "note.written" if isinstance(event, Written) else "note.removed"
        row = NewEvent(kind, _encoder.encode(event).decode(), by)
        try:
            return self._log.append(
                stream(game),
                [row],
                after=head,
                command_id=command_id or secrets.token_hex(16),
                request=request,
            ).last_seq
        except Conflict:
            return None


def in_order(notes: Iterable[Note]) -> list[Note]:
    """By seq, then by id: the order of the record file."""
    return sorted(notes, key=lambda note: (note.seq, note.id))


def _checked(note: str, seq: int, text: str, glyph: str | None, tags: Sequence[str]) -> Written:
    kept = details.passage("text", text)
    mark, labels = details.glyph(glyph), details.tags(tuple(tags))
    if not (kept.strip() or mark or labels):
        raise BadDetail("note", "it has neither text nor mark nor tag")
    return Written(note, seq, kept, mark, labels)


def well_formed(note: Note) -> Note:
    """The same note.

    Errors:  `BadDetail` where `Notes.write` would not have kept it just so.
    """
    if not _ID.fullmatch(note.id):
        raise BadDetail("note", f"{note.id!r} cannot be a note's id: it has 1 to 64 of a-z, 0-9 and -")
    kept = _checked(note.id, note.seq, note.text, note.glyph, note.tags)
    if (kept.text, kept.glyph, kept.tags) != (note.text, note.glyph, note.tags):
        raise BadDetail("note", "its text has other line ends, or its tags are not trimmed")
    return note


def readable(row: StoredEvent) -> Written | Removed | None:
    """A line of a stream of notes; None where it cannot be read."""
    try:
        return _decode(row)
    except Unreadable:
        return None


def standing_after(rows: Iterable[StoredEvent]) -> list[Note]:
    """The notes that these lines come to, in the order of writing; lines that cannot be read are skipped."""
    found: dict[str, Note] = {}
    for row in rows:
        event = readable(row)
        if event is not None:
            found.pop(event.id, None)
        if isinstance(event, Written):
            found[event.id] = _note(row, event)
    return list(found.values())


def written(note: Note) -> NewEvent:
    """The line that writes a note anew, stamped as it was."""
    event = Written(note.id, note.seq, note.text, note.glyph, note.tags)
    return NewEvent("note.written", _encoder.encode(event).decode(), note.by, note.at)


def _new_id(standing: Mapping[str, Note]) -> str:
    while True:
        found = new_id(8)
        if found not in standing:
            return found


def _known(game: str, standing: Mapping[str, Note], note: str) -> Note:
    if note not in standing:
        raise UnknownNote(game, note)
    return standing[note]


def _note(row: StoredEvent, event: Written) -> Note:
    return Note(event.id, event.seq, row.recorded_at, row.by, event.text, event.glyph, event.tags, row.seq)


def _decode(row: StoredEvent) -> Written | Removed:
    try:
        return _decoder.decode(row.payload)
    except (msgspec.DecodeError, UnicodeEncodeError) as fault:
        raise Unreadable(row.game, row.seq, f"it is no note ({fault})") from fault


def _brought(note: Note, ours: Note | None, gone: Mapping[str, str]) -> NewEvent | None:
    if ours is not None and msgspec.structs.replace(ours, version=note.version) == note:
        return None
    if note.at <= (ours.at if ours is not None else gone.get(note.id, "")):
        return None
    replaces = None if ours is None else ours.version
    written = Written(note.id, note.seq, note.text, note.glyph, note.tags, replaces)
    return NewEvent("note.written", _encoder.encode(written).decode(), note.by, note.at)
