"""Why nothing was recorded, as a page and a program are told: the sentence, what is legal, who came first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from flask import Response, jsonify, make_response, redirect
from werkzeug.wrappers import Response as AnyResponse

from eventstore.errors import Conflict, TabletapeError, with_advice
from eventstore.refusals import NothingToRedo, NothingToUndo, NotInHistory, UndoPastDraw
from games.core.ruleset import IllegalAction
from games.core.seat_permissions import NOT_YOURS
from games.core.sentences import shortened
from games.text.wording import put_names, with_rule
from replay_web.http import viewing
from replay_web.http.errors import refusing, status_of, wants_json
from replay_web.models.action_form import Tap, spelt
from replay_web.models.step_view import Row, rows

if TYPE_CHECKING:
    from eventstore.recording.commands import Answer
    from eventstore.replay.game import Game

LEGAL: Final = 8
"""Possible events that a refusal offers."""


class Refusal(NamedTuple):
    """Why nothing was recorded; `where` is the form that it stands beside."""

    status: int
    code: str
    sentence: str
    where: str = "page"
    legal: tuple[Tap, ...] = ()
    """What is possible instead."""
    head: int | None = None
    """After somebody else came first: the last event now."""
    meanwhile: tuple[Row, ...] = ()
    undone: bool = False
    """Something that was there is not there any more."""
    by_rules: bool = False
    """The rules understand it and refuse it: the table may agree on it all the same."""


def refusal_of(game: Game, error: Exception, where: str = "page", at: int | None = None) -> Refusal:
    """Say what a refusal of the store, of the rules or of a form says, and what is possible instead.

    `where` is the form, unless the refusal says so itself; `at` the step behind which the rules judged, else
    the last one.
    """
    code, where = str(getattr(error, "code", "refused")), str(getattr(error, "where", where))
    if isinstance(error, IllegalAction):
        closed = error.code in {NOT_YOURS, viewing.NeedsAll.code_word}
        possible = _possible(game, error, at)
        by_rules = not closed and code != "not-understood"
        return Refusal(403 if closed else 422, code, said(game, error), where, possible, by_rules=by_rules)
    status = status_of(error) if isinstance(error, TabletapeError) else 422
    return Refusal(status, code, said(game, error), where)


def _possible(game: Game, error: IllegalAction, at: int | None) -> tuple[Tap, ...]:
    try:
        position = game.position(at)
        return spelt(game, position, error.legal[:LEGAL])
    except (TabletapeError, IllegalAction, LookupError, ValueError):
        return ()  # of a line of several moves the earlier ones may have changed the board


def said(game: Game, error: Exception) -> str:
    """Say what is refused as a page speaks of it: with names, by steps, and without the game's id."""
    return shortened(_by_rule(game, error) if isinstance(error, IllegalAction) else _in_steps(game, error))


def _by_rule(game: Game, error: IllegalAction) -> str:
    if error.code == viewing.NeedsAll.code_word:
        return str(viewing.NeedsAll(game).description)
    line = getattr(error, "line", 1)
    which = f"Entry {line}: " if line > 1 else ""
    return which + with_rule(put_names(error.sentence, game.names), error.rule)


def _in_steps(game: Game, error: Exception) -> str:
    match error:
        case NotInHistory(instead=seq):
            where = game.history.where(seq, game.head) if seq is not None else None
            now = f": what replaced it is step {where}" if where is not None else ""
            return f"What this form is about is no step of the game any more{now}."
        case NothingToUndo():
            return "There is nothing to undo: the game is at its first step."
        case NothingToRedo():
            return "There is nothing to redo: nothing was undone since the last entry."
        case UndoPastDraw(seq=seq) if (step := game.history.where(seq, game.head)) is not None:
            return (
                f"Step {step} was dealt by Tabletape: once it is taken back, another card or throw will come."
            )
        case _:
            return with_advice(error) if isinstance(error, TabletapeError) else str(error)


def gone(game: Game, seq: int) -> NotInHistory:
    """Refuse a form about an event that is no step of the game now."""
    where = game.history.where(seq, game.head)
    return NotInHistory(seq, None if where is None else game.runs.seq_at(where))


def clash(now: Game, since: int, where: str = "page") -> Refusal:
    """Somebody else recorded since event `since`: nothing was appended, and this is what they did."""
    added = [step for step, seq in enumerate(now.runs) if seq > since]
    found: list[Row] = []
    if added:
        positions = now.positions(added[0], added[-1])
        found = [row for row in rows(positions, now.names) if now.runs.seq_at(row.step) > since]
    return Refusal(
        status=409,
        code=Conflict.code,
        sentence="Somebody else recorded meanwhile; nothing of yours was. Look, and send it again.",
        where=where,
        head=now.head,
        meanwhile=tuple(found),
        undone=now.head > since + len(added),
    )


def clash_or(game: Game, since: int, error: Exception) -> Refusal:
    """Why a form was refused: that it was made for another head comes before what is wrong with it."""
    return refusal_of(game, error) if since == game.head else clash(game, since)


def page_of(page: str, refusal: Refusal | None) -> Response:
    """Answer with a page, and with the refusal that stands on it."""
    if refusal is None:
        return make_response(page)
    body = jsonify(error=for_program(refusal)) if wants_json() else page
    return refusing(body, refusal.status, refusal.code)


def for_program(refusal: Refusal) -> dict[str, Any]:
    """Give a refusal as JSON has it."""
    told: dict[str, Any] = {"code": refusal.code, "message": refusal.sentence}
    if refusal.legal:
        told["legal"] = [msgspec.json.decode(tap.value) for tap in refusal.legal]
    if refusal.head is not None:
        told["head"] = refusal.head
        told["meanwhile"] = [{"step": row.step, "caption": row.caption} for row in refusal.meanwhile]
    return told


def done(answer: Answer, then: str) -> AnyResponse:
    """Tell a program what was recorded; lead a person on."""
    if not wants_json():
        return redirect(then, 303)
    return make_response(jsonify(answer.plain()), status_when(answer))


def status_when(answer: Answer) -> int:
    """Give the status of what was recorded: another one where it had been recorded before."""
    return 200 if answer.repeated else 201
