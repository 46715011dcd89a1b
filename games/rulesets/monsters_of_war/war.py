"""What follows from the cards in a battle or a War: who must lay how many, whose gambit counts, who wins."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from games.kit.cards import EMPTY, CardZone
from games.rulesets.monsters_of_war.state import Gambit, State, power

PLAIN, DOUBLE = 2, 4
"""Cards that each lays face down: after one War card or a tie, after two or more War cards."""


class Verdict(msgspec.Struct, frozen=True):
    """How cards turned at once compare: one winner, or a War of those who fight on, each laying `lay`."""

    winner: str | None
    fighting: tuple[str, ...] = ()
    lay: int = 0


# --- the battle --------------------------------------------------------------------------------------


def battle_verdict(state: State, cards: Mapping[str, str]) -> Verdict:
    """Compare the cards of a battle.  A tie that is no War has nobody who fights on."""
    monsters = state.setup.battle
    wars: list[str] = []
    highest: list[str] = []
    most = 0
    for seat, card in cards.items():
        monster = monsters[card]
        if monster is None:
            wars.append(seat)
        elif monster.attack > most or not highest:
            most, highest = monster.attack, [seat]
        elif monster.attack == most:
            highest.append(seat)
    if len(highest) == 1 and not wars:
        return Verdict(highest[0])
    if not wars and not state.setup.options.tie_war:
        return Verdict(None)
    fighting = cards if wars else highest
    in_order = tuple([seat for seat in state.setup.seats if seat in fighting])
    return Verdict(None, in_order, _lay_for(wars))


def _lay_for(wars: Collection[str]) -> int:
    return DOUBLE if len(wars) > 1 else PLAIN


def _highest(totals: Mapping[str, int]) -> tuple[str, ...]:
    most = max(totals.values())
    return tuple([seat for seat, value in totals.items() if value == most])


# --- laying and attacking ----------------------------------------------------------------------------


def lay_counts(state: State) -> dict[str, int]:
    """Say how many cards each fighter lays now (rule 5: too few cards)."""
    keep = 0 if state.setup.options.short == "forfeit" else 1
    return {seat: max(0, min(state.lay, state.decks[seat].size - keep)) for seat in state.fighting}


def turners(state: State) -> tuple[str, ...]:
    """List the fighters who have a card to turn for the attack."""
    return _with_cards(state.fighting, state.decks)


def _with_cards(seats: tuple[str, ...], piles: Mapping[str, CardZone]) -> tuple[str, ...]:
    if EMPTY not in piles.values():
        return seats
    return tuple([seat for seat in seats if piles[seat] != EMPTY])


def able(state: State) -> tuple[str, ...]:
    """List the fighters who can attack: with a card to turn, or with the last one played (option `short`)."""
    if state.setup.options.short == "last-card-attacks":
        return tuple(seat for seat in state.fighting if state.decks[seat].size or state.field[seat])
    return turners(state)


def rebuilders(state: State) -> tuple[str, ...]:
    """List the fighters who must make a new Gambit Deck from their discards, in seat order."""
    if state.setup.options.gambit_empty != "reshuffle-discards":
        return ()
    return tuple(
        seat for seat in state.fighting if not state.gambit_decks[seat].size and state.gambit_discards[seat]
    )


def drawers(state: State) -> tuple[str, ...]:
    """List the fighters who have a gambit to turn; who cannot attack turns their too."""
    return _with_cards(state.fighting, state.gambit_decks)


# --- gambits in force --------------------------------------------------------------------------------


def in_force(state: State) -> dict[str, Gambit]:
    """Give the gambits that have an effect once it is clear who attacks: theirs, unless cancelled.

    A gambit that cancels is not itself cancelled by one that cancels; what the table typed in as cancelled
    is.
    """
    faces, does = state.setup.gambits, state.setup.does
    shown = [(seat, state.gambits[seat]) for seat in state.fighting if seat in state.gambits]
    face_up = {seat: faces[card] for seat, card in shown}
    cancelling = [seat for seat, card in shown if "cancel" in does[card]]
    if not cancelling and not state.rulings:
        return face_up
    typed = {seat for ruling in state.rulings.values() for seat in ruling.cancels}
    return {
        seat: gambit
        for seat, gambit in face_up.items()
        if seat not in typed and (not cancelling or seat in cancelling)
    }


def decks_to_shuffle(state: State) -> tuple[str, ...]:
    """List the Battle Decks that gambits have shuffled before the attack, in seat order."""
    force, does = in_force(state), state.setup.does
    own = {seat for seat, gambit in force.items() if "shuffle-self" in does[gambit.id]}
    others = {seat for seat, gambit in force.items() if "shuffle-opponent" in does[gambit.id]}
    if not own and not others:
        return ()
    return tuple(seat for seat in turners(state) if seat in own or others - {seat})


def rulings_owed(state: State) -> tuple[str, ...]:
    """List those whose manual gambit waits for the table to say what it did."""
    return unruled(state, in_force(state))


def unruled(state: State, force: Mapping[str, Gambit]) -> tuple[str, ...]:
    """List the same of those whose gambits are in force."""
    does = state.setup.does
    manual = [seat for seat, gambit in force.items() if "manual" in does[gambit.id]]
    return tuple(seat for seat in manual if seat not in state.rulings) if manual else ()


# --- the attack --------------------------------------------------------------------------------------


def attack_verdict(state: State, force: Mapping[str, Gambit]) -> Verdict:
    """Compare the War Attack Cards after all gambits: the last card face up of each fighter.

    Order: what the table typed in as won; War cards; turncoat, double, plus and minus, not below 0; a gambit
    that wins equal totals.  No fighter with a card: nobody wins and nobody fights on.
    """
    if state.rulings:
        named = {seat for seat in _typed_winners(state, force) if seat in state.fighting}
        if len(named) == 1:
            return Verdict(named.pop())
    cards = {seat: state.field[seat][-1] for seat in state.fighting if state.field[seat]}
    if not cards:
        return Verdict(None)
    printed = _printed(state, cards)
    wars = [seat for seat, value in printed.items() if value is None and not _spent(state, seat)]
    if wars:
        return Verdict(None, tuple(cards), _lay_for(wars))
    return _highest_attack(state, _totals(state, printed, force), force)


def _highest_attack(state: State, totals: Mapping[str, int], force: Mapping[str, Gambit]) -> Verdict:
    highest = _highest(totals)
    if len(highest) == 1:
        return Verdict(highest[0])
    does = state.setup.does
    firm = [seat for seat in highest if seat in force and "wins-ties" in does[force[seat].id]]
    return Verdict(firm[0]) if len(firm) == 1 else Verdict(None, highest, PLAIN)


def _typed_winners(state: State, force: Mapping[str, Gambit]) -> list[str]:
    return [ruling.wins for owner, ruling in state.rulings.items() if ruling.wins and owner in force]


def _spent(state: State, seat: str) -> bool:
    """Tell whether a War card attacks as its player's last card, and counts as 0 (option `short`)."""
    return state.setup.options.short == "last-card-attacks" and not state.decks[seat].size


