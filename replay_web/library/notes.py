"""Writing, changing and removing notes, and what a note said before."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from flask import jsonify, make_response, redirect, render_template, request
from werkzeug.wrappers import Response

from eventstore.errors import TabletapeError
from eventstore.library.notes import versions
from eventstore.recording.commands import RemoveNote, WriteNote
from eventstore.refusals import StaleNote, UnknownNote
from replay_web.http import forms, viewing
from replay_web.http.access import actor
from replay_web.http.errors import answer, refusing, status_of, wants_json
from replay_web.http.forms import Key, Number
from replay_web.http.policy import PageForm, Pages, seeing_all
from replay_web.http.viewing import link, open_game

if TYPE_CHECKING:
    from eventstore.replay.game import Game

bp: Final = Pages("notes", __name__)


READS: Final = seeing_all("Notes are shown and written", "notes-hidden")
"""Notes may tell what a seat must not know."""


class TypedNote(NamedTuple):
    """What a form for a note says."""

    text: str
    glyph: str | None
    tags: tuple[str, ...]


class NoteForm(PageForm, frozen=True, kw_only=True):
    """A note, the event that it stands on, and the step that its form was on."""

    key: Key
    seq: Number
    step: Number | None = None
    text: str = ""
    glyph: str = ""
    tags: str = ""


class NoteChangeForm(PageForm, frozen=True, kw_only=True):
    """A note written anew in the place of its version `replaces`."""

    replaces: Number
    step: Number | None = None
    text: str = ""
    glyph: str = ""
    tags: str = ""


class NoteRemovalForm(PageForm, frozen=True, kw_only=True):
    """A note to be taken away."""

    key: Key
    step: Number | None = None


@bp.page("/games/<game>/notes", form=NoteForm, spoilers="hidden", who=READS)
def write(game: str) -> Response:
    """Put a note on an event; the same form sent twice writes one note."""
    opened, sent = open_game(game), forms.read(NoteForm)
    back, typed = _notes(opened, sent.step), _typed(sent)
    try:
        viewing.do(opened, WriteNote(sent.seq, **typed._asdict(), id=sent.key))
    except TabletapeError as error:
        return _with_text(error, back)
    return redirect(back, 303)


@bp.page("/games/<game>/notes/<note>", spoilers="hidden", who=READS)
def page(game: str, note: str) -> Response:
    """Show a note with all that it said before, and the form that changes it."""
    return _page(open_game(game), note, None)


@bp.page("/games/<game>/notes/<note>", form=NoteChangeForm, spoilers="hidden", who=READS)
def change(game: str, note: str) -> Response:
    """Write a note anew in the place of its version `replaces`; that stays in the note's history.

    Who comes second is shown both texts, and nothing of theirs is written.
    """
    opened, sent = open_game(game), forms.read(NoteChangeForm)
    back = _notes(opened, sent.step)
    try:
        old, stands = versions(opened, note)[-1], any(one.id == note for one in opened.all_notes)
        typed = _typed(sent, old.tags)
        if not stands or typed != (old.text, old.glyph, old.tags):
            command = _command(note, sent.replaces, typed)
            viewing.do(
                opened, WriteNote(old.seq, **typed._asdict(), note=note, replaces=sent.replaces, id=command)
            )
    except UnknownNote as error:
        return _with_text(error, back)
    except TabletapeError as error:
        return _page(open_game(game), note, error, _typed(sent))
    return redirect(back, 303)


@bp.page("/games/<game>/notes/<note>/remove", form=NoteRemovalForm, spoilers="hidden", who=READS)
def remove(game: str, note: str) -> Response:
    """Take a note away."""
    opened, sent = open_game(game), forms.read(NoteRemovalForm)
    back = _notes(opened, sent.step)
    viewing.do(opened, RemoveNote(note, id=sent.key))
    return redirect(back, 303)


def _typed(sent: NoteForm | NoteChangeForm, known: tuple[str, ...] = ()) -> TypedNote:
    """Read the form; a field of tags that stayed as it was filled in is `known`, which may hold a comma."""
    asked = (tag.strip() for tag in sent.tags.split(","))
    return TypedNote(
        text=sent.text.replace("\r\n", "\n").strip(),
        glyph=sent.glyph or None,
        tags=known if sent.tags == ", ".join(known) else tuple(dict.fromkeys(filter(None, asked))),
    )


def _command(note: str, replaces: int, typed: TypedNote) -> str:
    """Name the command by all that it says: a page that several people were given has no key of its own."""
    said = msgspec.json.encode([note, replaces, typed, actor().by])
    return f"change-{sha256(said).hexdigest()[:32]}"


def _page(game: Game, note: str, error: TabletapeError | None, typed: TypedNote | None = None) -> Response:
    """Show a note; after a refusal with what was typed in the form, beside what stands there now."""
    *earlier, last = versions(game, note)
    stands = any(one.id == note for one in game.all_notes)
    text = render_template(
        "note.html",
        game=game,
        note=last,
        stands=stands,
        earlier=earlier[::-1],
        step=game.history.where(last.seq, game.head),
        typed=typed or TypedNote(last.text, last.glyph, last.tags),
        refusal=None if error is None else str(error),
        clash=isinstance(error, StaleNote),
        may_write=stands and viewing.may_write_notes(game),
        title=viewing.title_of(game),
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


def _notes(game: Game, step: int | None) -> str:
    """Give the address of the step that the form was on; the last one where the game has become shorter."""
    return link("steps.step", game=game.id, step=min(step or 0, game.steps), _anchor="notes")
