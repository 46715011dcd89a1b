"""What each event does to the state: pure, total on checked events, judging nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.events import Event
from games.kit.cards import CardZone, leave
from games.kit.seats import next_in
from games.rulesets.monster_maker.events import (
    BonusDealt,
    DrawPileRebuilt,
    GarbagePicked,
    GarbageTaken,
    GarbageTradePlayed,
    MonsterDrawn,
    PartDrawn,
    PartsDealt,
    PieceDiscarded,
    PieceKept,
    PlayerResigned,
    TradePlayed,
    TradeSaved,
    TurnEnded,
)
from games.rulesets.monster_maker.state import PIECES, State, complete, playing, without

# --- before the first turn --------------------------------------------------------------------------------


def monster_drawn(state: State, event: MonsterDrawn) -> State:
    """Give a seat its monster; when everybody has one, parts are dealt."""
    monsters = {**state.monsters, event.player: event.monster}
    return replace(state, monsters=monsters, phase=_phase_after_monsters(state, monsters))


def _phase_after_monsters(state: State, monsters: Mapping[str, str]) -> str:
    return "deal" if len(monsters) == len(state.setup.seats) else "monsters"


def parts_dealt(state: State, event: PartsDealt | BonusDealt) -> State:
    """Sort a seat's cards into pieces and trade cards; then who is short gets a bonus, or play begins."""
    seat = event.player
    pieces = tuple(card for card in event.cards if card in state.setup.pieces)
    trades = tuple(card for card in event.cards if card in state.setup.trades)
    dealt = replace(
        state,
        draw=off_the_top(state.draw, event.cards),
        pieces={**state.pieces, seat: state.pieces[seat] + pieces},
        trades={**state.trades, seat: state.trades[seat] + trades},
    )
    if any(not dealt.pieces[other] and not dealt.trades[other] for other in state.setup.seats):
        return replace(dealt, phase="deal")
    if any(len(dealt.pieces[other]) < PIECES for other in state.setup.seats):
        return replace(dealt, phase="bonus")
    return _begun(dealt)


def off_the_top(draw: tuple[CardZone, ...], cards: Iterable[str]) -> tuple[CardZone, ...]:
    """Let cards leave the Draw Pile one by one; a layer that is used up is gone."""
    for card in cards:
        top = leave(draw[0], (card,)).rest
        draw = (top, *draw[1:]) if top.size else draw[1:]
    return draw


def _begun(state: State) -> State:
    """Begin with the monster whose name is first in the alphabet; who is complete from the deal has won."""
    names = state.setup.monsters
    first = min(state.setup.seats, key=lambda seat: names[state.monsters[seat]].casefold())
    over = any(complete(state, seat) for seat in state.setup.seats)
    return replace(state, turn=first, phase="over" if over else "turn")


# --- a turn -----------------------------------------------------------------------------------------------


def part_drawn(state: State, event: PartDrawn) -> State:
    """Turn the top of the Draw Pile; it waits for what becomes of it."""
    return replace(state, phase="drawn", drawn=event.card, draw=off_the_top(state.draw, (event.card,)))


def piece_kept(state: State, event: PieceKept) -> State:
    """Put the drawn piece to the others and one of them on the Garbage Pile."""
    return _done(_swapped(state, event.player, state.drawn or "", event.discard), drew=True)


def piece_discarded(state: State, _event: PieceDiscarded) -> State:
    """Put the drawn piece on the Garbage Pile."""
    return _done(replace(state, garbage=(state.drawn or "", *state.garbage)), drew=True)


def trade_saved(state: State, event: TradeSaved) -> State:
    """Put the drawn trade card to the others."""
    held = (*state.trades[event.player], state.drawn or "")
    return _done(replace(state, trades={**state.trades, event.player: held}), drew=True)


def garbage_taken(state: State, event: GarbageTaken) -> State:
    """Take the top of the Garbage Pile, put another piece there."""
    top, *below = state.garbage
    return _done(_swapped(replace(state, garbage=tuple(below)), event.player, top, event.discard), drew=True)


