"""Tokens on their way: steps, arrivals, the Underworld."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from games.rulesets.legend_of_monopoly.estate import charge_on
from games.rulesets.legend_of_monopoly.money import owe, transfer
from games.rulesets.legend_of_monopoly.state import (
    CHEST,
    FAILURES,
    GO_PAY,
    SPACES,
    Charge,
    GoToUnderworld,
    Land,
    MagicSpace,
    State,
    TaxSpace,
    Underworld,
)


def counted(state: State, seat: str, *, double: bool) -> State:
    """Count a double: in this turn, or over turns where a double gives no further throw."""
    if state.setup.options.doubles == "no-extra":
        streak = state.streak[seat] + 1 if double else 0
        return replace(state, doubles=int(double), streak={**state.streak, seat: streak})
    if not double:
        return state
    return replace(state, doubles=state.doubles + 1, again=state.doubles + 1 < FAILURES)


def freed(state: State, seat: str) -> State:
    """Let a token out of the Underworld; where it goes is another thing."""
    return replace(state, held={other: count for other, count in state.held.items() if other != seat})


def held(state: State, seat: str) -> State:
    """Go directly to the Underworld; there is no further throw."""
    return replace(
        state,
        phase="turn.post",
        again=False,
        space={**state.space, seat: state.setup.underworld},
        held={**state.held, seat: 0},
        streak={**state.streak, seat: 0},
    )


def stepped(state: State, seat: str, steps: int) -> State:
    """Move so many spaces; coming past GO or onto it, forwards, pays."""
    to = state.space[seat] + steps
    if to >= SPACES:
        state = transfer(state, CHEST, seat, GO_PAY)
    return arrived(state, seat, to % SPACES)


def arrived(state: State, seat: str, pos: int) -> State:
    """Put the token down; what the space asks for is due now."""
    state = replace(state, space={**state.space, seat: pos}, phase=rest_of_turn(state))
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
            return held(state, seat)
        case _:
            return state


def rest_of_turn(state: State) -> Any:
    """Give the phase when nothing else is open: a further throw, or the end of the turn."""
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
