"""Snapshots in a dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eventstore.log.snapshots import Kept


class MemorySnapshots:
    """See `Snapshots`."""

    def __init__(self, known: Callable[[str], bool]) -> None:
        self._known = known
        self._kept: dict[tuple[str, str], dict[tuple[int, bytes], bytes]] = {}

    def put_all(self, game: str, viewer: str, kept: Iterable[Kept]) -> None:
        """See `Snapshots`."""
        if self._known(game):
            shelf = self._kept.setdefault((game, viewer), {})
            shelf.update({(step, digest): state for step, digest, state in kept})

    def get(
        self, game: str, viewer: str, candidates: Sequence[tuple[int, bytes]]
    ) -> tuple[int, bytes] | None:
        """See `Snapshots`."""
        shelf = self._kept.get((game, viewer), {})
        found = [(step, shelf[step, digest]) for step, digest in candidates if (step, digest) in shelf]
        return max(found, default=None)

    def nearest(
        self, game: str, viewer: str, step: int, digest_of: Callable[[int], bytes]
    ) -> tuple[int, bytes] | None:
        """See `Snapshots`."""
        shelf = dict(self._kept.get((game, viewer), {}))
        for key in sorted((key for key in shelf if key[0] <= step), reverse=True):
            if digest_of(key[0]) == key[1]:
                return key[0], shelf[key]
        return None

    def clear(self, game: str | None = None) -> int:
        """See `Snapshots`."""
        going = [key for key in tuple(self._kept) if game in (None, key[0])]
        return sum(len(self._kept.pop(key)) for key in going)

    def bytes_used(self, game: str) -> int:
        """See `Snapshots`."""
        return sum(
            len(state)
            for key, shelf in tuple(self._kept.items())
            if key[0] == game
            for state in tuple(shelf.values())
        )
