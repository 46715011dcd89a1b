"""Magic cards: taking one off its deck, and what it does."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from games.kit.seats import in_turn_after
from games.rulesets.legend_of_monopoly.estate import holdings
from games.rulesets.legend_of_monopoly.events import MagicDrawn
from games.rulesets.legend_of_monopoly.money import owe, transfer
from games.rulesets.legend_of_monopoly.moving import arrived, held, stepped
from games.rulesets.legend_of_monopoly.state import CHEST, SPACES, MagicCard, State


def without_top(state: State, event: MagicDrawn) -> Any:
    """Take the card off its deck: one of the cards in no known order, else the next of those beneath."""
    deck = state.decks[event.deck]
    if event.card in deck.known:
        deck = replace(deck, known=tuple(card for card in deck.known if card != event.card))
    elif deck.unknown:
        deck = replace(deck, unknown=deck.unknown - 1)
    else:
        deck = replace(deck, under=deck.under[1:])
    return {**state.decks, event.deck: deck}


def affected(state: State, seat: str, card: MagicCard) -> State:
    """Do what a card says, to the player who drew it."""
    value = card.value if isinstance(card.value, int) else 0
    match card.effect:
        case "advance":
            state = stepped(state, seat, (value - state.space[seat]) % SPACES or SPACES)
        case "move" if value > 0:
            state = stepped(state, seat, value)
        case "move":
            state = arrived(state, seat, (state.space[seat] + value) % SPACES)
        case "underworld":
            state = held(state, seat)
        case _:
            state = _paid_by_card(state, seat, card, value)
    return state


def _paid_by_card(state: State, seat: str, card: MagicCard, value: int) -> State:
    others = [other for other in in_turn_after(state.setup.seats, seat) if other not in state.out]
    match card.effect:
        case "collect":
            state = transfer(state, CHEST, seat, value)
        case "collect-from-each":
            for other in others:
                state = owe(state, other, [(seat, value)])
        case "pay-each":
            state = owe(state, seat, [(other, value) for other in others])
        case "repairs":
            state = owe(state, seat, [(CHEST, _repairs(state, seat, card))])
        case _:
            state = owe(state, seat, [(CHEST, value)])
    return state


def _repairs(state: State, seat: str, card: MagicCard) -> int:
    per_cottage, per_inn = card.value if isinstance(card.value, tuple) else (0, 0)
    return sum(
        per_inn if holding.house else per_cottage * holding.cottages for _, holding in holdings(state, seat)
    )
