"""Refusals as answers: a status, a stable code and one sentence, as a page or as JSON."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Response, g, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge, SecurityError

from eventstore.audit.verify import damage
from eventstore.errors import REPAIR, DamagedDatabase, TabletapeError, with_advice
from games.core.registry import UnknownRuleset
from games.core.sentences import shortened
from replay_web.http import policy
from replay_web.http.viewing import hides_later, link, opened_store

if TYPE_CHECKING:
    from eventstore.replay.game import Game

_IN_GAME: Final = re.compile(r"/games/([^/]+)/.")
_HOW_MANY: Final = re.compile(r": its (?:steps|events) are \d+ to \d+")
_CODES: Final = {
    400: "bad-request",
    404: "not-found",
    405: "method-not-allowed",
    412: "precondition-failed",
    413: "too-large",
    416: "no-such-range",
    500: "server-fault",
}
_SENTENCES: Final = {
    404: "There is no such page here.",
    405: "This address cannot be used in that way.",
    416: "The file has no such range of bytes.",
    500: "Something went wrong here; nothing was recorded.",
}


_STATUS: Final = {
    "view-closed": 403,
    "unknown-game": 404,
    "unknown-step": 404,
    "unknown-event": 404,
    "unknown-viewer": 404,
    "unknown-note": 404,
    "conflict": 409,
    "command-id-reused": 409,
    "game-id-taken": 409,
    "stale-note": 409,
    "database-locked": 503,
    "database-read-only": 503,
    "database-replaced": 503,
    "storage-fault": 503,
    "log-closed": 503,
    "bad-clock": 503,
    "damaged-database": 500,
    "unreadable-event": 500,
    "bad-history": 500,
}
"""What the store refuses, as HTTP says it; every other refusal of it is a 422."""


class BadQuery(HTTPException):
    """A part of the address that cannot be understood."""

    code = 400
    code_word = "bad-query"


def answer_refusals(app: Flask) -> None:
    """Turn every refusal into an answer."""
    app.register_error_handler(Exception, _unexpected)
    app.register_error_handler(TabletapeError, _refused)
    app.register_error_handler(UnknownRuleset, _no_such_rules)
    app.register_error_handler(HTTPException, _not_possible)
    app.register_error_handler(SecurityError, _unknown_host)
    app.after_request(_name_others)


def status_of(error: TabletapeError) -> int:
    """Say with which status a refusal is answered."""
    return _STATUS.get(error.code, 422)


def wants_json() -> bool:
    """Tell whether a program asks."""
    return request.accept_mimetypes.best == "application/json"


def refusing(body: str | Response, status: int, code: str) -> Response:
    """Answer with a refusal; the header `X-Error-Code` says which it is."""
    response = make_response(body, status)
    response.headers["X-Error-Code"] = code
    return response


def _name_others(response: Response) -> Response:
    """Give a code to what the framework refuses without an exception, such as `If-Match` on a file."""
    if response.status_code in _CODES:
        response.headers.setdefault("X-Error-Code", _CODES[response.status_code])
    return response


def _refused(error: TabletapeError) -> Response:
    sentence = with_advice(error)
    if error.advice == REPAIR:
        sentence = f"{error} `tabletape verify` lists what is damaged. {REPAIR}"
    return answer(status_of(error), error.code, sentence)


def _unexpected(error: Exception) -> Response:
    """Answer where a page stumbled over damage; anything else is a fault of ours, and is raised again.

    A changed card in an event or a changed type in a row can make any code raise anything. To look for damage
    takes time, so it is looked for here alone.
    """
    try:
        damaged = _is_damaged()
    except TabletapeError as fault:
        return _refused(fault)
    if not damaged:
        raise error
    return _refused(DamagedDatabase(opened_store().log.path, "what this page shows cannot be read"))


def _is_damaged() -> bool:
    """Tell whether the file is damaged, or the game of this page; any game where the page is about none."""
    store = opened_store()
    if any(store.log.storage_faults()):
        return True
    game = (request.view_args or {}).get("game")
    games = [game] if game else [name for name in store.log.games() if "/" not in name]
    return any(damage(store, one) for one in games)


def _no_such_rules(error: UnknownRuleset) -> Response:
    return answer(404, error.code, str(error))


def _unknown_host(_error: SecurityError) -> Response:
    """Refuse without a page: none of its links could be made."""
    sentence = f"This site is not called {request.environ.get('HTTP_HOST', '')!r}."
    return _as_json(400, "unknown-host", sentence)


def _not_possible(error: HTTPException) -> Response:
    if error.response is not None:
        return make_response(error.response)
    status = error.code or 500
    code = getattr(error, "code_word", None) or _CODES.get(status, "not-possible")
    answered = answer(status, code, _sentence(error), typed=getattr(error, "typed", ""))
    for name, value in error.get_headers():
        if name not in {"Content-Type", "Content-Length"}:
            answered.headers[name] = value
    return answered


def _sentence(error: HTTPException) -> str:
    if hasattr(error, "code_word"):
        return error.description or ""
    if isinstance(error, RequestEntityTooLarge):
        return f"What you sent is too large: {policy.asked().shape.limit()}."
    return _SENTENCES.get(error.code or 500, error.name)


def answer(status: int, code: str, sentence: str, **more: Any) -> Response:
    """Give a refusal as JSON where programs ask, else as a page."""
    if hides_later():
        sentence = _HOW_MANY.sub("", sentence)
    sentence = shortened(sentence)
    if policy.asked().json == "always" or wants_json():
        return _as_json(status, code, sentence)
    more.setdefault("back", _way_back())
    return refusing(_page(code=code, sentence=sentence, **more), status, code)


def _page(**said: Any) -> str:
    try:
        return render_template("error.html", **said)
    except TabletapeError:
        # Who asks cannot be looked up: the page is for nobody then, and asks the store nothing more.
        g.game = None
        return render_template("error.html", **said)


def _way_back() -> str | None:
    """Lead back to the game that was opened, or that a page which is not there would belong to."""
    opened: Game | None = g.get("game")
    game = None if opened is None else opened.id
    found = _IN_GAME.match(request.path)
    if game is None and found is not None and request.url_rule is None:
        with suppress(TabletapeError):
            game = found[1] if opened_store().log.head(found[1]) is not None else None
    return link("steps.start", game=game) if game else None


def _as_json(status: int, code: str, sentence: str) -> Response:
    return refusing(jsonify(error={"code": code, "message": sentence}), status, code)
