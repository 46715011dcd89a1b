"""Players for simulated games: they buy, bid, claim, build, indebt, and trade for parts of the world."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final, NamedTuple

from games.core.events import Event
from games.core.ruleset import Random
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.actions import as_bids_stand
from games.rulesets.legend_of_monopoly.estate import built_on, has_part, holdings, redeem_price
from games.rulesets.legend_of_monopoly.state import FINE, Auction, Holding, Land, State, living, owed_by
from games.rulesets.legend_of_monopoly.why import why_not

RESERVE: Final = 80
"""What a player keeps back when building, bidding and trading."""
RICH: Final = 500
"""From so much on a player redeems lands that bring nothing yet."""
WHOLE: Final = 1.5
"""What a whole part that can be built on is worth beyond its prices, against their sum."""
SHARE: Final = 0.2
"""What two or more lands of a part are worth beyond their prices, against the sum of the part's."""
WORTHWHILE: Final = 20
"""A deal must bring both together at least so much."""
SOME: Final = 3
"""With so many cottages a land earns well."""


def bot(state: State, seat: str, rng: Random) -> Event:
    """Choose what this seat does; claims and auctions of others come first while nothing else is open."""
    if state.debts:
        return _raise(state, seat)
    match state.phase:
        case "decide.buy":
            buy = e.LandBought(seat, state.space[seat])
            return buy if why_not(state, buy) is None else e.LandDeclined(seat, buy.land)
        case "auction":
            return _bid(state) or as_bids_stand(state)
        case "card.effect":
            return _nothing_happens(state)
        case _:
            return (
                bot_during_chance(state, rng)
                or _estate(state, seat)
                or _trade(state, seat)
                or e.TurnEnded(seat)
            )


def bot_during_chance(state: State, _rng: Random) -> Event | None:
    """Do what cannot wait for the next throw: claim, take a bottle, auction, leave the Underworld."""
    charge, turn = state.charge, state.turn or ""
    if charge is not None:
        return e.ChargeClaimed(charge.owner, charge.from_, charge.land)
    if state.water_open:
        return e.ShadowWaterTaken(turn)
    if state.leave is not None and _bidders(state, Auction(state.leave, None, 0)):
        return e.AuctionOpened(state.leave)
    if state.phase == "turn.pre" and turn in state.held:
        return _way_out(state, turn)
    return None


def _nothing_happens(state: State) -> Event:
    return e.CardEffectEntered(
        player=state.turn or "", money={}, passes_go=False, skip=0, lands=(), reason="no effect"
    )


def _way_out(state: State, seat: str) -> Event | None:
    """Leave the Underworld while there is land to be had, else stay as long as it goes."""
    if state.cards[seat]:
        return e.ReturnCardUsed(seat, state.cards[seat][0])
    if why_not(state, e.ShadowWaterUsed(seat)) is None:
        return e.ShadowWaterUsed(seat)
    early = len(state.lands) < len(state.setup.lands)
    return e.FinePaid(seat) if early and state.cash[seat] >= FINE + RESERVE else None


# --- debts -------------------------------------------------------------------------------------------


def _raise(state: State, seat: str) -> Event:
    """Pay; else sell what matters least; else lose."""
    if state.cash[seat] >= owed_by(state, seat):
        return e.DebtSettled(seat)
    if why_not(state, e.BattleLost(seat)) is None:
        return e.BattleLost(seat)
    return next(_sales(state, seat))


def _sales(state: State, seat: str) -> Iterator[Event]:
    own = list(holdings(state, seat))
    for land, _ in sorted(own, key=lambda item: (has_part(state, item[0], seat), item[0].price)):
        if not has_part(state, land, seat):
            yield from _possible(state, e.LandIndebted(seat, land.pos))
    for land, _ in own:
        yield from _possible(state, e.CottageSold(seat, land.pos))
        yield from _possible(state, e.InnSold(seat, land.pos))
        yield from _possible(state, e.BrothelSold(seat, land.pos))
    for land, _ in own:
        yield from _possible(state, e.LandIndebted(seat, land.pos))


def _possible(state: State, event: Event) -> Iterator[Event]:
    if why_not(state, event) is None:
        yield event


# --- auctions ----------------------------------------------------------------------------------------


def _bid(state: State) -> Event | None:
    up = state.auction
    return next(iter(_bidders(state, up)), None) if up is not None else None


