"""Who is told what: logs as told, games recorded with cards missed, leaks, and rulings as told."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from games.core import fold, serialization
from games.core.events import Event, RecordRuled, kind_of
from games.core.scene import NOBODY
from games.testing.laws.folding import invariants
from games.testing.laws.law import AnyRuleset, LawBroken, RecordedGame
from games.testing.laws.playing import refusal_of
from games.testing.laws.walking import (
    AppliedEvent,
    ObservedGame,
    ObservedStep,
    as_observed,
    at_each_step,
    walk,
)
from games.words import counted

RULED: Final = 6
"""So many times the table rules in a game."""
HALF: Final = 0.5


def observed_alike(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Compare the game as told with the game in full."""
    if kind_of(position.seen.event) != kind_of(position.full.event):
        yield f"{kind_of(position.full.event)} is told as {kind_of(position.seen.event)}"
    yield from same_game(ruleset, position)
    if position.step:
        known = position.seen.before
        again = fold.observe(ruleset, known, position.seen.event, position.viewer, known)
        if again != position.seen.event:
            was, is_now = map(serialization.encode_event, (position.seen.event, again))
            yield f"told once more, {was} becomes {is_now}"
    seat = position.viewer
    if seat in position.game.started.seats:  # the viewer `table` is not the seat of that name
        for what, of in (("actions", ruleset.legal_actions), ("forms", ruleset.open_choices)):
            full, own = list(of(position.full.after, seat)), list(of(position.seen.after, seat))
            if full != own:
                yield f"their own {what} are {own}, but {full} in full"


