"""Pages that are told at once when something was recorded: each holds a thread, so they are few."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Condition
from time import monotonic
from typing import Final

LOOK: Final = 0.5
"""Seconds after which is looked for what other programs recorded; what this one did is told at once."""
BEAT: Final = 10.0
"""Seconds after which a line without meaning shows whether anybody is still there."""
LONGEST: Final = 60.0
"""Seconds after which a stream ends; a page that still wants one asks again, and others have their turn."""
RETRY: Final = 1000
"""Milliseconds after which a page whose stream has ended asks for the next."""
AGAIN: Final = 60
"""Seconds after which a page that got none may ask again."""


class Streams:
    """The streams that are open, at most so many; threads may share one."""

    def __init__(self, most: int, clock: Callable[[], float] = monotonic) -> None:
        self.most = most
        self.clock = clock
        self._changed = Condition()
        self._open: set[object] = set()
        self._told = 0
        self._ended = False

    def enter(self) -> object | None:
        """Take a place; None where all are taken."""
        with self._changed:
            if len(self._open) >= self.most:
                return None
            place = object()
            self._open.add(place)
            return place

    def leave(self, place: object) -> None:
        """Give a place back; giving it back twice is allowed."""
        with self._changed:
            self._open.discard(place)

    def tell(self) -> None:
        """Let every stream look at once."""
        with self._changed:
            self._told += 1
            self._changed.notify_all()

    def end(self) -> None:
        """End all streams, also those to come, after one look."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def looks(self) -> Iterator[float]:
        """Give the time whenever it is worth looking, until the stream has to end."""
        begun = self.clock()
        while True:
            told = self._told
            yield self.clock()
            if self._ended or self.clock() - begun >= LONGEST:
                return
            self._wait(told)

    def _wait(self, told: int) -> None:
        """Wait until somebody records here, or for a moment."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._told != told, LOOK)


def lines(streams: Streams, since: str, newest: Callable[[], str | None]) -> Iterator[str]:
    """Write a stream: a line whenever something newer is there than what was told last.

    newest: gives what is newest now; None ends the stream.
    """
    yield f"retry: {RETRY}\n\n"
    last, spoke = since, streams.clock()
    for now in streams.looks():
        found = newest()
        if found is None:
            return
        if found != last:
            last, spoke = found, now
            yield f"id: {found}\ndata: {found}\n\n"
        elif now - spoke >= BEAT:
            spoke = now
            yield ": \n\n"
