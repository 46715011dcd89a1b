"""One line for each event: who did what, and what it led to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
from games.rulesets.monsters_of_war.evolve import EVOLVE, modified, turned
from games.rulesets.monsters_of_war.scoring import outcome
from games.rulesets.monsters_of_war.state import State, power
from games.rulesets.monsters_of_war.war import DOUBLE, attack_totals
from games.rulesets.monsters_of_war.zones import called
from games.words import counted, joined

_ENDS: Final = {
    "most-cards": "{%s} has the most cards and wins",
    "sudden-victory": "{%s} holds every card: sudden victory",
    "last-player": "{%s} is the last player and wins",
    "draw": "the most cards are shared: a draw",
}


def describe(state: State, event: Event) -> str:
    """Say in one line what happens and what follows from it for certain."""
    after = EVOLVE[type(event)](state, event)
    follows = _follows(state, after, event)
    done = _DONE[type(event)](state, event)
    return f"{done}: {'; '.join(follows)}" if follows else done


def card_name(state: State, card: str) -> str:
    """Call a battle card: by its name and power, by its power alone, or War."""
    monster = state.setup.battle[card]
    if monster is None:
        return "War"
    return f"{monster.name} ({monster.attack})" if monster.name else str(monster.attack)


def _each(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{{{seat}}} {count}" for seat, count in counts.items())


def _modified(state: State, event: AttackModified) -> str:
    gambit = state.setup.gambits[state.gambits[event.player]]
    did = [f"{{{seat}}}'s attack {change:+}" for seat, change in event.changes.items()]
    did += [f"{{{event.wins}}} wins the War"] if event.wins else []
    did += [f"{{{seat}}}'s gambit has no effect" for seat in event.cancels]
    did += [f"{{{seat}}}'s Battle Deck is shuffled" for seat in event.shuffles]
    did += [_move(move) for move in event.moves]
    why = f" ({event.reason})" if event.reason else ""
    return f"{{{event.player}}}'s {gambit.kind} does: {', '.join(did) or 'nothing'}{why}"


def _move(move: Move) -> str:
    return f"{counted(move.count, 'card')} from {called(move.from_)} to {called(move.to)}"


# --- what follows -------------------------------------------------------------------------------------


def _follows(state: State, after: State, event: Event) -> list[str]:
    if isinstance(event, DecksDealt | DecksRebuilt | GambitDeckRebuilt | BattleDeckShuffled):
        return []
    parts = [*_attacks(state, after, event), *_taken(state, after, event), *_next(state, after)]
    if isinstance(event, PlayerResigned):
        parts = []
    parts += [f"{{{seat}}} has no card left and is out" for seat in _eliminated(state, after)]
    return parts + _ending(state, after)


def _attacks(state: State, after: State, event: Event) -> list[str]:
    """Give the attacks as gambits made them, where they are compared now and differ from print."""
    if after.phase == "war.ruling" or not isinstance(event, AttackFlipped | AttackModified):
        return []
    shown = turned(state, event.cards) if isinstance(event, AttackFlipped) else modified(state, event)
    cards = {seat: shown.field[seat][-1] for seat in shown.fighting if shown.field[seat]}
    printed = {seat: power(state, card) for seat, card in cards.items()}
    totals = attack_totals(shown, cards)
    if None in printed.values() or printed == totals:
        return []
    return [f"after the gambits {_each(totals)}"]


def _taken(state: State, after: State, event: Event) -> list[str]:
    """Say who takes the Battlefield, or that each takes their own back."""
    if isinstance(event, PlayerResigned) or _on_field(after):
        return []
    gained = {
        seat: after.spoils[seat].size - state.spoils[seat].size
        for seat in state.setup.seats
        if after.spoils[seat].size > state.spoils[seat].size
    }
    if len(gained) == 1:
        seat, cards = next(iter(gained.items()))
        return [f"{{{seat}}} takes {counted(cards, 'card')}"]
    return [f"each takes back what is theirs ({_each(gained)})"] if gained else []


def _on_field(state: State) -> int:
    return sum(len(cards) for cards in state.field.values())


def _next(state: State, after: State) -> list[str]:
    if after.phase == "war.lay":
        many = "four" if after.lay == DOUBLE else "two"
        word = "the War goes on" if state.lay else "War"
        return [f"{word} between {_seats(after.fighting)}, {many} cards each"]
    if after.phase == "battle.flip" and _on_field(after):
        return ["equal, so the cards wait for the next battle"]
    return []


def _seats(seats: Iterable[str]) -> str:
    return joined(f"{{{seat}}}" for seat in seats)


def _eliminated(state: State, after: State) -> list[str]:
    if after.phase == "over":
        return []
    return [seat for seat in after.out if seat not in state.out and seat not in after.aside]


def _ending(state: State, after: State) -> list[str]:
    ended = outcome(after)
    if ended is not None:
        text = _ENDS[ended.reason]
        return [text % ended.winners[0] if ended.winners else text]
    return [f"Day {state.day} ends"] if after.phase == "day.shuffle" != state.phase else []


def _deals(_state: State, event: DecksDealt) -> str:
    return f"Dealt are {_each(event.battle)} battle cards; {_each(event.gambits)} gambits"


def _flips(state: State, event: BattleFlipped | AttackFlipped) -> str:
    return ", ".join(f"{{{seat}}} turns {card_name(state, card)}" for seat, card in event.cards.items())


def _lays(_state: State, event: CardsLaid) -> str:
    laid = {seat: counted(count, "card") if count else "nothing" for seat, count in event.counts.items()}
    return f"{', '.join(f'{{{seat}}} lays {what}' for seat, what in laid.items())} face down"


def _rebuilds(_state: State, event: GambitDeckRebuilt) -> str:
    return f"{{{event.player}}} shuffles {counted(event.count, 'discarded gambit')} to a new Gambit Deck"


def _draws(state: State, event: GambitsDrawn) -> str:
    kinds = state.setup.gambits
    return ", ".join(f"{{{seat}}} plays {kinds[card].kind}" for seat, card in event.cards.items())


def _shuffles(_state: State, event: BattleDeckShuffled) -> str:
    return f"{{{event.player}}} shuffles the Battle Deck"


def _begins(_state: State, event: DecksRebuilt) -> str:
    return f"Day {event.day} begins with {_each(event.counts)} cards"


def _resigns(_state: State, event: PlayerResigned) -> str:
    return f"{{{event.player}}} resigns; the cards are set aside"


_DONE: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    DecksDealt: _deals,
    BattleFlipped: _flips,
    CardsLaid: _lays,
    GambitDeckRebuilt: _rebuilds,
    GambitsDrawn: _draws,
    BattleDeckShuffled: _shuffles,
    AttackFlipped: _flips,
    AttackModified: _modified,
    DecksRebuilt: _begins,
    PlayerResigned: _resigns,
}

HEADINGS: Final[Mapping[type[Event], str]] = {
    DecksDealt: "Deal the cards",
    BattleFlipped: "Turn the top cards",
    CardsLaid: "Lay cards face down",
    GambitDeckRebuilt: "Shuffle a new Gambit Deck",
    GambitsDrawn: "Turn the gambits",
    BattleDeckShuffled: "Shuffle the Battle Deck",
    AttackFlipped: "Turn the War Attack Cards",
    AttackModified: "Say what the gambit does",
    DecksRebuilt: "Shuffle new Battle Decks",
    PlayerResigned: "Resign",
}
"""What each kind is called where it can be done."""
