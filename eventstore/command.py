"""Ids that people read aloud, and the digest by which a repeated command is known."""

from __future__ import annotations

import json
import re
import secrets
from hashlib import sha256
from typing import Any, Final

_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that look alike."""
_GAME: Final = re.compile(r"[a-z0-9~-]{4,64}")
_LONGEST: Final = 128


def new_id(length: int = 10) -> str:
    """Random characters, none of which looks like another."""
    return "".join(secrets.choice(_LETTERS) for _ in range(length))


def is_game_id(text: str) -> bool:
    """Tell whether a game can have this id.

    >>> is_game_id("k7m2p9xwqa"), is_game_id("Friday")
    (True, False)
    """
    return _GAME.fullmatch(text) is not None


def is_command_id(text: str) -> bool:
    """Tell whether a command can have this id: 1 to 128 printable ASCII characters without spaces.

    >>> is_command_id("k7m2p9xwqa"), is_command_id("two words"), is_command_id("")
    (True, False, False)
    """
    return 0 < len(text) <= _LONGEST and text.isascii() and text.isprintable() and " " not in text


def digest(*command: Any) -> str:
    """SHA-256 of a command as it was sent; any text, even one that is no UTF-8."""
    return sha256(json.dumps(command, sort_keys=True, default=str).encode()).hexdigest()
