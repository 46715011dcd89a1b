"""The record file, `*.tape.jsonl`: a header, the events as the chain hashes them, then the notes."""

from __future__ import annotations

import re
import secrets
from codecs import BOM_UTF8
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import msgspec

from eventstore.errors import BadHistory, Unreadable, unwritten
from eventstore.formats.registry import Format
from eventstore.formats.unwrapped import BadPacking, unpacked
from eventstore.formats.unwrapped import lines as unwrapped_lines
from eventstore.library import details as typed_details
from eventstore.library import notes as library_notes
from eventstore.log import chain
from eventstore.log.contract import clock, stamp
from eventstore.log.ids import is_game_id, is_key, is_time, new_id
from eventstore.log.note import Note
from eventstore.log.rows import Append, Details, NewEvent
from eventstore.log.tables import PutDetails, PutParent
from eventstore.recording.commands.note import well_formed
from eventstore.refusals import BadDetail, BadRecord, OtherGame
from eventstore.replay import rejudging, stored_payloads
from eventstore.replay.notes import in_order
from eventstore.replay.observation import observations, observed_id
from eventstore.replay.seat_names import default_name
from eventstore.replay.stored_payloads import StartedHeader, Version
from games.core.json_text import flaw, foreign_encoding
from games.core.ruleset import EVERYTHING
from games.core.serialization import DEEPEST, is_deep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eventstore.log.tables import TableChange
    from eventstore.replay.game import Game
    from eventstore.store import Store
    from games.core.events import Parent
    from games.core.registry import Registry

_AT_ONCE: Final = 2_000
"""Events that are fetched at a time."""
_JOINED: Final = re.compile(rb'\}\s*(?:\xef\xbb\xbf)?\{"format":"tabletape"')
"""A header behind another line, in the same line; in a text the quotes would be escaped."""
_EVENT: Final = re.compile(
    r'\{"seq":([1-9][0-9]{0,15}),"at":"([^"]{0,64})","by":"([^"]{0,64})","event":(\{.*\})\}'
)

_RECORDS: Final = "`tabletape import` takes the *.tape.jsonl files that `tabletape export` writes"
_NOT_ONE: Final = f"this is not the first line of a Tabletape record; {_RECORDS}"
_OTHER_FILES: Final = {
    b"SQLite format 3\0": "this is a database, not a record: `tabletape restore` brings a backup back, and"
    " --db opens a database where it is",
    b"PK\x03\x04": "this is a zip file: unpack it and import the *.tape.jsonl files in it",
    b"game,seq,step": f"this is a table of events, which cannot be imported; {_RECORDS}",
}
"""What begins so is not a record; most of these are files of ours."""


class _Seat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seat: str
    name: str


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line, its keys in this order."""

    format: Literal["tabletape"]
    format_version: int
    game: str
    ruleset: str
    version: Version
    title: str | None
    seats: tuple[_Seat, ...]
    played_on: str | None
    time_zone: str | None
    place: str | None
    seen_as: str
    head: str
    """The chain's value after the last event of this file."""


class _NoteIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A note as a file holds it."""

    id: str
    seq: int
    at: str
    by: str
    text: str
    glyph: str | None
    tags: tuple[str, ...]


class _NoteLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    note: _NoteIn


class _Format(msgspec.Struct, frozen=True):
    format: Literal["tabletape"]
    format_version: int


class RecordRow(NamedTuple):
    """An event of a file or of the log, by its place."""

    at: str
    by: str
    payload: str


class ImportedGame(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an imported file came to."""

    game: str
    events: int
    """Events added."""
    notes: int
    """Notes added or brought up to date."""
    new: bool
    """The game was not there before."""
    cut_off: int = 0
    """The line that is not whole and was left out; 0 where the file is whole."""
    ahead: int = 0
    """The first line that is dated more than a day ahead of this machine's clock; 0 where none is."""