def attack_totals(state: State, cards: Mapping[str, str]) -> dict[str, int]:
    """Give each attack after gambits; a War card is 0 whatever gambits say."""
    return _totals(state, _printed(state, cards), in_force(state))


def _printed(state: State, cards: Mapping[str, str]) -> dict[str, int | None]:
    return {seat: power(state, card) for seat, card in cards.items()}


def _totals(state: State, printed: Mapping[str, int | None], force: Mapping[str, Gambit]) -> dict[str, int]:
    if not force:
        return {seat: value or 0 for seat, value in printed.items()}
    base = {seat: value for seat, value in printed.items() if value is not None}
    attacking = {seat: gambit for seat, gambit in force.items() if seat in printed}
    if len(printed) == 2:  # noqa: PLR2004 - two can exchange
        base = _exchanged(base, attacking)
    return {seat: _changed(state, seat, base[seat], attacking) if seat in base else 0 for seat in printed}


def _exchanged(monsters: dict[str, int], force: Mapping[str, Gambit]) -> dict[str, int]:
    swaps = sum([item.op == "swap" for gambit in force.values() for item in gambit.ops])
    if swaps % 2 == 0 or len(monsters) != 2:  # noqa: PLR2004 - a War card has no power to exchange
        return monsters
    return dict(zip(monsters, reversed(monsters.values()), strict=True))


def _changed(state: State, seat: str, value: int, force: Mapping[str, Gambit]) -> int:
    added = 0
    for owner, gambit in force.items():
        mine = owner == seat
        for item in gambit.ops:
            if mine and item.op == "multiply-self":
                value *= item.n or 0
            elif item.op == ("add-self" if mine else "add-opponent"):
                added += item.n or 0
        if owner in state.rulings:
            added += state.rulings[owner].changes.get(seat, 0)
    return max(0, value + added)
