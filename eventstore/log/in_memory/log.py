"""A log in memory, for tests and trials: the same promises as the database, but for durability."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Self

from eventstore.errors import CommandReused, Conflict, LogClosed, UnknownGame
from eventstore.log.chain import ZERO, checksum, line, linked
from eventstore.log.contract import MARKING, REWRITING, admit, now
from eventstore.log.in_memory.key_table import MemoryKeyTable
from eventstore.log.in_memory.snapshots import MemorySnapshots
from eventstore.log.rows import Append, Commit, Details, Head, Opening, Receipt, StoredEvent
from eventstore.log.tables import PutDetails, PutHidden, PutParent, PutSnapshots

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from eventstore.log.rows import NewEvent
    from eventstore.log.tables import TableChange


class _Stream:
    def __init__(self) -> None:
        self.events: list[StoredEvent] = []
        self.commits: list[Commit] = []


class MemoryLog:
    """See `EventLog`; one lock, dictionaries and lists."""

    def __init__(self) -> None:
        self._streams: dict[str, _Stream] = {}
        self.snapshots = MemorySnapshots(self._streams.__contains__)
        self._details: dict[str, Details] = {}
        self._parents: dict[str, str] = {}
        self._hidden: set[str] = set()
        self._lock = Lock()
        self.keys = MemoryKeyTable(self._reading)
        self._everything: list[StoredEvent] = []
        self._closed = False

    def append(
        self, game: str, events: Sequence[NewEvent], *, after: int, command_id: str, request: str
    ) -> Receipt:
        """See `EventLog`."""
        return self.append_all([Append(game, tuple(events), after, command_id, request)])[0]

    def append_all(self, commands: Sequence[Append], *, tables: Sequence[TableChange] = ()) -> list[Receipt]:
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
            new = {receipt.game for receipt in done if not receipt.repeated}
            for change in tables:
                if change.game in new:
                    self._change(change)
            return done

    def _change(self, change: TableChange) -> None:
        match change:
            case PutDetails(game=game, details=details):
                self._details[game] = details
            case PutParent(game=game, parent=parent):
                self._parents[game] = parent
            case PutHidden(game=game):
                self._hidden.add(game)
            case PutSnapshots(game=game, viewer=viewer, kept=kept):
                self.snapshots.put_all(game, viewer, kept)

    def opening(self, game: str) -> Opening | None:
        """See `EventLog`."""
        with self._reading():
            stream = self._streams.get(game)
            if stream is None:
                return None
            last = stream.commits[-1]
            notes = self._streams.get(f"{game}/notes")
            return Opening(
                Head(last.last_seq, last.hash),
                0 if notes is None else len(notes.events),
                self._details.get(game, Details()),
                hidden=game in self._hidden,
            )

    def set_hidden(self, game: str, hidden: bool) -> None:  # noqa: FBT001 - see `EventLog`
        """See `EventLog`."""
        with self._reading():
            (self._hidden.add if hidden else self._hidden.discard)(game)

    def variations(self, game: str) -> list[tuple[str, str, str | None]]:
        """See `EventLog`."""
        with self._reading():
            return [
                (one, parent, self._details.get(one, Details()).title)
                for one, parent in self._parents.items()
                if one not in self._hidden and parent.startswith(f'{{"game":"{game}",')
            ]

    def set_details(self, game: str, change: Callable[[Details], Details]) -> Details:
        """See `EventLog`."""
        with self._reading():
            self._details[game] = change(self._details.get(game, Details()))
            return self._details[game]

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

    def lines(self, game: str, first: int, last: int) -> bytes:
        """See `EventLog`."""
        rows = self.events(game, first, last)
        return "".join(line(row.seq, row.recorded_at, row.by, row.payload) for row in rows).encode()

    def rewrites(self, game: str, after: int = 0) -> list[tuple[int, str]]:
        """See `EventLog`."""
        return [
            (event.seq, event.payload) for event in self.events(game, after + 1) if event.kind in REWRITING
        ]

    def marks(self, game: str, last: int) -> list[tuple[int, str]]:
        """See `EventLog`."""
        return [(event.seq, event.kind) for event in self.events(game, 1, last) if event.kind in MARKING]

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

    def ids(self, prefix: str = "", *, limit: int) -> list[str]:
        """See `EventLog`."""
        return sorted(name for name in self.games() if name.startswith(prefix) and "/" not in name)[:limit]

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
