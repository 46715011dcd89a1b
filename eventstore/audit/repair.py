"""Build a new database from a damaged one: intact games byte for byte, the others as far as possible."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from eventstore.audit.evidence import KeptRecord, borne_out
from eventstore.audit.verify import Finding, verify
from eventstore.errors import (
    MalformedAppend,
    OlderSchema,
    StorageFault,
    TabletapeError,
    Unreadable,
    unwritten,
)
from eventstore.files import atomic_file
from eventstore.library import details
from eventstore.library.notes import written
from eventstore.log.chain import OF_ROWS, verify_chain
from eventstore.log.contract import admit, now
from eventstore.log.ids import is_command_id, is_game_id, is_key, is_time, new_id
from eventstore.log.rows import RECORDER, Append, Details, NewEvent, StoredEvent
from eventstore.log.tables import PutDetails, PutHidden, PutParent
from eventstore.recording.commands.note import well_formed
from eventstore.refusals import BadDetail
from eventstore.replay import rejudging, stored_payloads
from eventstore.replay.notes import NoteWritten, readable, standing_after, stream
from eventstore.sqlite.backup import refuse_target
from eventstore.sqlite.faults import room_wanted
from eventstore.sqlite.repair import salvage
from eventstore.sqlite.repair.rebuilding import (
    bring_keys,
    built_beside,
    new_log,
    put_in_place,
    refuse_source,
)
from eventstore.store import Store
from games.words import counted, joined

if TYPE_CHECKING:
    from eventstore.log.rows import Commit
    from eventstore.log.tables import TableChange
    from eventstore.sqlite.log import SqliteLog
    from eventstore.sqlite.repair.rows import SalvagedRows
    from games.core.registry import Registry

    Watch = Callable[[str, int, int], object]

_BATCH: Final = 2_000
"""Events that are written in one transaction."""
_MARK: Final = " (repaired)"
_SUFFIX: Final = "-repaired"
_LONGEST: Final = 64
_MORE: Final = 10_000
"""The largest number of events at the end of a record that the list of games may report as missing."""
_NAMED: Final = 100
"""Texts that are named where they are left out."""
_LOSSES: Final = frozenset({"catalogue-missing", "position-missing"})
"""Codes of faults by which something may be lost that nothing else tells of."""
_CHECKS: Final[dict[str, Callable[[str | None], str | None]]] = {
    "title": lambda text: details.line("title", text, details.TITLE),
    "played_on": lambda text: details.day("date", text),
    "time_zone": lambda text: details.zone("time zone", text),
    "place": lambda text: details.line("place", text, details.TITLE),
}


class RepairedGame(msgspec.Struct, frozen=True):
    """What became of a game that was not intact."""

    game: str
    """Its id; empty where that cannot be read."""
    kept_as: str | None
    """Its id in the new database; None where nothing of it could be kept."""
    events: int
    """Events kept."""
    lost: int
    """Events that are known to have been there, and are not kept."""
    notes: int
    """Notes kept."""
    complete: bool
    """Everything that is known to have been there is kept."""
    message: str


class RepairReport(msgspec.Struct, frozen=True):
    """The result of a repair."""

    games: int
    """Games in the new database."""
    events: int
    """Events of these games, without their notes."""
    intact: int
    """Games that were intact, and are there to the byte."""
    accounts: tuple[RepairedGame, ...]
    """What became of the other games."""
    faults: tuple[str, ...]
    """What is wrong with the file, and what that may have cost."""
    complete: bool
    """Everything that is known to have been there is kept."""


def repair(
    path: str | os.PathLike[str],
    file: str | os.PathLike[str],
    *,
    registry: Registry,
    wait: float = 10.0,
    watch: Watch | None = None,
) -> RepairReport:
    """Write a new database with everything that can be kept of this one, which is only read.

    Intact:  a game whose chain holds, whose events fit the rules, and whose notes can be read is copied byte
             for byte, with its commands, notes, titles and names. Keys and sessions are copied, too.
    Damaged: a game gets a new id and a new chain, and its title says that it was repaired; `borne_out`
             decides how much of it is kept. If only its notes are damaged, it keeps its id.
    Errors:  `NoPlace`, `FileExists`, `DatabaseMissing`, `NotADatabase`, `NewerSchema`, `DamagedDatabase`,
             `DatabaseLocked`, `StorageFault`; nothing is left of the new database then.
    """
    source, target = atomic_file.real(path), Path(atomic_file.real(file))
    refuse_source(source)
    refuse_target(str(file), target, Path(source))
    with unwritten(f"{file} was not made"), built_beside(target, str(file)) as (part, copied):
        salvage.copy(source, copied, named=str(file), wait=wait)
        with room_wanted(str(file)):
            found = salvage.read(copied, source)
            reported = _reported(copied, source, registry)
        atomic_file.clear(copied)
        with new_log(part, str(file)) as log:
            done = _Repair(found, registry, log).carry_out(watch, reported)
        put_in_place(part, target, Path(source), str(file))
    return done


def _reported(copied: Path, source: str, registry: Registry) -> tuple[Finding, ...]:
    """What `verify` says of the copy: `salvage` reads past some of it, and it must not go untold."""
    try:
        try:
            store = Store.open(copied, registry=registry, create=False, read_only=True)
        except OlderSchema:
            store = Store.open(copied, registry=registry, create=False)
        with store:
            faults = verify(store).faults
    except TabletapeError as refusal:
        faults = (Finding("", 0, refusal.code, str(refusal)),)
    return tuple(
        msgspec.structs.replace(fault, message=fault.message.replace(str(copied), source)) for fault in faults
    )


# --- what is written -------------------------------------------------------------------------------------


@dataclass
class _Batch:
    """What goes into the new database in one transaction."""

    commands: list[Append] = field(default_factory=list)
    heads: list[str | None] = field(default_factory=list)
    """The chain's value after each command, where that is known."""
    abouts: dict[str, tuple[Details, bool]] = field(default_factory=dict)
    size: int = 0

    def add(self, command: Append, head: str | None = None) -> None:
        self.commands.append(command)
        self.heads.append(head)
        self.size += len(command.events)


