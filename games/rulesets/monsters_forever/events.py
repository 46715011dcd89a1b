"""What happens in Monsters Forever: moves, attacks, retreats, the pantry, the end of a turn, resignation."""

from __future__ import annotations

from typing import Annotated

import msgspec

from games.core.events import Event

Team = Annotated[str, msgspec.Meta(pattern="^[A-F]$")]
"""A team's letter, clockwise round the star; `A` is at the top and begins."""
Cell = Annotated[str, msgspec.Meta(pattern="^[A-F][1-8]$")]
"""A triangle: the letter of its sector and its number there, 1 at the tip and 8 in the middle."""
Seat = Annotated[str, msgspec.Meta(pattern="^p[1-9][0-9]*$")]


class CreatureMoved(Event, frozen=True, tag="creature_moved"):
    """A creature of the team on turn went to a free adjacent cell."""

    team: Team
    from_: Cell = msgspec.field(name="from")
    to: Cell


class CreatureAttacked(Event, frozen=True, tag="creature_attacked"):
    """A creature of the team on turn attacked an enemy beside it; whether it is caught is derived."""

    team: Team
    from_: Cell = msgspec.field(name="from")
    target: Cell


class CreatureRetreated(Event, frozen=True, tag="creature_retreated"):
    """The attacked creature fled to a free cell beside it; `team` is its own team."""

    team: Team
    from_: Cell = msgspec.field(name="from")
    to: Cell


class RetreatDeclined(Event, frozen=True, tag="retreat_declined"):
    """The attacked creature stayed where it was; `team` is its own team."""

    team: Team
    cell: Cell


class PantryOpened(Event, frozen=True, tag="pantry_opened"):
    """The team on turn used so many creatures of its pantry, each for one more move or attack."""

    team: Team
    count: Annotated[int, msgspec.Meta(ge=1)]


class TurnEnded(Event, frozen=True, tag="turn_ended"):
    """The team on turn was done; what it had left lapsed."""

    team: Team


class PlayerResigned(Event, frozen=True, tag="player_resigned"):
    """A player gave up while others play on: all their teams left the game."""

    player: Seat


EVENTS: tuple[type[Event], ...] = (
    CreatureMoved,
    CreatureAttacked,
    CreatureRetreated,
    RetreatDeclined,
    PantryOpened,
    TurnEnded,
    PlayerResigned,
)
