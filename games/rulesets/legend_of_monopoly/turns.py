"""The turn, who is out, and the end."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from games.rulesets.legend_of_monopoly.money import transfer
from games.rulesets.legend_of_monopoly.state import CHEST, State

BY_SEAT: Final = ("streak", "space", "held", "cash", "loans", "water", "cards", "skip")
"""Fields of the state that hold something for each player not beaten."""


def put_under(state: State, *cards: str) -> State:
    """Put cards beneath their decks."""
    decks = dict(state.decks)
    for card in cards:
        name = state.setup.deck_of[card]
        decks[name] = replace(decks[name], under=(*decks[name].under, card))
    return replace(state, decks=decks)


def gone(state: State, seat: str, heir: str) -> State:
    """Take a player out; what they have, and what others owe them, goes to their heir; their turn ends."""
    state = _inherited(transfer(state, seat, heir, state.cash[seat]), seat, heir)
    charge = state.charge
    if charge is not None and seat in {charge.owner, charge.from_}:
        state = replace(state, charge=None)
    state = replace(
        state,
        out=(*state.out, seat),
        contenders=tuple(other for other in state.contenders if other != seat),
        rolls=_without(state.rolls, seat),
        **{name: _without(getattr(state, name), seat) for name in BY_SEAT},
    )
    return settled(next_turn(state, seat) if state.turn == seat else begun(state))


def begun(state: State) -> State:
    """Let who threw highest begin once all have thrown; those who share it throw again."""
    rolls = state.rolls
    if len(rolls) < len(state.contenders) or not rolls:
        return state
    highest = max(map(sum, rolls.values()))
    best = tuple(seat for seat in state.contenders if sum(rolls[seat]) == highest)
    if len(best) > 1:
        return replace(state, contenders=best, rolls={})
    return replace(state, phase="turn.pre", turn=best[0], first=best[0], contenders=(), rolls={})


def _without(by_seat: dict[str, Any], seat: str) -> dict[str, Any]:
    return {other: value for other, value in by_seat.items() if other != seat}


def _inherited(state: State, seat: str, heir: str) -> State:
    debts = [
        replace(debt, to=heir) if debt.to == seat else debt for debt in state.debts if debt.from_ != seat
    ]
    state = replace(state, debts=tuple(debt for debt in debts if debt.from_ != debt.to))
    if heir == CHEST:
        lands = {key: holding for key, holding in state.lands.items() if holding.owner != seat}
        return put_under(replace(state, lands=lands), *state.cards[seat])
    lands = {
        key: replace(holding, owner=heir) if holding.owner == seat else holding
        for key, holding in state.lands.items()
    }
    return replace(state, lands=lands, cards={**state.cards, heir: (*state.cards[heir], *state.cards[seat])})


def next_turn(state: State, seat: str) -> State:
    """Pass the turn to the left; a turn to be missed is counted as taken.

    Cost:    once round the table, however many turns are missed: whole rounds that everybody misses are
             taken at once.
    Nobody:  where none is left to play, the game is over.
    """
    seats, last = state.setup.seats, state.setup.options.rounds
    left = max(last - state.round, 0) if last is not None else None
    missed = min(state.skip.values(), default=0)
    missed = missed if left is None else min(missed, left)
    number, skip = state.round + missed, {other: turns - missed for other, turns in state.skip.items()}
    state = _lapsed(replace(state, doubles=0))
    place = seats.index(seat)
    for other in (*seats[place + 1 :], *seats[: place + 1]):
        number += other == state.first
        if last is not None and number > last:
            break
        if other in skip and not skip[other]:
            return replace(state, phase="turn.pre", turn=other, round=number, skip=skip)
        if other in skip:
            skip[other] -= 1
    return replace(state, phase="over", skip=skip)


def _lapsed(state: State) -> State:
    """Drop what only the present turn leaves open; a card without its effect goes under its deck."""
    if state.drawn is not None:
        state = put_under(state, state.drawn.card)
    return replace(state, again=False, water_open=False, leave=None, auction=None, move_due=None, drawn=None)


def settled(state: State) -> State:
    """End the game if it is won; what was open then lapses."""
    if state.phase != "over" and not won(state):
        return state
    return replace(_lapsed(state), phase="over", charge=None, debts=())


def won(state: State) -> bool:
    """Tell whether one player is left, or the fellowship has every land."""
    if len(state.out) >= len(state.setup.seats) - 1:
        return True
    return state.setup.options.win == "fellowship" and len(state.lands) == len(state.setup.lands)
