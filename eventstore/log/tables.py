"""Changes of the tables beside the events, as values: a log writes them in the transaction of a commit.

A change belongs to a game. It is written only if the commit adds events to that game: a repeated command
changes nothing.
"""

from __future__ import annotations

import msgspec

from eventstore.log.list_table import StandingRow
from eventstore.log.rows import Details
from eventstore.log.snapshots import Kept


class PutDetails(msgspec.Struct, frozen=True):
    """Keep these details in the place of those that are kept."""

    game: str
    details: Details


class PutParent(msgspec.Struct, frozen=True):
    """Keep which game a variation leaves, so that its parent's pages find it at once."""

    game: str
    parent: str
    """The parent as JSON, as the first event has it."""


class PutHidden(msgspec.Struct, frozen=True):
    """Leave the game out of the lists."""

    game: str


class PutSnapshots(msgspec.Struct, frozen=True):
    """Keep states of a game; each can be lost without harm."""

    game: str
    viewer: str
    kept: tuple[Kept, ...]


class PutStanding(msgspec.Struct, frozen=True):
    """Keep what follows from the events of a new simulated game, of which nobody searches for words.

    Where a commit brings only such games and all before it was followed up, nothing is to be followed up.
    """

    standing: StandingRow

    @property
    def game(self) -> str:
        """The game that it belongs to."""
        return self.standing.game


TableChange = PutDetails | PutParent | PutHidden | PutSnapshots | PutStanding
