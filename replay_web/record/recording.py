"""Recording in the browser: the page with the sheet, and the forms that it sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple

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
from eventstore.recording.commands import Answer, Command, Deal, Record, Redo, Undo
from eventstore.recording.typed_lines import read_line
from eventstore.refusals import UndoPastDraw
from games.core.ruleset import CHANCE, IllegalAction
from games.core.scene import Cell, Scene
from replay_web.http import forms, packing, viewing
from replay_web.http.errors import refusing, wants_json
from replay_web.http.forms import Number, RecordingForm, Yes
from replay_web.http.policy import Pages
from replay_web.http.viewing import link, open_game, opened_store
from replay_web.models import action_form, answers, refusals
from replay_web.models.answers import AnswerForm
from replay_web.models.examples import examples
from replay_web.models.refusals import Refusal
from replay_web.models.step_blocks import panels
from replay_web.models.step_view import Row, StepView, chunk, rows, step_views
from replay_web.record import hidden_cards
from replay_web.record.undo_warning import undo_warning

if TYPE_CHECKING:
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from games.core.events import Event

bp: Final = Pages("recording", __name__)


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


@bp.record_once
def _teach(state: BlueprintSetupState) -> None:
    """Let the templates draw the fronts of cards."""
    state.app.jinja_env.globals.update(fronts_of=action_form.fronts, front_id=action_form.front_id)


@bp.page("/games/<game>/record", json="asked")
def page(game: str) -> AnyResponse:
    """Show the last step with the sheet of what can be recorded; `?part=1`: only what changes, as JSON."""
    opened = open_game(game)
    if request.args.get("part") == "1":
        return _json(_part(opened), 200)
    return make_response(_page(opened, None))


@bp.page("/games/<game>/events", form=AnswerForm, json="asked")
def events(game: str) -> AnyResponse:
    """Record what was tapped, filled in or typed; the same form sent twice records once."""
    return _do(open_game(game), forms.read(AnswerForm), _record)


@bp.page("/games/<game>/undo", form=UndoForm, json="asked")
def undo(game: str) -> AnyResponse:
    """Take the last entry back; `again` allows it for what was dealt, and says how many entries."""
    opened, asked = open_game(game), forms.read(UndoForm)
    again, entries = asked.again is not None, max(asked.again or 1, 1)
    return _do(opened, asked, lambda _game, **sent: Undo(entries, again=again, **sent))


@bp.page("/games/<game>/redo", form=RecordingForm, json="asked")
def redo(game: str) -> AnyResponse:
    """Bring back what was taken back last."""
    return _do(open_game(game), forms.read(RecordingForm), lambda _game, **sent: Redo(**sent))


@bp.page("/games/<game>/deal", form=DealForm, json="asked")
def deal(game: str) -> AnyResponse:
    """Deal or throw once, or (`all`) until somebody has to decide."""
    opened, asked = open_game(game), forms.read(DealForm)
    return _do(opened, asked, lambda _game, **sent: Deal(until_decision=asked.all is not None, **sent))


# --- what is sent ------------------------------------------------------------------------------------


def _do(game: Game, asked: RecordingForm, command: Callable[..., Command]) -> AnyResponse:
    """Do a command; answer with the page as it is then, or with the refusal on it."""
    try:
        answer = _answer(game, asked.after, forms.command(), command)
    except Conflict:
        now = open_game(game.id)
        return _refused(now, refusals.clash(now, asked.after, _where()))
    except (IllegalAction, answers.Unanswered, TabletapeError) as error:
        where = "undo" if isinstance(error, UndoPastDraw) else _where()
        return _refused(game, refusals.refusal_of(game, error, where))
    if not wants_json():
        return redirect(link("recording.page", game=game.id, _anchor="sheet"), 303)
    # A repeat goes on from the game of now.
    left = open_game(game.id) if answer.repeated else answer.game
    return _json({**answer.plain(), **_part(left)}, refusals.status_when(answer))


def _answer(game: Game, after: int, key: str, command: Callable[..., Command]) -> Answer:
    """Do it; a repeat is told the first answer before anything of the form is read."""
    if after == game.head:
        return viewing.do(game, command(game, after=after, id=key))
    first = opened_store().answer_to(game, key)
    if first is None:
        raise Conflict(game.head, game.id)
    return first


def _record(game: Game, **sent: Any) -> Record:
    """Read the form; whichever view they look through, their own judges."""
    return Record(_events(game.as_actor()), **sent)


def _events(game: Game) -> Sequence[Event | Mapping[str, Any]]:
    form = request.form
    if "event" in form:
        return (answers.decoded("event", form["event"]),)
    if "fixed" in form:
        position = game.position()
        offered = action_form.sheet(game, position, game.bound_seat)
        taken = partial(action_form.accepted, position.ruleset, position.state)
        return (answers.event_of(form, offered, taken),)
    return read_line(game, answers.typed_in(form))


def _where() -> str:
    """Say beside which field of the sheet an answer belongs."""
    return request.form.get("fixed") or ("typed" if "typed" in request.form else "sheet")


# --- refusals ----------------------------------------------------------------------------------------


def _refused(game: Game, refusal: Refusal) -> AnyResponse:
    if not wants_json():
        return refusing(_page(game, refusal), refusal.status, refusal.code)
    told = _json({"error": refusals.for_program(refusal), **_part(game, refusal)}, refusal.status)
    return refusing(told, refusal.status, refusal.code)


def _json(told: Mapping[str, Any], status: int) -> Response:
    response = make_response(jsonify(told), status)
    if (response.content_length or 0) > WORTH_PACKING:
        packing.pack_answer(response)
    return response


# --- the page ----------------------------------------------------------------------------------------------


class RecordingView(NamedTuple):
    """All that the page shows of one game."""

    game: Game
    position: Position
    picture: StepView
    echo: list[Row]
    sheet: action_form.ActionForm
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
    undo_warning: str
    """What Undo takes back that somebody has seen."""


def _shown(game: Game) -> RecordingView:
    first = max(game.steps - ECHOED + 1, 0)
    positions = list(game.positions(first, game.steps))
    last = positions[-1]
    may_record = viewing.may_record(game) and last.readable and not game.damage
    seat = game.bound_seat
    offered = may_record and seat in {None, game.viewer}
    made = action_form.sheet(game, last, seat) if offered else action_form.ActionForm((), ())
    waits = may_record and seat is not None and not made.sections and made.dealing is None
    can_name = hidden_cards.can_name(game) and not game.damage
    return RecordingView(
        game=game,
        position=last,
        picture=next(iter(step_views([last], game.names))),
        echo=list(rows(positions, game.names)),
        sheet=made,
        hits=_hits(last.scene()),
        may_record=may_record,
        may_undo=viewing.may_record(game) and not (game.damage or game.text_only),
        can_undo=game.history.undo_target(game.head) is not None,
        can_redo=game.history.redo_target(game.head) is not None,
        key=forms.fresh_key(),
        examples=examples(last, made),
        over=last.outcome() is not None,
        waits=waits,
        deal_due=waits and CHANCE in {due.seat for due in last.pending() if due.must},
        together=_together(game),
        can_name=can_name,
        unseen=frozenset(one.step for one in positions if can_name and hidden_cards.slots(one, game)),
        undo_warning=undo_warning(game) if may_record and last.outcome() is None else "",
    )


def _together(game: Game) -> int:
    commit = opened_store().log.command_of(game.id, game.head)
    if commit is None:
        return 1
    first, last = game.runs.spans[-1]
    begun = max(commit.first_seq, 2)  # the start of the game stays
    return last - begun + 1 if first <= begun <= last == commit.last_seq else 1


def _page(game: Game, refusal: Refusal | None) -> str:
    entry = opened_store().catalogue.entry(game)
    return render_template(
        "record.html",
        on=_shown(game),
        refusal=refusal,
        typed=request.form,
        entry=entry,
        title=viewing.title_of(game),
        viewers=viewing.viewers(game),
    )


def _part(game: Game, refusal: Refusal | None = None) -> dict[str, Any]:
    """Give the parts of the page that change, for the module; nothing where it did not ask."""
    if "1" not in {request.form.get("part"), request.args.get("part")}:
        return {}
    on = _shown(game)
    packed = chunk(game.id, game.viewer, game.steps, [on.picture], panels(game, {}))
    draw = {
        name: str(get_template_attribute("_action_form.html", name)(on, refusal, request.form))
        for name in ("sheet", "echo")
    }
    return {
        "part": {
            "chunk": msgspec.to_builtins(packed),
            "key": on.key,
            "head": on.position.head,
            "step": game.steps,
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