@dataclass(frozen=True)
class _File:
    name: str
    header: _Header
    rows: list[RecordRow]
    notes: list[Note]
    cut_off: int
    """The number of the line that is not whole, else 0."""

    def ahead(self, of: str) -> int:
        """Give the number of the first line, event or note, that is dated after a moment; 0 where none is."""
        stamps = (*(row.at for row in self.rows), *(note.at for note in self.notes))
        return next((number for number, at in enumerate(stamps, 2) if at > of), 0)


_encoder = msgspec.json.Encoder()
_header = msgspec.json.Decoder(_Header)
_format = msgspec.json.Decoder(_Format)
_note = msgspec.json.Decoder(_NoteLine)


# --- export ------------------------------------------------------------------------------------------


def export_record(store: Store, game: Game) -> Iterator[bytes]:
    """Give the file in pieces of whole lines.

    Full:    for `everything` the raw log, undone events too, under the game's own chain.
    Others:  for another viewer the effective history as they observe it, renumbered, as a record of its own,
             with nothing that is hashed from what they cannot see; of the notes their own, or all where
             nothing is hidden.
    Errors:  `TextOnly` for a viewer's record of a game that cannot be folded; `DamagedDatabase`.
    """
    if game.details_damage is not None:
        raise game.details_damage
    return _observed(store, game) if game.viewer != EVERYTHING else _full(game)


FORMAT: Final = Format(
    name="tape",
    suffix="tape.jsonl",
    media_type="application/x-ndjson",
    label="Record",
    says="Give the record as the asker may know it, without loss.",
    write=export_record,
)


def _full(game: Game) -> Iterator[bytes]:
    yield _first_line(game, game.id, game.chain)
    for first in range(1, game.head + 1, _AT_ONCE):
        yield game.replay.log.lines(game.id, first, min(first + _AT_ONCE - 1, game.head))
    yield from map(_note_line, (note for note in game.all_notes if note.seq <= game.head))


def _observed(store: Store, game: Game) -> Iterator[bytes]:
    lines, seqs, head = [], {}, chain.ZERO
    for seq, payload, position in observations(game):
        lines.append(chain.line(seq, position.at, position.by, payload))
        head = chain.link(head, seq, position.at, position.by, payload)
        seqs[position.step] = seq
    notes = [
        msgspec.structs.replace(note, seq=seqs[step])
        for step, found in store.notes_by_step(game).items()
        for note in found
        if step in seqs
    ]
    first = _first_line(game, observed_id(game.id, game.viewer), head.hex())
    return iter((first, "".join(lines).encode(), *map(_note_line, in_order(notes))))


def _first_line(opened: Game, game: str, head: str) -> bytes:
    about = opened.details
    header = _Header(
        format="tabletape",
        format_version=1,
        game=game,
        ruleset=opened.ruleset_id,
        version=opened.version,
        title=about.title,
        seats=tuple(_Seat(seat, about.names.get(seat) or default_name(seat)) for seat in opened.seats),
        played_on=about.played_on,
        time_zone=about.time_zone,
        place=about.place,
        seen_as=opened.seen_as,
        head=head,
    )
    return _encoder.encode(header) + b"\n"


def _note_line(note: Note) -> bytes:
    return (
        _encoder.encode(
            _NoteLine(_NoteIn(note.id, note.seq, note.at, note.by, note.text, note.glyph, note.tags))
        )
        + b"\n"
    )


# --- import ------------------------------------------------------------------------------------------


def import_records(
    store: Store, files: Sequence[tuple[str, bytes]], *, copy: bool = False
) -> list[ImportedGame]:
    """Bring record files in, all of them in one transaction or none.

    Known:   a game that is here as far as the file goes is left alone; where the file goes further, its
             tail is appended; of two versions of a note the later one stands. Another game under the same id
             is refused, or with `copy` gets an id of its own.
    Cut off: a file whose last line is not whole is read up to the line before, and says so.
    Ahead:   a line dated more than a day ahead of this machine's clock comes in, and the answer names it.
    Checked: lines, chain, header; where the ruleset is installed, every event by its rules.
    Errors:  `BadRecord` with file, line and reason.
    """
    plan = _Plan(store, copy=copy)
    for name, content in files:
        plan.add(read_record(name, content, store.registry))
    with unwritten(f"no game of {'this file' if len(files) == 1 else 'these files'} was imported"):
        plan.carry_out()
    return plan.done


