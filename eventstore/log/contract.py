"""What every event log does; `log_contract` is the same page as tests."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from time import time_ns
from typing import TYPE_CHECKING, Protocol, Self

from eventstore.errors import BadClock, MalformedAppend
from eventstore.log import history
from eventstore.log.chain import kind_in
from eventstore.log.ids import is_command_id, is_key, is_stream, is_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from eventstore.log.chain import ChainFault
    from eventstore.log.key_table import KeyTable
    from eventstore.log.list_table import ListTable
    from eventstore.log.rows import Append, Commit, Details, Head, NewEvent, Opening, Receipt, StoredEvent
    from eventstore.log.snapshots import Snapshots
    from eventstore.log.tables import TableChange

REWRITING = history.REWRITING
MARKING = ("record.amended", "record.ruled", "record.checked")
"""The kinds that the list of games marks."""

# Remembered, for most commands go to the game of the one before, and few people enter many events.
_is_stream = lru_cache(maxsize=4096)(is_stream)
_is_key = lru_cache(maxsize=256)(is_key)


class EventLog(Protocol):
    """An append-only log of many games; safe to share between threads.

    A stream that does not exist reads as empty: no events, no commits, no head.
    Errors: those of `eventstore.errors`, each with a code and a sentence.
    """

    @property
    def path(self) -> str:
        """What refusals call the place where the log is kept."""
        ...

    @property
    def read_only(self) -> bool:
        """Nothing can be appended through this opening."""
        ...

    def must_be_in_place(self) -> None:
        """Refuse a log whose file was removed or replaced since it was opened.

        Errors:  `DatabaseReplaced`.
        """
        ...

    def storage_faults(self) -> Iterator[ChainFault]:
        """What is wrong with the place where the log is kept, beside its records.

        Game:    empty where the fault concerns no single one.
        """
        ...

    @property
    def snapshots(self) -> Snapshots:
        """Saved states of this log's games; they may be deleted without loss."""
        ...

    @property
    def keys(self) -> KeyTable:
        """Keys of those who write over a network."""
        ...

    @property
    def listing(self) -> ListTable:
        """The list of games."""
        ...

    def append(
        self, game: str, events: Sequence[NewEvent], *, after: int, command_id: str, request: str
    ) -> Receipt:
        """Append all of one command's events or none; durable when it returns.

        After:   the head one knows; 0 makes the game. Else `Conflict` with the head, or `UnknownGame`.
        Repeat:  the same command id with the same request gives the first answer again, whatever `after` is;
                 with another request `CommandReused`.
        """
        ...

    def append_all(self, commands: Sequence[Append], *, tables: Sequence[TableChange] = ()) -> list[Receipt]:
        """Several commands in one transaction, with the changes of tables that belong to them: all or none.

        Tables:  a change is left out where the command of its game is a repeat.
        """
        ...

    def opening(self, game: str) -> Opening | None:
        """Everything about a game that can change, read by one statement; None for no such game."""
        ...

    def set_hidden(self, game: str, hidden: bool) -> None:  # noqa: FBT001 - it is what is kept
        """Leave a game out of the lists, or bring it back."""
        ...

    def variations(self, game: str) -> list[tuple[str, str, str | None]]:
        """Id, parent as JSON, and title of a game's variations that are not hidden, as they were made."""
        ...

    def set_details(self, game: str, change: Callable[[Details], Details]) -> Details:
        """Replace a game's details by what `change` makes of those that are kept, in one transaction.

        What `change` raises comes out here, and nothing is written.
        """
        ...

    def answered(self, game: str, command_id: str) -> Commit | None:
        """The command accepted under this id; to be asked before anything is decided."""
        ...

    def head(self, game: str) -> Head | None:
        """The last event's seq and the chain's value after it; None for no such game."""
        ...

    def events(self, game: str, first: int = 1, last: int | None = None) -> list[StoredEvent]:
        """The rows from seq `first` to `last`, both included, by seq; fetched in one step."""
        ...

    def payload_array(self, game: str, first: int = 1, last: int | None = None) -> bytes:
        """The payloads of the same stretch as the text of one JSON array, for one decode."""
        ...

    def lines(self, game: str, first: int, last: int) -> bytes:
        """The same stretch as lines of a record file, as the chain hashes them, each with its line end."""
        ...

    def rewrites(self, game: str, after: int = 0) -> list[tuple[int, str]]:
        """Seq and payload of the undos, redos and amendments behind event `after`, by seq: for `history`."""
        ...

    def marks(self, game: str, last: int) -> list[tuple[int, str]]:
        """Seq and kind of the amendments, rulings and table checks up to event `last`, by seq."""
        ...

    def stamps(self, game: str, last: int | None = None) -> list[tuple[int, str]]:
        """Seq and time of each event up to `last`, by seq."""
        ...

    def commits(self, game: str) -> list[Commit]:
        """The accepted commands, by seq."""
        ...

    def command_of(self, game: str, seq: int) -> Commit | None:
        """The command that event `seq` came with."""
        ...

    def record(self, game: str) -> tuple[list[StoredEvent], list[Commit]]:
        """All rows and commands of a game in one snapshot: what `verify_chain` compares."""
        ...

    def games(self) -> list[str]:
        """The ids of all streams in order of creation, `<game>/notes` among them."""
        ...

    def ids(self, prefix: str = "", *, limit: int) -> list[str]:
        """The ids of games that begin so, in alphabetical order, `limit` at most."""
        ...

    def follow(self, position: int, limit: int = 1000) -> list[StoredEvent]:
        """The next committed events behind `position`, of all games, by position; each exactly once."""
        ...

    def close(self) -> None:
        """Answer who waits, then give everything back; closing twice is allowed."""
        ...

    def __enter__(self) -> Self:
        """Give the log itself."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        ...


def now() -> str:
    """The stamp of this moment, UTC with microseconds.

    Errors:  `BadClock` where no event could be dated so.
    """
    try:
        seconds, rest = divmod(time_ns(), 1_000_000_000)
    except OverflowError:
        # Python counts nanoseconds in 64 bits.
        raise BadClock("a year before 1678 or after 2261") from None
    return f"{_second(seconds)}.{rest // 1000:06d}Z"


def clock() -> datetime:
    """This moment; errors as of `now`."""
    return datetime.fromisoformat(now())


def stamp(moment: datetime) -> str:
    """The stamp of a moment of UTC, as `now` writes it."""
    return f"{moment.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


@lru_cache(maxsize=1)
def _second(since_1970: int) -> str:
    """Remembered, for a second sees many appends."""
    try:
        text = datetime.fromtimestamp(since_1970, UTC).isoformat()[:19]
    except (ValueError, OverflowError, OSError):
        raise BadClock("a year after 9999" if since_1970 > 0 else "a year before 1") from None
    if not is_time(f"{text}.000000Z"):
        raise BadClock(f"{text}Z")
    return text


def admit(command: Append) -> None:
    """Refuse, with `MalformedAppend`, what could not stand as lines of a record: it would stay for ever."""
    if not _is_stream(command.game):
        _refuse(command, "an id has 4 to 64 of a-z, 0-9, ~ and -")
    if not is_command_id(command.command_id):
        _refuse(command, "a command id has 1 to 128 printable ASCII characters without spaces")
    if command.after < 0:
        _refuse(command, "it must follow event 0 or a later one")
    if not command.events:
        _refuse(command, "a command needs at least one event")
    for place, event in enumerate(command.events, 1):
        _admit_event(command, place, event)


def _admit_event(command: Append, place: int, event: NewEvent) -> None:
    payload = event.payload
    inside = kind_in(payload)
    if inside is None or "\n" in payload or "\r" in payload:
        _refuse(command, f"new event {place} is not a JSON object with a kind on one line")
    if inside != event.kind:
        _refuse(command, f"new event {place} is called {event.kind}, and its payload says {inside}")
    if not _is_key(event.by):
        _refuse(
            command,
            f"new event {place} has a key of who entered it that is not 1 to 64 letters, digits, or ~_.@-",
        )
    if event.recorded_at is not None and not is_time(event.recorded_at):
        _refuse(command, f"new event {place} has a time that is no moment like 2026-09-14T18:03:05.123456Z")


def _refuse(command: Append, why: str) -> None:
    raise MalformedAppend(command.game, why)
