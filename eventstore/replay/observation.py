"""A game's effective history as one viewer is told it, renumbered: a record of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from eventstore.refusals import TextOnly
from games.core import serialization
from games.core.events import RecordRuled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.replay.game import Moment
    from eventstore.store import Tabletape

_LONGEST = 64
"""Characters of a game's id."""


class Told(NamedTuple):
    """A step, with its number and payload in the viewer's record."""

    seq: int
    payload: str
    moment: Moment


def told_id(game: str, viewer: str) -> str:
    """The id of a viewer's record of a game.

    >>> told_id("k7m2p9xwqa", "p1")
    'k7m2p9xwqa~p1'
    """
    return f"{game[: _LONGEST - 1 - len(viewer)]}~{viewer}"


def told(tape: Tabletape, game: str, viewer: str) -> Iterator[Told]:
    """The steps as a viewer other than `everything` is told them.

    Errors:  `TextOnly` for a game that cannot be folded: nobody knows what he may see of it.
    """
    last = tape.replayer.at(game, viewer=viewer)
    if not last.readable:
        raise TextOnly(game, f"what {viewer} may see of it is unknown")
    moments = tape.replayer.moments(game, viewer=viewer)
    return (Told(step + 1, _payload(moment), moment) for step, moment in enumerate(moments))


def _payload(moment: Moment) -> str:
    # The event that a ruling stands for has no number in this record.
    if isinstance(moment.event, RecordRuled) and moment.event.instead_of is not None:
        return serialization.encode_event(replace(moment.event, instead_of=None))
    return moment.payload
