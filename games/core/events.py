"""The facts about a record that every ruleset shares, and the base that a ruleset's own facts stand on."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Generic, Literal, TypeVar

import msgspec

O = TypeVar("O")  # noqa: E741 - options, as D is data
D = TypeVar("D")

Origin = Literal["table", "dealt", "simulated"]
How = Literal["abandoned", "conceded", "agreed"]


class Event(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True, forbid_unknown_fields=True):
    """One fact in a game's log.

    A subclass writes its stored kind by hand (`tag="creature_moved"`).  A field without a default is
    always written, null included; a field that is left out where it is null has the default `None`.
    """


class RecordEvent(Event, frozen=True):
    """A fact about the record that every ruleset has: its kind begins with `record.`.

    Each stands in `RECORD_EVENTS`, and nowhere else is there a list of them.  One that does not
    rewrite leaves the state as it is, unless `fold` says otherwise.
    """

    rewrites: ClassVar[bool] = False
    """It says which events count; it is written by undo, redo and amend, and is never folded."""


class Parent(msgspec.Struct, frozen=True):
    """Where a variation branches off: the parent game, its raw head then, and the step."""

    game: str
    head: int
    step: int


class RecordStarted(RecordEvent, Generic[O, D], frozen=True, tag="record.started"):
    """Step 0 of every game: all that must be known to fold the rest.

    `seats` are keys (`p1`, `p2` …) in order round the table, never names.  `seen_as` is whose eyes the
    record has: `everything`, `table` or a seat.  `options` holds every option written out, `data` the
    cards and boards as the game uses them.
    """

    ruleset: str
    version: int
    seats: tuple[str, ...]
    origin: Origin
    seen_as: str
    options: O
    data: D
    parent: Parent | None


class Edit(msgspec.Struct, frozen=True):
    """One splice: behind the entry with seq `after`, `drop` entries go and `put` new rows come in."""

    after: int
    drop: int
    put: int


class RecordUndone(RecordEvent, frozen=True, tag="record.undone"):
    """The effective history is again what it was after raw event `to`."""

    rewrites = True
    to: int


class RecordRedone(RecordEvent, frozen=True, tag="record.redone"):
    """The effective history is again what it was after raw event `to`."""

    rewrites = True
    to: int


class RecordAmended(RecordEvent, frozen=True, tag="record.amended"):
    """Splices into the history before this event, in order, not overlapping."""

    rewrites = True
    edits: tuple[Edit, ...]
    reason: str


class Change(msgspec.Struct, frozen=True):
    """One place in the state: a JSON pointer, what it held and what it holds from now on."""

    at: str
    was: Any
    now: Any


class RecordRuled(RecordEvent, frozen=True, tag="record.ruled"):
    """What the table agreed on in spite of the rules; `instead_of` names the seq that it stands for.

    `says` is the sentence of the move that was ruled, as everybody may read it; a patch has none.
    """

    reason: str
    changes: tuple[Change, ...]
    instead_of: int | None = None
    says: str | None = None


class Claim(msgspec.Struct, frozen=True):
    """What is visible on the real table: the key of a counter, zone or cell of the scene, and its value."""

    at: str
    value: int | str | None


class RecordChecked(RecordEvent, frozen=True, tag="record.checked"):
    """A look at the real table; changes nothing."""

    claims: tuple[Claim, ...]


class RecordClosed(RecordEvent, frozen=True, tag="record.closed"):
    """The table stopped: abandoned, conceded by `seat`, or agreed to be without a winner."""

    how: How
    seat: str | None = None
    reason: str | None = None


def kind_of(event: type[Event] | Event) -> str:
    """Name the stored kind of an event or of an event type."""
    tag = event.__struct_config__.tag
    if not isinstance(tag, str):
        raise TypeError(f"{event!r} has no stored kind: give its Struct a tag")
    return tag


RECORD_EVENTS: Final[tuple[type[RecordEvent], ...]] = (
    RecordStarted,
    RecordUndone,
    RecordRedone,
    RecordAmended,
    RecordRuled,
    RecordChecked,
    RecordClosed,
)
"""Every event of the record: the one list of them."""
RECORD_KINDS: Final = tuple(map(kind_of, RECORD_EVENTS))
REWRITING_KINDS: Final = tuple(kind_of(event) for event in RECORD_EVENTS if event.rewrites)
