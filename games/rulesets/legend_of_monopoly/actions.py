"""Who must or may do what now: the events that can be listed, and the forms of those that cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from games.core.events import Event, kind_of
from games.core.ruleset import CHANCE, TABLE, Amount, Ask, Choice, OneOf, Pending, Random, SomeOf
from games.kit.seats import MANY
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.estate import built_on, by_owner, holdings
from games.rulesets.legend_of_monopoly.state import (
    CHEST,
    COTTAGES,
    FINE,
    Holding,
    Land,
    MagicSpace,
    State,
    debtors,
    living,
    name_of,
    space_of,
)
from games.rulesets.legend_of_monopoly.why import why_not
from games.words import joined

LOAN_MOST: Final = 10_000
"""The Treasurer lends as seems good; a form has to end somewhere."""
CHANGE_MOST: Final = 10_000
"""As much may be typed in as a card's effect on one player."""

ESTATE: Final[tuple[type[Event], ...]] = (
    e.CottageBuilt,
    e.InnBuilt,
    e.BrothelBuilt,
    e.CottageSold,
    e.InnSold,
    e.BrothelSold,
    e.LandIndebted,
    e.LandRedeemed,
)
"""What a player may do with a land at any time."""
RAISING: Final[tuple[type[Event], ...]] = (e.CottageSold, e.InnSold, e.BrothelSold, e.LandIndebted)
"""What brings a player in debt money."""
DEAL: Final = kind_of(e.DealMade)
_FREE: Final[Mapping[str, str]] = {
    kind_of(kind): said
    for kind, said in (
        (e.BidPlaced, "bid"),
        (e.LoanGranted, "lend"),
        (e.ShadowWaterTaken, "take a bottle of Shadow Water"),
        (e.MagicDeclined, "leave the card"),
        (e.FinePaid, "pay the fine"),
        (e.ReturnCardUsed, "return by a card"),
        (e.ShadowWaterUsed, "drink Shadow Water"),
        (e.CottageBuilt, "build"),
        (e.InnBuilt, "build"),
        (e.BrothelBuilt, "build"),
        (e.CottageSold, "sell buildings"),
        (e.InnSold, "sell buildings"),
        (e.BrothelSold, "sell buildings"),
        (e.LandIndebted, "indebt a land"),
        (e.LandRedeemed, "redeem a land"),
        (e.DealMade, "deal"),
        (e.LoanRepaid, "pay back a loan"),
        (e.PlayerResigned, "resign"),
    )
}
"""What a player may do without having to, in words."""


def pending(state: State) -> tuple[Pending, ...]:
    """Say who must act, then who may; nothing once the game is over."""
    if state.phase == "over":
        return ()
    return (*musts(state), *_mays(state))


def musts(state: State) -> Iterator[Pending]:
    """Say who must act before the game can go on."""
    if state.debts:
        for seat in debtors(state):
            why = f"owes {_owed_text(state, seat)}"
            yield Pending(seat, tuple(_raising_kinds(state, seat)), why=why)
        return
    turn = state.turn or ""
    match state.phase:
        case "start":
            yield Pending(CHANCE, (kind_of(e.StartRolled),), why="the highest throw begins")
        case "turn.pre":
            yield Pending(CHANCE, (kind_of(e.DiceRolled),), why=_throw_text(state, turn))
        case "magic.draw" | "decide.magic":
            why = f"{{{turn}}} draws {name_of(state, state.space[turn])}"
            yield Pending(CHANCE, (kind_of(e.MagicDrawn),), why=why)
        case "decide.buy":
            kinds = [e.LandBought] if _can_buy(state) else []
            land = state.setup.lands[str(state.space[turn])]
            why = f"may buy {land.name} for {land.price}"
            yield Pending(turn, tuple(kind_of(kind) for kind in (*kinds, e.LandDeclined)), why=why)
        case "auction":
            why = f"holds the auction of {name_of(state, state.auction.land)}" if state.auction else ""
            yield Pending(state.setup.options.treasurer, (kind_of(e.AuctionClosed),), why=why)
        case "card.effect":
            yield Pending(TABLE, (kind_of(e.CardEffectEntered),), why=f"what the card does to {{{turn}}}")
        case _:
            yield Pending(turn, (kind_of(e.TurnEnded),), why="may end the turn")


def due_text(item: Pending) -> str:
    """Say what is due with who must do it; chance and table are no persons."""
    return item.why if item.seat in {CHANCE, TABLE} else f"{{{item.seat}}} {item.why}"


def _owed_text(state: State, seat: str) -> str:
    parts = [
        f"{debt.amount} to {'the Treasure Chest' if debt.to == CHEST else f'{{{debt.to}}}'}"
        for debt in state.debts
        if debt.from_ == seat
    ]
    return f"{', '.join(parts)} and has {state.cash[seat]}"