class _Repair:
    """One repair: reads `found`, writes to `log`."""

    def __init__(self, found: SalvagedRows, registry: Registry, log: SqliteLog) -> None:
        self._found = found
        self._registry = registry
        self._log = log
        self._batch = _Batch()
        self._used = set(found.streams.values())
        self._numbers: dict[str, int] = {}
        for number, name in sorted(found.streams.items()):
            self._numbers.setdefault(name, number)
        self._guessed = self._guess()
        self._accounts: list[RepairedGame] = []
        self._placed: set[int] = set()
        """Numbers of streams that were gone through as games."""
        self._intact = 0
        self._games = 0
        self._events = 0

    def _guess(self) -> int | None:
        """Name the one game without an id after the only notes whose game is not there."""
        found = self._found
        named = {name.partition("/")[0] for name in self._numbers if not is_game_id(name)} - {""}
        alone = [name for name in named if is_game_id(name) and name not in self._numbers]
        nameless = [
            number
            for number in found.events
            if not is_game_id(name := found.streams.get(number, "")) and not self._is_notes(number, name)
        ]
        if len(alone) != 1 or len(nameless) != 1:
            return None
        found.streams[nameless[0]] = alone[0]
        self._numbers[alone[0]] = nameless[0]
        return nameless[0]

    def carry_out(self, watch: Watch | None, reported: Sequence[Finding]) -> RepairReport:
        found = self._found
        numbers = sorted(found.streams.keys() | found.events.keys() | found.gone.keys())
        for done, number in enumerate(numbers, 1):
            self._stream(number)
            if self._batch.size >= _BATCH:
                self._flush()
            if watch:
                watch("Repairing", done, len(numbers))
        self._flush()
        bring_keys(self._log, found)
        faults, lossless = _of_file(found)
        unplaced = self._unplaced()
        faults += unplaced
        told = {account.game for account in self._accounts}
        # SQLite misreads a damaged file where `salvage` does not.
        sound = [] if found.said else reported
        others = [fault for fault in sound if fault.game and fault.game not in told]
        if not (faults or told or others):
            others = list(reported)
        faults += map(_said, others)
        lossless = lossless and not unplaced and not any(fault.code in _LOSSES for fault in others)
        complete = lossless and all(account.complete for account in self._accounts)
        return RepairReport(
            self._games, self._events, self._intact, tuple(self._accounts), tuple(faults), complete
        )

    def _unplaced(self) -> list[str]:
        """Say what was typed of games that are not in the file; it is left out."""
        typed = [
            text
            for number, about in sorted(self._found.abouts.items())
            if number not in self._placed
            for text in (about.title, about.played_on, about.place, *about.names.values())
            if text
        ]
        texts = [*dict.fromkeys(typed)]
        if not texts:
            return []
        more = f" and {len(texts) - _NAMED:,} more" if len(texts) > _NAMED else ""
        named = ", ".join(texts[:_NAMED])
        return [
            f"Titles, names, dates and places of games that are not in the file are left out: {named}{more}."
        ]

    def _flush(self) -> None:
        """Write what has gathered, and see that intact records have the heads that they had."""
        batch, self._batch = self._batch, _Batch()

        first = {command.game: command.events[0] for command in batch.commands if not command.after}
        tables: list[TableChange] = []
        for game, (about, hidden) in batch.abouts.items():
            tables.append(PutDetails(game, about))
            if hidden:
                tables.append(PutHidden(game))
            with suppress(Unreadable):
                parent = stored_payloads.named(game, 1, first[game].payload).parent
                if parent is not None:
                    tables.append(PutParent(game, msgspec.json.encode(parent).decode()))
        receipts = self._log.append_all(batch.commands, tables=tables)
        for receipt, head in zip(receipts, batch.heads, strict=True):
            if head not in {None, receipt.head}:
                raise StorageFault(self._log.path, f"what was written of {receipt.game} is not what was read")

    # --- one stream ------------------------------------------------------------------------------

    def _stream(self, number: int) -> None:
        name = self._found.streams.get(number, "")
        if self._is_notes(number, name):
            self._notes_alone(number, name)
        else:
            self._game(number, name)

    def _is_notes(self, number: int, name: str) -> bool:
        """By its name; by its rows where that cannot be read."""
        if is_game_id(name):
            return False
        rows = self._found.events.get(number, [])
        notes = sum(stored_payloads.kind(row.payload).startswith("note.") for row in rows)
        return "/" in name or notes * 2 > len(rows)

    def _notes_alone(self, number: int, name: str) -> None:
        """Tell of notes whose game is not there; those of a game that is there are kept with it."""
        game = name.partition("/")[0]
        here = self._numbers.get(game)
        count = len(self._found.events.get(number, [])) or len(self._found.gone.get(number, ()))
        if here is not None and self._notes_of(game) == number:
            return
        if count:
            whose = f"{game}, which is not in the database" if game else "a game whose id cannot be read"
            self._tell_lost(game, 0, f"{counted(count, 'line')} of notes belong to {whose}: lost.")

    def _notes_of(self, game: str) -> int | None:
        """The stream of a game's notes, also where a letter of its name after the stroke is wrong."""
        found = self._numbers.get(stream(game))
        if found is not None:
            return found
        near = (number for name, number in self._numbers.items() if name.startswith(f"{game}/"))
        return next(near, None)

    def _game(self, number: int, name: str) -> None:
        self._placed.add(number)
        found = self._found
        rows = found.events.get(number, [])
        gone = len(found.gone.get(number, ()))
        called = name if is_game_id(name) else ""
        if not rows:
            known = max(gone, self._listed(number, 0))
            what = f" It had at least {counted(known, 'event')}." if known else ""
            self._tell_lost(called, known, f"Nothing of {_named(called)} can be found.{what}")
            return
        borne = borne_out(self._registry, called or "without an id", rows)
        faults = verify_chain(rows, found.commits.get(number, []))
        broken = [fault for fault in faults if fault.code not in OF_ROWS]
        own = bool(called) and self._numbers[called] == number != self._guessed and not gone
        if own and not broken and (borne.why is None or self._opens_as_text(called, rows)):
            with suppress(MalformedAppend):
                self._intact_game(number, called, rows, [fault.message for fault in faults])
                return
        fault = broken[0].message if broken else ""
        self._damaged_game(number, called, borne, fault)

    def _opens_as_text(self, game: str, rows: Sequence[StoredEvent]) -> bool:
        """Tell whether a game can be listed, and the rules that are installed cannot read its beginning.

        Such a game comes from other rules, as it was recorded; `import` takes it too.
        """
        try:
            first = stored_payloads.effective([row.payload for row in rows]).seq_at(0)
            named = stored_payloads.named(game, first, rows[first - 1].payload)
        except TabletapeError:
            return False
        ruleset = self._registry.get((named.ruleset, named.version))
        return rejudging.opens_as_text(ruleset, game, first, rows[first - 1].payload)

    def _tell_lost(self, game: str, lost: int, message: str) -> None:
        """Account for a game that could not be kept at all."""
        self._accounts.append(RepairedGame(game, None, 0, lost, 0, complete=False, message=message))

    # --- intact ----------------------------------------------------------------------------------

    def _intact_game(
        self, number: int, game: str, rows: Sequence[StoredEvent], of_rows: Sequence[str]
    ) -> None:
        commits = self._found.commits[number]
        made, renamed = _as_they_were(game, rows, commits)
        for command in made:
            admit(command)
        about = self._found.abouts.get(number, Details())
        self._take(game, number, about, made, [commit.hash for commit in commits])
        notes = self._notes(game, game, lambda seq: seq if seq <= len(rows) else None)
        short = self._listed(number, len(rows)) - len(rows)
        said = [*_short(short), *notes.said, *_renamed(renamed), *of_rows]
        if not said:
            self._intact += 1
            return
        text = f"The record of {game} is intact, and kept as it was. {' '.join(said)}"
        complete = short <= 0 and notes.complete and not renamed and not of_rows
        self._accounts.append(RepairedGame(game, game, len(rows), max(short, 0), notes.kept, complete, text))

    def _take(
        self,
        game: str,
        number: int,
        about: Details,
        made: Sequence[Append],
        heads: Iterable[str | None],
    ) -> None:
        for command, head in zip(made, heads, strict=True):
            self._batch.add(command, head)
        self._batch.abouts[game] = (about, number in self._found.hidden)
        self._games += 1
        self._events += sum(len(command.events) for command in made)

    def _listed(self, number: int, here: int) -> int:
        """How many events the list of games has seen of this one; a damaged number may say anything."""
        listed = self._found.listed.get(number, 0)
        return listed if listed <= here + _MORE else here

    # --- damaged ---------------------------------------------------------------------------------

    def _damaged_game(self, number: int, called: str, borne: KeptRecord, fault: str) -> None:
        found = self._found
        rows = found.events[number]
        known = max(len(rows) + len(found.gone.get(number, ())), self._listed(number, len(rows)))
        if not borne.rows:
            why = borne.why or "its first event cannot be read"
            lost = f"Nothing of {_named(called)} can be kept: {why}. {counted(known, 'event')} lost."
            self._tell_lost(called, known, lost)
            return
        game = self._fresh(called)
        about, unread = _readable(found.abouts.get(number, Details()), called)
        events, guessed = _stamped(borne.rows)
        command = Append(game, events, 0, secrets.token_hex(16), f"repair {called}")
        self._take(game, number, about, [command], [None])
        notes = self._notes(called, game, borne.place) if called else _Notes()
        said = [_kept(called, game, borne, known), *_sentence(fault), *notes.said]
        said += ["Its id is that of the only notes without a game."] if number == self._guessed else []
        said += [f"Its {joined(unread)} could not be read."] if unread else []
        said += [f"The author or time of {counted(guessed, 'event')} could not be read."] if guessed else []
        said += _variations(sum(_leaves(other, called) for other in found.events.values()), called)
        complete = len(borne.rows) == known and notes.complete and not unread and not guessed
        self._accounts.append(
            RepairedGame(
                called,
                game,
                len(borne.rows),
                known - len(borne.rows),
                notes.kept,
                complete,
                " ".join(said),
            )
        )

    def _fresh(self, called: str) -> str:
        """A new id, which begins with the old one where that leaves room."""
        wanted = f"{called}{_SUFFIX}" if called and len(called) + len(_SUFFIX) < _LONGEST else new_id()
        game = wanted
        while game in self._used:
            game = new_id()
        self._used |= {game, stream(game)}
        return game

    # --- notes -----------------------------------------------------------------------------------

    def _notes(self, old: str, game: str, place: Callable[[int], int | None]) -> _Notes:
        """Plan the notes of a game, to the byte where that is possible."""
        number = self._notes_of(old)
        rows = [] if number is None else self._found.events.get(number, [])
        gone = 0 if number is None else len(self._found.gone.get(number, ()))
        if number is None or not rows:
            return _Notes(0, not gone, (_lines_lost(gone),) if gone else ())
        commits = self._found.commits.get(number, [])
        lines = [readable(row) for row in rows]
        still = all(
            line is not None and (not isinstance(line, NoteWritten) or place(line.seq) == line.seq)
            for line in lines
        )
        if (still or (old == game and None not in lines)) and not gone and not verify_chain(rows, commits):
            with suppress(MalformedAppend):
                made, renamed = _as_they_were(stream(game), rows, commits)
                for command in made:
                    admit(command)
                for command, commit in zip(made, commits, strict=True):
                    self._batch.add(command, commit.hash)
                return _Notes(len(standing_after(rows)), not renamed, _renamed(renamed))
        return self._notes_anew(game, rows, place, gone)

    def _notes_anew(
        self, game: str, rows: Sequence[StoredEvent], place: Callable[[int], int | None], gone: int
    ) -> _Notes:
        """Write each note as it stood last."""
        unread = sum(readable(row) is None for row in rows) + max(gone, rows[-1].seq - len(rows))
        standing = standing_after(rows)
        events, off = [], 0
        for note in standing:
            at = place(note.seq)
            if at is None:
                off += 1
                continue
            by = note.by if is_key(note.by) else RECORDER
            when = note.at if is_time(note.at) else now()
            try:
                events.append(written(well_formed(msgspec.structs.replace(note, seq=at, by=by, at=when))))
            except BadDetail:
                unread += 1
        if events:
            self._batch.add(Append(stream(game), tuple(events), 0, secrets.token_hex(16), ""))
        said = [f"{counted(off, 'note')} stood on events that are not kept."] if off else []
        said += [_lines_lost(unread)] if unread else []
        if not said:
            said = [f"The chain of its notes does not hold; {_all(len(events), 'note')} can be read."]
        return _Notes(len(events), not off and not unread, tuple(said))


