"""The page of a step, and the addresses that lead to one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from flask import Response, redirect, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from games.scene.looks import style
from games.scene.svg import standalone
from games.scene.text import scene_text
from replay_web.http import forms, params, security, spoilers, viewing
from replay_web.http.policy import Pages
from replay_web.http.viewing import link, open_game, opened_store
from replay_web.models import step_blocks, variations
from replay_web.models.step_view import StepView, step_views, turn_of
from replay_web.replay import shortcut_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.replay.game import Game

bp: Final = Pages("steps", __name__)

_STRETCH: Final = 200
"""Steps folded at once in search of the next turn."""
FAR: Final = 1000
"""Steps that are looked at in search of it: no turn at a table is as long."""


class NotInTheGame(NotFound):
    """An event that was undone or taken out; it has no step."""

    code_word = "event-not-in-the-game"


@bp.page("/scene.css", packed=True, store=False)
def scene_css() -> Response:
    """Give the colours of the pictures."""
    return Response(style(), mimetype="text/css", headers={"Cache-Control": "max-age=3600"})


@bp.page("/games/<game>", spoilers="hidden")
def start(game: str) -> AnyResponse:
    """Lead to the first step."""
    open_game(game)
    return redirect(link("steps.step", game=game, step=0))


@bp.page("/games/<game>/steps", spoilers="hidden")
def go(game: str) -> AnyResponse:
    """Lead to the step that was typed (`?step=`); the nearest one where there is none."""
    opened = open_game(game)
    if spoilers.hidden():
        number = params.within(request.args.get("step", ""), "A step is", 0)
    else:
        number = min(params.step(request.args.get("step", ""), opened), opened.steps)
    return redirect(link("steps.step", game=game, step=number))


@bp.page("/games/<game>/at/<int:seq>", spoilers="hidden")
def at(game: str, seq: int) -> AnyResponse:
    """Lead to the step where this event, or what replaced it, now is."""
    step = open_game(game).step_of(seq)
    if step is None:
        raise NotInTheGame(f"Event {seq} was undone or taken out: it is no step of this game now.")
    return redirect(link("steps.step", game=game, step=step))


@bp.page("/games/<game>/steps/<int:step>", spoilers="hidden")
def step(game: str, step: int) -> str:
    """Show a step."""
    opened = open_game(game)
    shown = one(opened, step)
    notes = step_blocks.notes_by_step(opened)
    leaving = variations.leaving(opened)
    block = step // step_blocks.BLOCK
    alone = spoilers.hidden()
    known = step_blocks.block_rows(opened, block)
    shortcuts = tuple(
        key for key in shortcut_keys.KEYS if not alone or key.action in shortcut_keys.SPOILER_FREE
    )
    return render_template(
        "step_alone.html" if alone else "step.html",
        game=opened,
        entry=opened_store().catalogue.entry(opened),
        shown=shown,
        rows=[row for row in known if row.step <= step] if alone else known,
        block=block,
        block_size=step_blocks.BLOCK,
        last_block=opened.steps // step_blocks.BLOCK,
        at_end=step == opened.steps,
        notes=notes,
        sittings=step_blocks.sittings_by_step(opened),
        marks=lambda row: step_blocks.marks_of(opened, notes, row, leaving),
        leaving=variations.named(opened, leaving.get(step, ())),
        came_late=opened.history.came_late(shown.seq),
        may_read=viewing.may_read_notes(opened),
        may_write=viewing.may_write_notes(opened),
        may_record=viewing.may_record(opened),
        title=viewing.title_of(opened),
        viewers=viewing.viewers(opened),
        form_key=forms.fresh_key(),
        far=FAR,
        keys=shortcuts,
        keys_json=shortcut_keys.as_json(shortcuts),
    )


@bp.page("/games/<game>/steps/<int:step>.svg", spoilers="hidden")
def step_svg(game: str, step: int) -> Response:
    """Give the picture of a step as a file."""
    opened = open_game(game)
    shown = one(opened, step)
    if shown.drawing is None:
        raise NotFound
    headers = {"Content-Security-Policy": security.csp_with_style(style())}
    return Response(standalone(shown.drawing, shown.row.caption), mimetype="image/svg+xml", headers=headers)


@bp.page("/games/<game>/steps/<int:step>.txt", spoilers="hidden")
def step_text(game: str, step: int) -> Response:
    """Give the board of a step in letters."""
    opened = open_game(game)
    position = opened.position(viewing.known(opened, step))
    scene = position.scene()
    board = scene_text(scene, opened.names) if scene else position.payload
    return Response(f"{step}. {position.caption(opened.names)}\n\n{board}\n", mimetype="text/plain")


@bp.page("/games/<game>/steps/<int:step>/next-turn", spoilers="hidden")
def next_turn(game: str, step: int) -> AnyResponse:
    """Lead to the first step of the next turn, or to the end; to the last step looked at in a long turn."""
    opened = open_game(game)
    viewing.known(opened, step)
    end = min(step + FAR, opened.steps)
    for first in range(step, end, _STRETCH):
        turns = _turns(opened, first, min(first + _STRETCH, end))
        for (_, before), (number, now) in pairwise(turns):
            if before != now:
                return redirect(link("steps.step", game=game, step=number))
    return redirect(link("steps.step", game=game, step=end))


@bp.page("/games/<game>/steps/<int:step>/previous-turn", spoilers="hidden")
def previous_turn(game: str, step: int) -> AnyResponse:
    """Lead to the first step of this turn, or of the turn before when this is the first.

    In a long turn it leads to the last step looked at.
    """
    opened = open_game(game)
    viewing.known(opened, step)
    begin = max(step - 1 - FAR, 0)
    for last in range(step - 1, begin, -_STRETCH):
        turns = list(_turns(opened, max(last - _STRETCH, begin), last))
        for (_, before), (number, now) in reversed(list(pairwise(turns))):
            if before != now:
                return redirect(link("steps.step", game=game, step=number))
    return redirect(link("steps.step", game=game, step=begin))


def one(game: Game, step: int) -> StepView:
    """Draw one step."""
    viewing.known(game, step)
    return next(iter(step_views(game.positions(step, step), game.names)))


def _turns(game: Game, first: int, last: int) -> Iterator[tuple[int, str]]:
    for position in game.positions(first, last):
        yield position.step, turn_of(position.scene(), game.names)
