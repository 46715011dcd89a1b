"""What each event does to the state: one small function a kind; the longer ways are in modules beside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.events import Event
from games.rulesets.legend_of_monopoly.building import ON_LANDS
from games.rulesets.legend_of_monopoly.estate import FREE, built_on, halves_of, holdings
from games.rulesets.legend_of_monopoly.events import (
    AuctionClosed,
    AuctionOpened,
    BattleLost,
    BidPlaced,
    CardEffectEntered,
    ChargeClaimed,
    DealMade,
    DebtSettled,
    DiceRolled,
    FinePaid,
    LandBought,
    LandDeclined,
    LandMoved,
    LoanGranted,
    LoanRepaid,
    MagicDeclined,
    MagicDrawn,
    PlayerResigned,
    ReturnCardUsed,
    ShadowWaterTaken,
    ShadowWaterUsed,
    StartRolled,
    TurnEnded,
)
from games.rulesets.legend_of_monopoly.magic import affected, without_top
from games.rulesets.legend_of_monopoly.money import creditors, owe, settle, transfer
from games.rulesets.legend_of_monopoly.moving import arrived, counted, freed, held, rest_of_turn, stepped
from games.rulesets.legend_of_monopoly.state import (
    CHEST,
    FAILURES,
    FINE,
    GO_PAY,
    Auction,
    Drawn,
    Holding,
    State,
)
from games.rulesets.legend_of_monopoly.turns import begun, gone, next_turn, put_under, settled

# --- throwing and moving -----------------------------------------------------------------------------


def _start_rolled(state: State, event: StartRolled) -> State:
    """When all have thrown the highest begins; those who share it throw again."""
    return begun(replace(state, rolls={**state.rolls, event.player: event.dice}))


def _dice_rolled(state: State, event: DiceRolled) -> State:
    """A throw ends what was left open before it, then moves the token."""
    state = replace(state, charge=None, leave=None, water_open=False, again=False)
    seat = event.player
    first, second = event.dice
    if seat in state.held:
        return _thrown_in_underworld(state, seat, first + second, double=first == second)
    state = counted(state, seat, double=first == second)
    if state.doubles == FAILURES or state.streak[seat] == FAILURES:
        return held(state, seat)
    return stepped(state, seat, first + second)


def _thrown_in_underworld(state: State, seat: str, steps: int, *, double: bool) -> State:
    if double:
        return stepped(freed(state, seat), seat, steps)
    failures = state.held[seat] + 1
    state = replace(state, held={**state.held, seat: failures}, phase="turn.post")
    if failures < FAILURES:
        return state
    state = owe(state, seat, [(CHEST, FINE)])
    if state.debts:
        return replace(state, move_due=steps)
    return stepped(freed(state, seat), seat, steps)


# --- buying, auctions, charges -----------------------------------------------------------------------


def _bought(state: State, seat: str, pos: int, amount: int) -> State:
    state = transfer(state, seat, CHEST, amount)
    return replace(state, lands={**state.lands, str(pos): replace(FREE, owner=seat)})


def _land_bought(state: State, event: LandBought) -> State:
    price = state.setup.lands[str(event.land)].price
    bought = _bought(state, event.player, event.land, price)
    return settled(replace(bought, phase=rest_of_turn(state)))


def _land_declined(state: State, event: LandDeclined) -> State:
    if state.setup.options.auction == "mandatory":
        return replace(state, phase="auction", auction=Auction(event.land, None, 0))
    leave = event.land if state.setup.options.auction == "optional" else None
    return replace(state, phase=rest_of_turn(state), leave=leave)


def _auction_opened(state: State, event: AuctionOpened) -> State:
    return replace(state, phase="auction", leave=None, auction=Auction(event.land, None, 0))


def _bid_placed(state: State, event: BidPlaced) -> State:
    land = state.auction.land if state.auction else 0
    return replace(state, auction=Auction(land, event.player, event.amount))


def _auction_closed(state: State, event: AuctionClosed) -> State:
    state = replace(state, phase=rest_of_turn(state), auction=None)
    if event.winner is None:
        return state
    return settled(_bought(state, event.winner, event.land, event.amount or 0))


def _charge_claimed(state: State, event: ChargeClaimed) -> State:
    amount = state.charge.amount if state.charge else 0
    return owe(replace(state, charge=None), event.from_, [(event.owner, amount)])


# --- magic -------------------------------------------------------------------------------------------


def _magic_drawn(state: State, event: MagicDrawn) -> State:
    card = state.setup.magic[event.card]
    state = replace(state, phase=rest_of_turn(state), decks=without_top(state, event))
    if card.effect == "manual":
        return replace(state, phase="card.effect", drawn=Drawn(event.deck, card.id))
    if card.effect == "keep-return":
        return replace(state, cards={**state.cards, event.player: (*state.cards[event.player], card.id)})
    return affected(put_under(state, card.id), event.player, card)


def _magic_declined(state: State, _event: MagicDeclined) -> State:
    return replace(state, phase=rest_of_turn(state))


def _card_effect_entered(state: State, event: CardEffectEntered) -> State:
    """Put the card under its deck and do what was typed: money, lands, turns to miss, the token."""
    card = state.drawn.card if state.drawn else ""
    state = replace(put_under(state, card), drawn=None, phase=rest_of_turn(state))
    for seat, change in event.money.items():
        state = transfer(state, CHEST, seat, change) if change > 0 else owe(state, seat, [(CHEST, -change)])
    for moved in event.lands:
        state = replace(state, lands=_handed(state, moved))
    seat = event.player
    state = replace(state, skip={**state.skip, seat: state.skip[seat] + event.skip})
    if event.passes_go:
        state = transfer(state, CHEST, seat, GO_PAY)
    if event.held:
        state = held(state, seat)
    elif event.to is not None:
        state = arrived(state, seat, event.to)
    return settled(state)


def _handed(state: State, moved: LandMoved) -> dict[str, Holding]:
    key = str(moved.land)
    if moved.to is None:
        return {other: holding for other, holding in state.lands.items() if other != key}
    return {**state.lands, key: replace(state.lands.get(key, FREE), owner=moved.to)}


# --- the Underworld ----------------------------------------------------------------------------------


def _water_taken(state: State, event: ShadowWaterTaken) -> State:
    bottles = state.water[event.player] + 1
    return replace(state, water={**state.water, event.player: bottles}, water_open=False)


def _water_used(state: State, event: ShadowWaterUsed) -> State:
    bottles = state.water[event.player] - 1
    return freed(replace(state, water={**state.water, event.player: bottles}), event.player)


def _fine_paid(state: State, event: FinePaid) -> State:
    return freed(transfer(state, event.player, CHEST, FINE), event.player)


def _return_card_used(state: State, event: ReturnCardUsed) -> State:
    kept = tuple(card for card in state.cards[event.player] if card != event.card)
    state = replace(state, cards={**state.cards, event.player: kept})
    return freed(put_under(state, event.card), event.player)


# --- deals, loans, debts, losing ---------------------------------------------------------------------


def _deal_made(state: State, event: DealMade) -> State:
    one, other = event.from_, event.to
    state = transfer(state, one, other, event.give.rahl)
    state = transfer(state, other, one, event.get.rahl)
    lands, cards = dict(state.lands), dict(state.cards)
    for goods, giver, taker in ((event.give, one, other), (event.get, other, one)):
        for pos in goods.lands:
            lands[str(pos)] = replace(lands[str(pos)], owner=taker)
        cards[giver] = tuple(card for card in cards[giver] if card not in goods.cards)
        cards[taker] = (*cards[taker], *goods.cards)
    return replace(state, lands=lands, cards=cards)


def _loan_granted(state: State, event: LoanGranted) -> State:
    loans = {**state.loans, event.player: state.loans[event.player] + event.amount}
    return replace(transfer(state, CHEST, event.player, event.amount), loans=loans)


def _loan_repaid(state: State, event: LoanRepaid) -> State:
    loans = {**state.loans, event.player: state.loans[event.player] - event.amount}
    return replace(transfer(state, event.player, CHEST, event.amount), loans=loans)


def _debt_settled(state: State, event: DebtSettled) -> State:
    """A fine for the third throw in the Underworld was the last thing in the way of moving."""
    state = settle(state, event.player)
    steps = state.move_due
    if steps is None or event.player != state.turn:
        return state
    return stepped(freed(replace(state, move_due=None), event.player), event.player, steps)


def _battle_lost(state: State, event: BattleLost) -> State:
    """Sell the buildings, pay creditors in order; the first who is left short gets lands and cards."""
    seat = event.player
    state = _cleared(state, seat)
    heir = CHEST
    for creditor, amount in creditors(state, seat):
        paid = min(amount, state.cash[seat])
        state = transfer(state, seat, creditor, paid)
        if paid < amount and heir == CHEST:
            heir = creditor
    return gone(state, seat, heir)


def _cleared(state: State, seat: str) -> State:
    """Sell everything that a player has built."""
    lands = dict(state.lands)
    for land, holding in holdings(state, seat):
        if built_on(holding):
            state = transfer(state, CHEST, seat, halves_of(land, holding))
            lands[str(land.pos)] = replace(holding, cottages=0, house=None)
    return replace(state, lands=lands)


def _player_resigned(state: State, event: PlayerResigned) -> State:
    return gone(state, event.player, CHEST)


# --- turns and the end -------------------------------------------------------------------------------


def _turn_ended(state: State, event: TurnEnded) -> State:
    return settled(next_turn(state, event.player))


EVOLVE: Final[Mapping[type[Event], Callable[[State, Any], State]]] = {
    StartRolled: _start_rolled,
    DiceRolled: _dice_rolled,
    **ON_LANDS,
    LandBought: _land_bought,
    LandDeclined: _land_declined,
    AuctionOpened: _auction_opened,
    BidPlaced: _bid_placed,
    AuctionClosed: _auction_closed,
    ChargeClaimed: _charge_claimed,
    MagicDrawn: _magic_drawn,
    MagicDeclined: _magic_declined,
    CardEffectEntered: _card_effect_entered,
    ShadowWaterTaken: _water_taken,
    ShadowWaterUsed: _water_used,
    FinePaid: _fine_paid,
    ReturnCardUsed: _return_card_used,
    DealMade: _deal_made,
    LoanGranted: _loan_granted,
    LoanRepaid: _loan_repaid,
    DebtSettled: _debt_settled,
    BattleLost: _battle_lost,
    PlayerResigned: _player_resigned,
    TurnEnded: _turn_ended,
}