def same_game(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Compare what is public: legality, pending, outcome, sizes; and count what is known."""
    if position.step:
        refusal = refusal_of(ruleset, position.seen.before, position.seen.event)
        if refusal:
            said = serialization.encode_event(position.seen.event)
            yield f"the log as told is not legal: {said}, {refusal}"
    yield from invariants(ruleset, position)
    for what, of in (
        ("pending", ruleset.pending),
        ("the outcome", ruleset.outcome),
        ("scores", ruleset.scores),
    ):
        if of(position.seen.after) != of(position.full.after):
            yield f"{what} is {of(position.seen.after)}, but {of(position.full.after)} in full"
    sizes, full = (
        {zone.key: zone.size for zone in ruleset.scene(state).zones}
        for state in (position.seen.after, position.full.after)
    )
    if sizes != full:
        here, there = sorted(sizes.items() - full.items()), sorted(full.items() - sizes.items())
        yield f"zones hold {here}, but {there} in full"


def blurred(ruleset: AnyRuleset, game: RecordedGame) -> Iterator[ObservedGame]:
    """See the game as a table might have recorded it that missed some identities, or all of them."""
    started = msgspec.structs.replace(game.started, origin="table")
    cards = identities(ruleset, game)
    rng = random.Random(game.seed)  # noqa: S311 - to be repeated, not to be secret
    unseen = frozenset(card for card in sorted(cards) if rng.random() < HALF)
    for said, hidden, share in (
        ("cards missed half the time", cards, HALF),
        (f"{counted(len(unseen), 'card')} never seen", unseen, 1.0),
        ("no card seen", cards, 1.0),
    ):
        events = tuple(_blur(event, hidden, rng, share) for event in game.events)
        if events != game.events:
            yield ObservedGame(viewer=said, started=started, events=events)


def _blur(event: Event, hidden: frozenset[str], rng: random.Random, share: float) -> Event:
    payload = serialization.event_to(event)
    for path in list(_paths_to(payload, hidden)):
        if rng.random() < share:
            event = _blanked(event, path)
    return event


def _blanked(event: Event, path: tuple[str | int, ...]) -> Event:
    payload: Any = serialization.event_to(event)
    box = payload
    for key in path[:-1]:
        box = box[key]
    box[path[-1]] = None
    try:
        blank: Event = msgspec.convert(payload, type(event))
    except msgspec.ValidationError:
        return event
    return blank


def _paths_to(value: Any, words: frozenset[str]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, str) and value in words:
        yield ()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        for path in _paths_to(item, words):
            yield (key, *path)


def identities(ruleset: AnyRuleset, game: RecordedGame) -> frozenset[str]:
    """Collect what a card can be called: every `id` in the data, every card that a scene shows."""
    shown = {
        card.key
        for state in fold.states(ruleset, game.started, game.events)
        for zone in ruleset.scene(state).zones
        for card in zone.cards
    }
    return frozenset(shown | set(_ids_in(msgspec.to_builtins(game.started.data))))


def _ids_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("id"), str):
            yield value["id"]
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _ids_in(item)


def leak(name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """Look for cards that a viewer learned and nobody showed them."""
    if not ruleset.has_hidden_information:
        return
    for game in games:
        cards = identities(ruleset, game)
        if not cards:
            raise LawBroken(
                name, ruleset, game, None, "something is hidden, but no scene shows a card as witness"
            )

        def judge(
            ruleset: AnyRuleset, position: ObservedStep, cards: frozenset[str] = cards
        ) -> Iterator[str]:
            return _learned_unseen(ruleset, position, cards)

        at_each_step(as_observed, judge)(name, ruleset, (game,))


def _learned_unseen(ruleset: AnyRuleset, position: ObservedStep, cards: frozenset[str]) -> Iterator[str]:
    known = _words(serialization.plain_state(position.seen.before)) if position.step else set()
    now = _words(serialization.event_to(position.seen.event)) if position.step else set()
    new = (now | _words(serialization.plain_state(position.seen.after))) & cards - known
    if not new:
        return
    zones = [zone for state in position.full[::2] for zone in ruleset.scene(state).zones]
    visible = {card.key for zone in zones if zone.visible_to(position.viewer) for card in zone.cards}
    private = {card.key for zone in zones if zone.seen_by != NOBODY for card in zone.cards}
    unseen = new - visible - (always_named(position.full.event, cards) - private)
    if unseen:
        yield f"learns {', '.join(sorted(unseen))} from {serialization.encode_event(position.seen.event)}"


def always_named(event: Event, cards: frozenset[str]) -> set[str]:
    """Give the cards that an event names in fields that cannot be null.

    Such a card was turned for all to see, even if it went at once from one pile that nobody may look into
    to another.  A card that comes from or goes to where somebody may look is no such card.
    """
    payload = serialization.event_to(event)
    paths = [path for path in _paths_to(payload, cards) if _blanked(event, path) == event]
    return {_value_at(payload, path) for path in paths}


def _value_at(payload: Any, path: tuple[str | int, ...]) -> str:
    for key in path:
        payload = payload[key]
    return str(payload)


def _words(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set(value).union(*map(_words, value.values()))
    if isinstance(value, list):
        return set().union(*map(_words, value))
    return set()


def rulings(name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """Let the table rule that the game stands as it stood elsewhere in it, and tell everybody."""
    for game in games if ruleset.has_hidden_information else ():
        rng = random.Random(game.seed)  # noqa: S311 - to be repeated, not to be secret
        states = list(fold.states(ruleset, game.started, game.events))
        steps = rng.sample(range(len(game.events)), min(RULED, len(game.events)))
        jumps = {step: states[rng.randrange(len(states))] for step in steps}
        cards = identities(ruleset, game)
        for view in as_observed(ruleset, game):
            for position in walk(ruleset, game, view, frozenset(jumps)):
                for said in _ruling_faults(ruleset, position, jumps[position.step], cards):
                    raise LawBroken(name, ruleset, game, position.step, f"({position.viewer}) {said}")


def _ruling_faults(
    ruleset: AnyRuleset, position: ObservedStep, goal: Any, cards: frozenset[str]
) -> Iterator[str]:
    full, seen = position.full.after, position.seen.after
    changes = fold.difference(serialization.plain_state(full), serialization.plain_state(goal))
    ruled = RecordRuled("as it was elsewhere", tuple(changes))
    try:
        observed = fold.observe(ruleset, full, ruled, position.viewer, seen)
        after = fold.evolve(ruleset, seen, observed)
    except Exception as error:  # noqa: BLE001 - whatever the ruleset raises breaks the law
        yield f"{serialization.encode_event(ruled)} cannot be told: {type(error).__name__}: {error}"
        return
    ruling = replace(
        position, step=1, full=AppliedEvent(full, ruled, goal), seen=AppliedEvent(seen, observed, after)
    )
    yield from observed_alike(ruleset, ruling)
    yield from _learned_unseen(ruleset, ruling, cards)
