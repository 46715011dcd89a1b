"""A log in memory, for tests and trials: the same promises as the database, but for durability."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Self

from eventstore.errors import CommandReused, Conflict, LogClosed, UnknownGame
from eventstore.log.chain import ZERO, checksum, linked
from eventstore.log.contract import REWRITING, admit, now
from eventstore.log.rows import Append, Commit, Head, Receipt, StoredEvent
from eventstore.log.snapshots import MemoryKeyframes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from eventstore.log.rows import NewEvent


class _Stream:
    def __init__(self) -> None:
        self.events: list[StoredEvent] = []
        self.commits: list[Commit] = []


class MemoryLog:
    """See `EventLog`; one lock, dictionaries and lists."""

    def __init__(self) -> None:
        self._streams: dict[str, _Stream] = {}
        self.keyframes = MemoryKeyframes(self._streams.__contains__)
        self._lock = Lock()
        self._everything: list[StoredEvent] = []
        self._closed = False

    def append(
        self, game: str, events: Sequence[NewEvent], *, after: int, command_id: str, request: str
    ) -> Receipt:
        """See `EventLog`."""
        return self.append_all([Append(game, tuple(events), after, command_id, request)])[0]

    def append_all(self, commands: Sequence[Append]) -> list[Receipt]:
        """See `EventLog`."""
        for command in commands:
            admit(command)
        with self._lock:
            if self._closed:
                raise LogClosed
            done: list[Receipt] = []
            try:
                done.extend(self._append(command) for command in commands)
            except Exception:
                for receipt in reversed(done):
                    self._take_back(receipt)
                raise
            return done

    def _append(self, command: Append) -> Receipt:
        stream = self._streams.get(command.game)
        if stream is None and command.after:
            raise UnknownGame(command.game)
        stream = stream or _Stream()
        for commit in stream.commits:
            if commit.command_id == command.command_id:
                return _again(commit, command)
        head = len(stream.events)
        if command.after != head:
            raise Conflict(head, command.game)
        prev = bytes.fromhex(stream.commits[-1].hash) if stream.commits else ZERO
        rows, last = linked(command.game, head, prev, command.events, now())
        start = len(self._everything)
        added = [StoredEvent(start + place, *row) for place, row in enumerate(rows, 1)]
        seqs = (head + 1, head + len(rows))
        told = (command.command_id, command.request, last.hex())
        stream.events += added
        stream.commits.append(Commit(command.game, *seqs, *told, checksum(command.game, seqs, *told)))
        self._everything += added
        self._streams[command.game] = stream
        return Receipt(command.game, *seqs, last.hex(), repeated=False)

    def _take_back(self, receipt: Receipt) -> None:
        if receipt.repeated:
            return
        stream = self._streams[receipt.game]
        stream.commits.pop()
        count = receipt.last_seq - receipt.first_seq + 1
        del stream.events[-count:], self._everything[-count:]
        if not stream.events:
            del self._streams[receipt.game]

    def answered(self, game: str, command_id: str) -> Commit | None:
        """See `EventLog`."""
        return next((commit for commit in self.commits(game) if commit.command_id == command_id), None)

    def head(self, game: str) -> Head | None:
        """See `EventLog`."""
        commits = self.commits(game)
        return Head(commits[-1].last_seq, commits[-1].hash) if commits else None

    def events(self, game: str, first: int = 1, last: int | None = None) -> list[StoredEvent]:
        """See `EventLog`."""
        return self.record(game)[0][max(first - 1, 0) : last if last is None else max(last, 0)]

    def payload_array(self, game: str, first: int = 1, last: int | None = None) -> bytes:
        """See `EventLog`."""
        return f"[{','.join(event.payload for event in self.events(game, first, last))}]".encode()

    def rewrites(self, game: str) -> list[tuple[int, str]]:
        """See `EventLog`."""
        return [(event.seq, event.payload) for event in self.events(game) if event.kind in REWRITING]

    def commits(self, game: str) -> list[Commit]:
        """See `EventLog`."""
        return self.record(game)[1]

    def command_of(self, game: str, seq: int) -> Commit | None:
        """See `EventLog`."""
        return next(
            (commit for commit in self.commits(game) if commit.first_seq <= seq <= commit.last_seq), None
        )

    def record(self, game: str) -> tuple[list[StoredEvent], list[Commit]]:
        """See `EventLog`."""
        with self._reading():
            stream = self._streams.get(game) or _Stream()
            return stream.events[:], stream.commits[:]

    def games(self) -> list[str]:
        """See `EventLog`."""
        with self._reading():
            return list(self._streams)

    def follow(self, position: int, limit: int = 1000) -> list[StoredEvent]:
        """See `EventLog`."""
        with self._reading():
            return self._everything[max(position, 0) : max(position, 0) + limit]

    def _reading(self) -> Lock:
        if self._closed:
            raise LogClosed
        return self._lock

    def close(self) -> None:
        """See `EventLog`."""
        with self._lock:
            self._closed = True

    def __enter__(self) -> Self:
        """See `EventLog`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """See `EventLog`."""
        self.close()


def _again(commit: Commit, command: Append) -> Receipt:
    if commit.request != command.request:
        raise CommandReused(command.command_id, command.game)
    return Receipt(command.game, commit.first_seq, commit.last_seq, commit.hash, repeated=True)
