"""Playouts, offers and the end: what can be done is accepted, and somebody always can."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from games.core import fold, serialization
from games.core.choices import TRIES, sample
from games.core.events import Event, kind_of
from games.core.ruleset import CHANCE, TABLE, Choice, IllegalAction, Pending
from games.testing.laws.law import AnyRuleset, LawBroken, RecordedGame
from games.testing.laws.walking import ObservedStep
from games.words import counted

LISTED: Final = 12
"""So many of the events listed at one step are tried."""


def playouts(name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """Look how the playouts stopped."""
    ended = False
    for game in games:
        if game.fault:
            raise LawBroken(name, ruleset, game, len(game.events), game.fault)
        last = fold.fold(ruleset, ruleset.setup(game.started), game.events)
        ended = ended or ruleset.outcome(last) is not None
    if not ended:
        raise LawBroken(
            name, ruleset, None, None, f"none of {counted(len(games), 'playout')} comes to an end"
        )


def offers(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Have the rules judge what happened, and what is listed and asked for now."""
    if position.step:
        refusal = refusal_of(ruleset, position.seen.before, position.seen.event)
        if refusal:
            yield f"{serialization.encode_event(position.seen.event)} was dealt or offered, but {refusal}"
    rng = random.Random(position.step)  # noqa: S311 - to be repeated, not to be secret
    for due in ruleset.pending(position.seen.after):
        yield from _listed_faults(ruleset, position.seen.after, due, rng)
        for choice in ruleset.open_choices(position.seen.after, due.seat):
            if choice.kind in due.kinds and filled_in(ruleset, position.seen.after, choice, rng) is None:
                yield f"no sample of {choice} is accepted within {TRIES} tries"


def _listed_faults(ruleset: AnyRuleset, state: Any, due: Pending, rng: random.Random) -> Iterator[str]:
    listed = list(ruleset.legal_actions(state, due.seat))
    kinds = {kind for item in ruleset.pending(state) if item.seat == due.seat for kind in item.kinds}
    for event in listed if len(listed) <= LISTED else rng.sample(listed, LISTED):
        if kind_of(event) not in kinds:
            yield f"{due.seat} is offered {kind_of(event)}, which is not pending for them"
        refusal = refusal_of(ruleset, state, event)
        if refusal:
            yield f"{due.seat} is offered {serialization.encode_event(event)}, but {refusal}"


def filled_in(ruleset: AnyRuleset, state: Any, choice: Choice, rng: random.Random) -> Event | None:
    """Fill a form in until the rules accept it; None where they never do."""
    for _ in range(TRIES):
        event: Event = serialization.event_from(ruleset, sample(choice, rng))
        if not refusal_of(ruleset, state, event):
            return event
    return None


def refusal_of(ruleset: AnyRuleset, state: Any, event: Event) -> str:
    """Say why the rules refuse an event; empty where they accept it."""
    try:
        fold.check(ruleset, state, event, seats=(), closed=False)
    except IllegalAction as refusal:
        return f"it is refused: {refusal}"
    return ""


def over(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Look whether the outcome and what is due fit together."""
    state = position.seen.after
    due = ruleset.pending(state)
    if ruleset.outcome(state) is None:
        if not any(item.must for item in due):
            yield "there is no outcome, and nobody must do anything"
        return
    if due:
        yield f"the game is over, and {due[0].seat} is asked for {', '.join(due[0].kinds)}"
    for seat in (*position.game.started.seats, TABLE, CHANCE):
        if next(iter(ruleset.legal_actions(state, seat)), None) is not None:
            yield f"the game is over, and {seat} is still offered something"
        if next(iter(ruleset.open_choices(state, seat)), None) is not None:
            yield f"the game is over, and {seat} is still offered a form"
    if position.step and not refusal_of(ruleset, state, position.seen.event):
        yield f"the game is over, and {serialization.encode_event(position.seen.event)} is accepted"


def some_offered(ruleset: AnyRuleset, state: Any, rng: random.Random) -> Iterator[Event]:
    """Choose one of the listed events of each kind that is offered now, and fill each form in once."""
    for due in ruleset.pending(state):
        listed: dict[str, list[Event]] = {}
        for event in ruleset.legal_actions(state, due.seat):
            listed.setdefault(kind_of(event), []).append(event)
        yield from (rng.choice(events) for events in listed.values())
        forms = (form for form in ruleset.open_choices(state, due.seat) if form.kind in due.kinds)
        filled = (filled_in(ruleset, state, form, rng) for form in forms)
        yield from (event for event in filled if event is not None)