class _Plan:
    """What an import will do, file by file, before anything is done."""

    def __init__(self, store: Store, *, copy: bool) -> None:
        self.done: list[ImportedGame] = []
        self._store = store
        self._copy = copy
        self._games: dict[str, list[RecordRow]] = {}
        self._abouts: dict[str, Details] = {}
        self._notes: dict[str, dict[str, Note]] = {}
        self._commands: list[Append] = []
        self._tomorrow = stamp(clock() + timedelta(days=1))

    def add(self, file: _File) -> None:
        game, ours = file.header.game, self._rows(file.header.game)
        shared = min(len(ours), len(file.rows))
        if ours[:shared] != file.rows[:shared]:
            game, ours, shared = self._elsewhere(file, ours), [], 0
        added, new = file.rows[shared:], not ours
        notes = self._fresh(game, file.notes)
        if added:
            self._append(game, len(ours), added, file)
            self._games[game] = file.rows
        if new:
            self._abouts[game] = _about(file.header)
        self.done.append(ImportedGame(game, len(added), notes, new, file.cut_off, file.ahead(self._tomorrow)))

    def _fresh(self, game: str, notes: list[Note]) -> int:
        """Plan those notes that say something new; how many there are."""
        planned = self._notes.setdefault(game, {})
        later = [note for note in notes if note.id not in planned or note.at > planned[note.id].at]
        planned.update((note.id, note) for note in later)
        return len(library_notes.merge(self._store.log, game, later))

    def _rows(self, game: str) -> list[RecordRow]:
        if game not in self._games:
            found = self._store.log.events(game)
            self._games[game] = [RecordRow(row.recorded_at, row.by, row.payload) for row in found]
        return self._games[game]

    def _elsewhere(self, file: _File, ours: list[RecordRow]) -> str:
        if self._copy:
            return new_id()
        place = next(
            place for place, pair in enumerate(zip(ours, file.rows, strict=False), 1) if pair[0] != pair[1]
        )
        why = f"another game {file.header.game} is here, which differs from event {place} on"
        raise OtherGame(file.name, place + 1, why)

    def _append(self, game: str, after: int, rows: list[RecordRow], file: _File) -> None:
        events = tuple(
            NewEvent(stored_payloads.kind(row.payload), row.payload, row.by, row.at) for row in rows
        )
        self._commands.append(
            Append(game, events, after, secrets.token_hex(16), f"import {file.header.head}")
        )

    def carry_out(self) -> None:
        tables: list[TableChange] = []
        for game, typed in self._abouts.items():
            tables.append(PutDetails(game, typed))
            parent = _parent(game, self._games[game])
            if parent is not None:
                tables.append(PutParent(game, msgspec.json.encode(parent).decode()))
        for game, notes in self._notes.items():
            events = library_notes.merge(self._store.log, game, notes.values())
            if events:
                self._commands.append(library_notes.command(self._store.log, game, events))
        if self._commands:
            self._store.log.append_all(self._commands, tables=tables)


