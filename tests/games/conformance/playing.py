"""Rulesets that break the laws of playouts, offers and the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from games.core.events import Event
from games.core.ruleset import CHANCE, Choice, Pending, SomeOf
from games.examples import high_card
from games.examples.high_card import (
    TOY,
    CardLaid,
    CardPassed,
    CardsDrawn,
    CardsTurned,
    DeckRebuilt,
    HighCard,
    Options,
)
from tests.games.conformance.planted import Plant

# --- playouts ---


def nothing_to_pass(state: HighCard, seat: str) -> Iterator[Event]:
    return iter(()) if state.phase == "passing" else high_card.legal_actions(state, seat)


# --- offers ---


def any_card_to_lay(state: HighCard, seat: str) -> Iterator[Event]:
    if state.phase == "laying" and seat in state.hands:
        yield from (CardLaid(seat, card) for card in state.setup.values)
    else:
        yield from high_card.legal_actions(state, seat)


def rebuild_at_any_time(state: HighCard, seat: str) -> Iterator[Event]:
    yield from high_card.legal_actions(state, seat)
    if seat == CHANCE and state.phase == "dealing":
        yield DeckRebuilt(0)


def deal_from_hands(state: HighCard, rng: Any) -> Event:
    if state.phase == "drawing":
        return CardsDrawn(str(state.taker), state.hands[str(state.taker)].known[:2])
    return high_card.deal(state, rng)


def form_of_one_card_too_many(state: HighCard, seat: str) -> Iterator[Choice]:
    for choice in high_card.open_choices(state, seat):
        asks = tuple(
            changed(ask, least=ask.least + 1, most=ask.most + 1) if isinstance(ask, SomeOf) else ask
            for ask in choice.asks
        )
        yield changed(choice, asks=asks)


# --- refused ---


def no_last_card(state: HighCard, seat: str) -> Iterator[Event]:
    """List all that a hand has but one card; `check` still takes it."""
    listed = list(high_card.legal_actions(state, seat))
    yield from listed[:-1] if state.phase == "laying" and len(listed) > 1 else listed


def passed_by_anybody(state: HighCard, event: Event) -> None:
    if not (isinstance(event, CardPassed) and state.phase == "passing"):
        high_card.check(state, event)


def drawn_at_any_time(state: HighCard, event: Event) -> None:
    if not (isinstance(event, CardsDrawn) and state.phase == "laying"):
        high_card.check(state, event)


# --- over ---


def still_pending(state: HighCard) -> tuple[Pending, ...]:
    return high_card.pending(state) or (Pending("p1", ("card_laid",), must=False),)


def nobody_must(state: HighCard) -> tuple[Pending, ...]:
    return tuple(changed(due, must=False) for due in high_card.pending(state))


def lay_after_the_end(state: HighCard, seat: str) -> Iterator[Event]:
    if state.phase == "over":
        yield from (CardLaid(seat, card) for card in state.discards)
    yield from high_card.legal_actions(state, seat)


def form_after_the_end(state: HighCard, seat: str) -> Iterator[Choice]:
    if state.phase == "over" and seat == CHANCE:
        yield Choice("deck_rebuilt", {"count": 1}, ())
    yield from high_card.open_choices(state, seat)


def turn_after_the_end(state: HighCard, event: Event) -> None:
    if not (state.phase == "over" and isinstance(event, CardsTurned)):
        high_card.check(state, event)


def may_turn_early(state: HighCard) -> tuple[Pending, ...]:
    early = (Pending("table", ("cards_turned",), must=False),) if state.phase == "drawing" else ()
    return (*high_card.pending(state), *early)


PLANTS = (
    Plant(
        "playouts", "dead end", replace(TOY, bot=None, legal_actions=nothing_to_pass), "nothing is offered"
    ),
    Plant("playouts", "bot crashes", replace(TOY, bot=lambda s, seat, rng: {}[seat]), "KeyError"),
    Plant(
        "playouts",
        "never ends",
        replace(TOY, suggested=lambda _: Options(rounds=1_000_000)),
        "comes to an end",
    ),
    Plant(
        "offers", "card of another hand", replace(TOY, legal_actions=any_card_to_lay), "is offered.*card_laid"
    ),
    Plant("offers", "kind not pending", replace(TOY, legal_actions=rebuild_at_any_time), "not pending"),
    Plant("offers", "card dealt twice", replace(TOY, deal=deal_from_hands), "was dealt or offered"),
    Plant(
        "offers", "impossible form", replace(TOY, open_choices=form_of_one_card_too_many), "within 50 tries"
    ),
    Plant(
        "refused", "a list that lacks one", replace(TOY, legal_actions=no_last_card), "card_laid.*offered it"
    ),
    Plant("refused", "any hand", replace(TOY, check=passed_by_anybody), "card_passed.*is accepted"),
    Plant("refused", "at any time", replace(TOY, check=drawn_at_any_time), "cards_drawn.*is accepted"),
    Plant("over", "still pending", replace(TOY, pending=still_pending), "is asked for card_laid"),
    Plant("over", "nobody must", replace(TOY, pending=nobody_must), "nobody must"),
    Plant("over", "listed", replace(TOY, legal_actions=lay_after_the_end), "offered something"),
    Plant("over", "form", replace(TOY, open_choices=form_after_the_end), "offered a form"),
    Plant("over", "accepted", replace(TOY, check=turn_after_the_end), "is accepted"),
)
