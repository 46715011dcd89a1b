"""Recording in the browser: the page with the sheet, and the forms that it sends."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import msgspec
from flask import (
    Response,
    get_template_attribute,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
)
from flask.sansio.blueprints import BlueprintSetupState
from werkzeug.wrappers import Response as AnyResponse

from eventstore.errors import Conflict, TabletapeError
from eventstore.recording.recorder import Answer
from eventstore.refusals import UndoPastDraw
from games.core.ruleset import CHANCE, IllegalAction
from games.core.scene import Cell, Scene
from replay_web.http import forms, viewing
from replay_web.http.access import asker
from replay_web.http.errors import refusing, wants_json
from replay_web.http.forms import Number, RecordingForm, Yes
from replay_web.http.policy import Pages
from replay_web.http.viewing import link, open_tape, tabletape
from replay_web.models import action_form, answers, refusals
from replay_web.models.answers import AnswerForm
from replay_web.models.examples import examples
from replay_web.models.refusals import Refusal
from replay_web.models.step_blocks import panels
from replay_web.models.step_view import Picture, Row, chunk, pictures, rows
from replay_web.record import hidden_cards
from replay_web.record.undo_warning import untold

if TYPE_CHECKING:
    from eventstore.replay.game import Moment, Tape
    from games.core.events import Event

pages: Final = Pages("recording", __name__)


class UndoForm(RecordingForm, frozen=True, kw_only=True):
    """Take back the last entry, or `again` so many of which some were dealt."""

    again: Number | None = None


class DealForm(RecordingForm, frozen=True, kw_only=True):
    """Deal once, or `all` until somebody has to decide."""

    all: Yes | None = None


ECHOED: Final = 3
"""Entries that stand above the sheet."""
WORTH_PACKING: Final = 2048
"""Bytes of an answer from which on it is sent packed."""


@pages.record_once
def _teach(state: BlueprintSetupState) -> None:
    """Let the templates draw the fronts of cards."""
    state.app.jinja_env.globals.update(fronts_of=action_form.fronts, front_id=action_form.front_id)


@pages.page("/games/<game>/record", json="asked")
def page(game: str) -> AnyResponse:
    """Show the last step with the sheet of what can be recorded; `?part=1`: only what changes, as JSON."""
    tape = open_tape(game)
    if request.args.get("part") == "1":
        return _json(_part(tape), 200)
    return make_response(_page(tape, None))


@pages.page("/games/<game>/events", form=AnswerForm, json="asked")
def events(game: str) -> AnyResponse:
    """Record what was tapped, filled in or typed; the same form sent twice records once."""
    tape = open_tape(game)
    return _do(tape, forms.read(AnswerForm), lambda sent: _record(tape, sent))


@pages.page("/games/<game>/undo", form=UndoForm, json="asked")
def undo(game: str) -> AnyResponse:
    """Take the last entry back; `again` allows it for what was dealt, and says how many entries."""
    tape = open_tape(game)
    asked = forms.read(UndoForm)
    again, entries = asked.again is not None, max(asked.again or 1, 1)
    recorder, seat = tabletape().recorder, asker().seat_in(tape)
    return _do(tape, asked, lambda sent: recorder.undo(game, entries, again=again, seat=seat, **sent))


@pages.page("/games/<game>/redo", form=RecordingForm, json="asked")
def redo(game: str) -> AnyResponse:
    """Bring back what was taken back last."""
    tape = open_tape(game)
    recorder, seat = tabletape().recorder, asker().seat_in(tape)
    return _do(tape, forms.read(RecordingForm), lambda sent: recorder.redo(game, seat=seat, **sent))


@pages.page("/games/<game>/deal", form=DealForm, json="asked")
def deal(game: str) -> AnyResponse:
    """Deal or throw once, or (`all`) until somebody has to decide."""
    tape = open_tape(game)
    asked = forms.read(DealForm)
    every = asked.all is not None
    recorder = tabletape().recorder
    return _do(tape, asked, lambda sent: recorder.deal(game, until_decision=every, **sent))


# --- what is sent ------------------------------------------------------------------------------------


def _do(tape: Tape, asked: RecordingForm, command: Callable[[dict[str, Any]], Answer]) -> AnyResponse:
    """Run a command; answer with the page as it is then, or with the refusal on it."""
    after = asked.after
    sent: dict[str, Any] = {"after": after, "command_id": forms.command(), "by": asker().by}
    try:
        answer = command(sent)
    except (IllegalAction, answers.Unanswered, TabletapeError) as error:
        return _refused(tape, _refusal(tape, error, after))
    if not wants_json():
        return redirect(link("recording.page", game=tape.game, _anchor="sheet"), 303)
    told = cast("dict[str, Any]", msgspec.to_builtins(answer))
    return _json({**told, **_part(open_tape(tape.game))}, refusals.status_when(answer))


def _record(tape: Tape, sent: dict[str, Any]) -> Answer:
    """Record the events of the form; a repeat is told the first answer before anything is read."""
    store, seat = tabletape(), asker().seat_in(tape)
    answered = store.recorder.answered(tape.game, sent["command_id"])
    if answered is not None:
        return answered
    if seat is not None:  # his own eyes judge, whichever he looks through
        tape = store.replayer.tape(tape.game, asker().views(tape)[0])
    moment = store.replayer.at(tape.game, None, tape.viewer)
    if sent["after"] != moment.head:
        raise Conflict(moment.head, tape.game)
    return store.recorder.record(
        tape.game, _events(tape, moment, seat), viewer=tape.viewer, seat=seat, **sent
    )


def _events(tape: Tape, moment: Moment, seat: str | None) -> Sequence[Event | Mapping[str, Any]]:
    form = request.form
    if "event" in form:
        return (answers.decoded("event", form["event"]),)
    if "fixed" in form:
        offered = action_form.sheet(tape, moment, seat)
        taken = partial(action_form.accepted, moment.ruleset, moment.state)
        return (answers.event_of(form, offered, taken),)
    return tabletape().recorder.read(tape.game, answers.typed_in(form), viewer=tape.viewer)


def _where() -> str:
    """Say beside which field of the sheet an answer belongs."""
    return request.form.get("fixed") or ("typed" if "typed" in request.form else "sheet")


# --- refusals ----------------------------------------------------------------------------------------


def _refusal(tape: Tape, error: Exception, after: int) -> Refusal:
    match error:
        case Conflict():
            return refusals.clash(open_tape(tape.game), after, _where())
        case UndoPastDraw():
            return refusals.refusal_of(tape, error, "undo")
        case _:
            return refusals.refusal_of(tape, error, _where())


def _refused(tape: Tape, refusal: Refusal) -> AnyResponse:
    now = open_tape(tape.game)
    if not wants_json():
        return refusing(_page(now, refusal), refusal.status, refusal.code)
    told = _json({"error": refusals.for_program(refusal), **_part(now, refusal)}, refusal.status)
    return refusing(told, refusal.status, refusal.code)


def _json(told: Mapping[str, Any], status: int) -> Response:
    response = make_response(jsonify(told), status)
    if forms.takes_gzip() and response.content_length and response.content_length > WORTH_PACKING:
        response.set_data(gzip.compress(response.get_data(), 4, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding, Accept"
    return response


# --- the page ----------------------------------------------------------------------------------------------


class Shown(NamedTuple):
    """All that the page shows of one game."""

    tape: Tape
    moment: Moment
    picture: Picture
    echo: list[Row]
    sheet: action_form.Sheet
    hits: str
    may_record: bool
    may_undo: bool
    """Also where the rules cannot follow the last step: then it is what is left to do."""
    can_undo: bool
    can_redo: bool
    key: str
    examples: str
    over: bool
    waits: bool
    """The asker records for a seat alone, and it has nothing to decide now."""
    deal_due: bool
    """What it waits for is dealt or thrown: who has the table's key enters it."""
    together: int
    """Entries at the end that were recorded by one command."""
    can_name: bool
    """Cards that were not seen can be named."""
    unseen: frozenset[int]
    """The entries above the sheet with such cards."""
    untold: str
    """What Undo takes back that somebody has seen."""


