"""The hash chain over the lines of a record: anyone can check a tape with SHA-256 alone."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eventstore.stored_event import Commit, NewEvent, StoredEvent

ZERO = bytes(32)
"""The chain's value before the first event."""

_Game = TypeVar("_Game", str, int)
"""A game's id, or its number in a database."""


class Break(msgspec.Struct, frozen=True):
    """One thing that is wrong with a game's record."""

    game: str
    seq: int
    """The first event that it concerns."""
    last: int
    """The last event that it concerns."""
    code: str
    """`changed`, `missing`, `commit-missing`, `uncommitted`, `kind-differs`, `unreadable`."""
    message: str


class _Kind(msgspec.Struct, gc=False):
    kind: str


_kind = msgspec.json.Decoder(_Kind)


def kind_in(payload: str) -> str | None:
    """The kind that a payload names itself; None when it is no JSON object with a kind.

    >>> kind_in('{"kind":"dice_rolled","faces":[2,5]}')
    'dice_rolled'
    """
    try:
        return _kind.decode(payload).kind
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def line(seq: int, at: str, by: str, payload: str) -> str:
    r"""An event's line in the record file, newline included; exactly what the chain hashes.

    >>> line(7, "2026-09-14T18:03:05.123456Z", "recorder", '{"kind":"passed"}')
    '{"seq":7,"at":"2026-09-14T18:03:05.123456Z","by":"recorder","event":{"kind":"passed"}}\n'
    """
    return f'{{"seq":{seq},"at":"{at}","by":"{by}","event":{payload}}}\n'


def link(prev: bytes, seq: int, at: str, by: str, payload: str) -> bytes:
    """The chain's value after an event, from its value before it.

    >>> link(ZERO, 1, "2026-09-14T18:03:05.123456Z", "recorder", '{"kind":"passed"}').hex()[:16]
    'a1c8b2cad55a99f4'
    """
    return sha256(prev + line(seq, at, by, payload).encode()).digest()


def kept(value: str) -> bytes | None:
    """A chain's value as it is kept; None where that is none any more.

    >>> kept("00" * 32) == ZERO, kept("00" * 31), kept("")
    (True, None, None)
    """
    try:
        found = bytes.fromhex(value)
    except ValueError:
        return None
    return found if len(found) == len(ZERO) else None


def linked(
    game: _Game, head: int, prev: bytes, events: Iterable[NewEvent], stamp: str
) -> tuple[list[tuple[_Game, int, str, str, str, str]], bytes]:
    """Number and stamp the events that follow `head`; with the chain's value after them.

    Rows:    game, seq, kind, by, recorded_at, payload.
    """
    rows = []
    seq = head
    for event in events:
        seq += 1
        at = event.recorded_at or stamp
        prev = link(prev, seq, at, event.by, event.payload)
        rows.append((game, seq, event.kind, event.by, at, event.payload))
    return rows, prev


def verify_chain(events: Sequence[StoredEvent], commits: Sequence[Commit]) -> list[Break]:
    """Compare one game's rows with the values that its commits kept; no fault, no item.

    Order:   events and commits by seq, read from one snapshot (`EventLog.record`).
    Finds:   changed and missing rows, to the stretch between two kept values; commits that are gone; rows
             without a commit; a `kind` that differs from its payload. A fault does not hide later ones.
    Blind:   to a tail that was removed together with its commits: compare the head with one kept elsewhere.
    """
    by_seq = {event.seq: event for event in events}
    faults: list[Break] = []
    prev, expected = ZERO, 1
    for commit in commits:
        faults += _before(commit, expected)
        found, prev = _stretch(commit, expected, prev, by_seq)
        faults += found
        expected = commit.last_seq + 1
    faults += _uncommitted([event for event in events if event.seq >= expected])
    faults += [fault for event in events for fault in _kind_faults(event)]
    return faults


def _before(commit: Commit, expected: int) -> Iterator[Break]:
    """Faults of where a command begins."""
    if commit.first_seq > expected:
        what = "The command that these events came with is gone."
        yield Break(commit.game, expected, commit.first_seq - 1, "commit-missing", what)
    elif commit.first_seq < expected:
        what = f"The command that ended with event {commit.last_seq} is not as recorded"
        yield Break(commit.game, expected, commit.last_seq, "changed", f"{what}: its beginning was changed.")


def _stretch(
    commit: Commit, first: int, prev: bytes, by_seq: dict[int, StoredEvent]
) -> tuple[list[Break], bytes]:
    """Faults of the rows from `first`, where the value before is known, to the end of this command.

    With the value after it to go on with: the one that is kept, else the one that the rows give.
    """
    last, value = commit.last_seq, kept(commit.hash)
    missing = [seq for seq in range(first, last + 1) if seq not in by_seq]
    if missing:
        what = f"{_named(missing[0], missing[-1])} gone from the log"
        fault = Break(commit.game, missing[0], missing[-1], "missing", f"{what}.")
        return [fault], value or prev
    for seq in range(first, last + 1):
        event = by_seq[seq]
        prev = link(prev, seq, event.recorded_at, event.by, event.payload)
    if value is None:
        what = f"The chain's value after event {last} is not as recorded: it was changed later."
        return [Break(commit.game, first, last, "changed", what)], prev
    if prev.hex() != commit.hash:
        what = f"{_named(first, last)} not as recorded: a line was changed later."
        return [Break(commit.game, first, last, "changed", what)], value
    return [], value


def _uncommitted(extra: list[StoredEvent]) -> Iterator[Break]:
    if extra:
        first, last = extra[0], extra[-1]
        yield Break(
            first.game,
            first.seq,
            last.seq,
            "uncommitted",
            f"{_named(first.seq, last.seq)} there without a command.",
        )


def _kind_faults(event: StoredEvent) -> Iterator[Break]:
    inside = kind_in(event.payload)
    if inside is None:
        yield Break(
            event.game,
            event.seq,
            event.seq,
            "unreadable",
            f"Event {event.seq} is no JSON object with a kind.",
        )
    elif inside != event.kind:
        what = f"Event {event.seq} is listed as {event.kind}, and its payload says {inside}"
        yield Break(event.game, event.seq, event.seq, "kind-differs", f"{what}.")


def _named(first: int, last: int) -> str:
    return f"Event {first} is" if first == last else f"Events {first} to {last} are"
