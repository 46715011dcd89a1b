"""Games as records: open one, record moves, correct, annotate, list and export.

`Store` opens games and does commands; `Game` is one game at one head, for one actor.  The rooms, from below:
`log` (rows, chain, history; knows no game), `sqlite` (the same in a database), `access` (who asks), `replay`
(a game folded for a viewer), `library` (lists, details, notes), `recording` (commands and how they are
decided), then `formats`, `statistics` and `audit` over the store.  Nothing in here draws or prints.

The names are loaded when they are first used, so that a part costs no more than itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.lazy_names import lazy_names

if TYPE_CHECKING:
    from eventstore.access.actor import OWNER, Actor
    from eventstore.errors import TabletapeError
    from eventstore.recording.commands import (
        Amend,
        Answer,
        Branch,
        Check,
        Command,
        Deal,
        Decision,
        New,
        Record,
        Redo,
        RemoveNote,
        Restore,
        Rule,
        Undo,
        WriteNote,
    )
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from eventstore.store import Store

__all__ = [
    "OWNER",
    "Actor",
    "Amend",
    "Answer",
    "Branch",
    "Check",
    "Command",
    "Deal",
    "Decision",
    "Game",
    "New",
    "Position",
    "Record",
    "Redo",
    "RemoveNote",
    "Restore",
    "Rule",
    "Store",
    "TabletapeError",
    "Undo",
    "WriteNote",
]

__getattr__ = lazy_names(
    __name__,
    {
        "eventstore.access.actor": ("OWNER", "Actor"),
        "eventstore.errors": ("TabletapeError",),
        "eventstore.recording.commands": (
            "Amend",
            "Answer",
            "Branch",
            "Check",
            "Command",
            "Deal",
            "Decision",
            "New",
            "Record",
            "Redo",
            "RemoveNote",
            "Restore",
            "Rule",
            "Undo",
            "WriteNote",
        ),
        "eventstore.replay.game": ("Game",),
        "eventstore.replay.position": ("Position",),
        "eventstore.store": ("Store",),
    },
)
