"""Simulated play: any ruleset, driven through its own offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeVar

from games.core import serialization
from games.core.choices import TRIES, sample
from games.core.events import Event, RecordStarted
from games.core.ruleset import CHANCE, DeadEnd, IllegalAction, Pending, Random, Ruleset

S = TypeVar("S")

MAY: Final = 0.15
"""How often the random player takes up something that it may but need not do."""


def random_event(ruleset: Ruleset[S], state: S, due: Pending, rng: Random) -> Event | None:
    """Draw one acceptable event of the kinds pending; None where nothing of them is offered."""
    if due.seat == CHANCE and ruleset.deal is not None:
        return ruleset.deal(state, rng)
    kinds = set(due.kinds)
    listed = [
        event for event in ruleset.legal_actions(state, due.seat) if event.__struct_config__.tag in kinds
    ]
    forms = [choice for choice in ruleset.open_choices(state, due.seat) if choice.kind in kinds]
    for _ in range(TRIES if listed or forms else 0):
        pick = rng.randint(0, len(listed) + len(forms) - 1)
        if pick < len(listed):
            return listed[pick]
        event: Event = serialization.event_from(ruleset, sample(forms[pick - len(listed)], rng))
        try:
            ruleset.check(state, event)
        except IllegalAction:
            continue
        return event
    return None


def next_event(ruleset: Ruleset[S], state: S, rng: Random) -> Event:
    """Choose what happens next: chance, a ruleset's own bot, else the random player.

    Errors: `DeadEnd` when nobody who must can.
    """
    due = ruleset.pending(state)
    musts = [item for item in due if item.must]
    if not musts:
        raise DeadEnd(f"{ruleset.id}: nobody must do anything, and there is no outcome")
    for item in musts:
        if item.seat == CHANCE and ruleset.deal is not None:
            chosen = ruleset.bot_during_chance(state, rng) if ruleset.bot is not None else None
            return ruleset.deal(state, rng) if chosen is None else chosen
    if ruleset.bot is not None:
        return ruleset.bot(state, rng.choice(musts).seat, rng)
    mays = [item for item in due if not item.must]
    if mays and rng.random() < MAY:
        event = random_event(ruleset, state, rng.choice(mays), rng)
        if event is not None:
            return event
    for item in musts if len(musts) == 1 else rng.sample(musts, len(musts)):
        event = random_event(ruleset, state, item, rng)
        if event is not None:
            return event
    raise DeadEnd(f"{ruleset.id}: {[item.seat for item in musts]} must act, and nothing is offered")


def playout(
    ruleset: Ruleset[S], started: RecordStarted[Any, Any], rng: Random, *, max_events: int = 20_000
) -> Iterator[tuple[Event, S]]:
    """Play a game to its end or to so many events; give each event with the state after it."""
    state = ruleset.setup(started)
    for _ in range(max_events):
        if ruleset.outcome(state) is not None:
            return
        event = next_event(ruleset, state, rng)
        state = ruleset.evolve[type(event)](state, event)
        yield event, state