def _bidders(state: State, up: Auction) -> list[e.BidPlaced]:
    """List the next bid of each who would still bid."""
    land = state.setup.lands[str(up.land)]
    bid = up.amount + max(land.price // 5, 1)
    return [
        e.BidPlaced(seat, bid)
        for seat in living(state)
        if seat != up.bidder and bid <= min(state.cash[seat] - RESERVE, land.price + _gain(state, seat, land))
    ]


def _gain(state: State, seat: str, land: Land) -> int:
    own = _owned(state, land.part, seat)
    return _worth(state, land.part, own + 1) - _worth(state, land.part, own)


def _owned(state: State, part: str, seat: str) -> int:
    lands = (state.lands.get(key) for key in state.setup.parts[part])
    return sum(1 for holding in lands if holding is not None and holding.owner == seat)


def _worth(state: State, part: str, count: int) -> int:
    """Give what so many lands of a part are worth to one player beyond their prices."""
    lands = [state.setup.lands[key] for key in state.setup.parts[part]]
    total = sum(land.price for land in lands)
    if count == len(lands) and lands[0].cottages:
        return round(total * WHOLE)
    return round(total * SHARE * (count - 1)) if count > 1 else 0


# --- lands and buildings -----------------------------------------------------------------------------


def _estate(state: State, seat: str) -> Event | None:
    """Build where it can be afforded, if need be from lands that stand alone; redeem out of plenty."""
    own = list(holdings(state, seat))
    whole = [(land, holding) for land, holding in own if land.cottages and has_part(state, land, seat)]
    whole.sort(key=lambda item: (item[1].cottages, -item[0].price))
    wishes = chain(
        (event for land, _ in whole for event in _buildings(state, seat, land)),
        _funds(state, seat, whole),
        _brothels(state, seat),
        _redemptions(state, seat),
    )
    return next(wishes, None)


def _buildings(state: State, seat: str, land: Land) -> Iterator[Event]:
    if state.cash[seat] >= (land.inn or 0) + RESERVE:
        yield from _possible(state, e.InnBuilt(seat, land.pos))
    if state.cash[seat] >= (land.cottage or 0) + RESERVE:
        yield from _possible(state, e.CottageBuilt(seat, land.pos))


def _funds(state: State, seat: str, whole: Sequence[tuple[Land, Holding]]) -> Iterator[Event]:
    """Indebt lands that stand alone while a whole part is built on too little."""
    poor = [land for land, holding in whole if holding.house is None and holding.cottages < SOME]
    if poor and state.cash[seat] < (poor[0].cottage or 0) + RESERVE:
        for land, _ in holdings(state, seat):
            if not has_part(state, land, seat):
                yield from _possible(state, e.LandIndebted(seat, land.pos))


def _brothels(state: State, seat: str) -> Iterator[Event]:
    if seat == state.setup.options.madame_denna and state.cash[seat] > 2 * RICH:
        for land, _ in holdings(state, seat):
            yield from _possible(state, e.BrothelBuilt(seat, land.pos))


def _redemptions(state: State, seat: str) -> Iterator[Event]:
    for land, holding in holdings(state, seat):
        if holding.indebted and state.cash[seat] >= redeem_price(land) + RICH:
            yield e.LandRedeemed(seat, land.pos)


# --- deals -------------------------------------------------------------------------------------------


class _Shift(NamedTuple):
    """All that one player has of a part goes to another: what that is worth to who gets and who gives."""

    lands: tuple[int, ...]
    gets: int
    gives: int


_NO_SHIFT: Final = _Shift((), 0, 0)


Shares = dict[str, dict[str, list[Land]]]
"""Of each part on which nothing is built: who owns which lands of it."""


def _trade(state: State, seat: str) -> Event | None:
    """Find the deal that brings both most: lands of one part for lands of another, money for the rest."""
    shares = _shares(state)
    deals = (item for other in living(state) if other != seat for item in _deals(state, shares, seat, other))
    best = max(deals, key=itemgetter(0), default=None)
    return None if best is None else best[1]


def _shares(state: State) -> Shares:
    found: Shares = {}
    built: set[str] = set()
    for key, land in state.setup.lands.items():
        holding = state.lands.get(key)
        if holding is not None:
            found.setdefault(land.part, {}).setdefault(holding.owner, []).append(land)
            if built_on(holding):
                built.add(land.part)
    return {part: owners for part, owners in found.items() if part not in built and len(owners) > 1}


def _deals(state: State, shares: Shares, seat: str, other: str) -> Iterator[tuple[int, e.DealMade]]:
    both = [part for part, owners in shares.items() if seat in owners and other in owners]
    to_me = [_NO_SHIFT, *(_shift(state, part, shares[part], other, seat) for part in both)]
    to_them = [_NO_SHIFT, *(_shift(state, part, shares[part], seat, other) for part in both)]
    for mine in to_me:
        for theirs in to_them:
            if _same_part(state, mine, theirs):
                continue
            my_gain, their_gain = mine.gets - theirs.gives, theirs.gets - mine.gives
            least = max(1 - their_gain, -(state.cash[other] - RESERVE))
            most = min(my_gain - 1, state.cash[seat] - RESERVE)
            if my_gain + their_gain >= WORTHWHILE and least <= most:
                pay = min(max((my_gain - their_gain) // 2, least), most)
                yield my_gain + their_gain, _deal(seat, other, pay, mine.lands, theirs.lands)


def _same_part(state: State, mine: _Shift, theirs: _Shift) -> bool:
    lands = state.setup.lands
    parts = [lands[str(shift.lands[0])].part for shift in (mine, theirs) if shift.lands]
    return not parts or parts[:1] == parts[1:]


def _shift(state: State, part: str, owners: dict[str, list[Land]], giver: str, taker: str) -> _Shift:
    """Take a part together where both have land of it."""
    given, had = owners[giver], len(owners[taker])
    prices, count = sum(land.price for land in given), len(given)
    gets = prices + _worth(state, part, had + count) - _worth(state, part, had)
    return _Shift(tuple(land.pos for land in given), gets, prices + _worth(state, part, count))


def _deal(seat: str, other: str, pay: int, mine: tuple[int, ...], theirs: tuple[int, ...]) -> e.DealMade:
    give = e.Goods(max(pay, 0), theirs, ())
    return e.DealMade(seat, other, give, e.Goods(max(-pay, 0), mine, ()))
