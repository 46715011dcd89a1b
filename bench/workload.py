"""One workload for everybody: a two-player card game of ten kinds of event, 122 bytes of JSON each."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Final

from games.core.events import Event

GAMES: Final = tuple(f"game{number:04d}" for number in range(64))


class Move(Event, frozen=True, gc=False):
    """What every event of the workload carries: a command, who, and when (ms)."""

    cmd: str
    by: str
    at: int


class GameStarted(Move, frozen=True, gc=False, tag="game_started"):
    seed: int
    first: int


class DeckShuffled(Move, frozen=True, gc=False, tag="deck_shuffled"):
    seed: int
    cards: int


class CardDrawn(Move, frozen=True, gc=False, tag="card_drawn"):
    player: int
    card: int


class CardPlayed(Move, frozen=True, gc=False, tag="card_played"):
    player: int
    card: int
    slot: int
    target: int


class CardDiscarded(Move, frozen=True, gc=False, tag="card_discarded"):
    player: int
    card: int
    reason: str


class PhaseAdvanced(Move, frozen=True, gc=False, tag="phase_advanced"):
    phase: str


class TurnEnded(Move, frozen=True, gc=False, tag="turn_ended"):
    player: int
    turn: int


class ScoreChanged(Move, frozen=True, gc=False, tag="score_changed"):
    player: int
    delta: int
    reason: str


class DiceRolled(Move, frozen=True, gc=False, tag="dice_rolled"):
    player: int
    value: int


class DeckRefilled(Move, frozen=True, gc=False, tag="deck_refilled"):
    cards: int


class _Clock:
    """Gives each event its command, person and moment, the same ones for the same seed."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._at = 1_790_000_000_000

    def __call__(self) -> tuple[str, str, int]:
        self._at += self._rng.randrange(200, 4000)
        command = f"{self._rng.getrandbits(128):032x}"
        return command, "p-alice" if self._rng.random() < 0.5 else "p-bob", self._at


def endless_game(seed: int = 1) -> Iterator[Move]:
    """Play for ever: two draws, a card, a roll, a score, then the other player."""
    rng = random.Random(seed)
    now = _Clock(rng)
    yield GameStarted(*now(), seed, 0)
    yield DeckShuffled(*now(), seed, 60)
    deck = list(range(60))
    hands: tuple[list[int], list[int]] = ([], [])
    turn = 0
    while True:
        player, turn = turn % 2, turn + 1
        yield PhaseAdvanced(*now(), "draw")
        for _ in range(2):
            if not deck:
                deck = [card for card in range(60) if card not in hands[0] and card not in hands[1]]
                yield DeckRefilled(*now(), len(deck))
            hands[player].append(deck.pop())
            yield CardDrawn(*now(), player, hands[player][-1])
        yield PhaseAdvanced(*now(), "main")
        played = hands[player].pop(rng.randrange(len(hands[player])))
        yield CardPlayed(*now(), player, played, rng.randrange(5), rng.randrange(5))
        yield PhaseAdvanced(*now(), "battle")
        yield DiceRolled(*now(), player, rng.randint(1, 6))
        yield ScoreChanged(*now(), player, rng.randint(-2, 3), "combat damage")
        while len(hands[player]) > 6:
            yield CardDiscarded(*now(), player, hands[player].pop(0), "hand limit")
        yield PhaseAdvanced(*now(), "end")
        yield TurnEnded(*now(), player, turn)


def events(count: int, seed: int = 1) -> list[Move]:
    """Give the first so many events of an endless game."""
    return list(islice(endless_game(seed), count))


def scores(count: int) -> list[Move]:
    """Give so many changes of score: they can be appended to any game in any order."""
    return list(islice((event for event in endless_game() if isinstance(event, ScoreChanged)), count))