def _shown(tape: Tape) -> Shown:
    replayer = tabletape().replayer
    first = max(tape.steps - ECHOED + 1, 0)
    moments = list(replayer.moments(tape.game, first, tape.steps, tape.viewer))
    last = moments[-1]
    may_record = viewing.may_record(tape) and last.readable and not tape.damage
    seat = asker().seat_in(tape)
    offered = may_record and seat in {None, tape.viewer}
    made = action_form.sheet(tape, last, seat) if offered else action_form.Sheet((), ())
    waits = may_record and seat is not None and not made.sections and made.dealing is None
    can_name = hidden_cards.can_name(tape) and not tape.damage
    return Shown(
        tape=tape,
        moment=last,
        picture=next(iter(pictures([last], tape.names))),
        echo=list(rows(moments, tape.names)),
        sheet=made,
        hits=_hits(last.scene()),
        may_record=may_record,
        may_undo=viewing.may_record(tape) and not (tape.damage or tape.text_only),
        can_undo=tape.history.undo_target(tape.head.seq) is not None,
        can_redo=tape.history.redo_target(tape.head.seq) is not None,
        key=forms.fresh_key(),
        examples=examples(last, made),
        over=last.outcome() is not None,
        waits=waits,
        deal_due=waits and CHANCE in {due.seat for due in last.pending() if due.must},
        together=_together(tape),
        can_name=can_name,
        unseen=frozenset(one.step for one in moments if can_name and hidden_cards.slots(one, tape)),
        untold=untold(tape) if may_record and last.outcome() is None else "",
    )


