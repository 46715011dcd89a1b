"""The hash chain over the lines of a record: anyone can check a record file with SHA-256 alone.

The chain covers the lines. What a command's row holds besides has a checksum, which the record file does not.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from hashlib import sha256
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar
from zlib import crc32

import msgspec

from eventstore.log.rows import UNCHECKED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eventstore.log.rows import Commit, NewEvent, StoredEvent

ZERO = bytes(32)
"""The chain's value before the first event."""

_Game = TypeVar("_Game", str, int)
"""A game's id, or its number in a database."""


class ChainFault(msgspec.Struct, frozen=True):
    """One thing that is wrong with a game's record."""

    game: str
    seq: int
    """The first event that it concerns."""
    last: int
    """The last event that it concerns."""
    code: str
    """Of the events: `changed`, `missing`, `commit-missing`, `uncommitted`, `command-incomplete`,
    `checksum-differs`, `checksum-missing`, `kind-differs`, `unreadable`.  Of what a database keeps beside
    them: `orphaned`, `unguarded`, `position-missing`, `catalogue-missing`, `key-damaged`,
    `session-damaged`, or the code of the refusal that a look at it met."""
    message: str
    """A sentence that says what is known, and no more."""


OF_ROWS = frozenset({"checksum-differs", "checksum-missing"})
"""Codes of faults that leave the record as it was: only what the database keeps beside it differs."""


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


def checksum(game: str, seqs: tuple[int, int], command_id: str, request: str, value: str) -> int:
    """CRC-32 of what a command's row holds: enough against flipped bits, and cheap for every append.

    seqs:    those of the command's first and last event.
    >>> checksum("k7qm3x9vfa", (1, 1), "k7qm3x9vfa", "r", "00" * 32)
    549471872
    """
    text = f"{game}\n{seqs[0]}\n{seqs[1]}\n{command_id}\n{request}\n{value}"
    try:
        return crc32(text.encode())
    except UnicodeEncodeError:
        return crc32(text.encode(errors="surrogatepass"))


def verify_chain(events: Sequence[StoredEvent], commits: Sequence[Commit]) -> list[ChainFault]:
    """Compare one game's rows with the values and checksums that its commits kept; no fault, no item.

    Order:   events and commits by seq, read from one snapshot (`EventLog.record`).
    Finds:   changed and missing rows, to the stretch between two kept values; commits that are gone or differ
             from their checksums; rows without a commit; a `kind` that differs from its payload. A fault does
             not hide later ones.
    Blind:   to a tail that was removed together with its commits: compare the head with one kept elsewhere.
             A commit from before there were checksums is compared with none: `unchecked` counts these.
    """
    faults: list[ChainFault] = []
    prev, expected = ZERO, 1
    for commit in commits:
        faults += _before(commit, expected)
        found, prev = _stretch(commit, expected, prev, events)
        faults += found
        expected = commit.last_seq + 1
    faults += _uncommitted([event for event in events if event.seq >= expected])
    faults += _checksum_faults(commits)
    faults += [fault for event in events for fault in _kind_faults(event)]
    return faults


def unchecked(commits: Iterable[Commit]) -> int:
    """How many commits have no checksum."""
    return sum(commit.checksum == UNCHECKED for commit in commits)


def _before(commit: Commit, expected: int) -> Iterator[ChainFault]:
    """Faults of where a command begins."""
    first, last = commit.first_seq, commit.last_seq
    if first > expected:
        what = f"The command of {_named(expected, first - 1)} is missing."
        yield ChainFault(commit.game, expected, first - 1, "commit-missing", what)
    elif first < expected:
        what = f"By its row, the command of {_named(expected, last)} begins with event {first}."
        yield ChainFault(commit.game, expected, last, "changed", what)


