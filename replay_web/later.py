"""Hiding what comes later: under `?later=hidden` nothing that follows the step shown leaves the server."""

from __future__ import annotations

from typing import Final

from flask import request

from replay_web import viewing
from replay_web.errors import BadQuery

KEYS: Final = frozenset(
    {"previous", "next", "first", "previous-turn", "next-turn", "note", "glyph", "copy", "help"}
)
"""Actions of keys that tell nothing of it."""


def hidden() -> bool:
    """Tell whether the address asks for it.

    Errors:  `BadQuery`.
    """
    asked = request.args.get("later", "")
    if asked not in {"", viewing.HIDDEN}:
        raise BadQuery(f"What comes later is {viewing.HIDDEN!r}, or shown without a word, not {asked!r}.")
    return bool(asked)
