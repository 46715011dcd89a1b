"""A game's effective history as one viewer observes it, renumbered: a record of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from eventstore.refusals import TextOnly
from games.core import serialization
from games.core.events import RecordRuled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.replay.game import Game
    from eventstore.replay.position import Position

_LONGEST = 64
"""Characters of a game's id."""


class Observation(NamedTuple):
    """A step, with its number and payload in the viewer's record."""

    seq: int
    payload: str
    position: Position


def observed_id(game: str, viewer: str) -> str:
    """The id of a viewer's record of a game.

    >>> observed_id("k7m2p9xwqa", "p1")
    'k7m2p9xwqa~p1'
    """
    return f"{game[: _LONGEST - 1 - len(viewer)]}~{viewer}"


def observations(game: Game) -> Iterator[Observation]:
    """The steps as the game's viewer, another than `everything`, observes them.

    Errors:  `TextOnly` for a game that cannot be folded: nobody knows what the viewer may see of it.
    """
    if not game.position().readable:
        raise TextOnly(game.id, f"what {game.viewer} may see of it is unknown")
    return (
        Observation(step + 1, _payload(position), position) for step, position in enumerate(game.positions())
    )


def _payload(position: Position) -> str:
    # The event that a ruling stands for has no number in this record.
    if isinstance(position.event, RecordRuled) and position.event.instead_of is not None:
        return serialization.encode_event(replace(position.event, instead_of=None))
    return position.payload
