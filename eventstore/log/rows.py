"""The rows of a log as frozen values; they know no game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec

from eventstore.errors import TabletapeError

RECORDER: Final = "recorder"
"""Who entered it, where nobody says who."""
UNCHECKED: Final = -1
"""The checksum of a command that was recorded before there were checksums; no CRC-32 has this value."""


class NewEvent(msgspec.Struct, frozen=True, gc=False):
    """An event that is to be appended."""

    kind: str
    payload: str
    """JSON text on one line, stored to the byte; its `kind` is the one above."""
    by: str = RECORDER
    """The key of who entered it, never a name."""
    recorded_at: str | None = None
    """UTC, `2026-09-14T18:03:05.123456Z`; None is stamped by the log; an import passes the original."""


class StoredEvent(msgspec.Struct, frozen=True, gc=False):
    """One row of a log."""

    position: int
    """Its place among all events of all games, in the order of their commits; never used twice."""
    game: str
    seq: int
    """1, 2, 3 … in its game, without gaps."""
    kind: str
    by: str
    recorded_at: str
    payload: str


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """The answer to an accepted command; it is durable when this is returned."""

    game: str
    first_seq: int
    last_seq: int
    head: str
    """The chain's value after `last_seq`, 64 hex digits."""
    repeated: bool
    """The same command was accepted before; these are its events, and nothing was added."""


class Head(msgspec.Struct, frozen=True, gc=False):
    """The end of a game's log."""

    seq: int
    hash: str
    """The chain's value after `seq`, 64 hex digits."""


class Commit(msgspec.Struct, frozen=True, gc=False):
    """One accepted command."""

    game: str
    first_seq: int
    last_seq: int
    command_id: str
    request: str
    """A digest of the command as it was asked for."""
    hash: str
    """The chain's value after `last_seq`, 64 hex digits."""
    checksum: int = UNCHECKED
    """Of all of the above: see `chain.checksum`."""


class Append(msgspec.Struct, frozen=True, gc=False):
    """One command: these events, behind event `after` of this game; 0 makes the game."""

    game: str
    events: tuple[NewEvent, ...]
    after: int
    command_id: str
    request: str


@dataclass(frozen=True)
class Details:
    """What people typed about a game beside its events: it may change, and no chain holds it."""

    title: str | None = None
    played_on: str | None = None
    """A day, `2026-09-14`."""
    time_zone: str | None = None
    place: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """Seat → name as typed, without seats that have none."""


class Opening(msgspec.Struct, frozen=True, gc=False):
    """Everything about a game that can change, as one statement reads it.

    The rows up to `head` and `notes` never change, so nobody needs an open transaction to read them later.
    """

    head: Head
    notes: int
    """The last event of its stream of notes; 0 where there is none."""
    details: Details
    hidden: bool
    """The lists leave the game out."""
    rewritten: bool
    """Something was undone, brought back or amended; if nothing was, `rewrites` need not be asked."""
    details_damage: TabletapeError | None = None
    """Why the details cannot be read, and stand here as if nobody had typed any."""
