"""Starting a game in the browser: which rules, who sits where, which readings, whose cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from flask import jsonify, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from eventstore.access.actor import Actor
from eventstore.errors import DatabaseReadOnly, TabletapeError
from eventstore.library import details
from eventstore.log.ids import new_id
from eventstore.recording.commands import New
from games.core.options import ruleset_options
from games.core.ruleset import EVERYTHING, TABLE, BadData, IllegalAction, Ruleset, seat_names
from games.core.sentences import how_many, shortened
from games.core.start import BadOption, data_file
from replay_web.http import forms
from replay_web.http.access import actor
from replay_web.http.errors import BadQuery, answer, refusing, status_of, wants_json
from replay_web.http.forms import GameKey, Number
from replay_web.http.policy import BadForm, PageForm, Pages
from replay_web.http.viewing import opened_store, whole
from replay_web.models import option_form

bp: Final = Pages("new_game", __name__)


class NewGameForm(PageForm, frozen=True, kw_only=True):
    """Which rules, who sits where, which options, and whose cards."""

    key: GameKey
    ruleset: str = ""
    players: Number | None = None
    player: dict[str, str] = msgspec.field(name="player.*", default_factory=dict)
    option: dict[str, str] = msgspec.field(name="option.*", default_factory=dict)
    origin: Literal["table", "dealt"] = "table"
    seen_as: str = ""
    data: bytes | None = None
    """A card file in place of the cards that the game has by itself."""
    title: str | None = None
    played_on: str | None = None
    time_zone: str | None = None
    place: str | None = None


class NewGameFault(msgspec.Struct, frozen=True):
    """What cannot be, and beside which field that stands."""

    code: str
    sentence: str
    where: str


@bp.page("/games/new")
def ask() -> str:
    """Ask for a ruleset, then for everything else."""
    name = request.args.get("ruleset", "")
    if not name:
        return render_template("new.html", rulesets=_all_rules(), may_write=_may_write())
    return _form(opened_store().registry.find(name), request.args, None)


@bp.page("/rulesets/<ruleset>/data.json")
def data(ruleset: str) -> Response:
    """Give the cards or the board that a game has by itself, as a file to start one's own from."""
    rules = opened_store().registry.find(ruleset)
    response = make_response(data_file(rules))
    response.headers["Content-Type"] = "application/json"
    response.headers["Content-Disposition"] = f"attachment; filename={rules.id}.json"
    return response


@bp.page("/games", form=NewGameForm, json="asked")
def create() -> Response:
    """Start the game that the form describes; the same form sent twice starts one."""
    store, form = opened_store(), request.form
    if store.read_only:
        raise DatabaseReadOnly(store.log.path)
    rules = store.registry.find(form.get("ruleset", ""))
    sent = forms.read(NewGameForm)
    seats = seat_names(_players(rules, form))
    _refuse_others(rules, seats)
    players = [sent.player.get(seat, "") for seat in seats]
    try:
        started = store.do(
            None,
            New(
                rules.id,
                players,
                options=dict(option_form.chosen(rules, form)),
                data=sent.data,
                origin=sent.origin,
                seen_as=sent.seen_as or EVERYTHING,
                title=sent.title or None,
                played_on=sent.played_on or None,
                time_zone=sent.time_zone or None,
                place=sent.place or None,
                id=sent.key,
            ),
            Actor(actor().by),
        )
    except (IllegalAction, BadData, TabletapeError) as error:
        return _refused(rules, error)
    if wants_json():
        told = {"game": started.game.id, "seq": started.seq}
        return make_response(jsonify(told), 200 if started.repeated else 201)
    return redirect(url_for("recording.page", game=started.game.id), 303)


def _may_write() -> bool:
    return actor().may_write and not opened_store().read_only


def _all_rules() -> list[Ruleset[Any]]:
    return sorted(opened_store().registry.newest().values(), key=lambda rules: rules.title)


