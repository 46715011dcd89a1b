"""Writing and removing notes: the only forms of the site."""

from __future__ import annotations

import re
from typing import Final

from flask import Blueprint, redirect, request
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Response

from eventstore.errors import TabletapeError
from replay_web import viewing
from replay_web.access import asker
from replay_web.errors import BadQuery, answer, status_of
from replay_web.viewing import link, open_tape, tabletape

pages: Final = Blueprint("notes", __name__)
_DIGITS: Final = 12
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
    form = request.form
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
        return _with_text(error, game)
    return _back(game)


@pages.post("/games/<game>/notes/<note>/remove")
def remove(game: str, note: str) -> Response:
    """Take a note away."""
    tape = open_tape(game)
    if not viewing.may_read_notes(tape):
        raise NotForThisViewer
    tabletape().notes.remove(game, note, command_id=_key(request.form.get("key", "")), by=asker().by)
    return _back(game)


def _with_text(error: TabletapeError, game: str) -> Response:
    """Refuse, and give back what was typed, so that it is not lost."""
    typed = request.form.get("text", "")
    return answer(status_of(error), error.code, str(error), typed=typed, back=_notes(game))


def _back(game: str) -> Response:
    return redirect(_notes(game), 303)


def _notes(game: str) -> str:
    step = request.form.get("step", "")
    shown = int(step) if step.isascii() and step.isdigit() and len(step) <= _DIGITS else 0
    return link("steps.step", game=game, step=shown, _anchor="notes")


def _seq(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS:
        return int(text)
    raise BadQuery(f"A note stands on an event, a whole number from 1, not {text!r}.")


def _key(text: str) -> str:
    if _KEY.fullmatch(text):
        return text
    raise BadQuery("The form has lost its key: load the page again and send the note anew.")
