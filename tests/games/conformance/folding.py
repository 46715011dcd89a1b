"""Rulesets that break the laws of `evolve`, of the wire and of the invariants."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
from msgspec.structs import replace as changed

from games.examples import high_card
from games.examples.high_card import TOY, CardLaid, CardsTurned, HighCard
from tests.games.conformance.planted import Plant, evolving

# --- evolve ---


def lay_in_place(state: HighCard, event: CardLaid) -> HighCard:
    after = high_card.card_laid(state, event)
    state.laid[event.player] = event.card
    return after


def turn_in_place(state: HighCard, event: CardsTurned) -> HighCard:
    after = high_card.cards_turned(state, event)
    event.cards.update(p1=event.cards["p2"], p2=event.cards["p1"])
    return after


def turn_by_dice() -> Callable[[HighCard, CardsTurned], HighCard]:
    dice = random.Random(0)  # noqa: S311 - the fault that is planted

    def turn(state: HighCard, event: CardsTurned) -> HighCard:
        return changed(high_card.cards_turned(state, event), round=state.round + dice.randint(0, 1_000_000))

    return turn


# --- wire ---


class ShoutedLaid(CardLaid, frozen=True, tag="Card-Laid"):
    pass


def forget_card(payload: dict[str, Any]) -> dict[str, Any]:
    return payload | {"card": None}


class Loose(HighCard, frozen=True, kw_only=True):
    """A state with a number that JSON has no word for."""

    luck: float


def loose_setup(event: Any) -> Loose:
    fields = msgspec.structs.asdict(high_card.setup(event))
    return Loose(**fields, luck=float("inf"))


# --- invariants ---


def lose_a_card(state: HighCard, event: CardsTurned) -> HighCard:
    after = high_card.cards_turned(state, event)
    return changed(after, discards=after.discards[1:])


PLANTS = (
    Plant("evolve", "state changed in place", evolving(CardLaid, lay_in_place), "the state that it is given"),
    Plant(
        "evolve", "event changed in place", evolving(CardsTurned, turn_in_place), "the event that it is given"
    ),
    Plant("evolve", "rolls dice", evolving(CardsTurned, turn_by_dice()), "second time"),
    Plant(
        "serialization",
        "upcast spoils what is new",
        replace(TOY, upcasts={"card_laid": forget_card}),
        "reads back as",
    ),
    Plant(
        "serialization",
        "kind not in snake_case",
        replace(
            TOY,
            events=(ShoutedLaid, *TOY.events),
            headings={},
            evolve={ShoutedLaid: high_card.card_laid, **TOY.evolve},
        ),
        "Card-Laid",
    ),
    Plant(
        "serialization",
        "state without a JSON word",
        replace(TOY, state=Loose, setup=loose_setup),
        "(?i)float|freez",
    ),
    Plant("invariants", "card lost", evolving(CardsTurned, lose_a_card), "11 cards, not 12"),
)
