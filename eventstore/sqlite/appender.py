"""Appending inside the writer's open transaction."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, cast

import msgspec

from eventstore.errors import CommandReused, Conflict, UnknownGame, Unreadable
from eventstore.log.chain import ZERO, checksum, kept, linked
from eventstore.log.contract import now
from eventstore.log.rows import Append, Receipt

if TYPE_CHECKING:
    from collections.abc import Sequence

_Row = tuple[object, ...]

_MOST_HEADS = 10_000
"""Games whose heads are remembered."""

# All that an append must know, in one statement: the stream, its head, an earlier answer to this command.
_SITUATION = (
    "SELECT games.game, head.last_seq, coalesce(CAST(head.hash AS TEXT), ''),"
    " same.first_seq, same.last_seq, same.request, same.hash"
    " FROM games"
    " JOIN commits AS head ON head.game = games.game"
    " AND head.last_seq = (SELECT max(last_seq) FROM commits WHERE game = games.game)"
    " LEFT JOIN commits AS same ON same.game = games.game AND same.command_id = ?"
    " WHERE games.id = ?"
)
_NEW_STREAM = "INSERT INTO games(id) VALUES (?)"
# Two statements, since `sqlite3` binds a None more slowly than a text: four of them cost as much as the row.
_INNER = "INSERT INTO events(game, seq, kind, by, recorded_at, payload) VALUES (?, ?, ?, ?, ?, ?)"
"""An event that is not its command's last."""
_LAST = (
    "INSERT INTO events(game, seq, kind, by, recorded_at, payload,"
    " first_seq, command_id, request, hash, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
"""A command's last event, and with it the command."""


class _Head(msgspec.Struct, frozen=True, gc=False):
    game: int
    seq: int
    value: bytes


Heads = dict[str, _Head]
"""Of each game the end that is durable."""


class Appender:
    """Appends in one transaction, from what is stored or from the heads that earlier transactions left.

    A remembered head that another process has moved on does no harm: UNIQUE refuses the seq.
    Errors: an append that is refused raises; the writer then takes back what it wrote and calls `forget`.
    """

    def __init__(self, connection: sqlite3.Connection, heads: Heads) -> None:
        """`heads` are the caller's no more: they come back from `committed`, or not at all."""
        self._connection = connection
        self._heads = heads
        self._ahead: Heads = {}
        """What this transaction made of them."""

    def forget(self) -> None:
        """Remember nothing: something was taken back, or written past this object."""
        self._heads.clear()
        self._ahead.clear()

    def committed(self) -> Heads:
        """Give the heads, now that the transaction is durable. Call it after COMMIT has returned."""
        if len(self._heads) > _MOST_HEADS:
            self._heads.clear()
        self._heads.update(self._ahead)
        return self._heads

    def alone(self, command: Append) -> Receipt | None:
        """Append one event that follows the remembered head, in a transaction of its own; None for others.

        IntegrityError comes out as from `at_once`.
        """
        head = self._heads.get(command.game)
        if head is None or head.seq != command.after or len(command.events) > 1:
            return None
        _, last, self._ahead[command.game], receipt = _following(head, command, now())
        self._connection.execute(_LAST, last)
        return receipt

    def at_once(self, commands: Sequence[Append]) -> list[Receipt | None]:
        """Append those whose `after` is the remembered head, few statements for all; None for each other.

        IntegrityError comes out if a remembered head was old, or if a command that was accepted before came
        with a renewed `after`: each is then to be looked up in a new transaction.
        """
        # Work that dates nothing, as that of the list, needs no clock.
        stamp = now() if commands else ""
        lasts: list[_Row] = []
        receipts: list[Receipt | None] = []
        for command in commands:
            head = self._ahead.get(command.game) or self._heads.get(command.game)
            if head is None or head.seq != command.after:
                receipts.append(None)
                continue
            inner, last, self._ahead[command.game], receipt = _following(head, command, stamp)
            if inner:
                # Positions are given in the order of writing, and must not run against those of a game.
                self._connection.executemany(_LAST, lasts)
                lasts.clear()
                self._connection.executemany(_INNER, inner)
            lasts.append(last)
            receipts.append(receipt)
        self._connection.executemany(_LAST, lasts)
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
        last_value = kept(value)
        if last_value is None:
            raise Unreadable(command.game, seq, "the chain value kept with it is not 64 hex digits")
        if game is None:
            game = self._connection.execute(_NEW_STREAM, (command.game,)).lastrowid
        head = _Head(cast("int", game), seq, last_value)
        inner, last, self._ahead[command.game], receipt = _following(head, command, now())
        self._connection.executemany(_INNER, inner)
        self._connection.execute(_LAST, last)
        return receipt


def _following(head: _Head, command: Append, stamp: str) -> tuple[Sequence[_Row], _Row, _Head, Receipt]:
    """The rows of a command that fits behind this head, the last apart, the head after it, and the answer."""
    rows, value = linked(head.game, head.seq, head.value, command.events, stamp)
    first, seq, text = head.seq + 1, head.seq + len(rows), value.hex()
    seal = checksum(command.game, (first, seq), command.command_id, command.request, text)
    last = (*rows.pop(), first, command.command_id, command.request, text, seal)
    after = _Head(head.game, seq, value)
    return rows, last, after, Receipt(command.game, first, seq, text, repeated=False)


def _again(command: Append, first: int, last: int, request: str, value: str) -> Receipt:
    if request != command.request:
        raise CommandReused(command.command_id, command.game)
    return Receipt(command.game, first, last, value, repeated=True)