def trade_played(state: State, event: TradePlayed) -> State:
    """Exchange the pieces named; each of them is one that its owner held before."""
    drew = state.drawn == event.trade
    pieces = dict(state.pieces)
    for item in event.exchanges:
        pieces[event.player] = (*without(pieces[event.player], item.give), item.take)
        pieces[item.with_] = (*without(pieces[item.with_], item.take), item.give)
    return _done(replace(_spent(state, event.player, event.trade), pieces=pieces), drew=drew)


def garbage_trade_played(state: State, event: GarbageTradePlayed) -> State:
    """Open the Garbage Pile; if the card was just drawn, the draw is done."""
    drew = state.drew or state.drawn == event.trade
    acted = state.acted or drew
    return replace(_spent(state, event.player, event.trade), phase="garbage", drew=drew, acted=acted)


def garbage_picked(state: State, event: GarbagePicked) -> State:
    """Take any piece of the Garbage Pile; the order of the others is kept, and the discard goes on top."""
    taken = replace(state, garbage=without(state.garbage, event.take))
    return _done(_swapped(taken, event.player, event.take, event.discard), drew=state.drew)


def _swapped(state: State, seat: str, got: str, discard: str) -> State:
    """Add a piece to a seat's, then put one of them on the Garbage Pile."""
    held = without((*state.pieces[seat], got), discard)
    return replace(state, pieces={**state.pieces, seat: held}, garbage=(discard, *state.garbage))


def _spent(state: State, seat: str, trade: str) -> State:
    trades = {**state.trades, seat: without(state.trades[seat], trade)}
    drawn = None if state.drawn == trade else state.drawn
    return replace(state, trades=trades, drawn=drawn, trade_discard=(trade, *state.trade_discard))


def _done(state: State, *, drew: bool) -> State:
    """An action is over: perhaps somebody has won; else the turn goes on or to the next."""
    rested = replace(state, drawn=None, phase="turn")
    if _won(rested):
        return replace(rested, phase="over", drew=False, acted=False)
    if state.setup.options.trades_per_turn == "any":
        return replace(rested, drew=state.drew or drew, acted=True)
    return _next_turn(rested)


def _won(state: State) -> bool:
    if state.setup.options.off_turn == "wait":
        return complete(state, state.turn or "")
    return any(complete(state, seat) for seat in playing(state))


def _next_turn(state: State) -> State:
    """Go clockwise; who waited with a complete monster has won when their turn begins."""
    seat = next_in(state.setup.seats, state.turn or "", playing(state))
    begun = replace(state, phase="turn", turn=seat, drew=False, acted=False)
    return replace(begun, phase="over") if complete(begun, seat or "") else begun


# --- the rest ---------------------------------------------------------------------------------------------


def draw_pile_rebuilt(state: State, _event: DrawPileRebuilt) -> State:
    """Shuffle all of the Garbage Pile but its top to a new Draw Pile."""
    top, *below = state.garbage
    return replace(state, draw=(CardZone(tuple(below), 0),), garbage=(top,))


def turn_ended(state: State, _event: TurnEnded) -> State:
    """Go on to the next."""
    return _next_turn(state)


def player_resigned(state: State, event: PlayerResigned) -> State:
    """Put their pieces under the Draw Pile and their trade cards away; the last one left has won."""
    seat = event.player
    left = replace(
        state,
        out=(*state.out, seat),
        draw=(*state.draw, CardZone(state.pieces[seat], 0)),
        pieces={**state.pieces, seat: ()},
        trade_discard=(*state.trades[seat], *state.trade_discard),
        trades={**state.trades, seat: ()},
    )
    staying = playing(left)
    if len(staying) == 1:
        return replace(left, phase="over", turn=staying[0], drew=False, acted=False)
    return _next_turn(left) if seat == state.turn else left


EVOLVE: Final[Mapping[type[Event], Callable[[State, Any], State]]] = {
    MonsterDrawn: monster_drawn,
    PartsDealt: parts_dealt,
    BonusDealt: parts_dealt,
    PartDrawn: part_drawn,
    PieceKept: piece_kept,
    PieceDiscarded: piece_discarded,
    TradeSaved: trade_saved,
    GarbageTaken: garbage_taken,
    TradePlayed: trade_played,
    GarbageTradePlayed: garbage_trade_played,
    GarbagePicked: garbage_picked,
    DrawPileRebuilt: draw_pile_rebuilt,
    TurnEnded: turn_ended,
    PlayerResigned: player_resigned,
}
