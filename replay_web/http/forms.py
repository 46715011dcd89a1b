"""What every form that records has: for which head it was made, and its key."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final

import msgspec
from flask import request

from eventstore.log.ids import is_game_id
from replay_web.http import params, viewing
from replay_web.http.errors import BadQuery

_KEY_LENGTH: Final = 12
_NO_KEY: Final = "The form has lost its key: load the page again and send it anew."


def back() -> str | None:
    """Tell whether somebody came here while recording, and is led back there."""
    return "record" if request.args.get("back") == "record" else None


def takes_gzip() -> bool:
    """Tell whether the answer may be packed; a browser that gives it no weight does not take it."""
    return request.accept_encodings.quality("gzip") > 0


def number(name: str, what: str) -> int:
    """Read a whole number of the form.

    Errors:  `BadQuery`.
    """
    return params.within(request.form.get(name, ""), f"A form says {what},", 0)


def after() -> int:
    """Read for which head the form was made."""
    return number("after", "after which event it was made")


def fresh_key() -> str:
    """Make the key of a form."""
    return secrets.token_urlsafe(_KEY_LENGTH)


def key() -> str:
    """Read the key of the form.

    Errors:  `BadQuery`.
    """
    found = request.form.get("key", "")
    if not viewing.FORM_KEY.fullmatch(found):
        raise BadQuery(_NO_KEY)
    return found


def game_key() -> str:
    """Read the key of a form that begins a game; it becomes the game's id.

    Errors:  `BadQuery`.
    """
    found = request.form.get("key", "")
    if not is_game_id(found):
        raise BadQuery(_NO_KEY)
    return found


def command() -> str:
    """Name the command: the same form sent twice has the same name, another button has another.

    Errors:  `BadQuery`.
    """
    sent = [(name, value) for name, value in request.form.items(multi=True) if name != "part"]
    return f"{key()}.{sha256(msgspec.json.encode([request.path, sent])).hexdigest()[:16]}"
