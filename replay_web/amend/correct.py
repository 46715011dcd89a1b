"""Correcting the middle of a record: the edit, before and after side by side, one command for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

import msgspec
from flask import jsonify, make_response, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from eventstore.errors import Conflict, TabletapeError
from eventstore.recording.commands import Amend
from eventstore.refusals import IllegalEdit, NotInHistory, UndoPastDraw
from games.core import serialization
from games.core.ruleset import IllegalAction
from games.text.naming import Naming
from games.words import counted
from replay_web.amend import amend_preview, edits
from replay_web.amend.edits import WAYS, AskedEdit, CorrectionForm
from replay_web.http import forms, viewing
from replay_web.http.errors import BadQuery, wants_json
from replay_web.http.policy import Pages, seeing_all
from replay_web.http.viewing import link, open_game, opened_store
from replay_web.models import action_form, answers, option_form, refusals
from replay_web.models.examples import examples
from replay_web.models.refusals import Refusal
from replay_web.models.step_view import step_views

if TYPE_CHECKING:
    from eventstore.recording.amending import AmendPlan, Settlement
    from eventstore.recording.commands import Answer
    from eventstore.replay.game import Game

bp: Final = Pages("correct", __name__)


CORRECTS: Final = seeing_all("A record is corrected")


# --- the pages -----------------------------------------------------------------------------------------


@bp.page("/games/<game>/steps/<int:step>/correct", who=CORRECTS)
def ask(game: str, step: int) -> str:
    """Ask what is to be otherwise at a step: `?do=replace`, `remove` or `insert`."""
    opened = open_game(game)
    viewing.known(opened, step)
    do = request.args.get("do", "replace")
    if do not in WAYS:
        raise BadQuery(f"An event is corrected by {', '.join(WAYS)}, not by {do!r}.")
    return _asking(opened, step, do, None)


@bp.page("/games/<game>/steps/<int:step>/correct", form=CorrectionForm, who=CORRECTS, json="asked")
def preview(game: str, step: int) -> AnyResponse:
    """Show what the correction would come to; nothing is appended."""
    opened = open_game(game)
    do = edits.way()
    since = forms.read(CorrectionForm).after
    if since != opened.head:
        return _clash(opened, since)
    try:
        return _previewed(opened, edits.edit_of(opened, do), None)
    except (answers.Unanswered, TabletapeError, IllegalAction) as error:
        return _refuse(opened, step, do, error)


@bp.page("/games/<game>/steps/<int:step>/correct/settle", form=CorrectionForm, who=CORRECTS, json="asked")
def settle(game: str, step: int) -> AnyResponse:
    """Amend: the edit and what becomes of every event that it makes impossible, as one command."""
    opened = open_game(game)
    do, since, command = edits.way(), forms.read(CorrectionForm).after, forms.command()
    repeated = opened_store().answer_to(opened, command)
    if repeated is not None:
        report = Amend([], edits.asked().settle).result(repeated.game)
        return _done(step, replace(repeated, result=report))
    if since != opened.head:
        return _clash(opened, since)
    try:
        answer = _amend(opened, edits.edit_of(opened, do), command)
    except Conflict:
        return _clash(open_game(game), since)
    except (answers.Unanswered, TabletapeError, IllegalAction) as error:
        return _not_amended(opened, step, do, error)
    if answer.result.faults:
        return _previewed(opened, edits.edit_of(opened, do), _left(len(answer.result.faults)))
    return _done(step, answer)


def _left(count: int) -> Refusal:
    what = counted(count, "step is", "steps are")
    return Refusal(422, "faults-left", f"Nothing was amended: {what} still to be settled.")


def _amend(game: Game, edit: AskedEdit, command: str) -> Answer:
    return viewing.do(
        game,
        Amend(
            [edit.history_edit()],
            settle=edits.settled(game, edit).settle,
            reason=edits.reason(),
            again=request.form.get("again") == "1",
            after=game.head,
            id=command,
        ),
    )


def _not_amended(game: Game, step: int, do: str, error: Exception) -> AnyResponse:
    """Say what was wrong beside what it was wrong about: the edit, or a settlement."""
    if isinstance(error, UndoPastDraw):
        return _previewed(game, edits.edit_of(game, do), refusals.refusal_of(game, error))
    if isinstance(error, IllegalEdit) and error.seq != viewing.whole(request.form.get("seq", "")):
        return _previewed(game, edits.edit_of(game, do), Refusal(422, error.code, refusals.said(game, error)))
    return _refuse(game, step, do, error)


def _done(step: int, answer: Answer) -> AnyResponse:
    game = answer.game.id
    if forms.back() == "record":
        return refusals.done(answer, link("recording.page", game=game, _anchor="sheet"))
    shown = step + (request.form.get("do") == "insert")
    return refusals.done(answer, link("steps.step", game=game, step=min(shown, open_game(game).steps)))


# --- refusals ------------------------------------------------------------------------------------------


def _clash(game: Game, since: int) -> AnyResponse:
    """Somebody else recorded: say what, and ask again with what was entered still there."""
    refusal = refusals.clash(game, since)
    try:
        edit = edits.edit_of(game, edits.way())
        if not isinstance(_settled_for_a_look(game, edit), IllegalEdit):
            return _previewed(game, edit, refusal)
    except (answers.Unanswered, TabletapeError, IllegalAction):
        pass  # it no longer fits this board: what was entered is shown where it was asked for
    return refusals.page_of(_asking(game, min(game.steps, _step_of(game)), edits.way(), refusal), refusal)


def _step_of(game: Game) -> int:
    """Find the step where the event that the form is about, or what replaced it, now is."""
    seq = forms.read(CorrectionForm).seq
    where = game.history.where(seq, game.head)
    return where if where is not None else cast("dict[str, int]", request.view_args)["step"]


def _refuse(game: Game, step: int, do: str, error: Exception) -> AnyResponse:
    """Give the question back with what was wrong about the answer."""
    where = "typed" if "typed" in request.form else "page"
    refusal = refusals.refusal_of(game, error, where, step - (do == "replace"))
    if refusal.where == "sheet":  # which this page has no place for
        refusal = refusal._replace(where="page")
    return refusals.page_of(_asking(game, min(_step_of(game), game.steps), do, refusal), refusal)


# --- asking --------------------------------------------------------------------------------------------


def _asking(game: Game, step: int, do: str, refusal: Refusal | None) -> str:
    do = "replace" if do == "remove" and step == 0 else do
    positions = list(game.positions(max(step - 1, 0), step))
    position = positions[-1]
    behind = position if do == "insert" else positions[0]
    stand = position if do == "remove" and position.readable else behind
    may_correct = viewing.may_record(game) and behind.readable and not game.damage
    offered = edits.offered(game, do, step) if may_correct else action_form.ActionForm((), ())
    event = position.event if do == "replace" else None
    return render_template(
        "correct.html",
        game=game,
        step=step,
        do=do,
        ways=WAYS,
        shown=next(iter(step_views([position], game.names))),
        stand=next(iter(step_views([stand], game.names))),
        sheet=offered,
        examples=examples(behind, offered),
        options=list(_options(game)) if step == 0 and do == "replace" else [],
        may_correct=may_correct,
        back=forms.back(),
        recorded=event
        and answers.AnswerFinder(serialization.event_to(event), offered, Naming(behind, game.names)),
        key=forms.fresh_key(),
        refusal=refusal,
        sent=request.form,
        title=viewing.title_of(game),
    )


def _options(game: Game) -> Iterator[option_form.Option]:
    """Give the options of the game as they stand."""
    if game.ruleset is None or game.started is None:
        return
    now = msgspec.to_builtins(game.started.options)
    for option in option_form.options_of(game.ruleset, game.seats):
        value = now.get(option.name)
        plain = isinstance(value, str) and not option.values
        yield msgspec.structs.replace(option, value=value if plain else msgspec.json.encode(value).decode())


# --- looking before it is done -------------------------------------------------------------------------


def _previewed(game: Game, edit: AskedEdit, refusal: Refusal | None) -> AnyResponse:
    """Show before and after side by side, with what becomes impossible."""
    asked = _settled_for_a_look(game, edit)
    if isinstance(asked, IllegalEdit):
        return _refuse(game, _step_of(game), edit.do, asked)
    settle, wrong, proposal = asked
    if wants_json() and refusal is None:
        amendment = proposal.amendment
        told = {"step": amendment.step, "faults": msgspec.to_builtins(amendment.faults)}
        return make_response(jsonify({**told, "unjudged": amendment.unjudged}))
    page = render_template(
        "amend.html",
        game=game,
        look=amend_preview.preview_of(game, edit, proposal, settle, wrong),
        key=forms.fresh_key(),
        refusal=refusal,
        reason=edits.reason(),
        again=request.form.get("again") == "1",
        rest=request.form.get("rest", ""),
        may_correct=viewing.may_record(game),
        back=forms.back(),
        title=viewing.title_of(game),
    )
    return refusals.page_of(page, refusal)


def _settled_for_a_look(
    game: Game, edit: AskedEdit
) -> tuple[dict[int, Settlement], dict[int, str], AmendPlan] | IllegalEdit:
    """Try the settlements; what the rules refuse of one is said beside it, and it counts as not settled."""
    asked = edits.asked()
    settle, wrong = dict(asked.settle), dict(asked.wrong)
    while True:
        try:
            if request.form.get("rest") == "remove":
                settled, made = edits.with_rest(game, edit, settle, wrong)
                return settled, wrong, made
            return settle, wrong, edits.proposal(game, edit, settle)
        except IllegalEdit as error:
            if error.seq not in settle:
                return error
            wrong[error.seq] = refusals.said(game, error)
            del settle[error.seq]
        except NotInHistory as error:
            if error.seq not in settle:
                raise
            del settle[error.seq]  # it was undone or replaced meanwhile: nothing is left to settle
