"""What if: a game of its own from any step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import render_template, request
from werkzeug.wrappers import Response

from eventstore.errors import TabletapeError
from eventstore.log.ids import new_id
from eventstore.recording.commands import Branch
from eventstore.recording.commands.branch import details_of
from replay_web.http import forms, viewing
from replay_web.http.forms import GameKey, Number
from replay_web.http.policy import PageForm, Pages, seeing_all
from replay_web.http.viewing import link, open_game, opened_store
from replay_web.models import refusals, variations
from replay_web.models.refusals import Refusal
from replay_web.models.step_view import step_views

if TYPE_CHECKING:
    from eventstore.replay.game import Game

bp: Final = Pages("variations", __name__)


BEGINS: Final = seeing_all("A what-if is begun")
"""A variation copies everything, and is gone on with by who is shown everything."""


class VariationForm(PageForm, frozen=True, kw_only=True):
    """The event behind which the variation leaves; `key` becomes its id."""

    key: GameKey
    seq: Number
    title: str = ""


@bp.page("/games/<game>/steps/<int:step>/what-if", who=BEGINS)
def ask(game: str, step: int) -> Response:
    """Ask whether another game is to begin as this one up to the step, and name those that do."""
    opened = open_game(game)
    viewing.known(opened, step)
    return _asking(opened, step, None)


@bp.page("/games/<game>/steps/<int:step>/what-if", form=VariationForm, who=BEGINS, json="asked")
def begin(game: str, step: int) -> Response:
    """Begin a variation and lead to its sheet; the same form sent twice begins one."""
    opened = open_game(game)
    sent = forms.read(VariationForm)
    try:
        title = sent.title.strip() or None
        answer = viewing.do(opened, Branch(_left_at(opened, sent), title, id=sent.key))
    except TabletapeError as error:
        return _asking(opened, min(step, opened.steps), refusals.refusal_of(opened, error))
    return refusals.done(answer, link("recording.page", game=answer.game.id))


def _left_at(game: Game, sent: VariationForm) -> int:
    """The step of the event; of a form that was sent before, the step that it had at the time."""
    begun = opened_store().game_begun_by(sent.key, sent.key, game.actor)
    parent = None if begun is None else begun.parent
    if parent is not None and parent.game == game.id:
        then = game.history.at(parent.head).index_of(sent.seq)
        if then == parent.step:
            return then
    now = game.runs.index_of(sent.seq)
    if now is None:
        raise refusals.gone(game, sent.seq)
    return now


def _asking(game: Game, step: int, refusal: Refusal | None) -> Response:
    position = game.position(step)
    leaves = variations.leaving(game)
    page = render_template(
        "variation.html",
        game=game,
        step=step,
        shown=next(iter(step_views([position], game.names))),
        may_begin=viewing.may_record(game) and position.readable and not game.damage,
        over=position.outcome() is not None,
        leaving=variations.named(game, leaves.get(step, ())),
        count=sum(map(len, leaves.values())),
        named=details_of(game.details, step, None).title,
        key=new_id(),
        refusal=refusal,
        sent=request.form,
        title=viewing.title_of(game),
    )
    return refusals.page_of(page, refusal)
