"""Comparing the record with the real table: a form made from the view, and where the record drifted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from flask import make_response, render_template, request
from werkzeug.wrappers import Response

from eventstore.errors import Conflict, TabletapeError
from eventstore.recording.commands import Check
from eventstore.recording.table_checks import Drift, drift
from games.core.events import RecordChecked
from games.core.ruleset import IllegalAction
from games.text.wording import drifted
from replay_web.http import forms, params, viewing
from replay_web.http.errors import BadQuery
from replay_web.http.forms import RecordingForm
from replay_web.http.policy import Pages
from replay_web.http.viewing import link, open_game, opened_store
from replay_web.models import refusals
from replay_web.models.answers import Unanswered
from replay_web.models.step_view import Row, labelled, rows, step_views

if TYPE_CHECKING:
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from games.core.scene import Scene

bp: Final = Pages("check", __name__)


class CheckForm(RecordingForm, frozen=True, kw_only=True):
    """What was seen on the table, by place; an empty field was not looked at."""

    at: dict[str, str] = msgspec.field(name="at:*", default_factory=dict)


LISTED: Final = 24
"""Steps of a stretch that are written out; of a longer one its last."""
EMPTY: Final = "–"
"""Typed for a place on which nothing stands."""


class CheckedValue(NamedTuple):
    """Something that lies on the table, and what the record has of it."""

    at: str
    label: str
    value: str
    sort: str
    """`number`; `text` for what stands on a place; `any` where the record has nothing to tell it by."""


class DriftSearch(NamedTuple):
    """A claim that the record does not bear out, and the steps among which it went wrong."""

    label: str
    claimed: str
    recorded: str
    since: int | None
    where: str
    first: int
    listed: int
    """The first of them that is written out."""
    steps: tuple[Row, ...]
    """Those after which the record has another value there."""
    others: tuple[Row, ...]


@bp.page("/games/<game>/check")
def ask(game: str) -> Response:
    """Ask what lies on the table; with `?step=`, say what the check at that step found."""
    opened = open_game(game)
    if "step" not in request.args:
        return _asking(opened, None)
    return _found(opened, params.step(request.args["step"], opened))


@bp.page("/games/<game>/check", form=CheckForm, json="asked")
def check(game: str) -> Response:
    """Record what was seen, whether the record holds or not; the same form sent twice records it once."""
    opened = open_game(game)
    sent = forms.read(CheckForm)
    since, command = sent.after, forms.command()
    try:
        answer = viewing.do(opened, Check(_claims(opened, sent.at), after=since, id=command))
    except Conflict:
        now = open_game(game)
        return _asking(now, refusals.clash(now, since))
    except Unanswered as error:
        first = opened_store().answer_to(opened, command)
        if first is None:
            return _asking(opened, refusals.clash_or(opened, since, error))
        # What was sent could be read when it was sent first.
        answer = replace(first, result=Check({}).result(first.game))
    except (IllegalAction, TabletapeError) as error:
        return _asking(opened, refusals.refusal_of(opened, error))
    return refusals.done(answer, link("check.ask", game=game, step=answer.step))


def _claims(game: Game, sent: Mapping[str, str]) -> dict[str, int | str | None]:
    """Read the fields that were filled in; the others were not looked at.

    Errors:  `Unanswered`.
    """
    found: dict[str, int | str | None] = {}
    known = {field.at: field for group in _fields_now(game) for field in group[1]}
    for at, text in sent.items():
        if typed := text.strip():
            found[at] = _claim(known.get(at), typed)
    if not found:
        raise Unanswered("nothing-to-record", "Fill in at least one thing that you see on the table.")
    return found


def _claim(field: CheckedValue | None, typed: str) -> int | str | None:
    if typed in {EMPTY, "-"}:
        return None
    plain = typed.replace("−", "-").replace("\u202f", "").replace(" ", "")
    sort = field.sort if field is not None else "any"
    number = viewing.whole(plain.removeprefix("-"))
    if sort != "text" and number is not None:
        return -number if plain.startswith("-") else number
    if sort == "number" or (sort == "any" and plain.removeprefix("-").isdigit()):
        named = field.label if field is not None else "What was counted"
        raise Unanswered("no-such-value", f"{named}: a whole number up to {viewing.MOST}, not {typed!r}.")
    return typed


# --- the form ------------------------------------------------------------------------------------------


def _asking(game: Game, refusal: refusals.Refusal | None) -> Response:
    position = game.position()
    page = render_template(
        "check.html",
        game=game,
        shown=next(iter(step_views([position], game.names))),
        groups=[(name, fields) for name, fields in _fields(game, position.scene()) if fields],
        may_check=viewing.may_record(game) and position.readable and not game.damage,
        key=forms.fresh_key(),
        refusal=refusal,
        sent=request.form,
        title=viewing.title_of(game),
    )
    return refusals.page_of(page, refusal)


def _fields_now(game: Game) -> list[tuple[str, list[CheckedValue]]]:
    return list(_fields(game, game.position().scene()))


def _fields(game: Game, scene: Scene | None) -> Iterator[tuple[str, list[CheckedValue]]]:
    """Give what can be checked: for the table and for each player, then the places of the board."""
    if scene is None:
        return
    said = labelled(scene, game.names)
    owned: list[tuple[str, str | None]] = [(item.key, item.owner) for item in scene.counters]
    owned += [(item.key, item.owner) for item in scene.zones]
    for seat in (None, *game.seats):
        keys = [key for key, owner in owned if owner == seat]
        name = "On the table" if seat is None else game.names.get(seat, seat)
        yield (
            name,
            [_field(key, said[key][0].removeprefix(f"{name}: "), said[key][1], counted=True) for key in keys],
        )
    yield "On the board", [_field(cell.key, *said[cell.key], counted=False) for cell in scene.cells]


def _field(at: str, label: str, value: int | str | None, *, counted: bool) -> CheckedValue:
    sort = "text" if not counted else "number" if isinstance(value, int) else "any"
    return CheckedValue(at, label, EMPTY if value is None else str(value), sort)


# --- what it found -------------------------------------------------------------------------------------


def _found(game: Game, step: int) -> Response:
    """Say what drifted, since when, and lead to the steps in question."""
    position = game.position(viewing.known(game, step))
    if not isinstance(position.event, RecordChecked):
        raise BadQuery(f"Step {step} is no table check.")
    drifts = drift(game, step)
    page = render_template(
        "checked.html",
        game=game,
        step=step,
        drifted=[_drifted(game, position, one) for one in drifts],
        held=_held(game, position, drifts),
        may_correct=viewing.shows_all(game) and viewing.may_record(game),
        title=viewing.title_of(game),
    )
    return make_response(page)


def _drifted(game: Game, position: Position, one: Drift) -> DriftSearch:
    scene = position.scene()
    said = labelled(scene, game.names) if scene is not None else {}
    first, last = one.stretch
    listed = max(first, last - LISTED + 1)
    positions = list(game.positions(listed - 1, last)) if first <= last else []
    changed = set(_changing(positions, one.at))
    lines = [row for row in rows(positions, game.names) if row.step >= listed]
    return DriftSearch(
        label=said.get(one.at, (one.at, None))[0],
        claimed=_text(one.claimed),
        recorded=_text(one.recorded),
        since=one.since,
        where=drifted(one.since, one.step),
        first=first,
        listed=listed,
        steps=tuple(row for row in lines if row.step in changed),
        others=tuple(row for row in lines if row.step not in changed),
    )


def _changing(positions: Iterable[Position], at: str) -> Iterator[int]:
    """Give the steps after which a place of the table holds something else than before."""
    for before, after in pairwise(positions):
        one, other = before.scene(), after.scene()
        if one is None or other is None or dict(one.values()).get(at) != dict(other.values()).get(at):
            yield after.step


def _held(game: Game, position: Position, drifts: tuple[Drift, ...]) -> list[tuple[str, str]]:
    scene, event = position.scene(), position.event
    if scene is None or not isinstance(event, RecordChecked):
        return []
    said, wrong = labelled(scene, game.names), {one.at for one in drifts}
    claims: list[Any] = [claim for claim in event.claims if claim.at not in wrong]
    return [(said.get(claim.at, (claim.at, None))[0], _text(claim.value)) for claim in claims]


def _text(value: int | str | None) -> str:
    return "nothing" if value is None else str(value)
