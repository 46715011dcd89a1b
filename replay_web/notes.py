"""Writing and removing notes: the only forms of the site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from flask import Blueprint, redirect, request
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Response

from eventstore.errors import TabletapeError
from replay_web import forms, viewing
from replay_web.access import asker
from replay_web.errors import BadQuery, answer, status_of
from replay_web.viewing import link, open_tape, tabletape

if TYPE_CHECKING:
    from eventstore.moment import Tape

pages: Final = Blueprint("notes", __name__)
_KEY: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")


class NotForThisViewer(Forbidden):
    """Notes may tell what a seat must not know."""

    code_word = "notes-hidden"
    description = "Notes are shown and written only where everything is shown: choose “see as everything”."


@pages.post("/games/<game>/notes")
def write(game: str) -> Response:
    """Put a note on an event; the same form sent twice writes one note."""
    tape = open_tape(game)
    if not viewing.may_read_notes(tape):
        raise NotForThisViewer
    form, back = request.form, _notes(tape)
    try:
        tabletape().notes.write(
            game,
            _seq(form.get("seq", "")),
            text=form.get("text", "").replace("\r\n", "\n").strip(),
            glyph=form.get("glyph") or None,
            tags=tuple(form.get("tags", "").split()),
            command_id=_key(form.get("key", "")),
            by=asker().by,
        )
    except TabletapeError as error:
        return _with_text(error, back)
    return redirect(back, 303)


@pages.post("/games/<game>/notes/<note>/remove")
def remove(game: str, note: str) -> Response:
    """Take a note away."""
    tape = open_tape(game)
    if not viewing.may_read_notes(tape):
        raise NotForThisViewer
    back = _notes(tape)
    tabletape().notes.remove(game, note, command_id=_key(request.form.get("key", "")), by=asker().by)
    return redirect(back, 303)


def _with_text(error: TabletapeError, back: str) -> Response:
    """Refuse, and give back what was typed, so that it is not lost."""
    typed = request.form.get("text", "")
    return answer(status_of(error), error.code, str(error), typed=typed, back=back)


def _notes(tape: Tape) -> str:
    """Give the address of the step that the form was on; the last one where the game has become shorter."""
    step = min(forms.number("step", "on which step it was"), tape.steps) if "step" in request.form else 0
    return link("steps.step", game=tape.game, step=step, _anchor="notes")


def _seq(text: str) -> int:
    found = viewing.whole(text)
    if found is None:
        raise BadQuery(f"A note stands on an event, a whole number from 1, not {text!r}.")
    return found


def _key(text: str) -> str:
    if _KEY.fullmatch(text):
        return text
    raise BadQuery("The form has lost its key: load the page again and send the note anew.")
