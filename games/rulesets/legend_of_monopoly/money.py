"""Money: from a player to a player, or from and to the Treasure Chest; what cannot be paid becomes a debt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from games.kit.seats import in_turn_after
from games.rulesets.legend_of_monopoly.state import CHEST, Debt, State, owed_by


def transfer(state: State, payer: str, payee: str, amount: int) -> State:
    """Move money; either side may be the Treasure Chest, which is never empty."""
    cash, chest = dict(state.cash), state.chest
    for side, change in ((payer, -amount), (payee, amount)):
        if side == CHEST:
            chest += change
        else:
            cash[side] += change
    return replace(state, cash=cash, chest=chest)


def owe(state: State, payer: str, dues: Sequence[tuple[str, int]]) -> State:
    """Pay at once if the cash does for all of it, else owe all of it."""
    due = [(payee, amount) for payee, amount in dues if amount > 0]
    if owed_by(state, payer) == 0 and state.cash[payer] >= sum(amount for _, amount in due):
        for payee, amount in due:
            state = transfer(state, payer, payee, amount)
        return state
    return replace(state, debts=(*state.debts, *(Debt(payer, payee, amount) for payee, amount in due)))


def settle(state: State, payer: str) -> State:
    """Pay every debt of a player."""
    for debt in state.debts:
        if debt.from_ == payer:
            state = transfer(state, payer, debt.to, debt.amount)
    return replace(state, debts=tuple(debt for debt in state.debts if debt.from_ != payer))


def creditors(state: State, payer: str) -> list[tuple[str, int]]:
    """List whom a player owes, in seat order from the payer's left, the Treasure Chest last."""
    order = (*in_turn_after(state.setup.seats, payer), CHEST)
    sums = {
        seat: sum(debt.amount for debt in state.debts if (debt.from_, debt.to) == (payer, seat))
        for seat in order
    }
    return [(seat, amount) for seat, amount in sums.items() if amount]
