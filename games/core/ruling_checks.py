"""Whether a state that somebody ruled can be shown and played on: all that the faces ask, asked once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final, TypeVar

from games.core import serialization
from games.core.choices import TRIES, sample
from games.core.events import Event, kind_of
from games.core.ruleset import CHANCE, TABLE, Choice, DeadEnd, IllegalAction, Pending, Ruleset
from games.words import joined

S = TypeVar("S")

OFFERS: Final = 200
"""So many of what a seat is offered are looked at."""


def ask(ruleset: Ruleset[S], state: S) -> None:
    """Ask for all that a face asks of a state.

    Errors:  whatever the rules raise.
    Cost:    a scene, the first `OFFERS` offers of each seat, and the words of one of each kind.
    """
    ruleset.outcome(state)
    ruleset.scores(state)
    ruleset.scene(state)
    serialization.freeze(state)
    for seat, kinds in _due(ruleset, state).items():
        firsts = {_kind(offer): offer for offer in reversed(list(offers(ruleset, state, seat, kinds)))}
        for offer in firsts.values():
            if isinstance(offer, Event):
                _say(ruleset, state, offer)


def _due(ruleset: Ruleset[Any], state: Any) -> dict[str, set[str]]:
    """Of each seat that must or may decide, the kinds: what it is offered is then gone through once."""
    due: dict[str, set[str]] = {}
    for item in ruleset.pending(state):
        due.setdefault(item.seat, set()).update(item.kinds)
    return due


def offers(ruleset: Ruleset[S], state: S, seat: str, kinds: set[str]) -> Iterator[Event | Choice]:
    """The first that a seat is offered: events, then forms."""
    both: Iterator[Any] = chain(ruleset.legal_actions(state, seat), ruleset.open_choices(state, seat))
    for offer in islice(both, OFFERS):
        if _kind(offer) in kinds:
            yield offer


def ask_ahead(ruleset: Ruleset[S], state: S, seats: tuple[str, ...]) -> None:
    """Ask also for what each viewer sees of it, and for where one step of every kind leads.

    Errors:  `DeadEnd` where here, or one step further, somebody must act and cannot; else whatever the rules
             raise.  What may follow later is for the invariants of a ruleset to say.
    """
    ask(ruleset, state)
    if ruleset.has_hidden_information:
        for viewer in (TABLE, *seats):
            ask(ruleset, ruleset.hide(state, viewer))
    ways = [way for seat, kinds in _due(ruleset, state).items() for way in _ways(ruleset, state, seat, kinds)]
    _go_on(ruleset, state, frozenset(map(kind_of, ways)))
    for way in ways:
        after = ruleset.evolve[type(way)](state, way)
        ruleset.invariants(after)
        ask(ruleset, after)
        _go_on(ruleset, after)


def _go_on(ruleset: Ruleset[Any], state: Any, possible: frozenset[str] = frozenset()) -> None:
    """Find somebody who must act and can; of these kinds it is known that they are possible.

    Errors:  `DeadEnd`.
    """
    if ruleset.outcome(state) is not None:
        return
    musts = [due for due in ruleset.pending(state) if due.must]
    if not musts:
        raise DeadEnd("the game is not over, and nobody must do anything")
    for due in musts:
        kinds = set(due.kinds)
        if kinds & possible or next(_ways(ruleset, state, due.seat, kinds), None) is not None:
            return
    raise DeadEnd(f"the game is not over, and {joined(map(_stuck, musts))}")


def _stuck(due: Pending) -> str:
    """Say what somebody must do and cannot."""
    what = joined((kind.replace("_", " ") for kind in due.kinds), "or")
    return f"nothing that {{{due.seat}}} must do ({what}) can be done"


def _ways(ruleset: Ruleset[Any], state: Any, seat: str, kinds: set[str]) -> Iterator[Event]:
    """One event of each kind that a seat may do now."""
    if seat == CHANCE and ruleset.deal is not None:
        dealt = ruleset.deal(state, _dice())
        ruleset.check(state, dealt)
        yield dealt
    found = set[str]()
    for offer in offers(ruleset, state, seat, kinds):
        if _kind(offer) not in found:
            found.add(_kind(offer))
            yield from _event(ruleset, state, offer)


def _event(ruleset: Ruleset[Any], state: Any, offer: Event | Choice) -> Iterator[Event]:
    """What is offered; of a form, one way to fill it in that the rules accept."""
    if isinstance(offer, Event):
        yield offer
        return
    dice = _dice()
    for _ in range(TRIES):
        event: Event = serialization.event_from(ruleset, sample(offer, dice))
        try:
            ruleset.check(state, event)
        except IllegalAction:
            continue
        yield event
        return


def _dice() -> random.Random:
    return random.Random(0)  # noqa: S311 - the same answer for the same state


def _kind(offer: Event | Choice) -> str:
    return kind_of(offer) if isinstance(offer, Event) else offer.kind


def _say(ruleset: Ruleset[Any], state: Any, event: Event) -> None:
    """Say it as a button and as a typed line do."""
    ruleset.describe(state, event)
    if ruleset.notation is not None:
        ruleset.notation.write(state, event)