def _throw_text(state: State, turn: str) -> str:
    if turn in state.held:
        return f"{{{turn}}} throws in the Underworld"
    return f"{{{turn}}} throws again" if state.again else f"{{{turn}}} throws"


def _can_buy(state: State) -> bool:
    seat = state.turn or ""
    return why_not(state, e.LandBought(seat, state.space[seat])) is None


def _raising_kinds(state: State, seat: str) -> Iterator[str]:
    for kind in (e.DebtSettled, e.BattleLost):
        if why_not(state, kind(seat)) is None:
            yield kind_of(kind)
    yield from _estate_kinds(state, seat, holdings(state, seat), RAISING)
    if _partners(state, seat):
        yield DEAL


def _estate_kinds(
    state: State, seat: str, own: Iterable[tuple[Land, Holding]], kinds: tuple[type[Event], ...]
) -> Iterator[str]:
    """List the kinds of which a player can do at least one, each land tried for what it may be good for."""
    found: set[type[Event]] = set()
    for land, holding in own:
        for kind in _tried_on(state, seat, holding):
            if kind not in found and kind in kinds and why_not(state, kind(seat, land.pos)) is None:
                found.add(kind)
    return (kind_of(kind) for kind in kinds if kind in found)


def _tried_on(state: State, seat: str, holding: Holding) -> tuple[Any, ...]:
    """Name the kinds that a land can be good for by what stands on it; the rest need not be tried."""
    if holding.indebted:
        return (e.LandRedeemed,)
    if holding.house is not None:
        return (e.InnSold,) if holding.house == "inn" else (e.BrothelSold,)
    brothel = (e.BrothelBuilt,) if seat == state.setup.options.madame_denna else ()
    if holding.cottages:
        return (e.CottageSold, e.InnBuilt if holding.cottages == COTTAGES else e.CottageBuilt, *brothel)
    return (e.LandIndebted, e.CottageBuilt, *brothel)


def _mays(state: State, only: str | None = None) -> Iterator[Pending]:
    """List claims, the Treasurer's leave, bids, ways out of the Underworld, then what is free at any time.

    `only` leaves out what others may do at any time.
    """
    if state.phase == "start":
        return
    charge = state.charge
    if charge is not None:
        why = f"may claim {charge.amount} Rahl from {{{charge.from_}}} before the next throw"
        yield Pending(charge.owner, (kind_of(e.ChargeClaimed),), must=False, why=why)
    if state.phase == "auction":
        yield from (_may(seat, [kind_of(e.BidPlaced)]) for seat in living(state) if _bids(state, seat))
        return
    yield from _of_the_moment(state)
    lands = by_owner(state)
    for seat in living(state) if only is None else (only,) if only in state.cash else ():
        kinds = list(_at_any_time(state, seat, lands[seat]))
        if kinds:
            yield _may(seat, kinds)


def _may(seat: str, kinds: Sequence[str]) -> Pending:
    said = joined(dict.fromkeys(_FREE[kind] for kind in kinds), "or")
    return Pending(seat, tuple(kinds), must=False, why=f"may {said}")


def _of_the_moment(state: State) -> Iterator[Pending]:
    treasurer, turn = state.setup.options.treasurer, state.turn or ""
    if state.debts:
        if state.setup.options.loans == "treasurer":
            yield _may(treasurer, [kind_of(e.LoanGranted)])
        return
    if state.leave is not None:
        why = f"may auction {name_of(state, state.leave)}"
        yield Pending(treasurer, (kind_of(e.AuctionOpened),), must=False, why=why)
    kinds = [kind_of(kind) for kind in _own_ways(state, turn)]
    if kinds:
        yield _may(turn, kinds)


def _own_ways(state: State, turn: str) -> Iterator[type[Event]]:
    if state.water_open:
        yield e.ShadowWaterTaken
    if state.phase == "decide.magic":
        yield e.MagicDeclined
    if state.phase == "turn.pre" and turn in state.held:
        if state.cash[turn] >= FINE:
            yield e.FinePaid
        if state.cards[turn]:
            yield e.ReturnCardUsed
        if state.water[turn] and state.setup.options.shadow_water == "escape-once":
            yield e.ShadowWaterUsed


def _at_any_time(state: State, seat: str, own: Sequence[tuple[Land, Holding]]) -> Iterator[str]:
    """List what a player may do at any time; while somebody is in debt the others may only resign."""
    if not state.debts:
        yield from _estate_kinds(state, seat, own, ESTATE)
        if _partners(state, seat):
            yield DEAL
        if state.loans[seat] and state.cash[seat]:
            yield kind_of(e.LoanRepaid)
    if len(state.setup.seats) >= MANY and seat not in debtors(state):
        yield kind_of(e.PlayerResigned)


