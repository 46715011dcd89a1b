"""One step of a game as one viewer may know it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from games.core import fold, serialization
from games.core.events import Event, RecordChecked, RecordClosed, RecordStarted
from games.core.ruleset import Choice, Outcome, Pending, Ruleset
from games.text import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from games.core.events import Claim
    from games.core.scene import Scene


class Position(msgspec.Struct, frozen=True):
    """One step of a game as one viewer may know it."""

    game: str
    ruleset: Ruleset[Any] | None
    started: RecordStarted[Any, Any] | None
    step: int
    steps: int
    """The last step of the game."""
    head: int
    """The last event of the game that this is a position of: what a command that follows names as `after`."""
    seq: int
    """This step's event in the raw log; 0 where it is not in the log yet."""
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
    """Why the history cannot be followed further; as in `Game`."""

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
        try:
            said = wording.caption(self.ruleset, before, self.event)
        except Exception:  # noqa: BLE001 - an imported event that was undone may be one that the rules refuse
            return self.kind
        return wording.put_names(said, names or {})

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

    def failed_claims(self) -> list[tuple[Claim, int | str | None]]:
        """The claims of a table check that the record does not bear out, each with what the record has."""
        scene = self.scene() if isinstance(self.event, RecordChecked) else None
        if scene is None or not isinstance(self.event, RecordChecked):
            return []
        return fold.mismatches(scene, self.event.claims)
