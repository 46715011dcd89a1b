"""What if: a game of its own from any step, what leaves a step, and whose a variation is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from flask import Blueprint, g, render_template, request
from flask.sansio.blueprints import BlueprintSetupState
from werkzeug.wrappers import Response

from eventstore.errors import TabletapeError, UnknownGame
from eventstore.log.ids import new_id
from eventstore.recording import branching
from replay_web.http import forms, viewing
from replay_web.http.access import asker
from replay_web.http.bidi import isolated
from replay_web.http.forms import Refusal
from replay_web.http.viewing import link, open_tape, tabletape
from replay_web.models.step_view import pictures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventstore.library.about import About
    from eventstore.recording.branching import Variation
    from eventstore.replay.game import Tape
    from games.core.events import Parent

pages: Final = Blueprint("variations", __name__)

LISTED: Final = 12
"""Variations that a step names."""


class Leaving(NamedTuple):
    """A variation at the step where it leaves."""

    game: str
    title: str
    """Empty where nobody gave one."""
    move: str
    """Its first move of its own; empty where it has none yet."""
    step: int
    """Where that move is, else its last step."""


class Origin(NamedTuple):
    """Whose variation a page is about."""

    title: str
    step: int
    address: str
    """Of the step where it leaves, as the parent now stands; empty where the parent cannot be opened."""
    gone: bool = False
    """The step was undone or taken out meanwhile."""
    damaged: bool = False
    """The parent is here, and cannot be read."""


class NotForThisViewer(viewing.NeedsAll):
    """A variation copies everything, and is gone on with by who is shown everything."""

    what = "A what-if is begun"


@pages.record_once
def _teach(state: BlueprintSetupState) -> None:
    """Let every page of a variation say whose it is."""
    state.app.jinja_env.globals["what_if_of"] = what_if_of


@pages.get("/games/<game>/steps/<int:step>/what-if")
def ask(game: str, step: int) -> Response:
    """Ask whether another game is to begin as this one up to the step, and name those that do."""
    tape = _open(game)
    viewing.known(tape, step)
    return _asking(tape, step, None)


@pages.post("/games/<game>/steps/<int:step>/what-if")
def begin(game: str, step: int) -> Response:
    """Begin a variation and lead to its sheet; the same form sent twice begins one."""
    tape = _open(game)
    key, seq = forms.game_key(), forms.number("seq", "behind which event it leaves")
    store = tabletape()
    answer = store.recorder.answered(key, key)
    try:
        if answer is None:
            now = tape.runs.index_of(seq)
            if now is None:
                raise forms.gone(tape, seq)
            title = request.form.get("title", "").strip() or None
            answer = store.recorder.branch(game, now, title=title, command_id=key, by=asker().by)
    except TabletapeError as error:
        return _asking(tape, min(step, tape.steps), forms.refusal_of(tape, error))
    return forms.done(answer, link("recording.page", game=answer.game))


def _open(game: str) -> Tape:
    tape = open_tape(game)
    if not viewing.shows_all(tape):
        raise NotForThisViewer(tape)
    return tape


def _asking(tape: Tape, step: int, refusal: Refusal | None) -> Response:
    moment = tabletape().replayer.at(tape.game, step, tape.viewer)
    about, leaves = tabletape().catalogue.about(tape.game), leaving(tape)
    page = render_template(
        "what_if.html",
        tape=tape,
        step=step,
        shown=next(iter(pictures([moment], tape.names))),
        may_begin=viewing.may_record(tape) and moment.readable and not tape.damage,
        over=moment.outcome() is not None,
        leaving=told(tape, leaves.get(step, ())),
        count=sum(map(len, leaves.values())),
        named=branching.about(about, step, None).title,
        key=new_id(),
        refusal=refusal,
        sent=request.form,
        title=viewing.title_of(tape),
    )
    return forms.page_of(page, refusal)


# --- what leaves, and where from -----------------------------------------------------------------------


def leaving(tape: Tape) -> dict[int | None, list[Variation]]:
    """Give what leaves a game, by step; nothing where what comes later is hidden: it may come there too."""
    if viewing.hides_later():
        return {}
    return branching.by_step(tape, tabletape().catalogue.variations(tape.game))


def told(tape: Tape, variations: Iterable[Variation]) -> list[Leaving]:
    """Name variations by their first moves, as the viewer is told them, and by titles that somebody gave."""
    about = tabletape().catalogue.about(tape.game)
    return [_told(tape, one, about) for one in list(variations)[:LISTED]]


def _told(tape: Tape, one: Variation, about: About) -> Leaving:
    own = branching.first_move(tabletape().replayer, one.game, tape.viewer)
    given = one.title != branching.about(about, one.parent.step, None).title
    title = isolated(one.title or "") if given else ""
    if own is None:
        return Leaving(one.game, title, "", one.parent.step)
    return Leaving(one.game, title, own.caption(tape.names), own.step)


def what_if_of() -> Origin | None:
    """Say whose variation the game of this page is; None where it is none.

    A variation needs nothing of its parent: a damaged parent takes no page of it away.
    """
    parent: Parent | None = g.get("parent")
    if parent is None:
        return None
    try:
        return _origin(parent)
    except UnknownGame:
        return Origin(parent.game, parent.step, "")
    except TabletapeError:
        return Origin(parent.game, parent.step, "", damaged=True)


def _origin(parent: Parent) -> Origin:
    tape = tabletape().replayer.tape(parent.game)
    title = isolated(tabletape().catalogue.about(parent.game).title or "")
    step = branching.leaves_at(tape, parent)
    shown = min(parent.step, tape.steps) if step is None else step
    return Origin(
        title or " – ".join(map(isolated, tape.names.values())),
        parent.step,
        link("steps.step", game=parent.game, step=shown),
        gone=step is None,
    )