def _refuse_others(rules: Ruleset[Any], seats: Sequence[str]) -> None:
    """Refuse a name for a seat that is not there, and an option that these rules have not.

    Errors:  `BadForm`.
    """
    options = {field.encode_name for field in msgspec.structs.fields(rules.options)}
    for name in request.form:
        sort, _, which = name.partition(".")
        if sort == "player" and which not in seats:
            raise BadForm(f"There is no seat {which!r} among {', '.join(seats)}.")
        if sort == "option" and which.partition(".")[0] not in options:
            raise BadForm(
                f"{rules.title} has no option {which!r}: it has {', '.join(sorted(options)) or 'none'}."
            )


def _players(rules: Ruleset[Any], sent: Mapping[str, str]) -> int:
    text = sent.get("players", str(rules.seats[0]))
    found = whole(text)
    if found is None or found not in rules.seats:
        raise BadQuery(f"{rules.title} is played by {how_many(rules.seats)} players, not {text!r}.")
    return found


# --- the form ------------------------------------------------------------------------------------------


def _form(rules: Ruleset[Any], sent: Mapping[str, str], wrong: NewGameFault | None) -> str:
    players = _players(rules, sent)
    seats = seat_names(players)
    return render_template(
        "new.html",
        rulesets=_all_rules(),
        may_write=_may_write(),
        rules=rules,
        players=players,
        seats=seats,
        viewers=(
            (EVERYTHING, "everything, also what is hidden"),
            (TABLE, "what lies open on the table"),
            *((seat, "") for seat in seats),
        ),
        options=list(option_form.options_of(rules, seats)),
        people=_people(),
        sent=sent,
        wrong=wrong,
        today=details.today(None),
        key=new_id(),
    )


def _people() -> list[str]:
    """Name those who played lately, to be picked from."""
    entries = opened_store().catalogue.list(limit=100) if actor().sees_all else []
    names = {seat.name: None for entry in entries for seat in entry.seats if seat.name}
    return sorted(names, key=str.casefold)


# --- refusals ------------------------------------------------------------------------------------------


def _refused(rules: Ruleset[Any], error: Exception) -> Response:
    """Give the form back as it was filled in, with the refusal beside the field; a file is picked again."""
    wrong = _wrong(rules, error)
    status = status_of(error) if isinstance(error, TabletapeError) else 422
    if wants_json():
        return answer(status, wrong.code, wrong.sentence)
    return refusing(_form(rules, request.form, wrong), status, wrong.code)


def _wrong(rules: Ruleset[Any], error: Exception) -> NewGameFault:
    code = str(getattr(error, "code", "refused"))
    if isinstance(error, BadData):
        file = sent.filename or "" if (sent := request.files.get("data")) else ""
        said = BadData(error.row, error.sentence, file)
        return NewGameFault(code, f"The file does not fit {rules.title}. {said}", "data")
    sentence = str(getattr(error, "sentence", None) or error)
    field = getattr(error, "field", None)
    if isinstance(error, BadOption):
        return NewGameFault(code, shortened(_bad_option(rules, error.option)), f"option.{error.option}")
    where = {"unknown-viewer": "seen_as", "bad-option": "options", "unknown-option": "options"}
    return NewGameFault(code, sentence, str(field) if field else where.get(code, "options"))


def _bad_option(rules: Ruleset[Any], name: str) -> str:
    """Name the option, what was sent, and what would be right."""
    seats = seat_names(_players(rules, request.form))
    option = next(reading for reading in ruleset_options(rules, seats) if reading.name == name)
    right = option.right.replace("or null", "or left empty")
    like = f", like {option_form.as_typed(option.suggested)}" if isinstance(option.suggested, dict) else ""
    parts = ", ".join(f"{part}: {seat}" for part, seat in option_form.parts(request.form, name).items())
    typed = parts or request.form.get(f"option.{name}", "").strip() or "nothing"
    return f"The option “{name.replace('_', ' ')}” cannot be {typed}: it is {right}{like}."
