"""What every page of a game needs: the tape as the asker may see it, links that keep his eyes, names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from flask import current_app, g, request, url_for

from games.ruleset import EVERYTHING, TABLE

if TYPE_CHECKING:
    from eventstore.moment import Tape
    from eventstore.tabletape import Tabletape


def tabletape() -> Tabletape:
    """Give the store that this site shows."""
    return cast("Tabletape", current_app.extensions["tabletape"])


def viewer() -> str:
    """Say whose eyes the address asks for: `?as=`."""
    return request.args.get("as", "") or EVERYTHING


def open_tape(game: str) -> Tape:
    """Open a game for the asker; errors as in `Replayer.tape`."""
    tape = tabletape().replayer.tape(game, viewer())
    g.viewer = tape.viewer
    return tape


def link(endpoint: str, **values: Any) -> str:
    """Link to a page, seen by the same eyes."""
    eyes = g.get("viewer", EVERYTHING)
    if eyes != EVERYTHING:
        values.setdefault("as", eyes)
    return url_for(endpoint, **values)


def viewers(tape: Tape) -> list[tuple[str, str]]:
    """List who can look at a game, with what to call him."""
    return [
        (EVERYTHING, "everything"),
        (TABLE, "the table"),
        *((seat, tape.names.get(seat, seat)) for seat in tape.seats),
    ]


def may_read_notes(tape: Tape) -> bool:
    """Tell whether notes are shown: people write in them what a seat may not know."""
    return tape.viewer == EVERYTHING or (tape.ruleset is not None and not tape.ruleset.hides)


def may_write_notes(tape: Tape) -> bool:
    """Tell whether the asker is offered the form for notes."""
    return may_read_notes(tape) and not tabletape().log.read_only


def title_of(tape: Tape, title: str | None) -> str:
    """Call a game by its title, else by who plays."""
    return title or " – ".join(tape.names.get(seat, seat) for seat in tape.seats) or tape.game