@dataclass(frozen=True)
class _Notes:
    """What became of a game's notes."""

    kept: int = 0
    complete: bool = True
    said: tuple[str, ...] = ()


def _as_they_were(
    game: str, rows: Sequence[StoredEvent], commits: Sequence[Commit]
) -> tuple[list[Append], int]:
    """The commands of an intact stream; with how many ids had to be replaced, for the chain has no ids."""
    used: set[str] = set()
    made, renamed = [], 0
    for commit in commits:
        name = commit.command_id
        if not is_command_id(name) or name in used:
            name = secrets.token_hex(16)
            renamed += 1
        used.add(name)
        events = tuple(
            NewEvent(row.kind, row.payload, row.by, row.recorded_at)
            for row in rows[commit.first_seq - 1 : commit.last_seq]
        )
        made.append(Append(game, events, commit.first_seq - 1, name, commit.request))
    return made, renamed


def _stamped(rows: Sequence[StoredEvent]) -> tuple[tuple[NewEvent, ...], int]:
    """Rows as new events; a time that cannot be read is that of the event before, or of the next one."""
    times = [row.recorded_at for row in rows if is_time(row.recorded_at)]
    at, guessed, events = times[0] if times else now(), 0, []
    for row in rows:
        fits = is_time(row.recorded_at) and is_key(row.by)
        guessed += not fits
        at = row.recorded_at if is_time(row.recorded_at) else at
        by = row.by if is_key(row.by) else RECORDER
        events.append(NewEvent(stored_payloads.kind(row.payload), row.payload, by, at))
    return tuple(events), guessed


