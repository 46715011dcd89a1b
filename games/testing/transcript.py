"""A whole game as text, the same to the byte each time: what golden files hold and a review reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, Final, TypeVar

import msgspec

from games.core import fold
from games.core.events import Event, RecordClosed, RecordStarted
from games.core.ruleset import Outcome, Pending, Ruleset
from games.scene.text import scene_text
from games.text import wording

S = TypeVar("S")

_INDENT: Final = "    "


def transcript(ruleset: Ruleset[S], started: RecordStarted[Any, Any], events: Iterable[Event]) -> str:
    """Write a game out: what was chosen, then for each step the event, its caption, the scene, who may act.

    Seats stand as their keys.  Behind each of those who may act: how many events are listed for them, and
    how many forms they are offered.  `events` are the effective ones after `started`, record events too.
    """
    return "\n".join((*_header(ruleset, started), *_steps(ruleset, started, events))) + "\n"


def _header(ruleset: Ruleset[S], started: RecordStarted[Any, Any]) -> Iterator[str]:
    data = msgspec.json.encode(started.data)
    source = getattr(started.data, "source", None)
    yield f"{ruleset.title} ({started.ruleset}, version {started.version})"
    yield f"seats: {' '.join(started.seats)}"
    yield f"origin: {started.origin}, seen as {started.seen_as}"
    for key, value in msgspec.to_builtins(started.options).items():
        yield f"option {key}: {msgspec.json.encode(value).decode()}"
    yield f"data: {f'{source}, ' if source else ''}sha256 {sha256(data).hexdigest()[:16]}"


def _steps(ruleset: Ruleset[S], started: RecordStarted[Any, Any], events: Iterable[Event]) -> Iterator[str]:
    state = ruleset.setup(started)
    closing: RecordClosed | None = None
    yield from ("", "== step 0", *_after(ruleset, state, closing))
    for number, event in enumerate(events, start=1):
        yield from ("", f"== step {number}: {wording.write(ruleset, state, event)}")
        yield wording.put_names(wording.caption(ruleset, state, event), {})
        state = fold.evolve(ruleset, state, event)
        closing = event if isinstance(event, RecordClosed) else closing
        yield from _after(ruleset, state, closing)
    yield from ("", *_outcome(fold.outcome(ruleset, state, started.seats, closing)))


def _after(ruleset: Ruleset[S], state: S, closing: RecordClosed | None) -> Iterator[str]:
    for line in scene_text(ruleset.scene(state)).split("\n"):
        yield f"{_INDENT}{line}".rstrip()
    for due in fold.pending(ruleset, state, closed=closing is not None):
        yield _due(ruleset, state, due)


def _due(ruleset: Ruleset[S], state: S, due: Pending) -> str:
    listed = sum(event.__struct_config__.tag in due.kinds for event in ruleset.legal_actions(state, due.seat))
    forms = sum(choice.kind in due.kinds for choice in ruleset.open_choices(state, due.seat))
    why = f" ({wording.put_names(due.why, {})})" if due.why else ""
    need = "must" if due.must else "may"
    return f"{due.seat} {need}: {', '.join(due.kinds)}{why}; {listed} listed, {forms} forms"


def _outcome(outcome: Outcome | None) -> Iterator[str]:
    if outcome is None:
        yield "== not over"
        return
    yield f"== over: {outcome.reason}"
    yield f"winners: {' '.join(outcome.winners) or 'none'}"
    yield f"scores: {', '.join(f'{seat} {score}' for seat, score in outcome.scores.items())}"
