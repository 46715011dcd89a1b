"""What each event does to the state: one small function a kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.events import Event
from games.kit.seats import in_turn_after
from games.rulesets.legend_of_monopoly.estate import (
    FREE,
    brothel_price,
    built_on,
    charge_on,
    half_of_cottage,
    half_of_house,
    halves_of,
    holdings,
    inn_pay,
    lacks_cottages,
    redeem_price,
)
from games.rulesets.legend_of_monopoly.events import (
    AuctionClosed,
    AuctionOpened,
    BattleLost,
    BidPlaced,
    BrothelBuilt,
    BrothelSold,
    CardEffectEntered,
    ChargeClaimed,
    CottageBuilt,
    CottageSold,
    DealMade,
    DebtSettled,
    DiceRolled,
    FinePaid,
    InnBuilt,
    InnSold,
    LandBought,
    LandDeclined,
    LandIndebted,
    LandMoved,
    LandRedeemed,
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
from games.rulesets.legend_of_monopoly.money import creditors, owe, settle, transfer
from games.rulesets.legend_of_monopoly.state import (
    CHEST,
    COTTAGES,
    FAILURES,
    FINE,
    GO_PAY,
    SPACES,
    Auction,
    Charge,
    Drawn,
    GoToUnderworld,
    Holding,
    Land,
    MagicCard,
    MagicSpace,
    State,
    TaxSpace,
    Underworld,
)

BY_SEAT: Final = ("streak", "space", "held", "cash", "loans", "water", "cards", "skip")
"""Fields of the state that hold something for each player not beaten."""

# --- throwing and moving -----------------------------------------------------------------------------


def _start_rolled(state: State, event: StartRolled) -> State:
    """When all have thrown the highest begins; those who share it throw again."""
    rolls = {**state.rolls, event.player: event.dice}
    if len(rolls) < len(state.contenders):
        return replace(state, rolls=rolls)
    highest = max(map(sum, rolls.values()))
    best = tuple(seat for seat in state.contenders if sum(rolls[seat]) == highest)
    if len(best) > 1:
        return replace(state, contenders=best, rolls={})
    return replace(state, phase="turn.pre", turn=best[0], first=best[0], contenders=(), rolls={})


def _dice_rolled(state: State, event: DiceRolled) -> State:
    """A throw ends what was left open before it, then moves the token."""
    state = replace(state, charge=None, leave=None, water_open=False, again=False)
    seat = event.player
    first, second = event.dice
    if seat in state.held:
        return _thrown_in_underworld(state, seat, first + second, double=first == second)
    state = _counted(state, seat, double=first == second)
    if state.doubles == FAILURES or state.streak[seat] == FAILURES:
        return _held(state, seat)
    return _stepped(state, seat, first + second)


def _counted(state: State, seat: str, *, double: bool) -> State:
    """Count a double: in this turn, or over turns where a double gives no further throw."""
    if state.setup.options.doubles == "no-extra":
        streak = state.streak[seat] + 1 if double else 0
        return replace(state, doubles=int(double), streak={**state.streak, seat: streak})
    if not double:
        return state
    return replace(state, doubles=state.doubles + 1, again=state.doubles + 1 < FAILURES)


def _thrown_in_underworld(state: State, seat: str, steps: int, *, double: bool) -> State:
    if double:
        return _stepped(_freed(state, seat), seat, steps)
    failures = state.held[seat] + 1
    state = replace(state, held={**state.held, seat: failures}, phase="turn.post")
    if failures < FAILURES:
        return state
    state = owe(state, seat, [(CHEST, FINE)])
    if state.debts:
        return replace(state, move_due=steps)
    return _stepped(_freed(state, seat), seat, steps)


def _freed(state: State, seat: str) -> State:
    return replace(state, held={other: count for other, count in state.held.items() if other != seat})


def _held(state: State, seat: str) -> State:
    """Go directly to the Underworld; there is no further throw."""
    return replace(
        state,
        phase="turn.post",
        again=False,
        space={**state.space, seat: state.setup.underworld},
        held={**state.held, seat: 0},
        streak={**state.streak, seat: 0},
    )


def _stepped(state: State, seat: str, steps: int) -> State:
    """Move so many spaces; coming past GO or onto it, forwards, pays."""
    to = state.space[seat] + steps
    if to >= SPACES:
        state = transfer(state, CHEST, seat, GO_PAY)
    return _arrived(state, seat, to % SPACES)


def _arrived(state: State, seat: str, pos: int) -> State:
    """Put the token down; what the space asks for is due now."""
    state = replace(state, space={**state.space, seat: pos}, phase=_rest_of_turn(state))
    match state.setup.spaces[pos]:
        case Land() as land:
            return _on_land(state, seat, land)
        case MagicSpace():
            must = state.setup.options.magic == "mandatory"
            return replace(state, phase="magic.draw" if must else "decide.magic")
        case TaxSpace(amount=amount):
            return owe(state, seat, [(CHEST, amount)])
        case Underworld():
            return replace(state, water_open=True)
        case GoToUnderworld():
            return _held(state, seat)
        case _:
            return state


def _rest_of_turn(state: State) -> Any:
    return "turn.pre" if state.again else "turn.post"


def _on_land(state: State, seat: str, land: Land) -> State:
    """Owner and amount of a charge are fixed on arrival."""
    holding = state.lands.get(str(land.pos))
    if holding is None:
        return replace(state, phase="decide.buy")
    if holding.owner == seat or holding.indebted:
        return state
    amount = charge_on(state, land, holding)
    return replace(state, charge=Charge(holding.owner, seat, land.pos, amount))


# --- buying, auctions, charges -----------------------------------------------------------------------


def _bought(state: State, seat: str, pos: int, amount: int) -> State:
    state = transfer(state, seat, CHEST, amount)
    return replace(state, lands={**state.lands, str(pos): replace(FREE, owner=seat)})


def _land_bought(state: State, event: LandBought) -> State:
    price = state.setup.lands[str(event.land)].price
    bought = _bought(state, event.player, event.land, price)
    return _settled(replace(bought, phase=_rest_of_turn(state)))


def _land_declined(state: State, event: LandDeclined) -> State:
    if state.setup.options.auction == "mandatory":
        return replace(state, phase="auction", auction=Auction(event.land, None, 0))
    leave = event.land if state.setup.options.auction == "optional" else None
    return replace(state, phase=_rest_of_turn(state), leave=leave)


def _auction_opened(state: State, event: AuctionOpened) -> State:
    return replace(state, phase="auction", leave=None, auction=Auction(event.land, None, 0))


def _bid_placed(state: State, event: BidPlaced) -> State:
    land = state.auction.land if state.auction else 0
    return replace(state, auction=Auction(land, event.player, event.amount))


def _auction_closed(state: State, event: AuctionClosed) -> State:
    state = replace(state, phase=_rest_of_turn(state), auction=None)
    if event.winner is None:
        return state
    return _settled(_bought(state, event.winner, event.land, event.amount or 0))


def _charge_claimed(state: State, event: ChargeClaimed) -> State:
    amount = state.charge.amount if state.charge else 0
    return owe(replace(state, charge=None), event.from_, [(event.owner, amount)])


# --- magic -------------------------------------------------------------------------------------------


def _magic_drawn(state: State, event: MagicDrawn) -> State:
    card = state.setup.magic[event.card]
    state = replace(state, phase=_rest_of_turn(state), decks=_without_top(state, event))
    if card.effect == "manual":
        return replace(state, phase="card.effect", drawn=Drawn(event.deck, card.id))
    if card.effect == "keep-return":
        return replace(state, cards={**state.cards, event.player: (*state.cards[event.player], card.id)})
    return _affected(_put_under(state, card.id), event.player, card)


def _without_top(state: State, event: MagicDrawn) -> Any:
    """Take the card off its deck: one of the cards in no known order, else the next of those beneath."""
    deck = state.decks[event.deck]
    if event.card in deck.known:
        deck = replace(deck, known=tuple(card for card in deck.known if card != event.card))
    elif deck.unknown:
        deck = replace(deck, unknown=deck.unknown - 1)
    else:
        deck = replace(deck, under=deck.under[1:])
    return {**state.decks, event.deck: deck}


def _put_under(state: State, *cards: str) -> State:
    decks = dict(state.decks)
    for card in cards:
        name = state.setup.deck_of[card]
        decks[name] = replace(decks[name], under=(*decks[name].under, card))
    return replace(state, decks=decks)


def _affected(state: State, seat: str, card: MagicCard) -> State:
    value = card.value if isinstance(card.value, int) else 0
    match card.effect:
        case "advance":
            state = _stepped(state, seat, (value - state.space[seat]) % SPACES or SPACES)
        case "move" if value > 0:
            state = _stepped(state, seat, value)
        case "move":
            state = _arrived(state, seat, (state.space[seat] + value) % SPACES)
        case "underworld":
            state = _held(state, seat)
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


def _magic_declined(state: State, _event: MagicDeclined) -> State:
    return replace(state, phase=_rest_of_turn(state))


def _card_effect_entered(state: State, event: CardEffectEntered) -> State:
    """Put the card under its deck and do what was typed: money, lands, turns to miss, the token."""
    card = state.drawn.card if state.drawn else ""
    state = replace(_put_under(state, card), drawn=None, phase=_rest_of_turn(state))
    for seat, change in event.money.items():
        state = transfer(state, CHEST, seat, change) if change > 0 else owe(state, seat, [(CHEST, -change)])
    for moved in event.lands:
        state = replace(state, lands=_handed(state, moved))
    seat = event.player
    state = replace(state, skip={**state.skip, seat: state.skip[seat] + event.skip})
    if event.passes_go:
        state = transfer(state, CHEST, seat, GO_PAY)
    if event.held:
        state = _held(state, seat)
    elif event.to is not None:
        state = _arrived(state, seat, event.to)
    return _settled(state)


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
    return _freed(replace(state, water={**state.water, event.player: bottles}), event.player)


def _fine_paid(state: State, event: FinePaid) -> State:
    return _freed(transfer(state, event.player, CHEST, FINE), event.player)


def _return_card_used(state: State, event: ReturnCardUsed) -> State:
    kept = tuple(card for card in state.cards[event.player] if card != event.card)
    state = replace(state, cards={**state.cards, event.player: kept})
    return _freed(_put_under(state, event.card), event.player)


# --- buildings and debts on land ---------------------------------------------------------------------


def _changed(state: State, pos: int, **fields: Any) -> State:
    key = str(pos)
    return replace(state, lands={**state.lands, key: replace(state.lands[key], **fields)})


def _cottage_built(state: State, event: CottageBuilt) -> State:
    price = state.setup.lands[str(event.land)].cottage or 0
    count = state.lands[str(event.land)].cottages + 1
    return _changed(transfer(state, event.player, CHEST, price), event.land, cottages=count)


def _cottage_sold(state: State, event: CottageSold) -> State:
    pay = half_of_cottage(state.setup.lands[str(event.land)])
    count = state.lands[str(event.land)].cottages - 1
    return _changed(transfer(state, CHEST, event.player, pay), event.land, cottages=count)


def _inn_built(state: State, event: InnBuilt) -> State:
    price = state.setup.lands[str(event.land)].inn or 0
    return _changed(transfer(state, event.player, CHEST, price), event.land, cottages=0, house="inn")


def _inn_sold(state: State, event: InnSold) -> State:
    """Four cottages come back, unless the Treasure Chest has not so many."""
    pay = inn_pay(state, state.setup.lands[str(event.land)])
    count = 0 if lacks_cottages(state, COTTAGES) else COTTAGES
    return _changed(transfer(state, CHEST, event.player, pay), event.land, cottages=count, house=None)


def _brothel_built(state: State, event: BrothelBuilt) -> State:
    price = brothel_price(state.setup.lands[str(event.land)], state.lands[str(event.land)])
    return _changed(transfer(state, event.player, CHEST, price), event.land, cottages=0, house="brothel")


def _brothel_sold(state: State, event: BrothelSold) -> State:
    pay = half_of_house(state.setup.lands[str(event.land)])
    return _changed(transfer(state, CHEST, event.player, pay), event.land, house=None)


def _land_indebted(state: State, event: LandIndebted) -> State:
    """A charge that was not claimed yet on that land is owed no more."""
    pay = state.setup.lands[str(event.land)].debt
    state = _changed(transfer(state, CHEST, event.player, pay), event.land, indebted=True)
    lapsed = state.charge is not None and state.charge.land == event.land
    return replace(state, charge=None) if lapsed else state


def _land_redeemed(state: State, event: LandRedeemed) -> State:
    price = redeem_price(state.setup.lands[str(event.land)])
    return _changed(transfer(state, event.player, CHEST, price), event.land, indebted=False)


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
    return _stepped(_freed(replace(state, move_due=None), event.player), event.player, steps)


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
    return _gone(state, seat, heir)


def _cleared(state: State, seat: str) -> State:
    """Sell everything that a player has built."""
    lands = dict(state.lands)
    for land, holding in holdings(state, seat):
        if built_on(holding):
            state = transfer(state, CHEST, seat, halves_of(land, holding))
            lands[str(land.pos)] = replace(holding, cottages=0, house=None)
    return replace(state, lands=lands)


def _player_resigned(state: State, event: PlayerResigned) -> State:
    return _gone(state, event.player, CHEST)


def _gone(state: State, seat: str, heir: str) -> State:
    """Take a player out; what he has, and what others owe him, goes to his heir; a turn of his ends."""
    state = _inherited(transfer(state, seat, heir, state.cash[seat]), seat, heir)
    charge = state.charge
    if charge is not None and seat in {charge.owner, charge.from_}:
        state = replace(state, charge=None)
    state = replace(
        state,
        out=(*state.out, seat),
        **{name: _without(getattr(state, name), seat) for name in BY_SEAT},
    )
    return _settled(_next_turn(state, seat) if state.turn == seat else state)


def _without(by_seat: dict[str, Any], seat: str) -> dict[str, Any]:
    return {other: value for other, value in by_seat.items() if other != seat}


def _inherited(state: State, seat: str, heir: str) -> State:
    debts = [
        replace(debt, to=heir) if debt.to == seat else debt for debt in state.debts if debt.from_ != seat
    ]
    state = replace(state, debts=tuple(debt for debt in debts if debt.from_ != debt.to))
    if heir == CHEST:
        lands = {key: holding for key, holding in state.lands.items() if holding.owner != seat}
        return _put_under(replace(state, lands=lands), *state.cards[seat])
    lands = {
        key: replace(holding, owner=heir) if holding.owner == seat else holding
        for key, holding in state.lands.items()
    }
    return replace(state, lands=lands, cards={**state.cards, heir: (*state.cards[heir], *state.cards[seat])})


# --- turns and the end -------------------------------------------------------------------------------


def _turn_ended(state: State, event: TurnEnded) -> State:
    return _settled(_next_turn(state, event.player))


def _next_turn(state: State, seat: str) -> State:
    """Pass the turn to the left; a turn to be missed is counted as taken."""
    seats, last = state.setup.seats, state.setup.options.rounds
    place, number, skip = seats.index(seat), state.round, dict(state.skip)
    state = _lapsed(replace(state, doubles=0))
    while True:
        place = (place + 1) % len(seats)
        other = seats[place]
        number += other == state.first
        if last is not None and number > last:
            return replace(state, phase="over", skip=skip)
        if skip.get(other, 0):
            skip[other] -= 1
        elif other in skip:
            return replace(state, phase="turn.pre", turn=other, round=number, skip=skip)


def _lapsed(state: State) -> State:
    """Drop what only the present turn leaves open; a card without its effect goes under its deck."""
    if state.drawn is not None:
        state = _put_under(state, state.drawn.card)
    return replace(state, again=False, water_open=False, leave=None, auction=None, move_due=None, drawn=None)


def _settled(state: State) -> State:
    """End the game if it is won; what was open then lapses."""
    if state.phase != "over" and not won(state):
        return state
    return replace(_lapsed(state), phase="over", charge=None, debts=())


def won(state: State) -> bool:
    """Tell whether one player is left, or the fellowship has every land."""
    if len(state.out) >= len(state.setup.seats) - 1:
        return True
    return state.setup.options.win == "fellowship" and len(state.lands) == len(state.setup.lands)


EVOLVE: Final[Mapping[type[Event], Callable[[State, Any], State]]] = {
    StartRolled: _start_rolled,
    DiceRolled: _dice_rolled,
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
    CottageBuilt: _cottage_built,
    CottageSold: _cottage_sold,
    InnBuilt: _inn_built,
    InnSold: _inn_sold,
    BrothelBuilt: _brothel_built,
    BrothelSold: _brothel_sold,
    LandIndebted: _land_indebted,
    LandRedeemed: _land_redeemed,
    DealMade: _deal_made,
    LoanGranted: _loan_granted,
    LoanRepaid: _loan_repaid,
    DebtSettled: _debt_settled,
    BattleLost: _battle_lost,
    PlayerResigned: _player_resigned,
    TurnEnded: _turn_ended,
}