def _readable(about: Details, called: str) -> tuple[Details, list[str]]:
    """Title, names, date and place as far as they can be kept, the title marked; with what cannot."""
    unread: list[str] = []
    fields: dict[str, str | None] = {}
    for name, check in _CHECKS.items():
        try:
            fields[name] = check(getattr(about, name))
        except BadDetail as fault:
            fields[name] = None
            unread.append(fault.field)
    names = {}
    for seat, name in about.names.items():
        try:
            names[seat] = details.line("name", name, details.NAME)
        except BadDetail:
            unread.append(f"name of {seat}")
    title = (fields["title"] or called or "A game")[: details.TITLE - len(_MARK)] + _MARK
    kept = replace(
        about, **{**fields, "title": title}, names={seat: one for seat, one in names.items() if one}
    )
    return kept, unread


def _leaves(rows: Sequence[StoredEvent], game: str) -> bool:
    """Tell whether a game is a variation of this one."""
    if not game or not rows:
        return False
    try:
        parent = stored_payloads.named(game, 1, rows[0].payload).parent
    except Unreadable:
        return False
    return parent is not None and parent.game == game


# --- what is said ----------------------------------------------------------------------------------------


def _of_file(found: SalvagedRows) -> tuple[list[str], bool]:
    """What is wrong with the file; whether nothing was lost by it that no game can tell."""
    unread, said = found.unread, []
    if found.said:
        said.append(f"{found.said.rstrip('.')}.")
    listed = not unread.get("sqlite_autoindex_events_1")
    hidden = (unread.get("events") or unread.get("rows") or unread.get("commits")) and not listed
    if hidden:
        said.append("Pages of events cannot be read: the ends of records may be missing without a trace.")
    if unread.get("games") and unread.get("sqlite_autoindex_games_1"):
        said.append("Pages of the list of ids cannot be read: whole games may be missing without a trace.")
        hidden = True
    typed = unread.get("catalogue") or unread.get("names")
    if typed:
        said.append("Some titles, names, dates and places cannot be read: enter them again.")
    if unread.get("keys"):
        said.append("Some keys cannot be read: make new ones with `tabletape key add`.")
    if unread.get("sessions"):
        said.append("Some sessions cannot be read, or belong to no key: sign in again.")
    return said, not (hidden or typed or unread.get("keys") or unread.get("sessions"))


