"""Games to judge: played for few, most and some players, in each manner, for each option value."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import msgspec

from games.core import fold
from games.core.events import Event, RecordStarted
from games.core.options import ruleset_options
from games.core.ruleset import IllegalAction, seat_names
from games.core.start import started as start
from games.testing import playout
from games.testing.laws.law import AnyRuleset, Manner, RecordedGame
from games.words import counted

LONGEST: Final = 8_000
"""So many events a playout may have; one that is then not over has reached the cap."""
BEGINNING: Final = 160
"""So many events of a game show what it is like; one for an option value has twice as many."""


def recorded_games(ruleset: AnyRuleset, *, seeds: Sequence[int] = (1, 2)) -> tuple[RecordedGame, ...]:
    """Play games: few, most and some players, in each manner, and one for each option value."""
    manners: tuple[Manner, ...] = ("bot", "random") if ruleset.bot is not None else ("random",)
    starts = [start(ruleset, players, origin="simulated") for players in player_counts(ruleset)]
    plain = [play(ruleset, event, seed, manner) for event in starts for manner in manners for seed in seeds]
    if any(_has_mays(ruleset, game) for game in plain):
        plain += [play(ruleset, event, seeds[0], "restless") for event in starts]
    variants = [
        play(ruleset, event, seeds[0], manners[0], longest=2 * BEGINNING)
        for event in option_variants(ruleset)
    ]
    return (*plain, *variants)


def _has_mays(ruleset: AnyRuleset, game: RecordedGame) -> bool:
    states = fold.states(ruleset, game.started, game.events[:BEGINNING])
    return any(not due.must for state in states for due in ruleset.pending(state))


def player_counts(ruleset: AnyRuleset) -> tuple[int, ...]:
    """Take the smallest, the second and the largest number of players."""
    return tuple(sorted({*ruleset.seats[:2], ruleset.seats[-1]}))


def option_variants(ruleset: AnyRuleset) -> Iterator[RecordStarted[Any, Any]]:
    """Start a game for each other value of an option that is a switch or has named values.

    A value that needs another option beside it is refused alone, and left to the ruleset's own tests.
    """
    players = ruleset.seats[0]
    for reading in ruleset_options(ruleset, seat_names(players)):
        for value in reading.values:
            if value != reading.suggested:
                with suppress(IllegalAction):
                    yield start(ruleset, players, origin="simulated", options={reading.name: value})


def play(
    ruleset: AnyRuleset,
    started: RecordStarted[Any, Any],
    seed: int,
    manner: Manner,
    *,
    longest: int = LONGEST,
) -> RecordedGame:
    """Play one game; a fault on the way is kept, not raised, so that the playouts law can name it."""
    rng = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    events: list[Event] = []
    fault = ""
    player = ruleset if manner == "bot" else replace(ruleset, bot=None)
    try:
        if manner == "restless":
            events.extend(_restless(player, started, rng, longest))
        else:
            events.extend(event for event, _ in playout.playout(player, started, rng, max_events=longest))
    except Exception as error:  # noqa: BLE001 - whatever the ruleset raises
        fault = f"{type(error).__name__}: {error}"
    options = "".join(f", {key} {value}" for key, value in _chosen(ruleset, started))
    label = f"{counted(len(started.seats), 'player')}, seed {seed}, {manner}{options}"
    return RecordedGame(
        label=label, started=started, events=tuple(events), seed=seed, manner=manner, fault=fault
    )


def _restless(
    ruleset: AnyRuleset, started: RecordStarted[Any, Any], rng: random.Random, longest: int
) -> Iterator[Event]:
    state = ruleset.setup(started)
    for _ in range(longest):
        if ruleset.outcome(state) is not None:
            return
        mays = [due for due in ruleset.pending(state) if not due.must]
        chosen = rng.choice(mays) if mays and rng.random() < playout.MAY else None
        event = playout.random_event(ruleset, state, chosen, rng) if chosen is not None else None
        if event is None:
            event = playout.next_event(ruleset, state, rng)
        yield event
        state = fold.evolve(ruleset, state, event)


def _chosen(ruleset: AnyRuleset, started: RecordStarted[Any, Any]) -> Iterator[tuple[str, Any]]:
    suggested = msgspec.to_builtins(ruleset.suggested(started.seats))
    for key, value in msgspec.to_builtins(started.options).items():
        if value != suggested[key]:
            yield key, value
