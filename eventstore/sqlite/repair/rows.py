"""The rows of a damaged database, sorted by the game that they belong to."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from eventstore.log.ids import is_stream, is_time
from eventstore.log.key_table import Session
from eventstore.log.rows import UNCHECKED, Commit, Details, StoredEvent
from eventstore.sqlite.database_check import key_flaw, session_flaw

if TYPE_CHECKING:
    from eventstore.sqlite.repair.pages import Value

_SEAT: Final = re.compile("p[1-9][0-9]?")


class EventRow(NamedTuple):
    """A row of `events`; one that is shorter is older than the columns that it lacks."""

    position: Value
    game: int
    seq: int
    kind: Value
    by: Value
    recorded_at: Value
    payload: Value
    first_seq: Value = None
    command_id: Value = None
    request: Value = None
    hash: Value = None
    checksum: Value = None


class CatalogueRow(NamedTuple):
    """A row of `catalogue`."""

    game: Value
    title: Value
    played_on: Value
    time_zone: Value
    place: Value
    hidden: Value
    ruleset: Value
    version: Value
    origin: Value
    parent: Value
    created_at: Value
    seats: Value
    steps: Value
    seq: Value
    status: Value
    result: Value


class KeyRow(NamedTuple):
    """A row of `keys`, texts decoded."""

    key: int
    name: Value
    seat: Value
    hash: Value
    added_at: Value
    revoked_at: Value


class _CommandRow(NamedTuple):
    """What `commits` has of a command, in a database from when it was a table."""

    first_seq: Value = None
    command_id: Value = None
    request: Value = None
    hash: Value = None


_EVENT: Final = len(EventRow._fields) - len(EventRow._field_defaults)
"""Columns that each row of `events` has."""


@dataclass
class SalvagedRows:
    """What was read, by the number of the stream; rows by seq."""

    streams: dict[int, str] = field(default_factory=dict)
    events: dict[int, list[StoredEvent]] = field(default_factory=dict)
    commits: dict[int, list[Commit]] = field(default_factory=dict)
    gone: dict[int, set[int]] = field(default_factory=dict)
    """Seqs that the index lists, and that no row could be read for."""
    abouts: dict[int, Details] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)
    listed: dict[int, int] = field(default_factory=dict)
    """The last seq that the list of games had seen."""
    keys: list[KeyRow] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    said: str | None = None
    """What SQLite says of the file; None where it is sound."""
    unread: dict[str, int] = field(default_factory=dict)
    """How many pages of a table could not be read."""


class RowSorter:
    """Sorts rows into `SalvagedRows`; the first of two that have one number stands."""

    def __init__(self, found: SalvagedRows) -> None:
        self._found = found
        self._indexed: dict[int, str] = {}
        self._events: dict[int, EventRow] = {}
        self._places: dict[int, tuple[int, int]] = {}
        self._old: dict[tuple[int, int], _CommandRow] = {}
        self._names: dict[int, dict[str, str]] = {}

    def game(self, number: int, columns: tuple[Value, ...]) -> None:
        """Take a row of `games`."""
        name = text_of(columns[1]) if len(columns) > 1 else ""
        if number > 0 and (is_stream(name) or number not in self._found.streams):
            self._found.streams.setdefault(number, name)

    def indexed_game(self, _: int, columns: tuple[Value, ...]) -> None:
        """Take an entry of the index of ids."""
        match columns:
            case (bytes(), int(number)) if number > 0:
                self._indexed.setdefault(number, text_of(columns[0]))

    def event(self, position: int, columns: tuple[Value, ...]) -> None:
        """Take a row of `events`."""
        match columns:
            case (first, int(game), int(seq), *rest) if game > 0 and seq > 0 and len(columns) >= _EVENT:
                self._events.setdefault(position, _event(first, game, seq, rest))
            case _:
                self._unread("rows")

    def commit(self, _: int, columns: tuple[Value, ...]) -> None:
        """Take a row of `commits`, where that is a table."""
        match columns:
            case (int(game), int(last), first, command, request, value, *_):
                self._old.setdefault((game, last), _CommandRow(first, command, request, value))

    def indexed_event(self, _: int, columns: tuple[Value, ...]) -> None:
        """Take an entry of the index of events."""
        match columns:
            case (int(game), int(seq), int(position)) if seq > 0:
                self._places.setdefault(position, (game, seq))

    def about(self, number: int, columns: tuple[Value, ...]) -> None:
        """Take a row of `catalogue`."""
        fields = CatalogueRow._fields
        if len(columns) < len(fields):
            self._unread("catalogue")
        if len(columns) <= fields.index("place") or number in self._found.abouts:
            return
        row = CatalogueRow(*(*columns, *(None,) * len(fields))[: len(fields)])
        title, played_on, time_zone, place = map(_typed, (row.title, row.played_on, row.time_zone, row.place))
        self._found.abouts[number] = Details(title, played_on, time_zone, place)
        if row.hidden and isinstance(row.hidden, int):
            self._found.hidden.add(number)
        if isinstance(row.seq, int):
            self._found.listed[number] = row.seq

    def name(self, _: int, columns: tuple[Value, ...]) -> None:
        """Take a row of `names`."""
        match columns:
            case (int(game), bytes(seat), bytes(name), *_):
                self._names.setdefault(game, {}).setdefault(text_of(seat), text_of(name))
            case _:
                self._unread("names")

    def _unread(self, table: str) -> None:
        """Count a row that cannot be read."""
        self._found.unread[table] = self._found.unread.get(table, 0) + 1

    def key(self, number: int, columns: tuple[Value, ...]) -> None:
        """Take a row of `keys`."""
        if len(columns) != len(KeyRow._fields):
            self._unread("keys")
            return
        _, name, seat, value, added_at, revoked_at = columns
        row = KeyRow(number, _decoded(name), _decoded(seat), value, _decoded(added_at), _decoded(revoked_at))
        if key_flaw(row.name, row.seat, row.hash, row.added_at, row.revoked_at):
            self._unread("keys")
        else:
            self._found.keys.append(row)

    def session(self, _: int, columns: tuple[Value, ...]) -> None:
        """Take a row of `sessions`."""
        match columns:
            case (bytes(name), int(key), bytes(value), bytes(began)) if not session_flaw(
                text_of(name), value, text_of(began)
            ):
                self._found.sessions.append(Session(text_of(name), key, value, text_of(began)))
            case _:
                self._unread("sessions")

    def adrift(self, number: int, columns: tuple[Value, ...]) -> None:
        """Take a row that no table leads to, by what it looks like.

        A key is not taken: it may have been revoked since.
        """
        match columns:
            case (None, bytes(name)) if number > 0 and is_stream(text_of(name)):
                self._found.streams.setdefault(number, text_of(name))
            case (None, int(game), int(seq), bytes(), bytes(), bytes(at), bytes(), *_) if (
                number > 0 and game > 0 and seq > 0 and is_time(text_of(at))
            ):
                self._events.setdefault(number, _event(None, game, seq, columns[3:]))
            case (int(game), bytes(seat), bytes(name), bytes()) if _SEAT.fullmatch(text_of(seat)):
                self._names.setdefault(game, {}).setdefault(text_of(seat), text_of(name))
            case (None, None | bytes(), *_) if number > 0 and len(columns) == len(CatalogueRow._fields):
                self.about(number, columns)

    def finish(self, *, old: bool) -> None:
        """Put events and names to their streams; `old`: commands have a table of their own."""
        found = self._found
        for number, name in self._indexed.items():
            if not is_stream(found.streams.get(number, "")):
                found.streams[number] = name
        for position, (game, seq) in self._places.items():
            if position not in self._events:
                found.gone.setdefault(game, set()).add(seq)
        there = Counter((row.game, row.seq) for row in self._events.values())
        for position, row in self._events.items():
            game, seq = _likelier((row.game, row.seq), self._places.get(position), there)
            self._put(position, row._replace(game=game, seq=seq), old=old)
        for game, events in found.events.items():
            unique = {event.seq: event for event in reversed(events)}
            found.events[game] = [unique[seq] for seq in sorted(unique)]
            commits = {commit.last_seq: commit for commit in reversed(found.commits.get(game, []))}
            found.commits[game] = [commits[seq] for seq in sorted(commits)]
            found.gone.get(game, set()).difference_update(unique)
        for game, names in self._names.items():
            about = found.abouts.get(game, Details())
            found.abouts[game] = Details(
                about.title, about.played_on, about.time_zone, about.place, dict(sorted(names.items()))
            )

    def _put(self, position: int, row: EventRow, *, old: bool) -> None:
        name = self._found.streams.get(row.game, "")
        texts = map(text_of, (row.kind, row.by, row.recorded_at, row.payload))
        self._found.events.setdefault(row.game, []).append(StoredEvent(position, name, row.seq, *texts))
        command = self._old.get((row.game, row.seq), _CommandRow()) if old else row
        if command.command_id is not None:
            first = command.first_seq if isinstance(command.first_seq, int) else 0
            # A row from before there were checksums is shorter.
            checksum = row.checksum if not old and isinstance(row.checksum, int) else UNCHECKED
            command_id, request, value = map(text_of, (command.command_id, command.request, command.hash))
            self._found.commits.setdefault(row.game, []).append(
                Commit(name, first, row.seq, command_id, request, value, checksum)
            )


def _event(position: Value, game: int, seq: int, rest: tuple[Value, ...] | list[Value]) -> EventRow:
    return EventRow(position, game, seq, *rest[: len(EventRow._fields) - 3])


def _likelier(
    row: tuple[int, int], index: tuple[int, int] | None, there: Counter[tuple[int, int]]
) -> tuple[int, int]:
    """Game and seq of a row where it and its index differ: the place that fits between other rows."""
    if index is None or index == row:
        return row

    def fits(place: tuple[int, int], others: int) -> int:
        game, seq = place
        return 0 if others else 1 + (there[game, seq - 1] > 0 or seq == 1) + (there[game, seq + 1] > 0)

    return index if fits(index, there[index]) > fits(row, there[row] - 1) else row


def text_of(value: Value) -> str:
    """Read a text as every reader of the store does: what is not UTF-8 is replaced."""
    if value is None:
        return ""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _typed(value: Value) -> str | None:
    return None if value is None else text_of(value)


def _decoded(value: Value) -> str | int | float | None:
    """As `_typed`, but a number stays one."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value
