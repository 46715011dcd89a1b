"""The end, the scores, and what must hold at every step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

from games.core.ruleset import BrokenInvariant, Outcome
from games.rulesets.legend_of_monopoly.estate import cottages_standing, inns_standing, wealth
from games.rulesets.legend_of_monopoly.state import (
    CHEST,
    FAILURES,
    MOST,
    START_MONEY,
    MagicSpace,
    State,
    living,
)
from games.rulesets.legend_of_monopoly.turns import BY_SEAT, won

REASONS: Final[Mapping[str, str]] = {
    "last-player": "the last one left",
    "wealthiest-after-rounds": "richest when the rounds were over",
    "fellowship": "every land is owned",
}
"""How each end is said behind who won."""


def scores(state: State) -> dict[str, int]:
    """Give each player's wealth."""
    return {seat: wealth(state, seat) for seat in state.setup.seats}


def outcome(state: State) -> Outcome | None:
    """Say how it ended: the last player, the fellowship, or the wealth after the last round."""
    if state.phase != "over":
        return None
    left, points = living(state), scores(state)
    if len(left) == 1:
        return Outcome("last-player", left, points)
    if state.setup.options.win == "fellowship":
        return Outcome("fellowship", left, points)
    most = max(points[seat] for seat in left)
    best = tuple(seat for seat in left if points[seat] == most)
    if len(best) > 1:
        return Outcome("draw", (), points)
    return Outcome("wealthiest-after-rounds", best, points)


# --- what must hold ----------------------------------------------------------------------------------


def invariants(state: State) -> None:
    """Count money, lands, buildings and cards, and compare what is open with the phase.

    Errors: `BrokenInvariant`.
    """
    for fault in (*_wrong_seats(state), *_wrong_money(state)):
        raise BrokenInvariant(fault)
    for fault in (*_wrong_lands(state), *_wrong_cards(state), *_wrong_phase(state)):
        raise BrokenInvariant(fault)


def _wrong_seats(state: State) -> Iterator[str]:
    seats, left = state.setup.seats, living(state)
    if len(set(state.out)) != len(state.out) or not set(state.out) <= set(seats) or not left:
        yield f"{', '.join(state.out)} are out of {', '.join(seats)}"
    play = set(left)
    kept: dict[str, set[str]] = {name: set(getattr(state, name)) for name in BY_SEAT}
    odd = [name for name, held in kept.items() if held - play or (name != "held" and play - held)]
    if odd:
        names = ", ".join(f"/{name}" for name in odd)
        yield f"{', '.join(left)} play, and others have entries, or they have none (/out, {names})"
    yield from _wrong_counts(state)
    for seat in state.held:
        if state.space.get(seat) != state.setup.underworld:
            yield f"{seat} is held in the Underworld and stands on {state.space.get(seat)} (/held, /space)"


def _wrong_counts(state: State) -> Iterator[str]:
    yield from (f"{seat} has {turns} turns to miss" for seat, turns in state.skip.items() if turns > MOST)
    if state.round > MOST:
        yield f"the round is {state.round}"
    for seat, doubles in state.streak.items():
        if doubles >= FAILURES:
            yield f"{seat} has doubles in {doubles} turns, and {FAILURES} lead to the Underworld"


def _wrong_money(state: State) -> Iterator[str]:
    total, start = sum(state.cash.values()) + state.chest, START_MONEY * len(state.setup.seats)
    if total != start:
        yield f"players and Treasure Chest have {total} Rahl of {start}"
    for what, sums in (("cash", state.cash), ("loans", state.loans), ("water", state.water)):
        yield from (f"{what} of {seat} is {amount}" for seat, amount in sums.items() if amount < 0)
    bid = state.auction
    if bid is not None and bid.bidder is not None and bid.amount > state.cash.get(bid.bidder, 0):
        yield f"{bid.bidder} bids {bid.amount} and has {state.cash.get(bid.bidder, 0)}"
    if max(map(abs, _sums(state))) > MOST:
        yield f"a sum of Rahl or of bottles is above {MOST}"
    left = living(state)
    if bid is not None and bid.bidder not in {*left, None}:
        yield f"{bid.bidder} bids and does not play"
    for debt in state.debts:
        if debt.from_ not in left or debt.to not in (*left, CHEST) or debt.from_ == debt.to:
            yield f"{debt.from_} owes {debt.to}"


def _sums(state: State) -> Iterator[int]:
    for sums in (state.cash, state.loans, state.water):
        yield from sums.values()
    yield from (state.chest, state.charge.amount if state.charge else 0)
    yield from (debt.amount for debt in state.debts)


def _wrong_lands(state: State) -> Iterator[str]:
    left = living(state)
    for key, holding in state.lands.items():
        land = state.setup.lands.get(key)
        built = holding.cottages > 0 or holding.house is not None
        if land is None or holding.owner not in left:
            yield f"land {key} belongs to {holding.owner}"
        elif (built and (holding.indebted or not land.cottages)) or (holding.cottages and holding.house):
            yield f"land {key} cannot have what stands on it"
    stock = state.setup.options.stock
    if stock and (cottages_standing(state) > stock.cottages or inns_standing(state) > stock.inns):
        yield "more cottages or inns stand than there are"


