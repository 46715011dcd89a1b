"""What a log in memory holds, and the one lock that keeps it together."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from eventstore.errors import LogClosed

if TYPE_CHECKING:
    from eventstore.log.list_table import Followed, StandingRow, TextRow
    from eventstore.log.rows import Commit, Details, StoredEvent


@dataclass
class MemoryStream:
    """The rows of one stream."""

    events: list[StoredEvent] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)


@dataclass
class MemoryState:
    """Everything that the log and its tables hold; touched while `held` alone."""

    streams: dict[str, MemoryStream] = field(default_factory=dict)
    everything: list[StoredEvent] = field(default_factory=list)
    details: dict[str, Details] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    standings: dict[str, StandingRow] = field(default_factory=dict)
    texts: dict[str, TextRow] = field(default_factory=dict)
    followed: dict[Followed, int] = field(default_factory=dict)
    closed: bool = False
    lock: Lock = field(default_factory=Lock)

    def held(self) -> Lock:
        """Give the lock, to be entered.

        Errors:  `LogClosed`.
        """
        if self.closed:
            raise LogClosed
        return self.lock

    def head(self, stream: str) -> int:
        """The last event of a stream; 0 where there is none."""
        found = self.streams.get(stream)
        return 0 if found is None else len(found.events)
