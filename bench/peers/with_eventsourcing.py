"""What a Python programmer would pick instead: eventsourcing on its SQLite recorder (WAL, FULL)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench.measure import timed
from games.core.events import Event, kind_of


class CardGame(Aggregate):
    """The workload's game, written as the library's own examples are."""

    def __init__(self) -> None:
        self.hands: list[list[int]] = [[], []]
        self.slots = [-1] * 10
        self.scores = [0, 0]
        self.deck = 60
        self.phase = ""
        self.dice = self.turn = self.active = self.discards = 0

    @event("GameStarted")
    def game_started(self, cmd: str, by: str, at: int, seed: int, first: int) -> None:
        self.active = first

    @event("DeckShuffled")
    def deck_shuffled(self, cmd: str, by: str, at: int, seed: int, cards: int) -> None:
        self.deck = cards

    @event("CardDrawn")
    def card_drawn(self, cmd: str, by: str, at: int, player: int, card: int) -> None:
        self.hands[player].append(card)
        self.deck -= 1

    @event("CardPlayed")
    def card_played(self, cmd: str, by: str, at: int, player: int, card: int, slot: int, target: int) -> None:
        self.hands[player].remove(card)
        self.slots[player * 5 + slot] = card

    @event("CardDiscarded")
    def card_discarded(self, cmd: str, by: str, at: int, player: int, card: int, reason: str) -> None:
        self.hands[player].remove(card)
        self.discards += 1

    @event("PhaseAdvanced")
    def phase_advanced(self, cmd: str, by: str, at: int, phase: str) -> None:
        self.phase = phase

    @event("TurnEnded")
    def turn_ended(self, cmd: str, by: str, at: int, player: int, turn: int) -> None:
        self.turn = turn
        self.active = 1 - player

    @event("ScoreChanged")
    def score_changed(self, cmd: str, by: str, at: int, player: int, delta: int, reason: str) -> None:
        self.scores[player] += delta

    @event("DiceRolled")
    def dice_rolled(self, cmd: str, by: str, at: int, player: int, value: int) -> None:
        self.dice = value

    @event("DeckRefilled")
    def deck_refilled(self, cmd: str, by: str, at: int, cards: int) -> None:
        self.deck = cards


Call = tuple[str, dict[str, Any]]


def calls(events: Sequence[Event]) -> list[Call]:
    """Give each event as the method and arguments that make the library's own."""
    return [(kind_of(made), msgspec.structs.asdict(made)) for made in events]


@contextmanager
def application(path: Path) -> Iterator[Application[UUID]]:
    """Open the library on a file."""
    opened = Application[UUID](env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(path)})
    try:
        yield opened
    finally:
        opened.close()


def play(game: CardGame, moves: Sequence[Call]) -> None:
    """Let the game decide and apply each move; nothing is stored yet."""
    for method, arguments in moves:
        getattr(game, method)(**arguments)


@contextmanager
def saving(path: Path, size: int = 1, games: int = 64) -> Iterator[Callable[[Sequence[Call]], None]]:
    """Open the library with games held in memory; what is given saves so many events at once."""
    with application(path) as opened:
        held = [CardGame() for _ in range(games)]
        opened.save(*held)
        turn = cycle(held)

        def save(moves: Sequence[Call]) -> None:
            for first in range(0, len(moves), size):
                game = next(turn)
                play(game, moves[first : first + size])
                opened.save(game)

        yield save


@contextmanager
def fetching(path: Path, games: int = 64) -> Iterator[Callable[[Sequence[Call]], None]]:
    """Open the library; what is given fetches the game for each event: the library's own pattern."""
    with application(path) as opened:
        made = [CardGame() for _ in range(games)]
        opened.save(*made)
        turn = cycle([game.id for game in made])

        def save(moves: Sequence[Call]) -> None:
            for move in moves:
                game: CardGame = opened.repository.get(next(turn))
                play(game, [move])
                opened.save(game)

        yield save


def fill(path: Path, games: Iterable[Sequence[Call]]) -> list[UUID]:
    """Keep games, for reading; give their ids."""
    with application(path) as opened:
        made = []
        for moves in games:
            game = CardGame()
            play(game, moves)
            opened.save(game)
            made.append(game.id)
        return made


def replay(path: Path, games: Sequence[UUID]) -> float:
    """Give the seconds of rebuilding games from their events."""

    def rebuild() -> None:
        for game in games:
            opened.repository.get(game)

    with application(path) as opened:
        return timed(rebuild)