# --- what can be listed ------------------------------------------------------------------------------


def legal_actions(state: State, seat: str) -> Iterator[Event]:
    """List the events that this seat may bring about now, but for bids, deals, sums and a card's effect."""
    for kind in _kinds_of(state, seat):
        yield from _LISTED.get(kind, _none)(state, seat)


def _kinds_of(state: State, seat: str) -> dict[str, None]:
    """List the kinds that are pending for one seat, each once."""
    if state.phase == "over":
        return {}
    named = (item for item in (*musts(state), *_mays(state, seat)) if item.seat == seat)
    return dict.fromkeys(kind for item in named for kind in item.kinds)


def _none(_state: State, _seat: str) -> Iterator[Event]:
    return iter(())


_DICE: Final[tuple[e.Dice, ...]] = tuple((one, other) for one in range(1, 7) for other in range(1, 7))


def _start_throws(state: State, _seat: str) -> Iterator[Event]:
    for seat in state.contenders:
        if seat not in state.rolls:
            yield from (e.StartRolled(seat, dice) for dice in _DICE)


def _throws(state: State, _seat: str) -> Iterator[Event]:
    return (e.DiceRolled(state.turn or "", dice) for dice in _DICE)


def deck_here(state: State) -> e.DeckName:
    """Say from which deck the player on turn draws."""
    space = space_of(state, state.turn or "")
    return space.deck if isinstance(space, MagicSpace) else "additive"


def drawable(state: State, name: e.DeckName) -> tuple[str, ...]:
    """List the cards that may be on top of a deck: of those in no known order any, else the next beneath."""
    deck = state.decks[name]
    if not deck.known and not deck.unknown:
        return deck.under[:1]
    return (*deck.known, *unplaced(state, name)) if deck.unknown else deck.known


def unplaced(state: State, name: e.DeckName) -> tuple[str, ...]:
    """List the cards of a deck that are not known to lie anywhere."""
    deck = state.decks[name]
    placed = {*deck.known, *deck.under, *(card for held in state.cards.values() for card in held)}
    if state.drawn is not None:
        placed.add(state.drawn.card)
    return tuple(card for card in state.setup.decks[name] if card not in placed)


def _draws(state: State, _seat: str) -> Iterator[Event]:
    name = deck_here(state)
    return (e.MagicDrawn(state.turn or "", name, card) for card in drawable(state, name))


def _declines_magic(state: State, seat: str) -> Iterator[Event]:
    yield e.MagicDeclined(seat, deck_here(state))


def _buys(state: State, seat: str) -> Iterator[Event]:
    yield e.LandBought(seat, state.space[seat])


def _declines(state: State, seat: str) -> Iterator[Event]:
    yield e.LandDeclined(seat, state.space[seat])


def _opens(state: State, _seat: str) -> Iterator[Event]:
    if state.leave is not None:
        yield e.AuctionOpened(state.leave)


def _closes(state: State, _seat: str) -> Iterator[Event]:
    if state.auction is not None:
        yield as_bids_stand(state)


def as_bids_stand(state: State) -> e.AuctionClosed:
    """Close the auction for the highest bid."""
    up = state.auction
    if up is None or up.bidder is None:
        return e.AuctionClosed(up.land if up else 0)
    return e.AuctionClosed(up.land, up.bidder, up.amount)


def _claims(state: State, _seat: str) -> Iterator[Event]:
    charge = state.charge
    if charge is not None:
        yield e.ChargeClaimed(charge.owner, charge.from_, charge.land)


def _returns(state: State, seat: str) -> Iterator[Event]:
    return (e.ReturnCardUsed(seat, card) for card in state.cards[seat])


def _on_lands(state: State, seat: str, kind: Any) -> Iterator[Event]:
    """Try this event on each of a player's lands that may be good for it."""
    for land, holding in holdings(state, seat):
        event: Event = kind(seat, land.pos)
        if kind in _tried_on(state, seat, holding) and why_not(state, event) is None:
            yield event


def _of_lands(kind: type[Event]) -> Callable[[State, str], Iterator[Event]]:
    return lambda state, seat: _on_lands(state, seat, kind)


def _alone(kind: Any) -> Callable[[State, str], Iterator[Event]]:
    return lambda _state, seat: iter((kind(seat),))


_LISTED: Final[Mapping[str, Callable[[State, str], Iterator[Event]]]] = {
    kind_of(e.StartRolled): _start_throws,
    kind_of(e.DiceRolled): _throws,
    kind_of(e.MagicDrawn): _draws,
    kind_of(e.MagicDeclined): _declines_magic,
    kind_of(e.LandBought): _buys,
    kind_of(e.LandDeclined): _declines,
    kind_of(e.AuctionOpened): _opens,
    kind_of(e.AuctionClosed): _closes,
    kind_of(e.ChargeClaimed): _claims,
    kind_of(e.ReturnCardUsed): _returns,
    **{kind_of(kind): _of_lands(kind) for kind in ESTATE},
    **{
        kind_of(kind): _alone(kind)
        for kind in (
            e.ShadowWaterTaken,
            e.ShadowWaterUsed,
            e.FinePaid,
            e.DebtSettled,
            e.BattleLost,
            e.PlayerResigned,
            e.TurnEnded,
        )
    },
}


