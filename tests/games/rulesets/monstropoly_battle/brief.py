"""A recorded game a line a step, and the whole table wherever another part of the game begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from games.core import fold
from games.core.events import Event, RecordClosed, RecordStarted, kind_of
from games.rulesets.monstropoly_battle import RULESETS
from games.rulesets.monstropoly_battle.state import State
from games.scene.text import scene_text
from games.text import wording

RULES = RULESETS[0]


def told(started: RecordStarted[Any, Any], events: Sequence[Event]) -> str:
    """Write a game a line a step, and the whole table wherever another part of the game begins."""
    options = ", ".join(f"{key} {value}" for key, value in msgspec.to_builtins(started.options).items())
    return "\n".join((f"seen as {started.seen_as}; {options}", *_steps(started, events))) + "\n"


def _steps(started: RecordStarted[Any, Any], events: Sequence[Event]) -> Iterator[str]:
    state = RULES.setup(started)
    for number, event in enumerate(events, start=1):
        caption = wording.put_names(wording.caption(RULES, state, event), {})
        yield f"{number}. {wording.write(RULES, state, event)} | {caption}"
        before, state = state, fold.evolve(RULES, state, event)
        if part(before) != part(state) or number == len(events):
            yield from _table(state, closed=isinstance(event, RecordClosed))
    closing = events[-1] if isinstance(events[-1], RecordClosed) else None
    over = fold.outcome(RULES, state, started.seats, closing)
    assert over is not None
    yield f"over: {over.reason}, {' '.join(over.winners) or 'nobody'} wins, {over.scores}"


def part(state: State) -> tuple[object, ...]:
    return state.phase.partition(".")[0], state.phase in {"phase2.declare", "phase2.shuffle"}, state.battle


def _table(state: State, *, closed: bool) -> Iterator[str]:
    yield from (f"    {line}".rstrip() for line in scene_text(RULES.scene(state)).split("\n"))
    for due in fold.pending(RULES, state, closed=closed):
        listed = sum(kind_of(event) in due.kinds for event in RULES.legal_actions(state, due.seat))
        need = "must" if due.must else "may"
        yield f"    > {due.seat} {need}: {', '.join(due.kinds)} ({due.why}), {listed} listed"
