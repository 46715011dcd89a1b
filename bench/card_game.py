"""The workload's game as a ruleset of ours: what B and C record, replay and seek in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from bench.workload import (
    CardDiscarded,
    CardDrawn,
    CardPlayed,
    DeckRefilled,
    DeckShuffled,
    DiceRolled,
    GameStarted,
    PhaseAdvanced,
    ScoreChanged,
    TurnEnded,
)
from games.core.events import Event, RecordStarted, kind_of
from games.core.ruleset import UNSET, Outcome, Pending, Ruleset
from games.core.ruleset import State as BaseState
from games.core.scene import Counter, Scene

Cards = tuple[int, ...]


class Nothing(msgspec.Struct, frozen=True):
    """The game has no options and no data."""


class State(BaseState, frozen=True):
    hands: tuple[Cards, Cards]
    slots: Cards
    points: tuple[int, int]
    deck: int
    phase: str
    dice: int
    turn: int
    active: int
    discards: int
    setup: Nothing = UNSET


def _put(row: tuple[Any, ...], place: int, value: Any) -> Any:
    return (*row[:place], value, *row[place + 1 :])


def _without(hand: Cards, card: int) -> Cards:
    place = hand.index(card)
    return hand[:place] + hand[place + 1 :]


def _game_started(state: State, event: GameStarted) -> State:
    return replace(state, active=event.first)


def _deck_set(state: State, event: DeckShuffled | DeckRefilled) -> State:
    return replace(state, deck=event.cards)


def _card_drawn(state: State, event: CardDrawn) -> State:
    hand = (*state.hands[event.player], event.card)
    return replace(state, hands=_put(state.hands, event.player, hand), deck=state.deck - 1)


def _card_played(state: State, event: CardPlayed) -> State:
    hand = _without(state.hands[event.player], event.card)
    slots = _put(state.slots, event.player * 5 + event.slot, event.card)
    return replace(state, hands=_put(state.hands, event.player, hand), slots=slots)


def _card_discarded(state: State, event: CardDiscarded) -> State:
    hand = _without(state.hands[event.player], event.card)
    return replace(state, hands=_put(state.hands, event.player, hand), discards=state.discards + 1)


def _phase_advanced(state: State, event: PhaseAdvanced) -> State:
    return replace(state, phase=event.phase)


def _turn_ended(state: State, event: TurnEnded) -> State:
    return replace(state, turn=event.turn, active=1 - event.player)


def _score_changed(state: State, event: ScoreChanged) -> State:
    points = _put(state.points, event.player, state.points[event.player] + event.delta)
    return replace(state, points=points)


def _dice_rolled(state: State, event: DiceRolled) -> State:
    return replace(state, dice=event.value)


EVOLVE: Final[dict[type[Event], Any]] = {
    GameStarted: _game_started,
    DeckShuffled: _deck_set,
    CardDrawn: _card_drawn,
    CardPlayed: _card_played,
    CardDiscarded: _card_discarded,
    PhaseAdvanced: _phase_advanced,
    TurnEnded: _turn_ended,
    ScoreChanged: _score_changed,
    DiceRolled: _dice_rolled,
    DeckRefilled: _deck_set,
}
KINDS: Final = tuple(kind_of(event) for event in EVOLVE)


def _setup(started: RecordStarted[Nothing, Nothing]) -> State:
    return State(((), ()), (-1,) * 10, (0, 0), 60, "", 0, 0, 0, 0, started.data)


def _pending(_state: State) -> tuple[Pending, ...]:
    return (Pending("table", KINDS, must=True, why="the game goes on"),)


def _listed(_state: State, _seat: str) -> Iterator[Event]:
    return iter(())


def _check(_state: State, _event: Event) -> None:
    """The workload plays by its own rules; what is measured is the recording."""


def _outcome(_state: State) -> Outcome | None:
    return None


def _scores(state: State) -> dict[str, int]:
    return {"p1": state.points[0], "p2": state.points[1]}


def _scene(state: State) -> Scene:
    return Scene((100, 100), counters=(Counter("deck", "Deck", state.deck),))


def _describe(_state: State, event: Event) -> str:
    return kind_of(event)


CARD_GAME: Final = Ruleset(
    id="bench-card-game",
    version=1,
    title="Card game of the measurements",
    seats=(2,),
    events=tuple(EVOLVE),
    state=State,
    options=Nothing,
    suggested=lambda _seats: Nothing(),
    data=Nothing,
    load_data=lambda _file, _seats, _options, _origin: Nothing(),
    setup=_setup,
    evolve=EVOLVE,
    pending=_pending,
    legal_actions=_listed,
    check=_check,
    outcome=_outcome,
    scores=_scores,
    scene=_scene,
    describe=_describe,
)
