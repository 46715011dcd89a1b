"""Writing, changing and removing notes, and what a note said before."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from flask import Blueprint, jsonify, make_response, redirect, render_template, request
from werkzeug.wrappers import Response

from eventstore.errors import TabletapeError
from eventstore.refusals import StaleNote, UnknownNote
from replay_web.http import forms, viewing
from replay_web.http.access import asker
from replay_web.http.errors import BadQuery, answer, refusing, status_of, wants_json
from replay_web.http.viewing import link, open_tape, tabletape

if TYPE_CHECKING:
    from eventstore.library.note import Note
    from eventstore.replay.game import Tape

pages: Final = Blueprint("notes", __name__)


class NotForThisViewer(viewing.NeedsAll):
    """Notes may tell what a seat must not know."""

    code_word = "notes-hidden"
    what = "Notes are shown and written"


class Typed(NamedTuple):
    """What a form for a note says."""

    text: str
    glyph: str | None
    tags: tuple[str, ...]


@pages.post("/games/<game>/notes")
def write(game: str) -> Response:
    """Put a note on an event; the same form sent twice writes one note."""
    tape = _open(game)
    back, typed = _notes(tape), _typed()
    try:
        tabletape().notes.write(
            game,
            _seq(request.form.get("seq", "")),
            **typed._asdict(),
            command_id=forms.key(),
            by=asker().by,
        )
    except TabletapeError as error:
        return _with_text(error, back)
    return redirect(back, 303)


@pages.get("/games/<game>/notes/<note>")
def page(game: str, note: str) -> Response:
    """Show a note with all that it said before, and the form that changes it."""
    return _page(_open(game), note, None)


@pages.post("/games/<game>/notes/<note>")
def change(game: str, note: str) -> Response:
    """Write a note anew in the place of its version `replaces`; that stays in the note's history.

    Who comes second is shown both texts, and nothing of his is written.
    """
    tape = _open(game)
    back = _notes(tape)
    replaces = forms.number("replaces", "which version it changes")
    try:
        old = _standing(game, note)
        typed = _typed(old.tags)
        if typed != (old.text, old.glyph, old.tags):
            tabletape().notes.write(
                game,
                old.seq,
                **typed._asdict(),
                note=note,
                replaces=replaces,
                command_id=_command(note, replaces, typed),
                by=asker().by,
            )
    except UnknownNote as error:
        return _with_text(error, back)
    except TabletapeError as error:
        return _page(tape, note, error)
    return redirect(back, 303)


@pages.post("/games/<game>/notes/<note>/remove")
def remove(game: str, note: str) -> Response:
    """Take a note away."""
    tape = _open(game)
    back = _notes(tape)
    tabletape().notes.remove(game, note, command_id=forms.key(), by=asker().by)
    return redirect(back, 303)


def _open(game: str) -> Tape:
    tape = open_tape(game)
    if not viewing.may_read_notes(tape):
        raise NotForThisViewer(tape)
    return tape


def _standing(game: str, note: str) -> Note:
    found = next((one for one in tabletape().notes.of(game) if one.id == note), None)
    if found is None:
        raise UnknownNote(game, note)
    return found


def _typed(known: tuple[str, ...] = ()) -> Typed:
    """Read the form; a field of tags that stayed as it was filled in is `known`, which may hold a comma."""
    form = request.form
    tags = form.get("tags", "")
    asked = (tag.strip() for tag in tags.split(","))
    return Typed(
        text=form.get("text", "").replace("\r\n", "\n").strip(),
        glyph=form.get("glyph") or None,
        tags=known if tags == ", ".join(known) else tuple(dict.fromkeys(filter(None, asked))),
    )


def _command(note: str, replaces: int, typed: Typed) -> str:
    """Name the command by all that it says: a page that several people were given has no key of its own."""
    said = msgspec.json.encode([note, replaces, typed, asker().by])
    return f"change-{sha256(said).hexdigest()[:32]}"


def _page(tape: Tape, note: str, error: TabletapeError | None) -> Response:
    """Show a note; after a refusal with what was typed in the form, beside what stands there now."""
    *earlier, last = tabletape().notes.versions(tape.game, note)
    stands = any(one.id == note for one in tabletape().notes.of(tape.game))
    text = render_template(
        "note.html",
        tape=tape,
        note=last,
        stands=stands,
        earlier=earlier[::-1],
        step=tape.history.where(last.seq, tape.head.seq),
        typed=Typed(last.text, last.glyph, last.tags) if error is None else _typed(),
        refusal=None if error is None else str(error),
        clash=isinstance(error, StaleNote),
        may_write=stands and viewing.may_write_notes(tape),
        title=viewing.title_of(tape),
    )
    if error is None:
        return make_response(text)
    return refusing(jsonify(error=_error(error)) if wants_json() else text, status_of(error), error.code)


def _error(error: TabletapeError) -> dict[str, Any]:
    """Give a refusal to a program; after a clash with the note as it stands, `version` and all."""
    said: dict[str, Any] = {"code": error.code, "message": str(error)}
    if isinstance(error, StaleNote):
        said |= {"theirs": msgspec.to_builtins(error.theirs), "yours": error.yours}
    return said


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
