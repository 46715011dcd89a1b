"""A note as a value."""

from __future__ import annotations

import msgspec


class Note(msgspec.Struct, frozen=True):
    """A note as it stands."""

    id: str
    seq: int
    """The event of the game that it is on."""
    at: str
    """When it was written last, UTC."""
    by: str
    """The key of who wrote it last."""
    text: str
    glyph: str | None = None
    """One of `! ? !! ?? !? ?!`."""
    tags: tuple[str, ...] = ()
    version: int = 0
    """Its last event in the stream of notes: what an edit names as `replaces`."""
