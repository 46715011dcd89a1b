"""Hiding what comes later: under `?later=hidden` nothing that follows the step shown leaves the server."""

from __future__ import annotations

from flask import Flask, request
from werkzeug.exceptions import HTTPException

from replay_web.http import policy, viewing
from replay_web.http.errors import BadQuery


class NotHidden(HTTPException):
    """An address that would tell what comes later."""

    code = 400
    code_word = "later-not-hidden"


def init_app(app: Flask) -> None:
    """Refuse what would tell it in spite of the word."""
    app.before_request(_refuse)


def _refuse() -> None:
    game = (request.view_args or {}).get("game")
    if game is not None and hidden() and policy.asked().spoilers != "hidden":
        raise NotHidden("What comes later cannot be hidden here: the pages of the steps hide it.")


def hidden() -> bool:
    """Tell whether the address asks for it.

    Errors:  `BadQuery`.
    """
    asked = request.args.get("later", "")
    if asked not in {"", viewing.HIDDEN}:
        raise BadQuery(f"What comes later is {viewing.HIDDEN!r}, or shown without a word, not {asked!r}.")
    return bool(asked)
