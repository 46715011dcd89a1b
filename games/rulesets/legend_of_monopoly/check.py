"""Judging an event before it is recorded: is it the time for it, and does it fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NoReturn

from games.events import Event, kind_of
from games.ruleset import IllegalAction
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.actions import deck_here, drawable, legal_actions, pending
from games.rulesets.legend_of_monopoly.state import State
from games.rulesets.legend_of_monopoly.why import Fault, Why, not_on_turn, why_not

_EXPLAINED_ANYWAY: Final[tuple[type[Event], ...]] = (
    e.ChargeClaimed,
    e.CottageBuilt,
    e.CottageSold,
    e.InnBuilt,
    e.InnSold,
    e.BrothelBuilt,
    e.BrothelSold,
    e.LandIndebted,
    e.LandRedeemed,
    e.LandBought,
    e.DebtSettled,
    e.BattleLost,
    e.PlayerResigned,
    e.ReturnCardUsed,
    e.ShadowWaterUsed,
    e.FinePaid,
    e.LoanGranted,
    e.LoanRepaid,
)
"""Kinds that are not pending because none of them fits: why this one does not says more than the time."""


def check(state: State, event: Event) -> None:
    """Refuse what cannot happen now.

    Errors: `IllegalAction` `game-over`, `not-due` for the wrong time, `wrong-card`, `already-thrown`, and
            the codes of `why`, each with what would have been possible for those who may do such a thing.
    """
    due = pending(state)
    if not due:
        raise IllegalAction("game-over", "The game is over; nothing more can be recorded but a correction.")
    kind = kind_of(event)
    if not any(kind in item.kinds for item in due):
        _refuse(state, kind, _not_due(state, event, kind))
    fault = _fault(state, event)
    if fault is not None:
        _refuse(state, kind, fault)


def _refuse(state: State, kind: str, fault: Fault) -> NoReturn:
    raise IllegalAction(fault.code, fault.sentence, fault.rule, _alternatives(state, kind))


def _alternatives(state: State, kind: str) -> Iterator[Event]:
    """Give what is listed of the same kind, else everything that is listed."""
    seats = dict.fromkeys(item.seat for item in pending(state))
    listed = [event for seat in seats for event in legal_actions(state, seat)]
    yield from [event for event in listed if kind_of(event) == kind] or listed


def _not_due(state: State, event: Event, kind: str) -> Fault:
    timely = state.phase not in {"start", "auction"} and (not state.debts or type(event) in _IN_DEBT)
    if type(event) in _EXPLAINED_ANYWAY and (timely or isinstance(event, e.ChargeClaimed)):
        wrong = why_not(state, event)
        if wrong is not None and not (isinstance(event, e.LandBought) and state.phase != "decide.buy"):
            return wrong
    must = [item for item in pending(state) if item.must]
    whys = "; ".join(item.why for item in must)
    kinds = ", ".join(dict.fromkeys(name for item in must for name in item.kinds))
    return Fault("not-due", f"{kind} is not due now: {whys} ({kinds}).", _rule_of(state))


_IN_DEBT: Final[tuple[type[Event], ...]] = (
    e.CottageSold,
    e.InnSold,
    e.BrothelSold,
    e.LandIndebted,
    e.DebtSettled,
    e.BattleLost,
    e.PlayerResigned,
    e.LoanGranted,
)


def _rule_of(state: State) -> str:
    if state.debts:
        return "rulebook, Losing the Battle"
    return "R14" if state.phase == "auction" else "rulebook, The Play"


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
    """While somebody is in debt, only he sells and indebts."""
    if not state.debts or type(event) not in {e.CottageSold, e.InnSold, e.BrothelSold, e.LandIndebted}:
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
