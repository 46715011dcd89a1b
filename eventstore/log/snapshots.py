"""Saved states that make seeking fast; every one may be deleted without loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Kept = tuple[int, bytes, bytes]
"""step, digest of what was folded up to it, state."""


class Snapshots(Protocol):
    """States keyed by game, viewer and digest of what was folded: no rewrite can make one stale."""

    def put_all(self, game: str, viewer: str, kept: Iterable[Kept]) -> None:
        """Keep states; the same key again replaces one. Ignored for a game that is not there."""
        ...

    def get(
        self, game: str, viewer: str, candidates: Sequence[tuple[int, bytes]]
    ) -> tuple[int, bytes] | None:
        """The state with the highest step among these (step, digest) keys."""
        ...

    def nearest(
        self, game: str, viewer: str, step: int, digest_of: Callable[[int], bytes]
    ) -> tuple[int, bytes] | None:
        """The kept state nearest below or at `step` whose digest is what `digest_of` gives for its step."""
        ...

    def clear(self, game: str | None = None) -> int:
        """Delete one game's or all; how many went."""
        ...

    def bytes_used(self, game: str) -> int:
        """The sum of the lengths of a game's states."""
        ...
