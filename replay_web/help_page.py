"""The shortcuts, and which rulesets are installed."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from flask import Blueprint, render_template

from replay_web.keys import KEYS
from replay_web.viewing import tabletape

if TYPE_CHECKING:
    from games.ruleset import Ruleset

pages: Final = Blueprint("help", __name__)


@pages.get("/help")
def shortcuts() -> str:
    """Show the table of keys."""
    return render_template("help.html", keys=KEYS, rulesets=tabletape().registry.newest().values())


def numbers(ruleset: Ruleset[Any]) -> str:
    """Say how many may play, as `2 to 5` or `2, 4 or 6`."""
    first, *more = ruleset.seats
    if not more:
        return str(first)
    if all(other == one + 1 for one, other in pairwise(ruleset.seats)):
        return f"{first} to {more[-1]}"
    return f"{', '.join(map(str, ruleset.seats[:-1]))} or {more[-1]}"
