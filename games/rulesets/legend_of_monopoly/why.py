"""Why an event cannot be: one function a kind, asked both for what is listed and for what is refused.

Whether it is the time for such an event is asked in `check`; here it is asked whether this one fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from games.core.events import Event
from games.kit.seats import MANY
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.estate import built_on, raisable
from games.rulesets.legend_of_monopoly.faults import (
    Fault,
    Why,
    cannot_pay,
    not_on_turn,
    not_playing,
    seat_text,
)
from games.rulesets.legend_of_monopoly.state import FINE, GIVEN, State, debtors, name_of, owed_by
from games.rulesets.legend_of_monopoly.why_lands import ON_LANDS, place_of

_SELLING: Final = "rulebook, Selling Land"
_LOSING: Final = "rulebook, Losing the Battle"
_UNDERWORLD: Final = "rulebook, Underworld"
_BUYING: Final = "rulebook, Buying Land"


def why_not(state: State, event: Event) -> Why:
    """Say why this event does not fit now; None where it does, or where only the time for it matters."""
    function = _WHY.get(type(event))
    return None if function is None else function(state, event)


# --- buying and auctions -----------------------------------------------------------------------------


def _buy(state: State, event: e.LandBought) -> Why:
    wrong = _here(state, event)
    if wrong:
        return wrong
    price = state.setup.lands[str(event.land)].price
    return cannot_pay(state, event.player, price, name_of(state, event.land), _BUYING)


def _here(state: State, event: e.LandBought | e.LandDeclined) -> Why:
    turn = state.turn or ""
    wrong = not_on_turn(state, event.player)
    if wrong or event.land == state.space[turn]:
        return wrong
    here = name_of(state, state.space[turn])
    return Fault("wrong-land", f"{{{turn}}} stands on {here} ({state.space[turn]}).", _BUYING)


def _open(state: State, event: e.AuctionOpened) -> Why:
    if event.land == state.leave:
        return None
    land = name_of(state, state.leave or 0)
    return Fault("wrong-land", f"The land that may be auctioned now is {land} ({state.leave}).", "R14")


def _bid(state: State, event: e.BidPlaced) -> Why:
    wrong = not_playing(state, event.player)
    if wrong or state.auction is None:
        return wrong
    if event.amount <= state.auction.amount:
        least = state.auction.amount + 1
        return Fault("bid-too-low", f"A bid is at least {least} now, not {event.amount}.", "R14")
    return cannot_pay(state, event.player, event.amount, "this bid", "R14")


def _close(state: State, event: e.AuctionClosed) -> Why:
    up = state.auction
    if up is None:
        return None
    if event.land != up.land:
        return Fault("wrong-land", f"{name_of(state, up.land)} ({up.land}) is up, and no other land.", "R14")
    if (event.winner, event.amount) == (up.bidder, up.amount or None):
        return None
    if up.bidder is not None or state.setup.origin != "table":
        bids = f"{{{up.bidder}}} bid {up.amount}, the most" if up.bidder else "nobody has bid"
        return Fault("not-as-bid", f"An auction closes as the bids stand: {bids}.", "R14")
    return _hammer(state, event)


def _hammer(state: State, event: e.AuctionClosed) -> Why:
    if event.winner is None or not event.amount:
        return Fault("not-as-bid", "Name the winner and the price, or leave both out.", "R14")
    wrong = not_playing(state, event.winner)
    return wrong or cannot_pay(state, event.winner, event.amount, "this bid", "R14")


def _claim(state: State, event: e.ChargeClaimed) -> Why:
    charge = state.charge
    if charge is not None and (event.owner, event.from_, event.land) == (
        charge.owner,
        charge.from_,
        charge.land,
    ):
        return None
    lapsed = "a charge lapses at the next throw, and indebted land brings none"
    due = (
        "nothing is owed now"
        if charge is None
        else f"{{{charge.owner}}} may claim {charge.amount} from {{{charge.from_}}}"
        f" for {name_of(state, charge.land)}, and no other charge is open"
    )
    return Fault("nothing-owed", f"No such charge is owed: {due}; {lapsed}.", "rulebook, Paying Charges")


# --- the Underworld ----------------------------------------------------------------------------------


def _fine(state: State, event: e.FinePaid) -> Why:
    return not_held(state, event.player) or cannot_pay(state, event.player, FINE, "the fine", _UNDERWORLD)


def not_held(state: State, seat: str) -> Why:
    """Say that a player is not held in the Underworld."""
    wrong = not_on_turn(state, seat)
    if wrong or seat in state.held:
        return wrong
    return Fault("not-held", f"{{{seat}}} is not held in the Underworld.", _UNDERWORLD)


def _return(state: State, event: e.ReturnCardUsed) -> Why:
    wrong = not_held(state, event.player)
    if wrong or event.card in state.cards[event.player]:
        return wrong
    held = ", ".join(state.cards[event.player]) or "none"
    said = f"{{{event.player}}} keeps these cards: {held}; {event.card!r} is not among them."
    return Fault("no-such-card", said, _UNDERWORLD)


def _drink(state: State, event: e.ShadowWaterUsed) -> Why:
    if state.setup.options.shadow_water != "escape-once":
        return Fault("souvenir", "Shadow Water is a keepsake here (option shadow_water).", "R8")
    wrong = not_held(state, event.player)
    if wrong or state.water[event.player]:
        return wrong
    return Fault("no-water", f"{{{event.player}}} has no bottle of Shadow Water.", "R8")


# --- deals, loans, debts, leaving --------------------------------------------------------------------


def _deal(state: State, event: e.DealMade) -> Why:
    wrong = not_playing(state, event.from_) or not_playing(state, event.to) or _no_deal(state, event)
    sides = ((event.from_, event.give), (event.to, event.get))
    return wrong or next((fault for seat, goods in sides for fault in _side_faults(state, seat, goods)), None)


def _no_deal(state: State, event: e.DealMade) -> Why:
    if event.from_ == event.to:
        return Fault("two-players", "A deal takes two players.", "rulebook, Selling Land")
    if not any((goods.rahl, goods.lands, goods.cards) != (0, (), ()) for goods in (event.give, event.get)):
        return Fault("empty-deal", "In a deal something changes hands.", "rulebook, Selling Land")
    if state.debts and event.from_ not in debtors(state):
        return Fault("in-debt", f"{_debtors_text(state)} must pay first; only they may deal.", "R38")
    return None


def _debtors_text(state: State) -> str:
    return ", ".join(f"{{{seat}}}" for seat in debtors(state))


def _side_faults(state: State, seat: str, goods: e.Goods) -> Iterator[Fault]:
    wrong = cannot_pay(state, seat, goods.rahl, "this deal", "rulebook, Selling Land")
    if wrong:
        yield wrong
    if len(set(goods.lands)) != len(goods.lands) or len(set(goods.cards)) != len(goods.cards):
        yield Fault("named-twice", "Each land and each card is named once.", "rulebook, Selling Land")
    for pos in goods.lands:
        place = place_of(state, seat, pos)
        if isinstance(place, Fault):
            yield place
        elif built_on(place.holding):
            yield Fault("built-on", f"Sell what stands on {place.land.name} first.", _SELLING)
    for card in goods.cards:
        if card not in state.cards[seat]:
            yield Fault("no-such-card", f"{{{seat}}} does not keep the card {card!r}.", _UNDERWORLD)


def _lend(state: State, event: e.LoanGranted) -> Why:
    if state.setup.options.loans == "none":
        return Fault("no-loans", "The Treasure Chest lends nothing here (option loans).", "R22")
    if event.player not in debtors(state):
        said = f"The Treasurer lends to players in debt: {_debtors_text(state) or 'nobody is'}."
        return Fault("not-in-debt", said, "R22")
    loan = state.loans[event.player] + event.amount
    return _positive(event.amount) or _bounded("R22", loan, state.chest - event.amount)


def _bounded(rule: str, *sums: int) -> Why:
    """Keep the sums that a table decides on to what no later move makes too great."""
    if max(map(abs, sums)) <= GIVEN:
        return None
    return Fault("too-much", f"The Treasure Chest gives and gets no more than {GIVEN} Rahl.", rule)


def _positive(amount: int) -> Why:
    return None if amount else Fault("no-amount", "A sum is at least 1 Rahl.", "R22")


def _repay(state: State, event: e.LoanRepaid) -> Why:
    wrong = not_playing(state, event.player) or _positive(event.amount)
    if wrong:
        return wrong
    loan = state.loans[event.player]
    if event.amount > loan:
        return Fault("too-much", f"{{{event.player}}} has borrowed {loan}, not {event.amount}.", "R22")
    return cannot_pay(state, event.player, event.amount, "this", "R22")


def _settle(state: State, event: e.DebtSettled) -> Why:
    wrong = _not_in_debt(state, event.player)
    return wrong or cannot_pay(state, event.player, owed_by(state, event.player), "the debt", _LOSING)


def _not_in_debt(state: State, seat: str) -> Why:
    if seat in debtors(state):
        return None
    who = _debtors_text(state)
    said = f"{who} owes something, not {seat_text(state, seat)}." if who else "Nobody owes anything now."
    return Fault("not-in-debt", said, _LOSING)


def _lose(state: State, event: e.BattleLost) -> Why:
    seat = event.player
    wrong = _not_in_debt(state, seat)
    if wrong:
        return wrong
    owed, most = owed_by(state, seat), state.cash[seat] + raisable(state, seat)
    if owed > most:
        return None
    said = f"{{{seat}}} owes {owed} and can raise {most} by selling buildings and indebting land."
    return Fault("can-still-pay", said, "R24")


def _resign(state: State, event: e.PlayerResigned) -> Why:
    wrong = not_playing(state, event.player)
    if wrong:
        return wrong
    if len(state.setup.seats) < MANY:
        said = "With two players a concession closes the record (record.closed, conceded)."
        return Fault("two-players", said, "R24")
    if event.player in debtors(state):
        said = f"{{{event.player}}} is in debt and must pay, or lose the battle."
        return Fault("in-debt", said, "R24")
    return None


def _effect(state: State, event: e.CardEffectEntered) -> Why:
    """Judge what was typed in for a card."""
    wrong = not_on_turn(state, event.player)
    if wrong:
        return wrong
    for seat in (*event.money, *(moved.to for moved in event.lands if moved.to is not None)):
        wrong = not_playing(state, seat)
        if wrong:
            return wrong
    changes = event.money.values()
    great = _bounded("R37", sum(map(abs, changes)), state.chest - sum(changes))
    return great or _lands_fault(state, event) or _text(state, event.reason)


def _lands_fault(state: State, event: e.CardEffectEntered) -> Why:
    lands = [moved.land for moved in event.lands]
    odd = [pos for pos in lands if str(pos) not in state.setup.lands]
    if odd:
        return Fault("no-land", f"{name_of(state, odd[0])} ({odd[0]}) is no land.", "R37")
    if len(set(lands)) != len(lands):
        return Fault("named-twice", "Each land is named once.", "R37")
    stay = [moved.land for moved in event.lands if moved.to is None and str(moved.land) not in state.lands]
    if stay:
        return Fault("not-yours", f"{name_of(state, stay[0])} is the Treasure Chest's already.", "R37")
    if event.held and event.to not in {None, state.setup.underworld}:
        return Fault("held-elsewhere", "Tokens are held in the Underworld only.", "R37")
    return None


def _text(state: State, reason: str) -> Why:
    inside = reason
    for seat in state.setup.seats:
        inside = inside.replace(f"{{{seat}}}", "")
    if reason.strip() and reason.isprintable() and "{" not in inside and "}" not in inside:
        return None
    said = "The reason is one line that says what the card does; players stand in it as {p1}."
    return Fault("no-reason", said, "R37")


_WHY: Final[Mapping[type[Event], Callable[[State, Any], Why]]] = {
    **ON_LANDS,
    e.LandBought: _buy,
    e.LandDeclined: _here,
    e.AuctionOpened: _open,
    e.BidPlaced: _bid,
    e.AuctionClosed: _close,
    e.ChargeClaimed: _claim,
    e.MagicDeclined: lambda state, event: not_on_turn(state, event.player),
    e.CardEffectEntered: _effect,
    e.ShadowWaterTaken: lambda state, event: not_on_turn(state, event.player),
    e.ShadowWaterUsed: _drink,
    e.FinePaid: _fine,
    e.ReturnCardUsed: _return,
    e.DealMade: _deal,
    e.LoanGranted: _lend,
    e.LoanRepaid: _repay,
    e.DebtSettled: _settle,
    e.BattleLost: _lose,
    e.PlayerResigned: _resign,
    e.TurnEnded: lambda state, event: not_on_turn(state, event.player),
    e.DiceRolled: lambda state, event: not_on_turn(state, event.player),
}
