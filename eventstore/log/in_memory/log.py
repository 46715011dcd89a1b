"""A log in memory, for tests and trials: the same promises as the database, but for durability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from eventstore.errors import CommandReused, Conflict, UnknownGame
from eventstore.log.chain import ZERO, checksum, line, linked
from eventstore.log.contract import MARKING, REWRITING, admit, now
from eventstore.log.in_memory.key_table import MemoryKeyTable
from eventstore.log.in_memory.list_table import MemoryListTable, is_of, put_standing
from eventstore.log.in_memory.snapshots import MemorySnapshots
from eventstore.log.in_memory.state import MemoryState, MemoryStream
from eventstore.log.rows import Append, Commit, Details, Head, Opening, Receipt, StoredEvent
from eventstore.log.tables import PutDetails, PutHidden, PutParent, PutSnapshots, PutStanding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from eventstore.log.chain import ChainFault
    from eventstore.log.list_table import Followed
    from eventstore.log.rows import NewEvent
    from eventstore.log.tables import TableChange


class MemoryLog:
    """See `EventLog`; one lock, dictionaries and lists."""

    path = "memory"
    read_only = False

    def __init__(self) -> None:
        self._state = MemoryState()
        self._reading = self._state.held
        self._streams = self._state.streams
        self._everything = self._state.everything
        self.snapshots = MemorySnapshots(self._streams.__contains__)
        self.keys = MemoryKeyTable(self._reading)
        self.listing = MemoryListTable(self._state)

    def must_be_in_place(self) -> None:
        """See `EventLog`."""

    def storage_faults(self) -> Iterator[ChainFault]:
        """See `EventLog`."""
        return iter(())

    def append(
        self, game: str, events: Sequence[NewEvent], *, after: int, command_id: str, request: str
    ) -> Receipt:
        """See `EventLog`."""
        return self.append_all([Append(game, tuple(events), after, command_id, request)])[0]

    def append_all(self, commands: Sequence[Append], *, tables: Sequence[TableChange] = ()) -> list[Receipt]:
        """See `EventLog`."""
        for command in commands:
            admit(command)
        with self._reading():
            done: list[Receipt] = []
            try:
                done.extend(self._append(command) for command in commands)
            except Exception:
                for receipt in reversed(done):
                    self._take_back(receipt)
                raise
            new = [receipt for receipt in done if not receipt.repeated]
            games = {receipt.game for receipt in new}
            for change in tables:
                if change.game in games:
                    self._change(change)
            if new and games <= {change.game for change in tables if isinstance(change, PutStanding)}:
                self._catch_up(sum(receipt.last_seq - receipt.first_seq + 1 for receipt in new))
            return done

    def _catch_up(self, count: int) -> None:
        """Follow up so many events at the end of the log, if nothing else is to be followed up."""
        end, followed = len(self._everything), self._state.followed
        whats: tuple[Followed, ...] = ("standings", "texts")
        followed.update({what: end for what in whats if followed.get(what, 0) == end - count})

    def _change(self, change: TableChange) -> None:
        state = self._state
        match change:
            case PutDetails(game=game, details=details):
                state.details[game] = details
            case PutParent(game=game, parent=parent):
                state.parents[game] = parent
            case PutHidden(game=game):
                state.hidden.add(game)
            case PutStanding(standing=standing):
                put_standing(state, standing)
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
                self._state.details.get(game, Details()),
                hidden=game in self._state.hidden,
                rewritten=any(event.kind in REWRITING for event in stream.events),
            )

    def set_hidden(self, game: str, hidden: bool) -> None:  # noqa: FBT001 - see `EventLog`
        """See `EventLog`."""
        with self._reading():
            if game in self._streams:
                (self._state.hidden.add if hidden else self._state.hidden.discard)(game)

    def variations(self, game: str) -> list[tuple[str, str, str | None]]:
        """See `EventLog`."""
        with self._reading():
            state = self._state
            parents = {row.game: row.parent for row in state.standings.values()} | state.parents
            return [
                (one, parent, state.details.get(one, Details()).title)
                for one in self._streams
                if one not in state.hidden
                and (parent := parents.get(one)) is not None
                and is_of(parent, game)
            ]

    def set_details(self, game: str, change: Callable[[Details], Details]) -> Details:
        """See `EventLog`."""
        with self._reading():
            kept = change(self._state.details.get(game, Details()))
            if game in self._streams:
                self._state.details[game] = kept
            return kept

    def _append(self, command: Append) -> Receipt:
        stream = self._streams.get(command.game)
        if stream is None and command.after:
            raise UnknownGame(command.game)
        stream = stream or MemoryStream()
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

    def stamps(self, game: str, last: int | None = None) -> list[tuple[int, str]]:
        """See `EventLog`."""
        return [(event.seq, event.recorded_at) for event in self.events(game, 1, last)]

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
            stream = self._streams.get(game) or MemoryStream()
            return stream.events[:], stream.commits[:]

    def games(self) -> list[str]:
        """See `EventLog`."""
        with self._reading():
            return list(self._streams)

    def ids(self, prefix: str = "", *, limit: int) -> list[str]:
        """See `EventLog`."""
        return sorted(name for name in self.games() if name.startswith(prefix) and "/" not in name)[
            : max(limit, 0)
        ]

    def follow(self, position: int, limit: int = 1000) -> list[StoredEvent]:
        """See `EventLog`."""
        with self._reading():
            return self._everything[max(position, 0) : max(position, 0) + limit]

    def close(self) -> None:
        """See `EventLog`."""
        with self._state.lock:
            self._state.closed = True

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
