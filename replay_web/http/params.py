"""Whole numbers in forms and addresses: read in one place, refused with the bounds that they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from werkzeug.routing import IntegerConverter

from replay_web.http.errors import BadQuery
from replay_web.http.viewing import MOST, whole

if TYPE_CHECKING:
    from eventstore.replay.game import Game

ORIGINS: Final = ("table", "dealt", "simulated")
"""How a game came about, as addresses ask for it."""


class Digits(IntegerConverter):
    """A whole number in a path, in ASCII digits; the framework takes other digits too.

    A number too large for any game is read all the same: the page says what there is.
    """

    regex = "[0-9]{1,100}"


def within(text: str, what: str, least: int, most: int = MOST) -> int:
    """Read a whole number; `what` begins the sentence that refuses another.

    Errors:  `BadQuery`.
    """
    found = whole(text)
    if found is None or not least <= found <= most:
        raise _beyond(text, what, least, most)
    return found


def step(text: str, game: Game) -> int:
    """Read the number of a step, which the game may not have.

    Errors:  `BadQuery`.
    """
    found = whole(text)
    if found is None:
        raise _beyond(text, "A step is", 0, game.steps)
    return found


def _beyond(text: str, what: str, least: int, most: int) -> BadQuery:
    return BadQuery(f"{what} a whole number from {least} to {most}, not {text!r}.")