def _said(fault: Finding) -> str:
    """A fault that `verify` names, and that keeps nothing from coming over."""
    if fault.code == "keyframe-differs":
        return f"In {fault.game}: a snapshot is not what the events give. It is left out."
    return f"In {fault.game}: {fault.message}" if fault.game else fault.message


def _kept(called: str, game: str, borne: KeptRecord, known: int) -> str:
    kept = len(borne.rows)
    what = f"{_named(called, first=True)} is kept as {game}"
    fit = "the rules accept them" if borne.judged else "the rules of this game are not installed"
    if kept == known and borne.why is None:
        return f"{what} with {_all(kept, 'event')}; {fit}."
    why = borne.why or "the others cannot be read"
    if borne.flat:
        return f"{what} with the {counted(kept, 'step')} of the game as it stood, of {known:,} events: {why}."
    return f"{what} with the first {kept:,} of {counted(known, 'event')}: {why}."


def _named(game: str, *, first: bool = False) -> str:
    return game or ("A game whose id cannot be read" if first else "a game whose id cannot be read")


def _sentence(text: str) -> list[str]:
    return [f"{text.rstrip('.')}."] if text else []


def _short(missing: int) -> list[str]:
    if missing <= 0:
        return []
    return [f"The list of games counted {counted(missing, 'event')} more: the end of the record is missing."]


def _renamed(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (
        f"The ids of {counted(count, 'command')} cannot be read; a repeated command counts as a new one.",
    )


def _lines_lost(count: int) -> str:
    return f"{counted(count, 'line')} of its notes cannot be read."


def _variations(count: int, game: str) -> list[str]:
    named = counted(count, "variation of it still names", "variations of it still name")
    return [f"{named} {game} as its parent."] if count else []


def _all(number: int, noun: str) -> str:
    return f"its {noun}" if number == 1 else f"all {counted(number, noun)}"
