"""One line of text for each event: who does what, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from games.core.events import Event
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.evolve import EVOLVE
from games.rulesets.legend_of_monopoly.scoring import outcome
from games.rulesets.legend_of_monopoly.state import (
    CHEST,
    FAILURES,
    FINE,
    GO_PAY,
    Land,
    MagicCard,
    State,
    TaxSpace,
    name_of,
)
from games.words import joined

DECKS: Final = {"additive": "Additive Magic", "subtractive": "Subtractive Magic"}
_ENDS: Final = {
    "last-player": "{%s} has defeated the Keeper",
    "wealthiest-after-rounds": "{%s} is the wealthiest and wins",
}


def describe(state: State, event: Event) -> str:
    """Say in one line what happens and what follows from it; `state` is the one before it."""
    after = EVOLVE[type(event)](state, event)
    done = _DONE[type(event)](state, event)
    follows = [*_moved(state, after, event), *_open(state, after), *_ending(state, after)]
    return f"{done}; {'; '.join(follows)}" if follows else done


# --- what follows ------------------------------------------------------------------------------------


def _moved(state: State, after: State, event: Event) -> Iterator[str]:
    """Tell where the token of who was on turn went, and what was paid for GO and tax."""
    seat = state.turn
    if isinstance(event, e.StartRolled) or seat is None or seat not in after.space:
        return
    if seat in after.held and (seat not in state.held or after.space[seat] != state.space[seat]):
        if not _is_told(state, event):
            yield "to the Underworld"
        return
    if isinstance(event, e.DiceRolled) and seat in after.held:
        yield (
            "no double, the fine is due" if after.move_due else f"no double, {after.held[seat]} of {FAILURES}"
        )
        return
    if after.space[seat] != state.space[seat]:
        yield from _journey(state, after, event, seat)


def _is_told(state: State, event: Event) -> bool:
    """Tell whether what the card does already says where the token goes."""
    told = {"advance", "underworld"}
    return isinstance(event, e.MagicDrawn) and state.setup.magic[event.card].effect in told


def _journey(state: State, after: State, event: Event, seat: str) -> Iterator[str]:
    if isinstance(event, e.DiceRolled) and seat in state.held:
        free = event.dice[0] == event.dice[1]
        yield "out of the Underworld" if free else f"{FINE} paid to leave the Underworld"
    if _passes_go(state, after, event, seat):
        yield f"{GO_PAY} for GO"
    if not _is_told(state, event):
        yield f"to {name_of(after, after.space[seat])}"
    space = after.setup.spaces[after.space[seat]]
    if isinstance(space, TaxSpace) and not after.debts:
        yield f"{space.amount} paid"
    holding = after.lands.get(str(space.pos))
    if isinstance(space, Land) and holding is not None and after.charge is None:
        yield "own land" if holding.owner == seat else "indebted, nothing is owed"


def _passes_go(state: State, after: State, event: Event, seat: str) -> bool:
    if isinstance(event, e.CardEffectEntered):
        return event.passes_go
    if isinstance(event, e.MagicDrawn):
        card = state.setup.magic[event.card]
        back = card.effect == "move" and isinstance(card.value, int) and card.value < 0
        return not back and after.space[seat] <= state.space[seat]
    return after.space[seat] < state.space[seat]


def _open(state: State, after: State) -> Iterator[str]:
    """Tell what is open from now on: a charge, a debt, an auction, a start throw."""
    if after.phase == "over":
        return
    if after.charge is not None and after.charge != state.charge:
        yield f"{{{after.charge.owner}}} may claim a charge of {after.charge.amount} Rahl"
    for debt in after.debts:
        if debt not in state.debts:
            to = "the Treasure Chest" if debt.to == CHEST else f"{{{debt.to}}}"
            yield f"{{{debt.from_}}} owes {to} {debt.amount}"
    if after.phase == "auction" and state.phase == "decide.buy":
        yield "it is auctioned"
    if state.phase == "start" and after.turn is not None:
        yield f"{{{after.turn}}} begins"
    elif state.phase == "start" and not after.rolls:
        yield f"{joined(f'{{{seat}}}' for seat in after.contenders)} throw again"


def _ending(_state: State, after: State) -> Iterator[str]:
    ended = outcome(after)
    if ended is None:
        return
    if ended.reason in _ENDS:
        yield _ENDS[ended.reason] % ended.winners[0]
    elif ended.reason == "fellowship":
        yield f"every land is owned, and {joined(f'{{{seat}}}' for seat in ended.winners)} win together"
    else:
        yield "the wealth is shared, a draw"


# --- what is done ------------------------------------------------------------------------------------


def _dice(_state: State, event: e.StartRolled | e.DiceRolled) -> str:
    first, second = event.dice
    if isinstance(event, e.DiceRolled) and first == second:
        return f"{{{event.player}}} throws {first} and {second}, a double"
    return f"{{{event.player}}} throws {first} and {second}"


def _buys(state: State, event: e.LandBought) -> str:
    price = state.setup.lands[str(event.land)].price
    return f"{{{event.player}}} buys {name_of(state, event.land)} for {price}"


def _closes(state: State, event: e.AuctionClosed) -> str:
    land = name_of(state, event.land)
    if event.winner is None:
        return f"Nobody bids for {land}"
    return f"{land} goes to {{{event.winner}}} for {event.amount}"


def _claims(state: State, event: e.ChargeClaimed) -> str:
    amount = state.charge.amount if state.charge else 0
    land = name_of(state, event.land)
    return f"{{{event.owner}}} claims {amount} from {{{event.from_}}} for {land}"


def _draws(state: State, event: e.MagicDrawn) -> str:
    card = state.setup.magic[event.card]
    title = f", {card.title}" if card.title else ""
    return f"{{{event.player}}} draws {DECKS[event.deck]}{title}: {effect_text(state, card)}"


_SHORT: Final = {"add": "Additive", "sub": "Subtractive"}


def _numbered(card: str) -> str:
    """Call a card without a title by its deck and number; one of somebody's own file may have any id.

    >>> _numbered("sub-05"), _numbered("rain")
    ('Subtractive 5', 'rain')
    """
    deck, _, number = card.partition("-")
    return f"{_SHORT[deck]} {int(number)}" if deck in _SHORT and number.isdecimal() else card


def card_title(state: State, card: str) -> str:
    """Call a card by its title, or by its deck and number."""
    return state.setup.magic[card].title or _numbered(card)


def effect_text(state: State, card: MagicCard) -> str:
    """Say what a card does."""
    value = card.value
    if isinstance(value, tuple):
        return f"repairs, {value[0]} a cottage and {value[1]} an inn"
    if value is None:
        return _WITHOUT_VALUE.get(card.effect, card.effect)
    if card.effect == "advance":
        return f"advance to {name_of(state, value)}"
    if card.effect == "move":
        return f"move {abs(value)} {'back' if value < 0 else 'on'}"
    return _SUMS.get(card.effect, card.effect).format(value)


_WITHOUT_VALUE: Final[Mapping[str, str]] = {
    "keep-return": "keep it to return from the Underworld",
    "underworld": "go to the Underworld",
    "manual": "as printed",
}
_SUMS: Final[Mapping[str, str]] = {
    "collect": "collect {}",
    "pay": "pay {}",
    "collect-from-each": "collect {} from each",
    "pay-each": "pay each {}",
}


def _effect(state: State, event: e.CardEffectEntered) -> str:
    did = [f"{{{seat}}} {change:+}" for seat, change in event.money.items() if change]
    did += [
        f"{name_of(state, moved.land)} to {f'{{{moved.to}}}' if moved.to else 'the Treasure Chest'}"
        for moved in event.lands
    ]
    did += [f"{event.skip} turns to miss" if event.skip > 1 else "a turn to miss"] if event.skip else []
    said = ", ".join(did) or "no money, no land"
    return f"{{{event.player}}}'s card ({event.reason}): {said}"


def _deals(state: State, event: e.DealMade) -> str:
    give, get = goods_text(state, event.give), goods_text(state, event.get)
    return f"{{{event.from_}}} gives {{{event.to}}} {give} for {get}"


def goods_text(state: State, goods: e.Goods) -> str:
    """List one side of a deal."""
    parts = [f"{goods.rahl} Rahl"] if goods.rahl else []
    parts += [name_of(state, pos) for pos in goods.lands]
    parts += ["a card to return from the Underworld" for _ in goods.cards]
    return ", ".join(parts) or "nothing"


def _estate(done: str) -> Callable[[State, Any], str]:
    """Tell what is done with a land, and what it brings or costs."""

    def words(state: State, event: Any) -> str:
        change = EVOLVE[type(event)](state, event).cash[event.player] - state.cash[event.player]
        return f"{{{event.player}}} {done.format(land=name_of(state, event.land))} ({change:+})"

    return words


def _says(done: str) -> Callable[[State, Any], str]:
    return lambda _state, event: f"{{{event.player}}} {done}"


_DONE: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    e.StartRolled: _dice,
    e.DiceRolled: _dice,
    e.LandBought: _buys,
    e.LandDeclined: lambda state, event: f"{{{event.player}}} does not buy {name_of(state, event.land)}",
    e.AuctionOpened: lambda state, event: f"The Treasurer auctions {name_of(state, event.land)}",
    e.BidPlaced: lambda _state, event: f"{{{event.player}}} bids {event.amount}",
    e.AuctionClosed: _closes,
    e.ChargeClaimed: _claims,
    e.MagicDrawn: _draws,
    e.MagicDeclined: lambda _state, event: f"{{{event.player}}} does not draw {DECKS[event.deck]}",
    e.CardEffectEntered: _effect,
    e.ShadowWaterTaken: _says("takes a bottle of Shadow Water"),
    e.ShadowWaterUsed: _says("drinks Shadow Water and is free of the Underworld"),
    e.FinePaid: _says(f"pays {FINE} and is free of the Underworld"),
    e.ReturnCardUsed: lambda _state, event: (
        f"{{{event.player}}} gives a card back and is free of the Underworld"
    ),
    e.CottageBuilt: _estate("builds a cottage on {land}"),
    e.CottageSold: _estate("sells a cottage on {land}"),
    e.InnBuilt: _estate("builds an inn on {land}"),
    e.InnSold: _estate("sells the inn on {land}"),
    e.BrothelBuilt: _estate("builds a brothel on {land}"),
    e.BrothelSold: _estate("sells the brothel on {land}"),
    e.LandIndebted: _estate("indebts {land}"),
    e.LandRedeemed: _estate("redeems {land}"),
    e.DealMade: _deals,
    e.LoanGranted: lambda _state, event: f"The Treasurer lends {{{event.player}}} {event.amount}",
    e.LoanRepaid: lambda _state, event: f"{{{event.player}}} pays back {event.amount}",
    e.DebtSettled: _says("pays what is owed"),
    e.BattleLost: _says("has lost the battle against the Keeper"),
    e.PlayerResigned: _says("resigns; everything goes to the Treasure Chest"),
    e.TurnEnded: _says("ends the turn"),
}

HEADINGS: Final[Mapping[type[Event], str]] = {
    e.StartRolled: "Throw for the start",
    e.DiceRolled: "Throw",
    e.LandBought: "Buy the land",
    e.LandDeclined: "Do not buy",
    e.AuctionOpened: "Open the auction",
    e.BidPlaced: "Bid",
    e.AuctionClosed: "Close the auction",
    e.ChargeClaimed: "Claim the charge",
    e.MagicDrawn: "Draw the Magic card",
    e.MagicDeclined: "Leave the Magic card",
    e.CardEffectEntered: "Say what the card does",
    e.ShadowWaterTaken: "Take Shadow Water",
    e.ShadowWaterUsed: "Drink Shadow Water",
    e.FinePaid: "Pay the fine",
    e.ReturnCardUsed: "Return by a card",
    e.CottageBuilt: "Build a cottage",
    e.CottageSold: "Sell a cottage",
    e.InnBuilt: "Build an inn",
    e.InnSold: "Sell an inn",
    e.BrothelBuilt: "Build a brothel",
    e.BrothelSold: "Sell a brothel",
    e.LandIndebted: "Indebt a land",
    e.LandRedeemed: "Redeem a land",
    e.DealMade: "Make a deal",
    e.LoanGranted: "Lend",
    e.LoanRepaid: "Pay a loan back",
    e.DebtSettled: "Pay the debt",
    e.BattleLost: "Give the battle up",
    e.PlayerResigned: "Resign",
    e.TurnEnded: "End the turn",
}
"""What each kind is called where it can be done."""
