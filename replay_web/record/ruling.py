"""Recording what the table agreed on in spite of the rules: a move that they refuse, or another state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec
from flask import render_template, request
from werkzeug.wrappers import Response

from eventstore.errors import Conflict, TabletapeError
from eventstore.recording.commands import Rule
from games.core import serialization
from games.core.json_text import DoubledKey
from games.core.ruleset import IllegalAction
from games.text.naming import Naming
from games.words import joined
from replay_web.http import forms, viewing
from replay_web.http.errors import BadQuery
from replay_web.http.forms import RecordingForm
from replay_web.http.policy import BadForm, Pages, seeing_all
from replay_web.http.viewing import link, open_game
from replay_web.models import refusals
from replay_web.models.answers import Unanswered
from replay_web.models.step_view import step_views

if TYPE_CHECKING:
    from eventstore.recording.commands import Answer
    from eventstore.replay.game import Game

bp: Final = Pages("ruling", __name__)


class RulingForm(RecordingForm, frozen=True, kw_only=True):
    """What the table agreed on: a move that is `typed`, or values of the state."""

    what: Literal["move", "state"] | None = None
    typed: str = ""
    reason: str = ""
    within: str = ""
    """The part of the state that the page shows."""
    at: str = ""
    now: str = ""
    new: dict[str, str] = msgspec.field(name="now:*", default_factory=dict)
    old: dict[str, str] = msgspec.field(name="was:*", default_factory=dict)


RULES: Final = seeing_all("A record is corrected")
LEAVES: Final = 200
"""Values of the state on one page; more of it is behind links."""
WHAT: Final = {"move": ("at", "now", "was"), "state": ("typed",)}
"""What a ruling is about, with how fields begin that belong to the other sort."""


class StatePlace(NamedTuple):
    """A part of the state: a value that can be changed, or more to be opened; `at` is its JSON pointer."""

    at: str
    words: str
    value: str = ""
    short: bool = True
    """It is one value, no list and no table."""


class PlaceGroup(NamedTuple):
    """Values that stand together in a part of the state; folded where they are many."""

    words: str
    places: list[StatePlace]


@bp.page("/games/<game>/rule", who=RULES)
def ask(game: str) -> Response:
    """Ask for the move (`?typed=`) or, at a part of the state (`?within=`), for other values."""
    return _asking(open_game(game), None)


@bp.page("/games/<game>/rule", form=RulingForm, who=RULES, json="asked")
def rule(game: str) -> Response:
    """Record the ruling; the same form sent twice records it once."""
    opened = open_game(game)
    sent = forms.read(RulingForm)
    since, command = sent.after, forms.command()
    try:
        answer = _rule(opened, sent, command)
    except Conflict:
        now = open_game(game)
        return _asking(now, refusals.clash(now, since))
    except (Unanswered, IllegalAction, TabletapeError) as error:
        return _asking(opened, refusals.clash_or(opened, since, error))
    if forms.back() == "record":
        return refusals.done(answer, link("recording.page", game=game, _anchor="sheet"))
    return refusals.done(answer, link("steps.step", game=game, step=answer.step))


def _rule(game: Game, asked: RulingForm, command: str) -> Answer:
    typed = asked.typed.strip()
    reason = asked.reason.replace("\r\n", "\n")
    _refuse_others()
    if asked.what == "move":
        if not typed:
            raise Unanswered("nothing-to-record", "Type the move that the table agreed on.")
        return viewing.do(game, Rule(reason, event=typed, after=asked.after, id=command))
    try:
        changes = list(_changes(asked))
    except DoubledKey as fault:
        raise Unanswered("malformed-event", f"A value cannot be read: {fault}.") from None
    return viewing.do(game, Rule(reason, changes=changes, after=asked.after, id=command))


def _refuse_others() -> None:
    """Refuse what would be left out in silence.

    Errors:  `BadForm`.
    """
    form = request.form
    what = form.get("what", "")
    if what not in WHAT:
        raise BadForm(f"The field 'what' is {joined(WHAT, 'or')}, not {what!r}.")
    other = next((name for name in form if name.startswith(WHAT[what])), None)
    if other is not None:
        raise BadForm(f"A ruling about a {what} has no field {other!r}.")
    if form.get("now", "").strip() and not form.get("at", "").strip():
        raise BadForm("A value is given, and not where it stands: 'now' goes with 'at'.")
    old = next((name for name in form if name.startswith("was:") and f"now:{name[4:]}" not in form), None)
    if old is not None:
        raise BadForm(f"What stood there was sent as {old!r}, and no value to stand there now.")


def _changes(asked: RulingForm) -> Iterator[dict[str, Any]]:
    """Read the values that were changed: those that are not what the page showed."""
    for at, text in asked.new.items():
        if text.strip() != asked.old.get(at, "").strip():
            yield {"at": at, "was": _value(asked.old.get(at, "")), "now": _value(text)}
    if at := asked.at.strip():
        yield {"at": at, "now": _value(asked.now)}


_WORDS: Final[dict[str, Any]] = {"nothing": None, "yes": True, "no": False}
"""What stands for values that people do not write as JSON does."""


def _value(text: str) -> Any:
    """Read a value as one of the words, or as JSON; what is none of them is a text.

    Errors:  `DoubledKey`.
    """
    if text.strip() in _WORDS:
        return _WORDS[text.strip()]
    try:
        return serialization.read_json(text)
    except DoubledKey:
        raise
    except msgspec.DecodeError:
        return text.strip()


# --- the page ------------------------------------------------------------------------------------------


def _asking(game: Game, refusal: refusals.Refusal | None) -> Response:
    position = game.position()
    at = request.values.get("within", "")
    naming = Naming(position, game.names)
    state = position.plain() or {}
    try:
        places, parts = _parts(state, at, naming)
    except BadQuery:
        if refusal is None:
            raise
        at = ""  # the form was made for a board that had this place
        places, parts = _parts(state, at, naming)
    page = render_template(
        "ruling.html",
        game=game,
        shown=next(iter(step_views([position], game.names))),
        within=_place(state, at, naming),
        above=_place(state, at.rpartition("/")[0], naming),
        groups=_groups(places, at),
        parts=parts,
        may_rule=viewing.may_record(game) and position.readable and not game.damage,
        key=forms.fresh_key(),
        back=forms.back(),
        refusal=refusal,
        sent=request.form,
        typed=request.values.get("typed", ""),
        title=viewing.title_of(game),
    )
    return refusals.page_of(page, refusal)


def _parts(state: Any, at: str, naming: Naming) -> tuple[list[StatePlace], list[StatePlace]]:
    """Give the values at a place of the state, and the parts that are opened by a link.

    Errors:  `BadQuery` where the state has no such place.
    """
    box = _opened(state, at)
    places: list[StatePlace] = []
    parts: list[StatePlace] = []
    for name, value in _items(box):
        path = _pointer(at, name)
        inner = [(path, value)] if _is_written(value) else list(_inner(path, value))
        if inner and len(places) + len(inner) <= LEAVES:
            places += [
                _place(state, place, naming, at)._replace(
                    value=_written(one), short=not isinstance(one, dict | list)
                )
                for place, one in inner
            ]
        else:
            parts.append(_place(state, path, naming, at))
    return places, parts


def _groups(places: list[StatePlace], at: str) -> list[PlaceGroup]:
    """Put the single values first; then, under its name, what stands in each small table; then the lists."""
    found: dict[str, list[StatePlace]] = {"": []}
    lists: list[StatePlace] = []
    for place in places:
        inside = place.at.rpartition("/")[0] != at
        if not place.short and not inside:
            lists.append(place)
            continue
        found.setdefault(place.words.partition(" · ")[0] if inside else "", []).append(place)
    return [PlaceGroup(words, some) for words, some in (*found.items(), ("Lists, as JSON", lists)) if some]


def _place(state: Any, at: str, naming: Naming, within: str = "") -> StatePlace:
    """Say in words where a place is, beyond the part that is shown: seats and cards by their names."""
    said: list[str] = []
    for step in at.split("/")[1:]:
        name, in_list = _plain(step), isinstance(state, list)
        said.append(f"no. {int(name) + 1}" if in_list else naming.part(name))
        state = state[int(name)] if in_list else state[name]
    words = " · ".join(said[within.count("/") :])
    return StatePlace(at, words[:1].upper() + words[1:])


def _inner(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Give the values of a small table; nothing where there is more inside."""
    if isinstance(value, dict) and all(map(_is_written, value.values())):
        for key, one in value.items():
            yield _pointer(path, key), one