# --- forms -------------------------------------------------------------------------------------------


def open_choices(state: State, seat: str) -> Iterator[Choice]:
    """Give the forms: bids, a hammer price that nobody noted, deals, loans, a card's effect."""
    for kind in _kinds_of(state, seat):
        if kind in _FORMS:
            yield from _FORMS[kind](state, seat)


def _bids(state: State, seat: str) -> list[Choice]:
    least = state.auction.amount + 1 if state.auction else 1
    if state.cash[seat] < least:
        return []
    return [Choice("bid_placed", {"player": seat}, (Amount("amount", least, state.cash[seat]),))]


def _hammer(state: State, _seat: str) -> Iterator[Choice]:
    """At a table bids are often not noted: then any winner and price will do."""
    up = state.auction
    if up is None or up.bidder is not None or state.setup.origin != "table":
        return
    for seat in living(state):
        if state.cash[seat]:
            fixed = {"land": up.land, "winner": seat}
            yield Choice("auction_closed", fixed, (Amount("amount", 1, state.cash[seat]),))


def goods_of(state: State, seat: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """List the lands and cards that a player may put into a deal: nothing stands on the lands."""
    lands = tuple(land.pos for land, holding in holdings(state, seat) if not built_on(holding))
    return lands, state.cards[seat]


def _partners(state: State, seat: str) -> list[str]:
    """List whom a player can deal with: something must be there to change hands."""
    has = _has_goods(state, seat)
    return [other for other in living(state) if other != seat and (has or _has_goods(state, other))]


def _has_goods(state: State, seat: str) -> bool:
    return bool(state.cash[seat] or state.cards[seat] or goods_of(state, seat)[0])


def _deals(state: State, seat: str) -> Iterator[Choice]:
    for other in _partners(state, seat):
        asks = (*_side(state, seat, "give"), *_side(state, other, "get"))
        yield Choice(DEAL, {"from": seat, "to": other}, asks, f"{{{seat}}} offers {{{other}}} a deal")


def _side(state: State, seat: str, side: str) -> Iterator[Ask]:
    lands, cards = goods_of(state, seat)
    yield Amount(f"{side}.rahl", 0, state.cash[seat])
    yield SomeOf(f"{side}.lands", lands, 0, len(lands))
    yield SomeOf(f"{side}.cards", cards, 0, len(cards))


def _loans(state: State, _seat: str) -> Iterator[Choice]:
    for seat in debtors(state):
        asks = (Amount("amount", 1, LOAN_MOST),)
        yield Choice("loan_granted", {"player": seat}, asks, f"{{{seat}}} borrows")


def _repays(state: State, seat: str) -> Iterator[Choice]:
    most = min(state.loans[seat], state.cash[seat])
    yield Choice("loan_repaid", {"player": seat}, (Amount("amount", 1, most),))


def _effects(state: State, _seat: str) -> Iterator[Choice]:
    """Ask for the common parts of a card's effect; lands that change hands are typed as JSON."""
    yield Choice(
        "card_effect_entered",
        {"player": state.turn, "lands": [], "reason": "as the card says"},
        (
            *(Amount(f"money.{seat}", -CHANGE_MOST, CHANGE_MOST) for seat in living(state)),
            OneOf("to", (None, *range(len(state.setup.spaces)))),
            OneOf("passes_go", (False, True)),
            OneOf("held", (None, True)),
            Amount("skip", 0, e.MISSED),
        ),
    )


_FORMS: Final[Mapping[str, Callable[[State, str], Any]]] = {
    "bid_placed": _bids,
    "auction_closed": _hammer,
    DEAL: _deals,
    "loan_granted": _loans,
    "loan_repaid": _repays,
    "card_effect_entered": _effects,
}


# --- chance ------------------------------------------------------------------------------------------


def deal(state: State, rng: Random) -> Event:
    """Throw the dice, or draw a card from what may lie on top."""
    match state.phase:
        case "start":
            seat = next(seat for seat in state.contenders if seat not in state.rolls)
            return e.StartRolled(seat, (rng.randint(1, 6), rng.randint(1, 6)))
        case "turn.pre":
            return e.DiceRolled(state.turn or "", (rng.randint(1, 6), rng.randint(1, 6)))
        case _:
            name = deck_here(state)
            return e.MagicDrawn(state.turn or "", name, rng.choice(drawable(state, name)))