def read_record(name: str, content: bytes, registry: Registry) -> _File:
    """Read and check one file.

    Errors:  `BadRecord` with line and reason.
    """
    other = next((why for begins, why in _OTHER_FILES.items() if content.startswith(begins)), None)
    if other is not None:
        raise BadRecord(name, 1, other)
    *lines, rest = _lines(name, content)
    if _is_whole(rest):
        lines, rest = [*lines, rest], b""
    if not lines:
        raise BadRecord(name, 1, "it has no whole line, so it is no record of Tabletape")
    _refuse_second(name, [*lines, rest])
    header = _read_header(name, lines[0])
    texts = [_text(name, number, line) for number, line in enumerate(lines[1:], 2)]
    count = next((place for place, text in enumerate(texts) if text.startswith('{"note":')), len(texts))
    rows = [_read_event(name, seq, text) for seq, text in enumerate(texts[:count], 1)]
    if not rows:
        raise BadRecord(name, 2, "it has no events")
    notes = _read_notes(name, texts, count)
    _check_chain(name, header, rows, cut_off=bool(rest) and not notes)
    _check_record(name, header, rows, registry)
    return _File(name, header, rows, notes, len(lines) + 1 if rest else 0)


def _lines(name: str, content: bytes) -> list[bytes]:
    try:
        plain = unpacked(content)
    except BadPacking as fault:
        raise BadRecord(name, 1, str(fault)) from None
    encoding = foreign_encoding(plain)
    if encoding is not None:
        raise BadRecord(name, 1, f"it is written in {encoding}; save it as UTF-8")
    return unwrapped_lines(plain)


def _refuse_second(name: str, lines: list[bytes]) -> None:
    """Refuse two records in one file, as `cat` makes of two files, by the place where the second begins."""
    for number, line in enumerate(lines, 1):
        # No event or note has this word in front, and few have it at all.
        if b'"format"' in line and (_JOINED.search(line) or (number > 1 and _is_header(line))):
            why = "the file holds two records, and the second one begins here: split the file in two"
            raise BadRecord(name, number, why)


def _is_header(line: bytes) -> bool:
    try:
        _format.decode(line.removeprefix(BOM_UTF8))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _is_whole(line: bytes) -> bool:
    """Tell whether the end of a file is a line that only lacks its newline: no part of an object is one."""
    try:
        msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _text(name: str, number: int, line: bytes) -> str:
    if is_deep(line):
        raise BadRecord(name, number, f"it is nested more than {DEEPEST} deep")
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise BadRecord(name, number, "it is no UTF-8 text") from None


def _read_header(name: str, line: bytes) -> _Header:
    try:
        found = _format.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadRecord(name, 1, _NOT_ONE) from None
    if found.format_version != 1:
        raise BadRecord(
            name, 1, f"its format version is {found.format_version}, and 1 is what can be read here"
        )
    if (why := flaw(_text(name, 1, line))) is not None:
        raise BadRecord(name, 1, _in("header", why))
    try:
        header = _header.decode(line)
        kept = typed_details.checked(_about(header))
    except (msgspec.DecodeError, BadDetail) as fault:
        raise BadRecord(name, 1, str(fault).removesuffix(".")) from None
    if kept != _about(header):
        raise BadRecord(name, 1, "a title, name or place begins or ends with a space")
    if not is_game_id(header.game):
        raise BadRecord(name, 1, f"{header.game!r} cannot be a game's id")
    return header


def _parent(game: str, rows: list[RecordRow]) -> Parent | None:
    with suppress(Unreadable):
        return stored_payloads.named(game, 1, rows[0].payload).parent
    return None


def _about(header: _Header) -> Details:
    names = {item.seat: item.name for item in header.seats if item.name != default_name(item.seat)}
    return Details(header.title, header.played_on, header.time_zone, header.place, names)


def _in_line(what: str, why: str, text: str) -> str:
    """Say what is wrong with a line: with the event or note in it, or with what is around that."""
    parts = msgspec.json.decode(text, type=dict[str, msgspec.Raw]).values() if _is_doubled(why) else ()
    around = _is_doubled(why) and all(flaw(bytes(part).decode()) is None for part in parts)
    return _in("line" if around else what, why)


def _in(what: str, why: str) -> str:
    if _is_doubled(why):
        return f"{why} in the {what}"
    return f"the {what} is {why.removeprefix('it is ')}"


