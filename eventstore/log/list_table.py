"""The list of games, as a log keeps it: what follows from events, and the words that a search looks through.

The rows follow from the log, so that they may be lost; `followed` says up to which position of the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

Followed = Literal["standings", "texts"]
"""What is brought up to date by itself."""


class StandingRow(msgspec.Struct, frozen=True):
    """What follows from a game's events; JSON stands as text, so that a log knows no game."""

    game: str
    ruleset: str
    version: int
    origin: str
    parent: str | None
    """JSON."""
    seats: str
    """JSON."""
    steps: int
    seq: int
    status: str
    result: str | None
    """JSON."""


class TextRow(msgspec.Struct, frozen=True):
    """The words of a game, each once, as they were found at these heads."""

    game: str
    notes: str
    captions: str
    seq: int
    notes_seq: int


class ListedRow(msgspec.Struct, frozen=True):
    """A game of the list.  In a damaged row a value may be of another type, and a text no JSON."""

    standing: StandingRow
    title: str | None
    played_on: str | None
    time_zone: str | None
    place: str | None
    hidden: bool
    created_at: str | None
    """When the first event was recorded."""
    names: Mapping[str, str]
    """Seat → name as typed."""


class ListQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which games are asked for, the one played last first; None asks for nothing."""

    ruleset: str | None = None
    player: str | None = None
    """A part of a name, folded; an empty one is part of none."""
    origin: str | None = None
    """Without it, or `of`, all but the simulated games."""
    hidden: bool = False
    """With the hidden games."""
    variations: bool = False
    """With the variations."""
    of: str | None = None
    """The variations of this game alone."""
    words: tuple[str, ...] | None = None
    """Each must begin a word of the typed texts, the notes or the captions."""
    notes: bool = True
    """Words are looked for in notes, too."""
    limit: int | None = None
    offset: int = 0


class ListTable(Protocol):
    """Rows of the list of games; each call sees one moment, and is done as a whole or not at all."""

    @property
    def writable(self) -> bool:
        """Rows can be put, as far as the disk takes them."""
        ...

    def rows(self, query: ListQuery) -> list[ListedRow]:
        """The games of the list that fit, of those that have a standing.

        Order:   by the day of play, then by when they were begun, the last first.
        """
        ...

    def changed(self, what: Followed) -> tuple[int, list[str]]:
        """The last position of the log, and the games of which something was appended since `follow`."""
        ...

    def missing(self) -> list[tuple[str, str, int]]:
        """Game, ruleset and version of each standing whose status is `missing`."""
        ...

    def put_standings(self, rows: Sequence[StandingRow]) -> None:
        """Keep standings; one of an earlier head than what is kept is left out."""
        ...

    def put_texts(self, rows: Sequence[TextRow]) -> None:
        """Keep words; those found at earlier heads than what the log has by now are left out."""
        ...

    def follow(self, what: Followed, position: int) -> None:
        """Say that everything up to this position is followed up; it never goes back."""
        ...

    def copied(self, *, texts: bool) -> AbstractContextManager[ListTable]:
        """Lend a copy that can be written where this cannot, with or without the words."""
        ...
