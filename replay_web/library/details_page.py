"""What is known of a game beside its record: names, title, day, place, and whether lists have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from flask import jsonify, make_response, redirect, render_template, request
from werkzeug.wrappers import Response

from eventstore.errors import DatabaseReadOnly
from eventstore.library import details
from eventstore.refusals import BadDetail
from replay_web.http import forms, viewing
from replay_web.http.access import actor
from replay_web.http.errors import answer, refusing, wants_json
from replay_web.http.policy import BadForm, PageForm, Pages, with_table_key
from replay_web.http.viewing import link, open_game, opened_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eventstore.library.catalogue import Entry
    from eventstore.replay.game import Game

bp: Final = Pages("details", __name__)

_CHECKS: Final[Mapping[str, Callable[[str], object]]] = {
    "title": lambda text: details.line("title", text, details.TITLE),
    "played_on": lambda text: details.day("date", text),
    "place": lambda text: details.line("place", text, details.TITLE),
    "time_zone": lambda text: details.zone("time zone", text),
}


class DetailsForm(PageForm, frozen=True, kw_only=True):
    """What is known of a game beside its record; a field that does not come stays as it is."""

    player: dict[str, str] = msgspec.field(name="player.*", default_factory=dict)
    title: str | None = None
    played_on: str | None = None
    time_zone: str | None = None
    place: str | None = None
    listed: Literal["yes", "no"] | None = None
    back: Literal["record"] | None = None


@bp.page("/games/<game>/details")
def ask(game: str) -> str:
    """Ask for names, title, day and place, as they now are."""
    return _page(open_game(game), request.args.get("back", ""), {})


@bp.page(
    "/games/<game>/details",
    form=DetailsForm,
    who=with_table_key("The details of a game are changed"),
    json="asked",
)
def change(game: str) -> Response:
    """Keep what was filled in; a field that did not come stays as it is."""
    opened = open_game(game)
    store, sent, form = opened_store(), forms.read(DetailsForm), request.form
    if store.read_only:
        raise DatabaseReadOnly(store.log.path)
    for seat in sent.player.keys() - set(opened.seats):
        raise BadForm(f"There is no seat {seat!r} among {', '.join(opened.seats)}.")
    wrong = dict(_wrong(form))
    if wrong:
        return _refused(opened, wrong)
    given: dict[str, Any] = {name: form[name] for name in _CHECKS if name in form}
    store.set_details(game, names=sent.player, **given)
    if sent.listed is not None:
        store.hide(game, hidden=sent.listed == "no")
    if wants_json():
        return make_response(jsonify(game=game), 200)
    back = "recording.page" if sent.back is not None else "steps.step"
    more = {} if sent.back is not None else {"step": opened.steps}
    return redirect(link(back, game=game, **more), 303)


def _wrong(form: Mapping[str, str]) -> list[tuple[str, str]]:
    """Say of each field what cannot be kept."""
    found = []
    for name, text in form.items():
        try:
            if name.startswith("player."):
                details.line("name", text, details.NAME)
            elif name in _CHECKS:
                _CHECKS[name](text)
        except BadDetail as error:
            found.append((name, str(error)))
    return found


def _refused(game: Game, wrong: Mapping[str, str]) -> Response:
    if wants_json():
        return answer(422, BadDetail.code, " ".join(wrong.values()))
    return refusing(_page(game, request.form.get("back", ""), wrong), 422, BadDetail.code)


def _page(game: Game, back: str, wrong: Mapping[str, str]) -> str:
    entry = opened_store().catalogue.entry(game)
    return render_template(
        "details.html",
        game=game,
        title=viewing.title_of(game),
        entry=entry,
        back=back if back == "record" else "",
        sent=request.form if wrong else _known(entry),
        wrong=wrong,
        may_change=actor().sees_all and not opened_store().log.read_only,
    )


def _known(entry: Entry) -> dict[str, str]:
    kept = {name: getattr(entry, name) or "" for name in _CHECKS}
    names = {f"player.{seat.seat}": seat.name or "" for seat in entry.seats}
    return {**kept, **names, "listed": "no" if entry.hidden else "yes"}
