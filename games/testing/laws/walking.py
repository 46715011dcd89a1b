"""Walking a game step by step as one viewer knows it: what most laws are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec

from games.core import fold
from games.core.events import Event, RecordStarted
from games.core.ruleset import EVERYTHING, TABLE
from games.testing.laws.law import AnyRuleset, LawBroken, LawCheck, RecordedGame

JUDGED: Final = 160
"""So many steps of a game are judged: its beginning, its end, and evenly between."""


@dataclass(frozen=True, kw_only=True)
class ObservedGame:
    """A game as somebody was told it; for `everything` the game itself."""

    viewer: str
    started: RecordStarted[Any, Any]
    events: Iterable[Event]


class AppliedEvent(NamedTuple):
    """An event between two states."""

    before: Any
    event: Event
    after: Any


@dataclass(frozen=True, kw_only=True)
class ObservedStep:
    """One step as the viewer saw it, and in full.

    At step 0 the event is `record.started`, and before and after are the same.  `written` is how state and
    event read as JSON before the event was applied.
    """

    game: RecordedGame
    step: int
    viewer: str
    seen: AppliedEvent
    full: AppliedEvent
    written: tuple[bytes, bytes]


Views = Callable[[AnyRuleset, RecordedGame], Iterator[ObservedGame]]
Judge = Callable[[AnyRuleset, ObservedStep], Iterator[str]]


def in_full(_ruleset: AnyRuleset, game: RecordedGame) -> Iterator[ObservedGame]:
    """See everything."""
    yield ObservedGame(viewer=EVERYTHING, started=game.started, events=game.events)


def as_observed(ruleset: AnyRuleset, game: RecordedGame) -> Iterator[ObservedGame]:
    """See what each restricted viewer is told; where nothing is hidden one seat stands for all."""
    viewers = (TABLE, *game.started.seats) if ruleset.has_hidden_information else game.started.seats[:1]
    for viewer in viewers:
        yield ObservedGame(
            viewer=viewer,
            started=fold.observe_start(game.started, viewer),
            events=fold.observed(ruleset, game.started, game.events, viewer),
        )


def by_everybody(ruleset: AnyRuleset, game: RecordedGame) -> Iterator[ObservedGame]:
    """See everything, then what each restricted viewer is told."""
    yield from in_full(ruleset, game)
    yield from as_observed(ruleset, game)


def walk(
    ruleset: AnyRuleset, game: RecordedGame, view: ObservedGame, steps: frozenset[int]
) -> Iterator[ObservedStep]:
    """Fold the game and the view side by side; give the chosen steps."""
    everything = view.viewer == EVERYTHING
    full = ruleset.setup(game.started)
    known = full if everything else ruleset.setup(view.started)
    if 0 in steps:
        yield ObservedStep(
            game=game,
            step=0,
            viewer=view.viewer,
            seen=AppliedEvent(known, view.started, known),
            full=AppliedEvent(full, game.started, full),
            written=(as_written(known), as_written(view.started)),
        )
    for step, (full_event, event) in enumerate(zip(game.events, view.events, strict=True), start=1):
        written = (as_written(known), as_written(event)) if step in steps else (b"", b"")
        all_ = AppliedEvent(full, full_event, fold.evolve(ruleset, full, full_event))
        seen = all_ if everything else AppliedEvent(known, event, fold.evolve(ruleset, known, event))
        if step in steps:
            yield ObservedStep(
                game=game, step=step, viewer=view.viewer, seen=seen, full=all_, written=written
            )
        full, known = all_.after, seen.after


def judged_steps(length: int) -> frozenset[int]:
    """Choose the steps to judge: beginning, end, and evenly between; all of a short game.

    >>> len(judged_steps(10)), len(judged_steps(5000)) <= JUDGED
    (11, True)
    """
    if length < JUDGED:
        return frozenset(range(length + 1))
    part = JUDGED // 4
    between = range(part, length - part, (length - 2 * part) // part + 1)
    return frozenset((*range(2 * part), *between, *range(length + 1 - part, length + 1)))


def at_each_step(views: Views, judge: Judge) -> LawCheck:
    """Make a law of what is judged step by step; an error on the way is a breach too."""

    def check(name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
        for game in games:
            for view in views(ruleset, game):
                found = _first_breach(ruleset, game, view, judge)
                if found is not None:
                    step, said = found
                    raise LawBroken(name, ruleset, game, step, f"({view.viewer}) {said}")

    return check


def _first_breach(
    ruleset: AnyRuleset, game: RecordedGame, view: ObservedGame, judge: Judge
) -> tuple[int, str] | None:
    reached = 0
    try:
        for position in walk(ruleset, game, view, judged_steps(len(game.events))):
            reached = position.step
            for said in judge(ruleset, position):
                return reached, said
            reached += 1  # what is raised between two moments belongs to what follows
    except Exception as error:  # noqa: BLE001 - whatever the ruleset raises breaks the law
        return reached, f"{type(error).__name__}: {error}"
    return None


def as_written(value: Any) -> bytes:
    """Write a value as bytes that are equal where it is."""
    return msgspec.json.encode(value, order="deterministic")
