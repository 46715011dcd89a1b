"""What every page of a game needs: the game as the visitor may see it, links that keep the viewer, names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from flask import current_app, g, request, url_for
from werkzeug.exceptions import Forbidden, NotFound

from games.core.ruleset import EVERYTHING, TABLE
from replay_web.http import policy
from replay_web.http.access import actor
from replay_web.http.bidi import isolated, isolated_names

if TYPE_CHECKING:
    from eventstore.recording.commands import Answer, Command
    from eventstore.replay.game import Game
    from eventstore.store import Store

FORM_KEY: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")
"""What the key of a form looks like, by which it is recorded once however often it is sent."""


HIDDEN: Final = "hidden"
"""The word of `?later=`; see `spoilers.py`."""
MOST: Final = 10**12 - 1
"""Nothing here is counted further."""


class NeedsAll(Forbidden):
    """A page for those who are shown everything: others could find out what is hidden by trying."""

    code_word = "corrections-hidden"

    def __init__(self, game: Game, what: str = "A record is corrected", code: str = code_word) -> None:
        can = EVERYTHING in game.views
        way = "choose “see as everything”" if can else "that takes a table key"
        super().__init__(f"{what} where everything is shown: {way}.")
        self.code_word = code


def opened_store() -> Store:
    """Give the store that this site shows."""
    return cast("Store", current_app.extensions["tabletape"])


def viewer() -> str:
    """Give the viewer that the address asks for, `?as=`; empty if it names none."""
    return request.args.get("as", "")


def shown(game: Game) -> Game:
    """The same game with names that keep their own direction of writing on a page."""
    return replace(game, names=isolated_names(game.names))


def do(game: Game, command: Command) -> Answer:
    """Do a command on a game that was opened here.

    Errors:  as of `Store.do`.
    """
    return opened_store().do(game, command)


def open_game(game: str) -> Game:
    """Open a game as `?as=` asks, else as the asker may see most of it; as the page declares who may use it.

    Errors:  as of `Store.game`, and `NeedsAll`.
    """
    opened = shown(opened_store().game(game, actor(), viewer() or None))
    g.viewer, g.game = opened.viewer, opened
    who = policy.asked().who
    if who.needs == "a view of everything" and not shows_all(opened):
        raise NeedsAll(opened, who.what, who.code)
    return opened


class NoSuchStep(NotFound):
    """A step that the game has not."""

    code_word = "unknown-step"

    def __init__(self, step: int, last: int) -> None:
        known = "" if hides_later() else f": its steps are 0 to {last}"
        super().__init__(f"This game has no step {step}{known}.")


def known(game: Game, step: int) -> int:
    """Give the number of a step back.

    Errors:  `NoSuchStep`.
    """
    if not 0 <= step <= game.steps:
        raise NoSuchStep(step, game.steps)
    return step


def hides_later() -> bool:
    """Tell whether the address asks for nothing that comes later."""
    return request.args.get("later") == HIDDEN


def whole(text: str) -> int | None:
    """Read a whole number from 0 on; None where it is none, or longer than anything here is counted.

    >>> whole("12"), whole("-1"), whole("²"), whole("9" * 5000)
    (12, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(MOST)) else None


def link(endpoint: str, **values: Any) -> str:
    """Link to a page for the same viewer; it hides spoilers if this page does."""
    here = g.get("viewer", EVERYTHING)
    if here != EVERYTHING:
        values.setdefault("as", here)
    if hides_later():
        values.setdefault("later", HIDDEN)
    return url_for(endpoint, **values)


def shows_all(game: Game) -> bool:
    """Tell whether nothing is hidden from the one who looks."""
    return game.shows_all


def viewers(game: Game) -> list[tuple[str, str]]:
    """List the viewers that the visitor may choose, with what to call them."""
    called = {EVERYTHING: "everything", TABLE: "the table", **game.names}
    return [(view, called.get(view, view)) for view in game.views]


def may_read_notes(game: Game) -> bool:
    """Tell whether notes are shown: people write in them what a seat may not know."""
    return shows_all(game)


def may_write_notes(game: Game) -> bool:
    """Tell whether the asker is offered the form for notes."""
    return may_read_notes(game) and actor().may_write and not opened_store().read_only


def may_record(game: Game) -> bool:
    """Tell whether the asker is offered the sheet and its forms."""
    return game.text_only is None and actor().may_write and not opened_store().read_only


def title_of(game: Game) -> str:
    """Call a game by its title, else by who plays."""
    players = " – ".join(game.names.get(seat, seat) for seat in game.seats)
    return isolated(game.details.title or "") or players or game.id
