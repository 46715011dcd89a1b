"""Naming a card that was recorded face down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from flask import make_response, render_template, request
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from eventstore.errors import Conflict, TabletapeError
from eventstore.recording.amending import HistoryEdit, Replace
from eventstore.recording.commands import Amend, AmendReport
from games.core.ruleset import IllegalAction
from games.scene.card_art import face
from games.text.wording import put_names, with_rule
from replay_web.http import forms, params, viewing
from replay_web.http.forms import Number, RecordingForm, Yes
from replay_web.http.policy import Pages, seeing_all
from replay_web.http.viewing import link, open_game, opened_store
from replay_web.models import action_form, answers, refusals
from replay_web.models.refusals import Refusal
from replay_web.models.step_view import Row, rows
from replay_web.record import hidden_cards

if TYPE_CHECKING:
    from eventstore.recording.commands import Answer
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position

bp: Final = Pages("unseen", __name__)


class CardNameForm(RecordingForm, frozen=True, kw_only=True):
    """Which card stood at a place (`slot`) of an event; `all` also one that later steps speak against."""

    seq: Number
    slot: str = ""
    fixed: str = ""
    one: dict[str, str] = msgspec.field(name="one:*", default_factory=dict)
    letters: dict[str, str] = msgspec.field(name="typed:*", default_factory=dict)
    all: Yes | None = None


NAMES: Final = seeing_all("A record is corrected")
LOOKED_AT: Final = 400
"""Steps, the last ones, that are searched for cards that were not seen."""
NEAR: Final = 12
"""Later steps that are asked, for the list, whether they have named the cards."""
FAR: Final = 100
"""Later steps that are asked, for one card, whether it could have been that."""
REASON: Final = "A card that was recorded unseen was named."


class UnnamedStep(NamedTuple):
    """A step with cards that were not seen."""

    row: Row
    slots: tuple[hidden_cards.Slot, ...]


@bp.page("/games/<game>/unseen", who=NAMES)
def page(game: str) -> Response:
    """List the cards that were recorded unseen; `?step=` those of a step, `?slot=` what one may have been."""
    opened = open_game(game)
    text = request.args.get("step", "")
    if not text:
        return make_response(_listing(opened))
    step = viewing.known(opened, params.step(text, opened))
    return refusals.page_of(_of_step(opened, step, request.args.get("slot", ""), None), None)


@bp.page("/games/<game>/unseen", form=CardNameForm, who=NAMES, json="asked")
def name(game: str) -> Response:
    """Name a card: the event is amended, if nothing that came later speaks against it."""
    opened = open_game(game)
    sent = forms.read(CardNameForm)
    seq, since, slot, command = sent.seq, sent.after, sent.slot, forms.command()
    where = opened.history.where(seq, opened.head)
    if (repeated := opened_store().answer_to(opened, command)) is not None:
        repeated = replace(repeated, result=AmendReport())
        return refusals.done(repeated, _next(opened, where, slot))
    step = opened.runs.index_of(seq)
    if since != opened.head or step is None:
        late = since != opened.head
        said = (
            refusals.clash(opened, since) if late else refusals.refusal_of(opened, refusals.gone(opened, seq))
        )
        return _said(opened, where, slot, said)
    try:
        answer = _amend(opened, step, seq, command)
    except Conflict:
        now = open_game(game)
        return _said(now, step, slot, refusals.clash(now, since))
    except (answers.Unanswered, IllegalAction, TabletapeError) as error:
        return _said(opened, step, slot, refusals.refusal_of(opened, error, at=step - 1))
    if answer.result.faults:
        return _said(opened, step, slot, _spoken_against(opened, answer))
    return refusals.done(answer, _next(viewing.shown(answer.game), step, slot))


def _amend(game: Game, step: int, seq: int, command: str) -> Answer:
    position, later = _with_later(game, step)
    made = [hidden_cards.form_of(position, slot, game, later) for slot in hidden_cards.slots(position, game)]
    offered = action_form.ActionForm(
        (action_form.Section("", "", "", must=True, parts=(action_form.Part("", forms=tuple(made)),)),), ()
    )
    payload = answers.event_of(_sent(), offered)
    return viewing.do(
        game, Amend([HistoryEdit(seq, Replace((payload,)))], reason=REASON, after=game.head, id=command)
    )


def _with_later(game: Game, step: int) -> tuple[Position, list[Position]]:
    """Give a step and those that speak against cards; none of these where every card is asked for (`all`)."""
    last = step if request.values.get("all") == "1" else min(step + FAR, game.steps)
    position, *later = game.positions(step, last)
    return position, later


def _sent() -> MultiDict[str, str]:
    """Take a card that was tapped, whatever letters were typed to find it."""
    sent = request.form
    tapped = any(key.startswith("one:") for key in sent)
    return MultiDict(
        [item for item in sent.items(multi=True) if not (tapped and item[0].startswith("typed:"))]
    )


def _spoken_against(game: Game, answer: Answer) -> Refusal:
    fault = answer.result.faults[0]
    why = with_rule(put_names(fault.message, game.names), fault.rule)
    sentence = f"Nothing was recorded: it cannot have been that card, or step {fault.step} is wrong. {why}"
    return Refusal(422, "faults-left", sentence)


def _said(game: Game, step: int | None, slot: str, refusal: Refusal) -> Response:
    return refusals.page_of(_of_step(game, min(step or 0, game.steps), slot, refusal), refusal)


def _next(game: Game, step: int | None, slot: str) -> str:
    """Stay while a card of the same place is still to be named; else go on recording."""
    if step is not None and step <= game.steps:
        position = game.position(step)
        if any(one.name == slot for one in hidden_cards.slots(position, game)):
            return link("unseen.page", game=game.id, step=step, slot=slot)
    return link("recording.page", game=game.id, _anchor="sheet")


def _listing(game: Game) -> str:
    first = max(game.steps - LOOKED_AT, 0)
    positions = list(game.positions(first, game.steps))
    found = [
        UnnamedStep(row, mine)
        for place, row in enumerate(rows(positions, game.names), 1)
        if (mine := hidden_cards.slots(positions[place - 1], game, positions[place : place + NEAR]))
    ]
    return _page(game, found[::-1], None, None, None, searched_from=first)


def _of_step(game: Game, step: int, name: str, refusal: Refusal | None) -> str:
    position, later = _with_later(game, step)
    row = next(iter(rows([position], game.names)))
    mine = hidden_cards.slots(position, game)
    chosen = next((slot for slot in mine if slot.name == name), mine[0] if len(mine) == 1 else None)
    asked = (
        hidden_cards.form_of(position, chosen, game, later)
        if chosen is not None and hidden_cards.can_name(game)
        else None
    )
    return _page(game, [UnnamedStep(row, mine)], chosen, asked, refusal, step=step, judged=bool(later))


def _page(
    game: Game,
    found: list[UnnamedStep],
    chosen: hidden_cards.Slot | None,
    asked: action_form.Form | None,
    refusal: Refusal | None,
    **more: Any,
) -> str:
    marks = asked.columns[0].marks if asked is not None else ()
    faces = dict.fromkeys(mark.called.face for mark in marks if mark.called.face is not None)
    return render_template(
        "hidden_cards.html",
        game=game,
        found=found,
        chosen=chosen,
        asked=asked,
        fronts={action_form.front_id(item): face(item) for item in faces},
        seq=game.runs.seq_at(more["step"]) if "step" in more else 0,
        key=forms.fresh_key(),
        may_name=hidden_cards.can_name(game),
        refusal=refusal,
        sent=request.form,
        title=viewing.title_of(game),
        **{"step": None, "searched_from": 0, "judged": False, **more},
    )
