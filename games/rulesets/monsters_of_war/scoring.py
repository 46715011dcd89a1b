"""Who has won, what each seat counts, and what must always be there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from games.core.ruleset import BrokenInvariant, Outcome
from games.kit.cards import CardZone
from games.rulesets.monsters_of_war.state import MOST, State, playing, total
from games.rulesets.monsters_of_war.war import DOUBLE, PLAIN, drawers, rebuilders, rulings_owed, turners

REASONS: Final[Mapping[str, str]] = {
    "most-cards": "most cards",
    "sudden-victory": "every card is won",
    "last-player": "the last one left",
}
"""How each end is said behind who won."""


def scores(state: State) -> dict[str, int]:
    """Count Battle Deck and Spoils of each seat; who resigned counts nothing."""
    return {seat: total(state, seat) for seat in state.setup.seats}


def in_play(state: State) -> int:
    """Count the battle cards that are not set aside."""
    return len(state.setup.battle) - sum(zone.size for zone in state.aside.values())


def holder_of_all(state: State) -> str | None:
    """Name the seat that holds every battle card not set aside."""
    whole = in_play(state)
    return next((seat for seat in playing(state) if total(state, seat) == whole), None)


def outcome(state: State) -> Outcome | None:
    """Say how the game ended.

    Reasons: `last-player` (resignations left one), `sudden-victory`, `most-cards`, `draw`.
    """
    if state.phase != "over":
        return None
    totals = scores(state)
    holder = holder_of_all(state)
    if holder is not None:
        left_alone = bool(state.out) and state.out[-1] in state.aside
        return Outcome("last-player" if left_alone else "sudden-victory", (holder,), totals)
    most = max(totals.values())
    best = tuple(seat for seat in playing(state) if totals[seat] == most)
    return Outcome("most-cards", best, totals) if len(best) == 1 else Outcome("draw", (), totals)


# --- invariants ---------------------------------------------------------------------------------------


_ATTACKING: Final = frozenset({"war.shuffle", "war.attack", "war.ruling"})
"""Phases in which gambits are face up."""


def invariants(state: State) -> None:
    """Hold every card to one place and every pile to what it may hold.

    Errors: `BrokenInvariant`.
    """
    for fault in _faults(state):
        raise BrokenInvariant(fault)


def _faults(state: State) -> Iterator[str]:
    dealt = state.phase != "dealing"
    battle, gambits = (tuple(part(state)) for part in (_battle_zones, _gambit_zones))
    yield from _wrong_cards("battle card", battle, state.setup.battle, dealt=dealt)
    yield from _wrong_cards("gambit", gambits, state.setup.gambits, dealt=dealt)
    yield from _wrong_seats(state)
    yield from _nothing_to_wait_for(state)
    if not 1 <= state.day <= state.setup.options.days:
        yield f"there is no Day {state.day}"
    if state.phase == "over" and state.day < state.setup.options.days and holder_of_all(state) is None:
        yield f"the game is over (/phase) on Day {state.day} (/day), and nobody has every card"


def _nothing_to_wait_for(state: State) -> Iterator[str]:
    """Find a phase that nobody could leave."""
    if state.phase in {"battle.flip", "day.shuffle"}:
        for seat in playing(state):
            if not (state.decks[seat].size if state.phase == "battle.flip" else total(state, seat)):
                yield f"{seat} has no card for the next battle (/decks/{seat}, /spoils/{seat})"
    waits = {
        "war.lay": state.fighting and state.lay,
        "war.rebuild": rebuilders(state),
        "war.gambit": drawers(state),
        "war.shuffle": state.shuffles,
        "war.attack": turners(state),
        "war.ruling": rulings_owed(state),
    }
    if not waits.get(state.phase, True):
        yield f"nothing is left to do in the phase {state.phase}"
    war = state.phase.startswith("war.")
    if war != bool(state.lay) or war != bool(state.fighting):
        yield f"{state.lay} cards are laid by {state.fighting} in the phase {state.phase} (/lay, /fighting)"
    if state.phase not in _ATTACKING:
        for name in ("gambits", "rulings", "shuffles"):
            if getattr(state, name):
                yield f"/{name} is not empty in the phase {state.phase}"
    elif not set(state.rulings) <= set(state.gambits):
        yield "what a gambit did is said of one that is not face up (/rulings, /gambits)"


def _battle_zones(state: State) -> Iterator[CardZone]:
    for zones in (state.decks, state.spoils, state.laid, state.aside):
        yield from zones.values()
    for cards in state.field.values():
        yield CardZone(cards, 0)


def _gambit_zones(state: State) -> Iterator[CardZone]:
    yield from state.gambit_decks.values()
    for cards in state.gambit_discards.values():
        yield CardZone(cards, 0)
    yield CardZone(tuple(state.gambits.values()), 0)


def _wrong_cards(
    what: str, zones: tuple[CardZone, ...], identities: Mapping[str, object], *, dealt: bool
) -> Iterator[str]:
    size = sum(zone.size for zone in zones)
    if size != (len(identities) if dealt else 0):
        yield f"there are {size} of {len(identities)} {what}s"
    if any(zone.unknown < 0 for zone in zones):
        yield f"a pile holds less than no unknown {what}"
    for card, times in Counter(card for zone in zones for card in zone.known).items():
        if card not in identities:
            yield f"{card} is no {what}"
        if times > 1:
            yield f"{card} lies in {times} places"


def _wrong_seats(state: State) -> Iterator[str]:
    seats = set(state.setup.seats)
    whole = (state.decks, state.spoils, state.laid, state.field, state.gambit_decks, state.gambit_discards)
    if any(set(part) != seats for part in whole):
        yield f"not every pile has an entry for each of {', '.join(state.setup.seats)}"
    still = set(playing(state))
    if not set(state.fighting) <= still or not set(state.gambits) <= still:
        yield "somebody fights who is not in the game (/fighting, /gambits, /out)"
    if len(set(state.fighting)) != len(state.fighting) or len(set(state.shuffles)) != len(state.shuffles):
        yield "somebody fights or shuffles twice"
    if not set(state.aside) <= set(state.out) <= seats or len(set(state.out)) != len(state.out) or not still:
        yield f"{', '.join(state.out)} are out of {', '.join(state.setup.seats)} (/out, /aside)"
    if state.lay not in {0, PLAIN, DOUBLE}:
        yield f"{state.lay} cards are to be laid"
    for owner, ruling in state.rulings.items():
        if not {owner, *ruling.changes, *ruling.cancels, *((ruling.wins,) if ruling.wins else ())} <= seats:
            yield f"what the gambit of {owner} did names somebody who is no seat"
        if any(abs(change) > MOST for change in ruling.changes.values()):
            yield f"the gambit of {owner} changes an attack by more than {MOST}"
    if not set(state.shuffles) <= still:
        yield "a deck is to be shuffled that is not in the game (/shuffles, /out)"
