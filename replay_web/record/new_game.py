"""Starting a game in the browser: which rules, who sits where, which readings, whose cards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from flask import Blueprint, jsonify, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from eventstore.errors import DatabaseReadOnly, TabletapeError
from eventstore.library import details
from eventstore.log.ids import new_id
from games.core import serialization
from games.core.json_text import DoubledKey
from games.core.options import Reading, readings
from games.core.ruleset import EVERYTHING, TABLE, BadData, IllegalAction, Ruleset, seat_names
from games.core.sentences import how_many, shortened
from games.core.start import BadOption, data_file
from replay_web.http import forms
from replay_web.http.access import asker
from replay_web.http.errors import BadQuery, answer, refusing, status_of, wants_json
from replay_web.http.policy import BadForm
from replay_web.http.viewing import tabletape, whole

pages: Final = Blueprint("new_game", __name__)


class Option(msgspec.Struct, frozen=True):
    """A reading of the rulebook, as the form asks for it; `values` are JSON, none where it is typed."""

    name: str
    meaning: str
    source: str
    values: tuple[tuple[str, str], ...]
    value: str
    sort: str
    least: int | None = None
    most: int | None = None
    parts: tuple[str, ...] = ()
    """What a seat is chosen for, one by one; none where the value is one answer."""
    seats: tuple[str, ...] = ()

    def seat_of(self, part: str) -> str:
        """Say which seat a part has now."""
        return str(msgspec.json.decode(self.value)[part])


class Wrong(msgspec.Struct, frozen=True):
    """What cannot be, and beside which field that stands."""

    code: str
    sentence: str
    where: str


@pages.get("/games/new")
def ask() -> str:
    """Ask for a ruleset, then for everything else."""
    name = request.args.get("ruleset", "")
    if not name:
        return render_template("new.html", rulesets=_all_rules(), may_write=_may_write())
    return _form(tabletape().registry.find(name), request.args, None)


@pages.get("/rulesets/<ruleset>/data.json")
def data(ruleset: str) -> Response:
    """Give the cards or the board that a game has by itself, as a file to start one's own from."""
    rules = tabletape().registry.find(ruleset)
    response = make_response(data_file(rules))
    response.headers["Content-Type"] = "application/json"
    response.headers["Content-Disposition"] = f"attachment; filename={rules.id}.json"
    return response


@pages.post("/games")
def create() -> Response:
    """Start the game that the form describes; the same form sent twice starts one."""
    form = request.form
    store = tabletape()
    if store.log.read_only:
        raise DatabaseReadOnly(store.log.path)
    rules = store.registry.find(form.get("ruleset", ""))
    key = forms.game_key()
    seats = seat_names(_players(rules, form))
    _refuse_others(rules, seats)
    players = [form.get(f"player.{seat}", "") for seat in seats]
    try:
        started = store.recorder.new(
            rules.id,
            players,
            options=dict(chosen(rules, form)),
            data=_file(),
            origin="dealt" if form.get("origin") == "dealt" else "table",  # `fields` knows no third
            seen_as=form.get("seen_as") or EVERYTHING,
            title=form.get("title") or None,
            played_on=form.get("played_on") or None,
            time_zone=form.get("time_zone") or None,
            place=form.get("place") or None,
            command_id=key,
            by=asker().by,
        )
    except (IllegalAction, BadData, TabletapeError) as error:
        return _refused(rules, error)
    if wants_json():
        told = {"game": started.game, "seq": started.seq}
        return make_response(jsonify(told), 200 if started.repeated else 201)
    return redirect(url_for("recording.page", game=started.game), 303)


def _may_write() -> bool:
    return asker().may_write and not tabletape().log.read_only


def _all_rules() -> list[Ruleset[Any]]:
    return sorted(tabletape().registry.newest().values(), key=lambda rules: rules.title)


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


def _file() -> bytes | None:
    sent = request.files.get("data")
    return sent.read() if sent is not None and sent.filename else None


