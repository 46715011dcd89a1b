"""Each move as a command on a button, and whose turn it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from games.core.events import Event
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
from games.rulesets.monster_maker.state import State, piece_name
from games.words import joined


def label(state: State, event: Event) -> str:
    """Say a move as a command, without the player."""
    return _LABELS[type(event)](state, event)


def turn(state: State) -> str | None:
    """Give the seat on turn; nobody's while the cards are dealt."""
    return None if state.phase == "over" else state.turn


def _monster(state: State, event: MonsterDrawn) -> str:
    verb = "Choose" if state.setup.options.monsters == "chosen" else "Draw"
    return f"{verb} {state.setup.monsters[event.monster]} for {{{event.player}}}"


def _deal(state: State, event: PartsDealt | BonusDealt) -> str:
    return f"Deal {_names(state, event.cards)} to {{{event.player}}}"


def _names(state: State, cards: Iterable[str]) -> str:
    return ", ".join(piece_name(state, card) for card in cards)


def _drawn(state: State) -> str:
    return piece_name(state, state.drawn or "")


def _take(state: State, event: GarbageTaken) -> str:
    return f"Take {piece_name(state, state.garbage[0])}, discard {piece_name(state, event.discard)}"


def _trade(state: State, event: TradePlayed) -> str:
    swaps = (
        f"give {piece_name(state, item.give)} for {{{item.with_}}}'s {piece_name(state, item.take)}"
        for item in event.exchanges
    )
    return f"Play {piece_name(state, event.trade)}: {joined(swaps)}"


def _pick(state: State, event: GarbagePicked) -> str:
    take = piece_name(state, event.take)
    if event.take == event.discard:
        return f"Put {take} back on top"
    return f"Take {take}, discard {piece_name(state, event.discard)}"


def _rebuild(_state: State, event: DrawPileRebuilt) -> str:
    return f"Shuffle {event.count} pieces of the Garbage Pile into a new Draw Pile"


_LABELS: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    MonsterDrawn: _monster,
    PartsDealt: _deal,
    BonusDealt: _deal,
    PartDrawn: lambda state, event: f"Draw {piece_name(state, event.card)}",
    PieceKept: lambda state, event: f"Keep {_drawn(state)}, discard {piece_name(state, event.discard)}",
    PieceDiscarded: lambda state, _event: f"Discard {_drawn(state)}",
    TradeSaved: lambda state, _event: f"Save {_drawn(state)}",
    GarbageTaken: _take,
    TradePlayed: _trade,
    GarbageTradePlayed: lambda _state, _event: "Play Garbage Trade",
    GarbagePicked: _pick,
    DrawPileRebuilt: _rebuild,
    TurnEnded: lambda _state, _event: "End the turn",
    PlayerResigned: lambda _state, _event: "Resign",
}
