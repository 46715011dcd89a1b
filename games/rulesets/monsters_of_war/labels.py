"""Each event as a command on a button, and the Day as the round; no turn is any player's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from games.core.events import Event
from games.rulesets.monsters_of_war.events import (
    AttackFlipped,
    AttackModified,
    BattleDeckShuffled,
    BattleFlipped,
    CardsLaid,
    DecksDealt,
    DecksRebuilt,
    GambitDeckRebuilt,
    GambitsDrawn,
    Move,
    PlayerResigned,
)
from games.rulesets.monsters_of_war.state import State
from games.rulesets.monsters_of_war.wording import card_name
from games.rulesets.monsters_of_war.zones import called
from games.words import counted, joined


def label(state: State, event: Event) -> str:
    """Say what is done as a command."""
    return _LABELS[type(event)](state, event)


def round_of(state: State) -> int:
    """Give the Day of War, from 1."""
    return state.day


def _each(counts: Mapping[str, int], thing: str) -> str:
    numbers = set(counts.values())
    if len(numbers) == 1:
        return f"{counted(numbers.pop(), thing)} to each player"
    return f"{thing}s: {joined(f'{count} to {{{seat}}}' for seat, count in counts.items())}"


def _deal(_state: State, event: DecksDealt) -> str:
    battle, gambits = set(event.battle.values()), set(event.gambits.values())
    if len(battle) == 1 and len(gambits) == 1:
        both = f"{counted(battle.pop(), 'battle card')} and {counted(gambits.pop(), 'gambit')}"
        return f"Deal {both} to each player"
    return f"Deal {_each(event.battle, 'battle card')}; {_each(event.gambits, 'gambit')}"


def _flip(state: State, event: BattleFlipped | AttackFlipped) -> str:
    cards = ", ".join(f"{{{seat}}} {card_name(state, card)}" for seat, card in event.cards.items())
    return f"Turn up {cards}"


def _lay(_state: State, event: CardsLaid) -> str:
    laid = ", ".join(f"{{{seat}}} {count}" for seat, count in event.counts.items())
    return f"Lay cards face down: {laid}"


def _rebuild(_state: State, event: GambitDeckRebuilt) -> str:
    cards = counted(event.count, "discarded gambit")
    return f"Shuffle {cards} into {{{event.player}}}'s new Gambit Deck"


def _gambits(state: State, event: GambitsDrawn) -> str:
    kinds = state.setup.gambits
    return f"Play {', '.join(f'{kinds[card].kind} for {{{seat}}}' for seat, card in event.cards.items())}"


def _modify(state: State, event: AttackModified) -> str:
    gambit = state.gambits.get(event.player)
    kind = state.setup.gambits[gambit].kind if gambit is not None else "gambit"
    did = [f"{{{seat}}}'s attack {change:+}" for seat, change in event.changes.items()]
    did += [f"{{{event.wins}}} wins the War"] if event.wins else []
    did += [f"{{{seat}}}'s gambit has no effect" for seat in event.cancels]
    did += [f"{{{seat}}}'s Battle Deck is shuffled" for seat in event.shuffles]
    did += [_moved(move) for move in event.moves]
    return f"Apply {{{event.player}}}'s {kind}: {', '.join(did) or 'no effect'}"


def _moved(move: Move) -> str:
    return f"{counted(move.count, 'card')} from {called(move.from_)} to {called(move.to)}"


_LABELS: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    DecksDealt: _deal,
    BattleFlipped: _flip,
    CardsLaid: _lay,
    GambitDeckRebuilt: _rebuild,
    GambitsDrawn: _gambits,
    BattleDeckShuffled: lambda _state, event: f"Shuffle {{{event.player}}}'s Battle Deck",
    AttackFlipped: _flip,
    AttackModified: _modify,
    DecksRebuilt: lambda _state, event: f"Shuffle the cards and begin Day {event.day}",
    PlayerResigned: lambda _state, _event: "Resign",
}
