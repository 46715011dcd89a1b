"""What a Python programmer would pick instead: eventsourcing on its SQLite recorder (WAL, FULL)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench.measure import stopwatch, timed
from games.events import Event, kind_of


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


def saves(path: Path, moves: Sequence[Call], size: int) -> float:
    """Give the seconds of one save a batch, the games held in memory."""
    with application(path) as opened:
        games = [CardGame() for _ in range(64)]
        opened.save(*games)
        with stopwatch() as seconds:
            for number, first in enumerate(range(0, len(moves), size)):
                game = games[number % 64]
                play(game, moves[first : first + size])
                opened.save(game)
        return seconds()


def gets_and_saves(path: Path, moves: Sequence[Call]) -> float:
    """Give the seconds of one event at a time, the game fetched for each: the library's own pattern."""
    with application(path) as opened:
        games = [CardGame() for _ in range(64)]
        opened.save(*games)
        with stopwatch() as seconds:
            for number, move in enumerate(moves):
                game: CardGame = opened.repository.get(games[number % 64].id)
                play(game, [move])
                opened.save(game)
        return seconds()


def fill(path: Path, moves: Sequence[Call]) -> UUID:
    """Keep one long game, for reading; give its id."""
    with application(path) as opened:
        game = CardGame()
        play(game, moves)
        opened.save(game)
        return game.id


def replay(path: Path, game: UUID) -> float:
    """Give the seconds of rebuilding the long game from its events."""
    with application(path) as opened:
        return timed(lambda: opened.repository.get(game))
