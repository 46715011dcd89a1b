"""A game, and one step of it, as one viewer may know them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import msgspec

from eventstore.library.names import folded
from eventstore.log.history import History, Runs
from games.core import fold, serialization
from games.core.events import Event, Parent, RecordClosed, RecordStarted
from games.core.ruleset import Choice, Outcome, Pending, Ruleset
from games.text import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eventstore.log.rows import Head
    from games.core.scene import Scene


@dataclass(frozen=True)
class Tape:
    """One game at one moment of its log."""

    game: str
    ruleset: Ruleset[Any] | None
    """None where the game opens as text."""
    ruleset_id: str
    version: int
    seats: tuple[str, ...]
    seen_as: str
    """Whose eyes the record has."""
    origin: str
    parent: Parent | None
    started: RecordStarted[Any, Any] | None
    names: Mapping[str, str]
    """Seat → display name, of every seat."""
    viewer: str
    head: Head
    """Of the raw log; its hash is for `everything` alone."""
    steps: int
    """The last step."""
    text_only: str | None
    """Why no step can be folded."""
    damage: str | None
    """Which undo, redo or amendment cannot be followed; the game is shown as it was before it."""
    history: History
    runs: Runs
    """The effective history: step → seq."""

    @property
    def amended(self) -> bool:
        """The game as it stands was corrected in its middle."""
        return self.history.amended(self.head.seq)


class Moment(msgspec.Struct, frozen=True):
    """One step of a game as one viewer may know it."""

    game: str
    ruleset: Ruleset[Any] | None
    started: RecordStarted[Any, Any] | None
    step: int
    steps: int
    """The last step of the game."""
    head: int
    """The raw log's last event when this was read: what a command that follows names as `after`."""
    seq: int
    """This step's event in the raw log."""
    at: str
    by: str
    kind: str
    event: Event | None
    """As the viewer is told it; None where it cannot be read."""
    payload: str
    """JSON, as stored or as told; where a viewer's game cannot be folded, its kind alone."""
    before: Any
    """The viewer's state before the event; None at step 0."""
    state: Any
    """The viewer's state after it; None where `fault` says why."""
    viewer: str
    closing: RecordClosed | None
    """The event that closed the record, once it is closed."""
    fault: str | None = None
    """Why this step cannot be folded and stands as text."""
    fault_from: int | None = None
    """The first step that cannot be folded."""
    damage: str | None = None
    """As in `Tape`."""

    @property
    def readable(self) -> bool:
        """There is a state."""
        return self.state is not None

    def pending(self) -> tuple[Pending, ...]:
        """Who must or may decide what now."""
        if self.ruleset is None or not self.readable:
            return ()
        return fold.pending(self.ruleset, self.state, closed=self.closing is not None)

    def outcome(self) -> Outcome | None:
        """How the game has ended at this step."""
        if self.ruleset is None or self.started is None or not self.readable:
            return None
        return fold.outcome(self.ruleset, self.state, self.started.seats, self.closing)

    def legal(self, seat: str) -> Iterator[Event]:
        """The concrete events that this seat may record now."""
        for due in self.pending():
            if due.seat == seat and self.ruleset is not None:
                kinds = due.kinds
                yield from (
                    event
                    for event in self.ruleset.legal_actions(self.state, seat)
                    if event.__struct_config__.tag in kinds
                )

    def choices(self, seat: str) -> Iterator[Choice]:
        """The forms that this seat may fill in now."""
        kinds = {kind for due in self.pending() if due.seat == seat for kind in due.kinds}
        if kinds and self.ruleset is not None:
            yield from (form for form in self.ruleset.open_choices(self.state, seat) if form.kind in kinds)

    def scene(self) -> Scene | None:
        """The drawable view; None where there is no state."""
        return self.ruleset.scene(self.state) if self.ruleset is not None and self.readable else None

    def caption(self, names: Mapping[str, str] | None = None) -> str:
        """What happened, in one line, with names in the place of seats; the kind where nothing is known."""
        if self.ruleset is None or self.event is None or not self.readable:
            return self.kind
        before = self.state if self.before is None else self.before
        return wording.put_names(wording.caption(self.ruleset, before, self.event), names or {})

    def notation(self) -> str:
        """What a person would type for this event; its payload where there is no short form."""
        if self.ruleset is None or self.event is None or self.before is None:
            return self.payload
        return wording.write(self.ruleset, self.before, self.event)

    def plain(self) -> dict[str, Any] | None:
        """The state as plain JSON values without its setup."""
        return serialization.plain_state(self.state) if self.readable else None

    def seat(self) -> str | None:
        """The seat that acted: what the event says, else the only one that could."""
        said = getattr(self.event, "player", None)
        if isinstance(said, str):
            return said
        if isinstance(self.event, RecordClosed):
            return self.event.seat
        if self.ruleset is None or self.before is None or not self.readable:
            return None
        could = {due.seat for due in self.ruleset.pending(self.before) if self.kind in due.kinds}
        return could.pop() if len(could) == 1 else None


def default_name(seat: str) -> str:
    """What a seat is called when nobody has a name there.

    >>> default_name("p2")
    'Player 2'
    """
    return f"Player {seat[1:]}" if seat[1:].isdecimal() else seat


def told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Number players of one name, whatever its capitals, in the order of the seats.

    What was typed is kept as it is: this is how people are called wherever a game is shown.

    >>> told_apart({"p1": "Ann", "p2": "Bo", "p3": "ann"})
    {'p1': 'Ann (1)', 'p2': 'Bo', 'p3': 'ann (2)'}
    """
    typed = [folded(name) for name in names.values()]
    taken = set(typed)
    found = dict(names)
    for seat, name in names.items():
        if typed.count(folded(name)) > 1:
            numbered = (f"{name} ({number})" for number in count(1))
            found[seat] = next(text for text in numbered if folded(text) not in taken)
            taken.add(folded(found[seat]))
    return found