def _together(tape: Tape) -> int:
    commit = tabletape().log.command_of(tape.game, tape.head.seq)
    if commit is None:
        return 1
    first, last = tape.runs.spans[-1]
    begun = max(commit.first_seq, 2)  # the start of the game stays
    return last - begun + 1 if first <= begun <= last == commit.last_seq else 1


def _page(tape: Tape, refusal: Refusal | None) -> str:
    entry = tabletape().catalogue.get(tape.game)
    return render_template(
        "record.html",
        on=_shown(tape),
        refusal=refusal,
        typed=request.form,
        entry=entry,
        title=viewing.title_of(tape),
        viewers=viewing.viewers(tape),
    )


def _part(tape: Tape, refusal: Refusal | None = None) -> dict[str, Any]:
    """Give the parts of the page that change, for the module; nothing where it did not ask."""
    if "1" not in {request.form.get("part"), request.args.get("part")}:
        return {}
    on = _shown(tape)
    packed = chunk(tape.game, tape.viewer, tape.steps, [on.picture], panels(tape, {}))
    draw = {
        name: str(get_template_attribute("_sheet.html", name)(on, refusal, request.form))
        for name in ("sheet", "echo")
    }
    return {
        "part": {
            "chunk": msgspec.to_builtins(packed),
            "key": on.key,
            "head": on.moment.head,
            "step": tape.steps,
            "hits": on.hits,
            "undo": on.can_undo,
            "redo": on.can_redo,
            **draw,
        }
    }


def _hits(scene: Scene | None) -> str:
    """Draw the places of the board that can be tapped, over everything else."""
    cells = scene.cells if scene is not None else ()
    return "".join(_hit(cell) for cell in cells)


def _hit(cell: Cell) -> str:
    points = " ".join(f"{x:g},{y:g}" for x, y in cell.points)
    return f'<polygon class="hit" data-place="{escape(cell.key)}" points="{points}"/>'
