"""Who has won, how far everybody's monster is, and the laws that no event may break."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from games.core.ruleset import BrokenInvariant, Outcome
from games.kit.seats import in_turn_after
from games.rulesets.monster_maker.state import (
    PIECES,
    State,
    all_cards,
    complete,
    matched,
    parts_cards,
    playing,
)
from games.words import counted

REASONS: Final[Mapping[str, str]] = {
    "monster-complete": "the monster is complete",
    "last-player": "the last one left",
}
"""How each end is said behind who won."""


def outcome(state: State) -> Outcome | None:
    """Say who has won: the one left, else the first complete monster from the seat on turn on."""
    if state.phase != "over":
        return None
    left = playing(state)
    if len(left) == 1:
        return Outcome("last-player", left, scores(state))
    return Outcome("monster-complete", (winner(state) or "",), scores(state))


def winner(state: State) -> str | None:
    """Find the first seat with a complete monster, from the one on turn on."""
    if state.turn is None:
        return None
    order = (state.turn, *in_turn_after(state.setup.seats, state.turn))
    return next((seat for seat in order if complete(state, seat)), None)


def scores(state: State) -> dict[str, int]:
    """Count the different parts of their own monster that each holds."""
    return {seat: len(matched(state, seat)) for seat in state.setup.seats}


# --- laws -------------------------------------------------------------------------------------------------


def invariants(state: State) -> None:
    """Count 60 pieces and 19 trade cards, six pieces a player, each card in one place and of its sort."""
    for sentence in _broken(state):
        raise BrokenInvariant(sentence)


def _broken(state: State) -> Iterator[str]:
    yield from _not_of_these_seats(state)
    yield from _wrong_cards(state)
    yield from _wrong_hands(state)
    yield from _wrong_phase(state)


def _not_of_these_seats(state: State) -> Iterator[str]:
    seats = state.setup.seats
    for what, named in (("pieces", state.pieces), ("trades", state.trades)):
        if set(named) != set(seats):
            yield f"{what} are told of {', '.join(named)}, not of {', '.join(seats)}"
    if not set(state.out) <= set(seats) or len(set(state.out)) != len(state.out):
        yield f"out are {', '.join(state.out)}, which are not seats, each once"
    if state.out and state.turn is None:
        yield "somebody has resigned before the first turn (/out)"
    if not set(state.monsters) <= set(seats):
        yield f"monsters are told of {', '.join(state.monsters)}"
    if not set(state.monsters.values()) <= set(state.setup.monsters):
        yield "a monster is none of this game"
    if len(set(state.monsters.values())) != len(state.monsters):
        yield "two seats have the same monster"


def _wrong_cards(state: State) -> Iterator[str]:
    held = [*_all(state.pieces.values()), *state.garbage]
    cards = [*_all(state.trades.values()), *state.trade_discard]
    yield from (f"{card} is no piece" for card in held if card not in state.setup.pieces)
    yield from (f"{card} is no trade card" for card in cards if card not in state.setup.trades)
    drawn = () if state.drawn is None else (state.drawn,)
    known = [*held, *cards, *drawn, *_all(layer.known for layer in state.draw)]
    every = all_cards(state)
    yield from (f"{card} is no card of this game" for card in known if card not in every)
    yield from (f"{card} lies in two places" for card, times in Counter(known).items() if times > 1)
    unknown = sum(layer.unknown for layer in state.draw)
    if any(layer.unknown < 0 or not layer.size for layer in state.draw):
        yield "a layer of the Draw Pile has no card, or fewer"
    if len(known) + unknown != len(every):
        yield f"there are {len(known) + unknown} Parts cards, not {len(every)}"


def _all(groups: Iterable[tuple[str, ...]]) -> Iterator[str]:
    return (card for group in groups for card in group)


def _wrong_hands(state: State) -> Iterator[str]:
    dealing = state.phase in {"monsters", "deal", "bonus"}
    for seat in state.setup.seats:
        have = len(state.pieces[seat])
        if seat in state.out:
            if have or state.trades[seat]:
                yield f"{seat} has resigned and still holds cards (/out, /pieces/{seat}, /trades/{seat})"
        elif have > PIECES or (have < PIECES and not dealing):
            yield f"{seat} holds {have} pieces, not {PIECES} (/pieces/{seat})"


def _wrong_phase(state: State) -> Iterator[str]:
    """Look whether what comes next can come: no ruling may lead where nobody can do anything."""
    dealing = state.phase in {"monsters", "deal", "bonus"}
    if dealing != (state.turn is None):
        yield f"{state.turn} is on turn in the phase {state.phase} (/turn)"
    elif state.turn is not None and state.turn not in playing(state):
        yield f"{state.turn} is on turn and not in the game (/turn, /out)"
    if (state.phase == "drawn") != (state.drawn is not None):
        yield f"the drawn card is {state.drawn} in the phase {state.phase} (/drawn)"
    if state.phase == "garbage" and not state.garbage:
        yield "the Garbage Pile is open and empty (/garbage)"
    if (state.phase == "monsters") != (len(state.monsters) < len(state.setup.seats)):
        have = counted(len(state.monsters), "seat has", "seats have")
        yield f"{have} a monster in the phase {state.phase} (/monsters)"
    if dealing and len(state.draw) > 1:
        yield "the Draw Pile has layers before the first turn (/draw)"
    if state.phase == "over" and len(playing(state)) > 1 and winner(state) is None:
        yield "the game is over and nobody has a complete monster"
    if state.phase != "over" and len(playing(state)) == 1:
        yield "one player is left and the game is not over (/out, /phase)"
    if state.drew > state.acted or (state.acted and state.phase in {"monsters", "deal", "bonus"}):
        yield "an action is done that nobody has made (/drew, /acted)"
    yield from _nothing_to_deal(state)


def _nothing_to_deal(state: State) -> Iterator[str]:
    undealt = [seat for seat in state.setup.seats if not state.pieces[seat] and not state.trades[seat]]
    short = [seat for seat in state.setup.seats if len(state.pieces[seat]) < PIECES]
    if state.phase == "monsters" and len(undealt) < len(state.setup.seats):
        yield "somebody has cards before all have monsters"
    if state.phase == "deal" and not undealt:
        yield "everybody has cards, and they are still dealt"
    if state.phase == "bonus" and (undealt or not short):
        yield "a bonus is due to nobody, or before everybody has cards"


def lies_at(state: State, card: str) -> str | None:
    """Say how people call the place where a card is known to lie."""
    deck = parts_cards(state)
    return deck.called[deck.where[card]] if card in deck.where else None