def _stretch(
    commit: Commit, first: int, prev: bytes, events: Sequence[StoredEvent]
) -> tuple[list[ChainFault], bytes]:
    """Faults of the rows from `first`, where the value before is known, to the end of this command.

    Also gives the value to continue with: the kept one, or the one computed from the rows if none is kept.
    """
    last, value = commit.last_seq, kept(commit.hash)
    # A seq may be anything by now: nothing here counts up to it.
    rows = events[bisect_left(events, first, key=_seq) : bisect_right(events, last, key=_seq)]
    missing = _missing([event.seq for event in rows], first, last)
    if missing:
        return [
            ChainFault(commit.game, missing[0], missing[1], "missing", _missing_said(*missing))
        ], value or prev
    for event in rows:
        prev = link(prev, event.seq, event.recorded_at, event.by, event.payload)
    if value is None:
        what = f"The chain value kept after event {last} is not 64 hex digits."
        return [ChainFault(commit.game, first, last, "changed", what)], prev
    if prev.hex() != commit.hash:
        where = f"events {first - 1} and {last}" if first > 1 else f"the start and event {last}"
        what = f"The chain breaks between {where}."
        return [ChainFault(commit.game, first, last, "changed", what)], value
    return [], value


def _seq(event: StoredEvent) -> int:
    return event.seq


def _missing(seqs: Sequence[int], first: int, last: int) -> tuple[int, int, int] | None:
    """The first and the last seq of this stretch that are not there, and how many are not."""
    gaps = [(one + 1, other - 1) for one, other in pairwise([first - 1, *seqs, last + 1]) if other - one > 1]
    if not gaps:
        return None
    return gaps[0][0], gaps[-1][1], sum(high - low + 1 for low, high in gaps)


def _missing_said(first: int, last: int, count: int) -> str:
    if count == 1:
        return f"Event {first} is missing."
    if count == last - first + 1:
        return f"Events {first} to {last} are missing."
    return f"{count} of the events {first} to {last} are missing."


def _uncommitted(extra: list[StoredEvent]) -> Iterator[ChainFault]:
    if extra:
        first, last = extra[0], extra[-1]
        belong = "belongs" if first is last else "belong"
        what = f"{_named(first.seq, last.seq).capitalize()} {belong} to no command."
        yield ChainFault(first.game, first.seq, last.seq, "uncommitted", what)


def _checksum_faults(commits: Sequence[Commit]) -> Iterator[ChainFault]:
    """Commands that differ from their checksums, or have none where one before them has; neighbours together.

    A game's id is in the checksum of each of its commands.
    """
    first, known = 1, False
    judged = []
    for commit in commits:
        judged.append((_against_checksum(commit, known=known), first, commit))
        first, known = commit.last_seq + 1, known or commit.checksum != UNCHECKED
    for code, group in groupby(judged, key=itemgetter(0)):
        found = list(group)
        if code:
            (_, start, commit), (_, _, end) = found[0], found[-1]
            what = f"The {'command' if len(found) == 1 else 'commands'} of {_named(start, end.last_seq)}"
            yield ChainFault(
                commit.game, start, end.last_seq, code, f"{what} {_SAID[code, len(found) == 1]}."
            )


_SAID = {
    ("checksum-differs", True): "does not match its checksum",
    ("checksum-differs", False): "do not match their checksums",
    ("checksum-missing", True): "has no checksum, although an earlier one has",
    ("checksum-missing", False): "have no checksum, although an earlier one has",
}


def _against_checksum(commit: Commit, *, known: bool) -> str:
    """The code of what is wrong; empty where nothing is."""
    if commit.checksum == UNCHECKED:
        return "checksum-missing" if known else ""
    seqs = (commit.first_seq, commit.last_seq)
    found = checksum(commit.game, seqs, commit.command_id, commit.request, commit.hash)
    return "" if found == commit.checksum else "checksum-differs"


def _kind_faults(event: StoredEvent) -> Iterator[ChainFault]:
    game, seq = event.game, event.seq
    inside = kind_in(event.payload)
    if inside is None:
        yield ChainFault(game, seq, seq, "unreadable", f"Event {seq} is not a JSON object with a kind.")
    elif inside != event.kind:
        what = f"The row of event {seq} says {event.kind}, its payload {inside}."
        yield ChainFault(game, seq, seq, "kind-differs", what)


def _named(first: int, last: int) -> str:
    return f"event {first}" if first == last else f"events {first} to {last}"
