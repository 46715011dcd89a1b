"""A refusal before it is raised, and the ones that many events share."""

from __future__ import annotations

from typing import Final, NamedTuple

from games.rulesets.legend_of_monopoly.state import State, living

PLAY: Final = "rulebook, The Play"


class Fault(NamedTuple):
    """A refusal's code, sentence and rule."""

    code: str
    sentence: str
    rule: str


Why = Fault | None


def cannot_pay(state: State, seat: str, amount: int, what: str, rule: str) -> Why:
    """Say what a player lacks to pay for something."""
    cash = state.cash[seat]
    if cash >= amount:
        return None
    return Fault("cannot-pay", f"{{{seat}}} has {cash} Rahl, and {what} costs {amount}.", rule)


def not_on_turn(state: State, seat: str) -> Why:
    """Say whose turn it is where it is not this seat's."""
    if seat == state.turn:
        return None
    return Fault("not-your-turn", f"It is {{{state.turn}}}'s turn, not {seat_text(state, seat)}'s.", PLAY)


def seat_text(state: State, seat: str) -> str:
    """Write a seat as `{p1}`, anything else as it was typed."""
    return f"{{{seat}}}" if seat in state.setup.seats else repr(seat)


def not_playing(state: State, seat: str) -> Why:
    """Say who plays where this seat does not."""
    if seat in state.cash:
        return None
    players = ", ".join(f"{{{other}}}" for other in living(state))
    return Fault("not-playing", f"{seat_text(state, seat)} is not in the game; in it are {players}.", "R24")