def _is_doubled(why: str) -> bool:
    return why.endswith("twice")


def _read_event(name: str, seq: int, text: str) -> RecordRow:
    found = _EVENT.fullmatch(text)
    if found is None or not is_key(found[3]):
        why = flaw(text)
        if why is not None and _is_doubled(why):
            raise BadRecord(name, seq + 1, _in_line("event", why, text))
        more = f": {_in('event', why)}" if why else ""
        raise BadRecord(name, seq + 1, f"this is no event as Tabletape writes it{more}")
    number, at, by, payload = found.groups()
    if int(number) != seq:
        raise BadRecord(name, seq + 1, f"event {seq} should stand here, not {number}")
    if not is_time(at):
        raise BadRecord(name, seq + 1, f"{at} is no point in time like 2026-09-14T18:03:05.123456Z")
    if (why := flaw(text)) is not None:
        raise BadRecord(name, seq + 1, _in_line("event", why, text))
    if chain.kind_in(payload) is None:
        raise BadRecord(name, seq + 1, "its event is no JSON object with a kind")
    return RecordRow(at, by, payload)


def _check_chain(name: str, header: _Header, rows: list[RecordRow], *, cut_off: bool) -> None:
    head = chain.ZERO
    for seq, row in enumerate(rows, 1):
        head = chain.link(head, seq, *row)
    if not cut_off and head.hex() != header.head:
        said = f"its head is {header.head[:12]}…, and its events give {head.hex()[:12]}…"
        raise BadRecord(name, 1, f"{said}: lines were changed or are missing")


def _read_notes(name: str, texts: list[str], count: int) -> list[Note]:
    notes: dict[str, Note] = {}
    for place, text in enumerate(texts[count:], count):
        number = place + 2
        if (why := flaw(text)) is not None:
            raise BadRecord(name, number, _in_line("note", why, text))
        try:
            found = _note.decode(text).note
            note = well_formed(
                Note(found.id, found.seq, found.at, found.by, found.text, found.glyph, found.tags)
            )
        except (msgspec.DecodeError, BadDetail, UnicodeEncodeError) as fault:
            raise BadRecord(
                name, number, f"this is no note as Tabletape writes it: {fault}".removesuffix(".")
            ) from None
        if not is_time(note.at) or not is_key(note.by):
            raise BadRecord(name, number, "the note's time or writer is not as Tabletape writes it")
        if not 1 <= note.seq <= count:
            raise BadRecord(name, number, f"the note is on event {note.seq}, and the file has {count}")
        if note.id in notes:
            raise BadRecord(name, number, f"note {note.id} stands here twice")
        notes[note.id] = note
    return list(notes.values())


# --- by the rules ------------------------------------------------------------------------------------


def _check_record(name: str, header: _Header, rows: list[RecordRow], registry: Registry) -> None:
    game, payloads = header.game, [row.payload for row in rows]
    try:
        runs = stored_payloads.effective(payloads)
        said = stored_payloads.named(game, runs.seq_at(0), payloads[runs.seq_at(0) - 1])
        ruleset = registry.get((said.ruleset, said.version))
        _check_header(name, header, said)
        first = runs.seq_at(0)
        if ruleset is not None and not rejudging.opens_as_text(ruleset, game, first, payloads[first - 1]):
            deque(rejudging.judged(ruleset, game, payloads, runs), maxlen=0)
    except (Unreadable, BadHistory) as fault:
        raise BadRecord(name, fault.seq + 1, str(fault).removesuffix(".")) from None


def _check_header(name: str, header: _Header, said: StartedHeader) -> None:
    seats = tuple(item.seat for item in header.seats)
    if (said.ruleset, said.version, said.seats, said.seen_as) != (
        header.ruleset,
        header.version,
        seats,
        header.seen_as,
    ):
        raise BadRecord(name, 1, "its ruleset, version, seats and seen_as are not those of its first event")
