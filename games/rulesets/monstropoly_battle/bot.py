"""A player for simulated games: strong cards first, teams above all, with a little whim."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from games.core.events import Event
from games.core.ruleset import TABLE, Random
from games.rulesets.monstropoly_battle.actions import legal_actions, revealable
from games.rulesets.monstropoly_battle.events import (
    CardAnswered,
    CardLed,
    CardsRevealed,
    LineupShown,
    SpoilsSplit,
    TeamsDeclared,
    TeamsSelected,
)
from games.rulesets.monstropoly_battle.state import State, other

_WHIM: Final = 6.0
"""How far chance may outweigh a point of strike."""
_WILD: Final = 9.0


def bot(state: State, seat: str, rng: Random) -> Event:
    """Choose for a seat; for the table both cards of a round."""
    if seat == TABLE:
        return CardsRevealed({player: _strongest(state, player, rng) for player in state.setup.seats})
    offers = tuple(legal_actions(state, seat))
    shown = [event for event in offers if isinstance(event, LineupShown)]
    if shown:
        return shown[0]
    worths = [_worth(state, event, rng) for event in offers]
    return offers[worths.index(max(worths))]


def _strongest(state: State, player: str, rng: Random) -> str:
    return max(revealable(state, player), key=lambda card: _strike(state, card) + _WHIM * rng.random())


def _strike(state: State, card: str) -> int:
    return state.setup.cards[card].strike


def _worth(state: State, event: Event, rng: Random) -> float:
    match event:
        case SpoilsSplit():
            return -_value(state, event.player, _given(state, event)) + rng.random()
        case TeamsDeclared():
            return len(event.teams)
        case TeamsSelected():
            cards = (card for number in event.teams for card in state.teams[event.player][number].cards)
            return _strikes(state, cards)
        case CardLed() | CardAnswered():
            return _strike(state, event.card) + _WHIM * rng.random()
        case _:
            return rng.random()


def _given(state: State, event: SpoilsSplit) -> str | None:
    slots = {"own": event.player, "opponent": other(state, event.player)}
    return state.drawn if event.gives == "drawn" else state.played[slots[event.gives]]


def _value(state: State, seat: str, card: str | None) -> float:
    """Value a card by how near it brings its team, and by its strike."""
    if card is None:
        return 0.0
    printed = state.setup.cards[card]
    if printed.wild:
        return _WILD
    mates = sum(state.setup.cards[held].team == printed.team for held in state.hands[seat].known)
    return 2.0 * mates + printed.strike / 2


def _strikes(state: State, cards: Iterable[str | None]) -> float:
    return sum(_strike(state, card) for card in cards if card is not None)
