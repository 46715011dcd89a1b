"""A player for simulated games: it keeps its own pieces, trades for those it lacks, hinders the leader."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from games.core.events import Event
from games.core.ruleset import Random
from games.rulesets.monster_maker.actions import deal, free_monsters
from games.rulesets.monster_maker.events import (
    Exchange,
    GarbagePicked,
    GarbageTaken,
    GarbageTradePlayed,
    MonsterDrawn,
    PieceDiscarded,
    PieceKept,
    TradePlayed,
    TradeSaved,
    TurnEnded,
)
from games.rulesets.monster_maker.state import (
    GARBAGE_TRADE,
    TRADE_1,
    State,
    matched,
    others,
    trade_kind,
)

_NEAR: Final = 2
"""So few parts from the end somebody is hindered even if nothing is gained."""


def bot(state: State, seat: str, rng: Random) -> Event:
    """Take a missing piece where one lies open, else draw; never resigns."""
    match state.phase:
        case "monsters":
            return MonsterDrawn(seat, rng.choice(free_monsters(state)))
        case "drawn":
            return _with_drawn(state, seat, rng)
        case "garbage":
            return _from_garbage(state, seat, rng)
        case _:
            return _in_turn(state, seat, rng)


def _in_turn(state: State, seat: str, rng: Random) -> Event:
    if not state.drew and state.garbage and _lacks(state, seat, state.garbage[0]):
        return GarbageTaken(seat, _worst(state, seat, rng))
    for card in state.trades[seat]:
        played = _played(state, seat, card, rng)
        if played is not None:
            return played
    return TurnEnded(seat) if state.drew else deal(state, rng)


def _with_drawn(state: State, seat: str, rng: Random) -> Event:
    card = state.drawn or ""
    if card in state.setup.pieces:
        return (
            PieceKept(seat, _worst(state, seat, rng)) if _lacks(state, seat, card) else PieceDiscarded(seat)
        )
    played = _played(state, seat, card, rng)
    return TradeSaved(seat) if played is None else played


def _from_garbage(state: State, seat: str, rng: Random) -> Event:
    wanted = [card for card in state.garbage if _lacks(state, seat, card)]
    if wanted:
        return GarbagePicked(seat, wanted[0], _worst(state, seat, rng))
    return GarbagePicked(seat, state.garbage[0], state.garbage[0])


def _played(state: State, seat: str, card: str, rng: Random) -> Event | None:
    """Play a trade card if it brings a missing piece, or stops somebody who is nearly done."""
    if trade_kind(state, card) == GARBAGE_TRADE:
        useful = any(_lacks(state, seat, piece) for piece in state.garbage)
        return GarbageTradePlayed(seat, card) if useful else None
    swaps = _swaps(state, seat, rng)
    if trade_kind(state, card) == TRADE_1:
        return TradePlayed(seat, card, swaps[:1]) if swaps else None
    fewest = 1 if state.setup.options.trade2 == "up-to" else 2
    return TradePlayed(seat, card, swaps[:2]) if len(swaps) >= fewest else None


def _swaps(state: State, seat: str, rng: Random) -> tuple[Exchange, ...]:
    """List up to two exchanges: missing pieces first, then parts of a monster that is nearly made."""
    wanted: list[tuple[str, str]] = []
    for other in sorted(others(state, seat), key=lambda who: -len(matched(state, who))):
        for piece in state.pieces[other]:
            parts = {state.setup.pieces[card].part for _, card in wanted}
            if _lacks(state, seat, piece) and state.setup.pieces[piece].part not in parts:
                wanted.append((other, piece))
    wanted += [(other, piece) for other, piece in _dangerous(state, seat) if (other, piece) not in wanted]
    swaps: list[Exchange] = []
    for other, piece in wanted[:2]:
        spare = [card for card in _spare(state, seat) if card not in {item.give for item in swaps}]
        if spare:
            swaps.append(Exchange(other, piece, _least_useful(state, spare, (other,), rng)))
    return tuple(swaps)


def _dangerous(state: State, seat: str) -> Iterable[tuple[str, str]]:
    """Give a piece of each monster that is nearly made and not seat's."""
    for other in others(state, seat):
        monster = state.monsters[other]
        missing = len(state.setup.parts[monster]) - len(matched(state, other))
        own = [card for card in state.pieces[other] if state.setup.pieces[card].monster == monster]
        if missing < _NEAR and own:
            yield other, own[0]


def _lacks(state: State, seat: str, card: str) -> bool:
    """Tell whether a piece is a part of seat's monster that it does not hold."""
    piece = state.setup.pieces[card]
    return piece.monster == state.monsters[seat] and piece.part not in matched(state, seat)


def _spare(state: State, seat: str) -> tuple[str, ...]:
    """List the pieces that seat can do without: of other monsters, and second copies."""
    needed: dict[str, str] = {}
    for card in state.pieces[seat]:
        piece = state.setup.pieces[card]
        if piece.monster == state.monsters[seat]:
            needed.setdefault(piece.part, card)
    return tuple(card for card in state.pieces[seat] if card not in needed.values())


def _worst(state: State, seat: str, rng: Random) -> str:
    """Choose what goes on the Garbage Pile: of no use to anybody else, if there is such a piece."""
    return _least_useful(state, _spare(state, seat) or state.pieces[seat], tuple(others(state, seat)), rng)


def _least_useful(state: State, cards: Iterable[str], whom: tuple[str, ...], rng: Random) -> str:
    found = list(cards)
    useless = [card for card in found if not any(_lacks(state, other, card) for other in whom)]
    return rng.choice(useless or found)
