"""Comparing two cards: rung after rung until one decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from games.rulesets.monstropoly_battle.state import Card, State, other

Name = Literal["force", "tie card", "strike", "weapon sum"]


class Rung(NamedTuple):
    """One comparison: its name and a figure for each side."""

    name: Name
    one: int
    two: int

    @property
    def tied(self) -> bool:
        """Tell whether it decides nothing."""
        return self.one == self.two


class Verdict(NamedTuple):
    """Who won a comparison, or nobody, and the last rung that was reached."""

    winner: str | None
    rung: Rung


def decided(rungs: Iterable[Rung], seats: tuple[str, str]) -> Verdict:
    """Go up the ladder to the first rung that is not tied; there is at least one rung."""
    rung: Rung | None = None
    for rung in rungs:
        if not rung.tied:
            return Verdict(seats[0] if rung.one > rung.two else seats[1], rung)
    if rung is None:
        raise ValueError("no rung to compare on")
    return Verdict(None, rung)


def _bare(one: Card, two: Card) -> Iterator[Rung]:
    yield Rung("strike", one.strike, two.strike)
    yield Rung("weapon sum", one.values.total(), two.values.total())


# --- phase one ------------------------------------------------------------------------------------------


def against(one: Card, two: Card) -> Rung:
    """Compare forces of phase one: each side's strike and the other card's value for its weapon."""
    return Rung("force", one.strike + two.values.of(one.weapon), two.strike + one.values.of(two.weapon))


def with_third(one: Card, two: Card, third: Card, name: Name) -> Rung:
    """Compare forces in which a third card gives both their weapon values."""
    return Rung(name, one.strike + third.values.of(one.weapon), two.strike + third.values.of(two.weapon))


def round_rungs(state: State, third: str | None) -> Iterator[Rung]:
    """Give the ladder of a round of phase one, p1's figures first; without a tie card it has one rung."""
    cards = state.setup.cards
    one, two = (cards[state.played[seat]] for seat in state.setup.seats)
    force = against(one, two)
    yield force
    if not force.tied or third is None:
        return
    turned = with_third(one, two, cards[third], "tie card")
    if state.setup.options.tie_card == "adds":
        both = one.values.of(two.weapon), two.values.of(one.weapon)
        turned = Rung("tie card", turned.one + both[1], turned.two + both[0])
    yield turned
    yield from _bare(one, two)


def round_verdict(state: State, third: str | None) -> Verdict:
    """Say who wins the round, as far as the ladder goes."""
    first, second = state.setup.seats
    return decided(round_rungs(state, third), (first, second))


def turned_card(state: State) -> str | None:
    """Name the tie card that decided this round, or failed to: the last one turned.

    When the deck ran out the tie cards are the deck again, and the winner may hold the only one.
    """
    if state.tie_cards:
        return state.tie_cards[-1]
    if state.winner is None:
        return None
    return state.deck.under[-1] if state.deck.under else state.drawn


def how_decided(state: State) -> str:
    """Say which rung decided the round on the table, `force 8 to 4`, winner first; empty before that."""
    if state.winner is None or not state.played:
        return ""
    verdict = round_verdict(state, turned_card(state))
    if verdict.winner is None:
        return "lot"
    return figures(verdict, first=state.winner == state.setup.seats[0])


def figures(verdict: Verdict, *, first: bool = True) -> str:
    """Write the rung with both figures, `strike 5 to 4`; those of the second side first if told so."""
    name, one, two = verdict.rung
    return f"{name} {one} to {two}" if first else f"{name} {two} to {one}"


def no_card_breaks(state: State) -> bool:
    """Tell whether no further card can break the tie: strike and weapon are the same on both sides."""
    one, two = (state.setup.cards[state.played[seat]] for seat in state.setup.seats)
    return one.strike == two.strike and one.weapon == two.weapon


# --- phase two ------------------------------------------------------------------------------------------


def pair_rungs(state: State, third: str) -> Iterator[Rung]:
    """Give the ladder of a pair, the leader's figures first."""
    cards = state.setup.cards
    one, two = cards[str(state.led)], cards[str(state.answered)]
    yield with_third(one, two, cards[third], "force")
    if state.setup.options.phase2_tie == "same-leads":
        yield from _bare(one, two)


def pair_verdict(state: State, third: str) -> Verdict:
    """Say who wins the pair on the table, as far as the ladder goes."""
    leader = str(state.leader)
    return decided(pair_rungs(state, third), (leader, other(state, leader)))
