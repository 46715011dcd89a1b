"""The steps that a game would have after an amendment that was not made yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eventstore.replay.position import Position
from games.core import fold, serialization
from games.core.events import RecordClosed, RecordStarted, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.recording.amending import AmendPlan


def positions(plan: AmendPlan) -> Iterator[Position]:
    """Fold the new history from its first step that may be another, as one who sees everything.

    Seq:     0 where the event is not in the log yet.
    Errors:  `Unreadable` where what stays cannot be folded.
    """
    game, amendment = plan.game, plan.amendment
    rules, started = game.ruleset, game.started
    state: Any = game.states(amendment.first - 1).full if amendment.first else None
    for step, (seq, event, new) in enumerate(amendment.made, amendment.first):
        if rules is None:
            return
        before = state
        if isinstance(event, RecordStarted):
            started, state = event, rules.setup(event)
        else:
            state = fold.evolve(rules, state, event)
        yield Position(
            game=game.id,
            ruleset=rules,
            started=started,
            step=step,
            steps=amendment.first + len(amendment.made) - 1,
            head=game.head,
            seq=0 if new else seq,
            at="",
            by="",
            kind=kind_of(event),
            event=event,
            payload=serialization.encode_event(event),
            before=before,
            state=state,
            viewer=game.viewer,
            closing=event if isinstance(event, RecordClosed) else None,
        )