def _is_written(value: Any) -> bool:
    """Tell whether a value stands in one field: no table, and no list of tables or lists."""
    if isinstance(value, list):
        return not any(isinstance(one, dict | list) for one in value)
    return not isinstance(value, dict) or not value


def _pointer(at: str, name: str) -> str:
    return f"{at}/{name.replace('~', '~0').replace('/', '~1')}"


def _plain(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _opened(box: Any, at: str) -> Any:
    if at and not at.startswith("/"):
        raise BadQuery(f"A part of the state is named like /cash/p1, not {at!r}.")
    for step in at.split("/")[1:]:
        name = _plain(step)
        try:
            box = _item(box, name) if isinstance(box, list) else box[name]
        except (LookupError, TypeError):
            box = None
        if not isinstance(box, dict | list):
            raise BadQuery(f"The state has no part {at!r}.")
    return box


def _item(box: list[Any], place: str) -> Any:
    number = viewing.whole(place)
    return None if number is None else box[number]


def _items(box: Mapping[str, Any] | list[Any]) -> list[tuple[str, Any]]:
    if isinstance(box, list):
        return [(str(place), value) for place, value in enumerate(box)]
    return list(box.items())


def _written(value: Any) -> str:
    """Write a value as `_value` reads it: in words and without quotes where that is clear, else as JSON."""
    word = next((word for word, meant in _WORDS.items() if value is meant), None)
    if word is not None:
        return word
    if isinstance(value, str) and value and value == value.strip() and _stands_for_itself(value):
        return value
    return msgspec.json.encode(value).decode()


def _stands_for_itself(text: str) -> bool:
    try:
        return bool(_value(text) == text)
    except DoubledKey:
        return False
