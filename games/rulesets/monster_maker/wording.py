"""One line for each event: who did what with which card, and what it led to."""

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
from games.rulesets.monster_maker.evolve import EVOLVE
from games.rulesets.monster_maker.scoring import outcome
from games.rulesets.monster_maker.state import State, piece_name
from games.words import joined


def describe(state: State, event: Event) -> str:
    """Say in one line what happens and what follows from it."""
    done = _DONE[type(event)](state, event)
    follows = _follows(state, EVOLVE[type(event)](state, event))
    return f"{done}: {follows}" if follows else done


def _follows(state: State, after: State) -> str:
    ended = outcome(after)
    if ended is not None:
        (seat,) = ended.winners
        if ended.reason == "last-player":
            return f"{{{seat}}} is the last player and wins"
        return f"{{{seat}}} has made {after.setup.monsters[after.monsters[seat]]} and wins"
    if state.turn is None and after.turn is not None:
        name = after.setup.monsters[after.monsters[after.turn]]
        return f"{{{after.turn}}} begins with {name}"
    return ""


def _names(state: State, cards: Iterable[str]) -> str:
    return ", ".join(piece_name(state, card) for card in cards)


def _drawn(state: State) -> str:
    return piece_name(state, state.drawn or "")


def _gets_monster(state: State, event: MonsterDrawn) -> str:
    verb = "chooses" if state.setup.options.monsters == "chosen" else "draws"
    return f"{{{event.player}}} {verb} {state.setup.monsters[event.monster]}"


def _trades(state: State, event: TradePlayed) -> str:
    swaps = [
        f"{piece_name(state, item.take)} of {{{item.with_}}} for {piece_name(state, item.give)}"
        for item in event.exchanges
    ]
    return f"{{{event.player}}} plays {piece_name(state, event.trade)}: {joined(swaps)}"


def _picks(state: State, event: GarbagePicked) -> str:
    take, discard = piece_name(state, event.take), piece_name(state, event.discard)
    if event.take == event.discard:
        return f"{{{event.player}}} takes {take} out of the garbage and puts it on top again"
    return f"{{{event.player}}} takes {take} out of the garbage and throws {discard} away"


def _resigns(_state: State, event: PlayerResigned) -> str:
    return f"{{{event.player}}} resigns; the pieces go under the Draw Pile"


_DONE: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    MonsterDrawn: _gets_monster,
    PartsDealt: lambda state, event: f"{{{event.player}}} is dealt {_names(state, event.cards)}",
    BonusDealt: lambda state, event: f"{{{event.player}}} gets as a bonus {_names(state, event.cards)}",
    PartDrawn: lambda state, event: f"{{{event.player}}} draws {piece_name(state, event.card)}",
    PieceKept: lambda state, event: (
        f"{{{event.player}}} keeps {_drawn(state)} and throws {piece_name(state, event.discard)} away"
    ),
    PieceDiscarded: lambda state, event: f"{{{event.player}}} throws {_drawn(state)} away",
    TradeSaved: lambda state, event: f"{{{event.player}}} saves {_drawn(state)}",
    GarbageTaken: lambda state, event: (
        f"{{{event.player}}} takes {piece_name(state, state.garbage[0])} from the garbage"
        f" and throws {piece_name(state, event.discard)} away"
    ),
    TradePlayed: _trades,
    GarbageTradePlayed: lambda _state, event: (
        f"{{{event.player}}} plays Garbage Trade and picks up the Garbage Pile"
    ),
    GarbagePicked: _picks,
    DrawPileRebuilt: lambda _state, event: (
        f"{event.count} pieces of the Garbage Pile are shuffled to a new Draw Pile"
    ),
    TurnEnded: lambda _state, event: f"{{{event.player}}} ends the turn",
    PlayerResigned: _resigns,
}

HEADINGS: Final[Mapping[type[Event], str]] = {
    MonsterDrawn: "Take a monster",
    PartsDealt: "Deal six cards",
    BonusDealt: "Deal the bonus",
    PartDrawn: "Draw a card",
    PieceKept: "Keep it, throw another away",
    PieceDiscarded: "Throw it away",
    TradeSaved: "Save the trade card",
    GarbageTaken: "Take the top of the garbage, throw another away",
    TradePlayed: "Trade",
    GarbageTradePlayed: "Play Garbage Trade",
    GarbagePicked: "Pick from the garbage",
    DrawPileRebuilt: "Shuffle a new Draw Pile",
    TurnEnded: "End the turn",
    PlayerResigned: "Resign",
}
"""What each kind is called where it can be done."""
