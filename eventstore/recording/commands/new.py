"""Begin a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import msgspec

from eventstore.library import details
from eventstore.log.ids import digest, is_command_id, is_game_id, named_id
from eventstore.log.rows import Append, Details
from eventstore.log.tables import PutDetails
from eventstore.recording.commands.command import Command, Decision, rows_of
from eventstore.refusals import BadId
from games.core import start
from games.core.events import Origin
from games.core.ruleset import EVERYTHING

if TYPE_CHECKING:
    from eventstore.access.actor import Actor
    from eventstore.replay.game import Game
    from games.core.ruleset import Random, Ruleset


GAME_ID: Final = 10
"""Characters of an id that is drawn."""


class New(Command, frozen=True):
    """Begin a game.

    Errors:  `UnknownRuleset`, `BadData`, `BadDetail`, `BadId`, `GameIdTaken`; `IllegalAction` for a wrong
             number of players, an unknown option, value or viewer.
    """

    ruleset: str
    """The id of its rules."""
    players: Sequence[str]
    """Names by seat, empty where a seat has none."""
    options: Mapping[str, Any] | None = None
    data: bytes | None = None
    """A card file."""
    origin: Origin = "table"
    seen_as: str = EVERYTHING
    title: str | None = None
    played_on: str | None = None
    """None: today in `time_zone`."""
    time_zone: str | None = None
    place: str | None = None
    version: int | None = None
    """Of the rules; None is the newest."""
    game: str | None = None
    """Its id; None: the command's id, or ten characters made of one that no game can have."""

    begins: ClassVar[bool] = True
    unwritten: ClassVar[str] = "this game was not started"

    def complete(self, draw: Callable[[int], str]) -> Self:
        """See `Command`."""
        return msgspec.structs.replace(self, game=new_game_id(self.game, self.id, draw))

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        file = None if self.data is None else sha256(self.data).hexdigest()
        return digest(
            "new", self.ruleset, list(self.players), dict(self.options or {}), file, self.origin,
            self.seen_as, self.title, self.played_on, self.time_zone, self.place, self.version, actor.by,
        )  # fmt: skip

    def begin(self, rules: Ruleset[Any], game: str, today: str, actor: Actor) -> Decision:
        """Decide it: a game that is begun has no game before it.

        Rules:   those that `ruleset` and `version` name.
        Game:    the new id.
        Today:   the day in `time_zone`.
        """
        typed = self.details()
        if typed.played_on is None:
            typed = Details(typed.title, today, typed.time_zone, typed.place, typed.names)
        started = start.started(
            rules,
            len(self.players),
            options=self.options,
            data=self.data,
            origin=self.origin,
            seen_as=self.seen_as,
        )
        rows = rows_of([started], actor.by)
        append = Append(game, rows, 0, self.id or game, self.request(game, actor))
        return Decision(None, self, append, (PutDetails(game, typed),))

    def details(self) -> Details:
        """What was typed, checked.

        Errors:  `BadDetail`.
        """
        names = {f"p{number}": text for number, text in enumerate(self.players, 1)}
        return details.checked(Details(self.title, self.played_on, self.time_zone, self.place, names))

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `begin`: there is no game yet that it could be decided on."""
        _ = game, chance
        raise TypeError("New is decided by `begin`")


def new_game_id(asked_for: str | None, command_id: str | None, draw: Callable[[int], str]) -> str:
    """The id of a new game: the one asked for, else one derived from the command id, else a random one.

    Errors:  `BadId`.
    """
    name = asked_for or _id_of(command_id) or draw(GAME_ID)
    if not is_game_id(name):
        raise BadId(name)
    return name


def _id_of(command_id: str | None) -> str:
    if command_id is None or is_game_id(command_id) or not is_command_id(command_id):
        return command_id or ""
    return named_id(command_id)
