"""What every form that records has: for which head it was made, its key, and who came first."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from flask import Response, jsonify, make_response, request

from eventstore.errors import Conflict, TabletapeError
from eventstore.refusals import NothingToRedo, NothingToUndo, UndoPastDraw
from games.own_seat import NOT_YOURS
from games.ruleset import IllegalAction
from games.sentences import shortened
from games.wording import put_names, with_rule
from replay_web import numbers, viewing
from replay_web.errors import BadQuery, status_of
from replay_web.picture import Row, rows
from replay_web.viewing import tabletape

if TYPE_CHECKING:
    from eventstore.moment import Tape
    from replay_web.sheet import Tap

_KEY_LENGTH: Final = 12


class Meanwhile(NamedTuple):
    """What somebody else did since a form was made."""

    sentence: str
    rows: tuple[Row, ...]
    undone: bool
    """Something that was there is not there any more."""


class Refusal(NamedTuple):
    """Why nothing was recorded; `where` is the form that it stands beside."""

    status: int
    code: str
    sentence: str
    where: str = "page"
    legal: tuple[Tap, ...] = ()
    """What is possible instead."""
    meanwhile: tuple[Row, ...] = ()
    undone: bool = False


def refusal_of(tape: Tape, error: Exception) -> Refusal:
    """Say what a refusal of the store, of the rules or of a form says."""
    status = status_of(error) if isinstance(error, TabletapeError) else 422
    said = in_steps(tape, error)
    if isinstance(error, IllegalAction):
        status = status_by_rule(error)
        said = with_rule(put_names(error.sentence, tape.names), error.rule)
    code, where = str(getattr(error, "code", "refused")), str(getattr(error, "where", "page"))
    return Refusal(status, code, shortened(said), where)


def in_steps(tape: Tape, error: Exception) -> str:
    """Say what the store refuses as a page speaks of it: by steps, and without the game's id."""
    match error:
        case NothingToUndo():
            return "There is nothing to undo: the game is at its first step."
        case NothingToRedo():
            return "There is nothing to redo: nothing was undone since the last entry."
        case UndoPastDraw(seq=seq) if (step := tape.history.where(seq, tape.head.seq)) is not None:
            return (
                f"Step {step} was dealt by Tabletape: once it is taken back, another card or throw will come."
            )
        case _:
            return str(error)


def status_by_rule(error: IllegalAction) -> int:
    """Give the status of what the rules refuse: 403 where it is about who asks, not about what he sends."""
    return 403 if error.code in {NOT_YOURS, viewing.NeedsAll.code_word} else 422


def clash(now: Tape, since: int) -> Refusal:
    """Somebody else recorded: nothing was appended, and this is what he did."""
    done = meanwhile(now, since)
    return Refusal(409, Conflict.code, done.sentence, meanwhile=done.rows, undone=done.undone)


def page_of(page: str, refusal: Refusal | None) -> Response:
    """Answer with a page, and with the refusal that stands on it."""
    if refusal is None:
        return make_response(page)
    said = {"code": refusal.code, "message": refusal.sentence}
    response = make_response(jsonify(error=said) if wants_json() else page, refusal.status)
    response.headers["X-Error-Code"] = refusal.code
    return response


def wants_json() -> bool:
    """Tell whether a program asks."""
    return request.accept_mimetypes.best == "application/json"


def takes_gzip() -> bool:
    """Tell whether the answer may be packed; a browser that gives it no weight does not take it."""
    return request.accept_encodings.quality("gzip") > 0


def number(name: str, what: str) -> int:
    """Read a whole number of the form.

    Errors:  `BadQuery`.
    """
    return numbers.within(request.form.get(name, ""), f"A form says {what},", 0)


def after() -> int:
    """Read for which head the form was made."""
    return number("after", "after which event it was made")


def fresh_key() -> str:
    """Make the key of a form."""
    return secrets.token_urlsafe(_KEY_LENGTH)


def command() -> str:
    """Name the command: the same form sent twice has the same name, another button has another."""
    key = request.form.get("key", "")
    if not viewing.FORM_KEY.fullmatch(key):
        raise BadQuery("The form has lost its key: load the page again and send it anew.")
    said = [(name, value) for name, value in request.form.items(multi=True) if name != "part"]
    return f"{key}.{sha256(msgspec.json.encode([request.path, said])).hexdigest()[:16]}"


def meanwhile(now: Tape, since: int) -> Meanwhile:
    """Say what was recorded since event `since`."""
    added = [step for step, seq in enumerate(now.runs) if seq > since]
    found: list[Row] = []
    if added:
        moments = tabletape().replayer.moments(now.game, added[0], added[-1], now.viewer)
        found = [row for row in rows(moments, now.names) if now.runs.seq_at(row.step) > since]
    sentence = "Somebody else recorded meanwhile; nothing of yours was. Look, and send it again."
    return Meanwhile(sentence, tuple(found), now.head.seq > since + len(added))
