"""Judging an event before it is recorded: is it the time for it, and does it fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from games.core.events import Event, kind_of
from games.core.ruleset import IllegalAction
from games.kit.offers import spoken
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.actions import (
    ESTATE,
    RAISING,
    deck_here,
    drawable,
    due_text,
    legal_actions,
    musts,
    pending,
)
from games.rulesets.legend_of_monopoly.faults import PLAY, Fault, Why, not_on_turn
from games.rulesets.legend_of_monopoly.state import State
from games.rulesets.legend_of_monopoly.why import why_not

_ANY_TIME: Final[tuple[type[Event], ...]] = (*ESTATE, e.DealMade, e.LoanRepaid, e.PlayerResigned)
_IN_DEBT: Final[tuple[type[Event], ...]] = (
    *RAISING,
    e.DealMade,
    e.DebtSettled,
    e.BattleLost,
    e.PlayerResigned,
)
_OF_PHASE: Final[Mapping[str, tuple[type[Event], ...]]] = {
    "start": (e.StartRolled,),
    "turn.pre": (e.DiceRolled, e.FinePaid, e.ReturnCardUsed, e.ShadowWaterUsed),
    "decide.buy": (e.LandBought, e.LandDeclined),
    "auction": (e.BidPlaced, e.AuctionClosed),
    "decide.magic": (e.MagicDrawn, e.MagicDeclined),
    "magic.draw": (e.MagicDrawn,),
    "card.effect": (e.CardEffectEntered,),
    "turn.post": (e.TurnEnded,),
}
_SAYS_WHY: Final[tuple[type[Event], ...]] = (e.ChargeClaimed, e.DebtSettled, e.BattleLost, e.LoanGranted)
"""Kinds whose own reason says more than that it is not the time."""


def check(state: State, event: Event) -> None:
    """Refuse what cannot happen now.

    Errors: `IllegalAction` `game-over`, `not-due` for the wrong time, `wrong-card`, `already-thrown`, and
            the codes of `why`, each with what would have been possible for those who may do such a thing.
    """
    if state.phase == "over":
        raise IllegalAction("game-over", "The game is over; nothing more can be recorded but a correction.")
    fault = _not_due(state, event) or _fault(state, event)
    if fault is not None:
        legal = _alternatives(state, kind_of(event))
        raise IllegalAction(fault.code, fault.sentence, fault.rule, legal)


def _alternatives(state: State, kind: str) -> Iterator[Event]:
    """Give what is listed of the same kind, else everything that is listed."""
    seats = dict.fromkeys(item.seat for item in pending(state))
    listed = [event for seat in seats for event in legal_actions(state, seat)]
    yield from [event for event in listed if kind_of(event) == kind] or listed


def _not_due(state: State, event: Event) -> Why:
    if _is_due(state, type(event)):
        return None
    wrong = why_not(state, event) if type(event) in _SAYS_WHY else None
    if wrong is not None:
        return wrong
    must = list(musts(state))
    said = f"{spoken(kind_of(event))} is not due now: {'; '.join(map(due_text, must))}."
    return Fault("not-due", said, _rule_of(state))


def _is_due(state: State, kind: type[Event]) -> bool:
    """Tell whether it is the time for such an event, whoever may bring it about."""
    options = state.setup.options
    if kind is e.ChargeClaimed:
        return state.charge is not None
    if state.debts:
        return kind in _IN_DEBT or (kind is e.LoanGranted and options.loans == "treasurer")
    if kind is e.AuctionOpened:
        return state.leave is not None
    if kind is e.ShadowWaterTaken:
        return state.water_open
    free = state.phase not in {"start", "auction"}
    return kind in _OF_PHASE[state.phase] or (free and kind in _ANY_TIME)


def _rule_of(state: State) -> str:
    if state.debts:
        return "rulebook, Losing the Battle"
    return "R14" if state.phase == "auction" else PLAY


def _fault(state: State, event: Event) -> Why:
    match event:
        case e.StartRolled():
            return _wrong_thrower(state, event)
        case e.MagicDrawn():
            return _wrong_card(state, event)
        case e.MagicDeclined() if event.deck != deck_here(state):
            return Fault("wrong-deck", f"The card would come from the deck {deck_here(state)}.", "R12")
        case _:
            return _wrong_debtor(state, event) or why_not(state, event)


def _wrong_debtor(state: State, event: Event) -> Why:
    """While somebody is in debt, only they sell and indebt."""
    if not state.debts or type(event) not in RAISING:
        return None
    owing = dict.fromkeys(debt.from_ for debt in state.debts)
    player = getattr(event, "player", "")
    if player in owing:
        return None
    who = ", ".join(f"{{{seat}}}" for seat in owing)
    return Fault("in-debt", f"{who} must pay first; nobody else sells or indebts anything now.", "R38")


def _wrong_thrower(state: State, event: e.StartRolled) -> Why:
    if event.player in state.contenders and event.player not in state.rolls:
        return None
    waiting = ", ".join(f"{{{seat}}}" for seat in state.contenders if seat not in state.rolls)
    return Fault("already-thrown", f"For the start these are still to throw: {waiting}.", "R3")


def _wrong_card(state: State, event: e.MagicDrawn) -> Why:
    wrong = not_on_turn(state, event.player)
    if wrong:
        return wrong
    name = deck_here(state)
    if event.deck != name:
        said = f"The card comes from the deck {name}, not {event.deck}."
        return Fault("wrong-deck", said, "rulebook, Magic cards")
    possible = drawable(state, name)
    if event.card in possible:
        return None
    if event.card not in state.setup.decks[name]:
        return Fault("unknown-card", f"{event.card!r} is no card of the deck {name}.", "R13")
    return Fault("card-elsewhere", f"{event.card} {_where(state, event)}.", "R13")


def _where(state: State, event: e.MagicDrawn) -> str:
    """Say where a card is known to be."""
    for seat, cards in state.cards.items():
        if event.card in cards:
            return f"is kept by {{{seat}}}, so it cannot be drawn"
    deck = state.decks[event.deck]
    place = deck.under.index(event.card) if event.card in deck.under else 0
    if deck.known or deck.unknown:
        return "lies beneath the cards that were not drawn yet"
    return f"lies under {deck.under[0]}, which is the next one" if place else "lies deeper in the deck"