def _wrong_cards(state: State) -> Iterator[str]:
    """Each card is known to lie in one place, or is one of the unknown ones of its own deck."""
    if state.decks.keys() != state.setup.decks.keys():
        yield f"the decks are {', '.join(state.decks)}, not {', '.join(state.setup.decks)}"
        return
    for name, cards in state.setup.decks.items():
        deck = state.decks[name]  # type: ignore[index]  # the names are those of the decks
        kept = [card for held in state.cards.values() for card in held if card in cards]
        drawn = [state.drawn.card] if state.drawn and state.drawn.deck == name else []
        known = [*deck.known, *deck.under, *kept, *drawn]
        if len(set(known)) != len(known) or not set(known) <= set(cards):
            yield f"cards of the deck {name} lie in two places: {', '.join(known)}"
        if len(known) + deck.unknown != len(cards):
            yield f"{len(known) + deck.unknown} cards of the deck {name} are somewhere, not {len(cards)}"
    for seat, held in state.cards.items():
        odd = [card for card in held if card not in state.setup.magic]
        odd += [card for card in held if card not in odd and state.setup.magic[card].effect != "keep-return"]
        yield from (f"{seat} keeps {card}, which is no card to keep" for card in odd)


_OPEN: Final = (
    "water_open", "again", "held", "debts", "leave", "auction", "drawn", "charge", "move_due"
)  # fmt: skip
"""What is open only in a turn."""


def _wrong_start(state: State, left: tuple[str, ...]) -> Iterator[str]:
    if state.turn is not None or not set(state.rolls) < set(state.contenders) <= set(left):
        yield "the throws for the start do not fit"
    if len(set(state.contenders)) != len(state.contenders):
        yield "somebody throws twice for the start"
    if not set(chain.from_iterable(state.rolls.values())) <= set(range(1, 7)):
        yield "a die shows what no die shows"
    opened = [name for name in _OPEN if getattr(state, name) not in (False, None, {}, ())]
    if opened:
        names = ", ".join(f"/{name}" for name in opened)
        yield f"something is open before the first turn ({names})"


def _wrong_phase(state: State) -> Iterator[str]:
    left = living(state)
    if state.phase == "start":
        yield from _wrong_start(state, left)
        return
    if state.contenders or state.rolls:
        yield "somebody throws for the start in the middle of the game"
    if state.first not in state.setup.seats or (state.turn not in left and state.phase != "over"):
        yield f"{state.turn} is on turn, and {', '.join(left)} play"
        return
    options = state.setup.options
    by_rounds = options.win == "wealthiest-after-rounds"
    if (state.phase == "over" and not by_rounds and not won(state)) or (state.phase != "over" and won(state)):
        yield f"the phase is {state.phase}, and the game is {'won' if won(state) else 'not won'}"
    for name, phase in (("auction", "auction"), ("drawn", "card.effect")):
        if (getattr(state, name) is None) == (state.phase == phase):
            yield f"{name} does not fit the phase {state.phase} (/{name}, /phase)"
    yield from _wrong_turn(state)


def _wrong_turn(state: State) -> Iterator[str]:
    turn, key = state.turn or "", str(state.space.get(state.turn or "", -1))
    if state.phase == "decide.buy" and (key in state.lands or key not in state.setup.lands):
        yield f"{turn} stands on {key}, which cannot be bought (/space/{turn}, /phase)"
    at_magic = isinstance(state.setup.spaces[int(key)], MagicSpace)
    if state.phase in {"magic.draw", "decide.magic"} and not at_magic:
        yield f"{turn} stands on {key}, where no card is drawn (/space/{turn}, /phase)"
    up = [state.leave, state.auction.land if state.auction else None]
    if any(pos is not None and (str(pos) in state.lands or str(pos) not in state.setup.lands) for pos in up):
        yield "a land is up that cannot be auctioned (/leave, /auction, /lands)"
    if state.leave is not None and state.phase not in {"turn.pre", "turn.post"}:
        yield f"the Treasurer has leave to auction in the phase {state.phase}"
    charge = state.charge
    if charge is not None and (
        charge.owner == charge.from_
        or not {charge.owner, charge.from_} <= set(living(state))
        or str(charge.land) not in state.setup.lands
    ):
        yield f"a charge is open from {charge.from_} to {charge.owner} for {charge.land}"
    if state.move_due is not None and not 2 <= state.move_due <= 12:  # noqa: PLR2004 - two dice
        yield f"no throw is {state.move_due}"
    if state.move_due is not None and (state.held.get(turn) != FAILURES or not state.debts):
        yield f"{turn} is to move {state.move_due} once the fine is paid, and owes none (/move_due)"
    if state.water_open and (state.space.get(turn) != state.setup.underworld or turn in state.held):
        yield f"{turn} cannot take a bottle of Shadow Water on {key} (/space/{turn}, /water_open)"
