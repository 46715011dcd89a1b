"""Appending inside the writer's open transaction."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, NamedTuple, cast

from eventstore.chain import ZERO, Row, linked
from eventstore.errors import CommandReused, Conflict, UnknownGame
from eventstore.log import now
from eventstore.stored_event import Append, Receipt

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_HEADS = 10_000
"""Games whose heads are remembered."""

# All that an append must know, in one statement: the stream, its head, an earlier answer to this command.
_SITUATION = (
    "SELECT games.game, head.last_seq, head.hash, same.first_seq, same.last_seq, same.request, same.hash"
    " FROM games"
    " JOIN commits AS head ON head.game = games.game"
    " AND head.last_seq = (SELECT max(last_seq) FROM commits WHERE game = games.game)"
    " LEFT JOIN commits AS same ON same.game = games.game AND same.command_id = ?"
    " WHERE games.id = ?"
)
_NEW_STREAM = "INSERT INTO games(id) VALUES (?)"
_NEW_EVENT = "INSERT INTO events(game, seq, kind, by, recorded_at, payload) VALUES (?, ?, ?, ?, ?, ?)"
_NEW_COMMIT = (
    "INSERT INTO commits(game, first_seq, last_seq, command_id, request, hash) VALUES (?, ?, ?, ?, ?, ?)"
)


class _Head(NamedTuple):
    game: int
    seq: int
    value: bytes


class Appender:
    """Decides from what is stored, or from the heads that it remembers.

    A remembered head that another process has moved on does no harm: UNIQUE refuses the seq.
    Errors: an append that is refused raises; the writer then takes back what it wrote and calls `forget`.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._heads: dict[str, _Head] = {}
        self._ahead: dict[str, _Head] = {}
        """What the open transaction made of them."""

    def forget(self) -> None:
        """Remember nothing: something was taken back, or written past this object."""
        self._heads.clear()
        self._ahead.clear()

    def committed(self) -> None:
        """The transaction is durable, and so are its heads."""
        if len(self._heads) > _MOST_HEADS:
            self._heads.clear()
        self._heads.update(self._ahead)
        self._ahead.clear()

    def at_once(self, commands: Iterable[Append]) -> list[Receipt | None]:
        """Append those whose `after` is the remembered head, in two statements for all; None for each other.

        IntegrityError comes out if a remembered head was old, or if a command that was accepted before came
        with a renewed `after`: each is then to be looked up in a new transaction.
        """
        stamp = now()
        events: list[Row[int]] = []
        commits: list[tuple[object, ...]] = []
        receipts: list[Receipt | None] = []
        for command in commands:
            head = self._ahead.get(command.game) or self._heads.get(command.game)
            if head is None or head.seq != command.after:
                receipts.append(None)
                continue
            rows, commit, receipt = self._follow(head, command, stamp)
            events += rows
            commits.append(commit)
            receipts.append(receipt)
        if commits:
            self._connection.executemany(_NEW_COMMIT, commits)
            self._connection.executemany(_NEW_EVENT, events)
        return receipts

    def append(self, command: Append) -> Receipt:
        """One command, looked up."""
        row = self._connection.execute(_SITUATION, (command.command_id, command.game)).fetchone()
        game, seq, value, *same = row or (None, 0, ZERO.hex(), None)
        if same[0] is not None:
            return _again(command, *same)
        if row is None and command.after:
            raise UnknownGame(command.game)
        if command.after != seq:
            raise Conflict(seq, command.game)
        if game is None:
            game = self._connection.execute(_NEW_STREAM, (command.game,)).lastrowid
        head = _Head(cast("int", game), seq, bytes.fromhex(value))
        rows, commit, receipt = self._follow(head, command, now())
        self._connection.execute(_NEW_COMMIT, commit)
        self._connection.executemany(_NEW_EVENT, rows)
        return receipt

    def _follow(
        self, head: _Head, command: Append, stamp: str
    ) -> tuple[list[Row[int]], tuple[object, ...], Receipt]:
        """The rows and the answer of a command that fits behind this head."""
        rows, value = linked(head.game, head.seq, head.value, command.events, stamp)
        first, last, text = head.seq + 1, head.seq + len(rows), value.hex()
        self._ahead[command.game] = _Head(head.game, last, value)
        commit = (head.game, first, last, command.command_id, command.request, text)
        return rows, commit, Receipt(command.game, first, last, text, repeated=False)


def _again(command: Append, first: int, last: int, request: str, value: str) -> Receipt:
    if request != command.request:
        raise CommandReused(command.command_id, command.game)
    return Receipt(command.game, first, last, value, repeated=True)