def chosen(rules: Ruleset[Any], form: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Read the options of the form; JSON where it is JSON, else text; an empty field says nothing.

    Errors:  `IllegalAction` `bad-option` for an object that has a key twice.
    """
    for field in msgspec.structs.fields(rules.options):
        text = form.get(f"option.{field.encode_name}")
        if text is None:
            if parts := _parts(form, field.encode_name):
                yield field.encode_name, parts
            continue
        try:
            yield field.encode_name, serialization.read_json(text) if text.strip() else None
        except DoubledKey as fault:
            sentence = f"The option {field.encode_name} cannot be read: {fault}."
            raise IllegalAction("bad-option", sentence) from None
        except msgspec.DecodeError:
            yield field.encode_name, text.strip()


def _parts(form: Mapping[str, str], option: str) -> dict[str, str]:
    """Give what was chosen part by part, as which seat leads each team."""
    before = f"option.{option}."
    return {name.removeprefix(before): form[name] for name in form if name.startswith(before)}


# --- the form ------------------------------------------------------------------------------------------


def _form(rules: Ruleset[Any], sent: Mapping[str, str], wrong: Wrong | None) -> str:
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
        options=list(options_of(rules, seats)),
        people=_people(),
        sent=sent,
        wrong=wrong,
        today=details.today(None),
        key=new_id(),
    )


def _people() -> list[str]:
    """Name those who played lately, to be picked from."""
    entries = tabletape().catalogue.list(limit=100) if asker().sees_all else []
    names = {seat.name: None for entry in entries for seat in entry.seats if seat.name}
    return sorted(names, key=str.casefold)


def options_of(rules: Ruleset[Any], seats: tuple[str, ...]) -> Iterator[Option]:
    """Give the options of a ruleset with what they mean, whence they come and what a new game gets."""
    for reading in readings(rules, seats):
        yield Option(
            name=reading.name,
            meaning=_meaning(reading),
            source=_source(reading.source),
            values=tuple((_said(value), _json(value)) for value in reading.values),
            value=_json(reading.suggested) if reading.values else _as_typed(reading.suggested),
            sort="pick" if reading.values else "number" if reading.whole else "text",
            least=reading.least,
            most=reading.most,
            **_by_seats(reading, seats),
        )


def _as_typed(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _said(value: Any) -> str:
    """Say a value in words.

    >>> _said("decline-is-capture"), _said(True), _said(25)
    ('decline is capture', 'yes', '25')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("-", " ")


def _meaning(reading: Reading) -> str:
    """Say what an option means as the form says its values: in words, and empty for none."""
    said = reading.meaning.replace("null for", "empty for").replace("else null", "else empty")
    for value in reading.values:
        said = said.replace(str(value), _said(value)) if isinstance(value, str) else said
    return re.sub("`([^`]+)`", lambda found: f"“{re.sub('[_-]', ' ', found[1])}”", said)


def _source(source: str) -> str:
    """Name the parts of the rulebook; a ruling is what the option itself is about.

    >>> _source("rulebook, Buying; ruling R14"), _source("ruling R2")
    ('rulebook, Buying', '')
    """
    return "; ".join(part for part in source.split("; ") if not part.startswith("ruling "))


def _by_seats(reading: Reading, seats: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    value = reading.suggested
    if not isinstance(value, dict) or not value or not all(one in seats for one in value.values()):
        return {}
    return {"parts": tuple(value), "seats": seats}


# --- refusals ------------------------------------------------------------------------------------------


def _refused(rules: Ruleset[Any], error: Exception) -> Response:
    """Give the form back as it was filled in, with the refusal beside the field; a file is picked again."""
    wrong = _wrong(rules, error)
    status = status_of(error) if isinstance(error, TabletapeError) else 422
    if wants_json():
        return answer(status, wrong.code, wrong.sentence)
    return refusing(_form(rules, request.form, wrong), status, wrong.code)


def _wrong(rules: Ruleset[Any], error: Exception) -> Wrong:
    code = str(getattr(error, "code", "refused"))
    if isinstance(error, BadData):
        file = sent.filename or "" if (sent := request.files.get("data")) else ""
        said = BadData(error.row, error.sentence, file)
        return Wrong(code, f"The file does not fit {rules.title}. {said}", "data")
    sentence = str(getattr(error, "sentence", None) or error)
    field = getattr(error, "field", None)
    if isinstance(error, BadOption):
        return Wrong(code, shortened(_bad_option(rules, error.option)), f"option.{error.option}")
    where = {"unknown-viewer": "seen_as", "bad-option": "options", "unknown-option": "options"}
    return Wrong(code, sentence, str(field) if field else where.get(code, "options"))


def _bad_option(rules: Ruleset[Any], name: str) -> str:
    """Name the option, what was sent, and what would be right."""
    seats = seat_names(_players(rules, request.form))
    option = next(reading for reading in readings(rules, seats) if reading.name == name)
    right = option.right.replace("or null", "or left empty")
    like = f", like {_as_typed(option.suggested)}" if isinstance(option.suggested, dict) else ""
    parts = ", ".join(f"{part}: {seat}" for part, seat in _parts(request.form, name).items())
    typed = parts or request.form.get(f"option.{name}", "").strip() or "nothing"
    return f"The option “{name.replace('_', ' ')}” cannot be {typed}: it is {right}{like}."
