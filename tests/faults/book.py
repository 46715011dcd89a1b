"""A plain list of what a store acknowledged and what it refused, compared with what the store holds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eventstore.log.chain import verify_chain

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from eventstore.log.rows import Append, Receipt
    from eventstore.sqlite.log import SqliteLog


class LostOrInvented(AssertionError):
    """The store and the list disagree."""


@dataclass
class Book:
    """What should stand in the database.

    A command is in one of three places. `games` holds the acknowledged ones, in order. `maybe` holds those
    whose refusal said that the outcome is unknown, until an acknowledged append settles it. `refused` holds
    those that must not be found.
    """

    games: dict[str, list[Append]] = field(default_factory=dict)
    maybe: dict[tuple[str, str], Append] = field(default_factory=dict)
    refused: dict[tuple[str, str], Append] = field(default_factory=dict)
    count: Counter[str] = field(default_factory=Counter)

    def head(self, game: str) -> int:
        """The number of the last event."""
        return sum(len(command.events) for command in self.games.get(game, ()))

    def accept(self, command: Append, receipt: Receipt) -> None:
        """Write an answer down, which must be the one that the list expects."""
        key = (command.game, command.command_id)
        if receipt.repeated:
            self.expect_repeat(command, receipt)
            return
        if key in self.maybe:
            # The first attempt did not survive: this one is a new append.
            del self.maybe[key]
        self.refused.pop(key, None)
        first = self.head(command.game) + 1
        self._demand(
            (receipt.first_seq, receipt.last_seq) == (first, first + len(command.events) - 1),
            f"{command.command_id} of {command.game} was answered {receipt}, not from event {first} on",
        )
        self.games.setdefault(command.game, []).append(command)
        self.count["acknowledged commands"] += 1
        self.count["acknowledged events"] += len(command.events)

    def expect_repeat(self, command: Append, receipt: Receipt) -> None:
        """Take the first answer of a command that came before."""
        key = (command.game, command.command_id)
        if key in self.maybe:
            self.found(self.maybe[key])
        self._demand(key not in self.refused, f"{key} was refused and is answered as a repeat: {receipt}")
        before = 0
        for one in self.games.get(command.game, ()):
            if one.command_id == command.command_id:
                self._demand(
                    (receipt.first_seq, receipt.last_seq) == (before + 1, before + len(one.events)),
                    f"{key} is answered {receipt}, not from event {before + 1} on",
                )
                self.count["repeats answered once"] += 1
                return
            before += len(one.events)
        self._demand(False, f"{key} is answered as a repeat and was never accepted")  # noqa: FBT003

    def found(self, command: Append) -> None:
        """Write down that a command of unknown outcome was kept."""
        del self.maybe[command.game, command.command_id]
        self.games.setdefault(command.game, []).append(command)
        self.count["unknown and kept"] += 1
        self.count["acknowledged events"] += len(command.events)

    def refuse(self, command: Append, *, unknown: bool) -> None:
        """Write a refusal down."""
        key = (command.game, command.command_id)
        if command.command_id in {one.command_id for one in self.games.get(command.game, ())}:
            # A repeat that could not be answered takes nothing of the first answer away.
            return
        (self.maybe if unknown else self.refused)[key] = command
        self.count["refused, outcome unknown" if unknown else "refused"] += 1

    def look(self, log: SqliteLog, settled: Collection[tuple[str, str]] = ()) -> None:
        """Look for the commands of unknown outcome; those `settled` had an acknowledged append after them."""
        for key, command in list(self.maybe.items()):
            answered = log.answered(*key)
            if answered is not None:
                self._demand(
                    answered.first_seq == self.head(command.game) + 1,
                    f"{key} was refused, and stands at event {answered.first_seq}",
                )
                self.found(command)
            elif key in settled:
                self.refused[key] = self.maybe.pop(key)
                self.count["unknown and not kept"] += 1

    def compare(self, log: SqliteLog) -> None:
        """Compare every row: each event in its game, at its place, with its payload, under its command."""
        self.look(log)
        for key in self.refused:
            self._demand(log.answered(*key) is None, f"{key} was refused and is in the log")
        self._demand(
            set(log.games()) == self.games.keys(),
            f"streams without an acknowledged event, or gone: {set(log.games()) ^ self.games.keys()}",
        )
        for game, commands in self.games.items():
            events, commits = log.record(game)
            expected = [event.payload for command in commands for event in command.events]
            self._same(game, [event.payload for event in events], expected)
            self._demand(
                [event.seq for event in events] == list(range(1, len(expected) + 1)),
                f"the numbers of {game} have gaps",
            )
            positions = [event.position for event in events]
            self._demand(positions == sorted(positions), f"the positions of {game} are out of order")
            self._demand(
                [commit.command_id for commit in commits] == [command.command_id for command in commands],
                f"the commands of {game} differ",
            )
            faults = verify_chain(events, commits)
            self._demand(not faults, f"the chain of {game} is broken: {faults}")
        everything = log.follow(0, 10**9)
        positions = [event.position for event in everything]
        self._demand(len(set(positions)) == len(positions) == sum(map(self.head, self.games)), "rows differ")

    def _same(self, game: str, stored: Sequence[str], expected: Sequence[str]) -> None:
        for seq, (one, other) in enumerate(zip(stored, expected, strict=False), 1):
            self._demand(one == other, f"event {seq} of {game} is {one[:80]}, not {other[:80]}")
        self._demand(
            len(stored) == len(expected),
            f"{game} has {len(stored)} events, {len(expected)} were acknowledged",
        )

    @staticmethod
    def _demand(holds: bool, what: str) -> None:  # noqa: FBT001
        if not holds:
            raise LostOrInvented(what)
