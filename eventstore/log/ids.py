"""How ids, keys and times are written, and the digest by which a repeated command is known."""

from __future__ import annotations

import json
import re
import secrets
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that look alike."""
GAME_ID: Final = re.compile(r"[a-z0-9~-]{4,64}")
_STREAM: Final = re.compile(rf"{GAME_ID.pattern}(/[a-z]{{1,16}})?")
_KEY: Final = re.compile(r"[A-Za-z0-9~_.@-]{1,64}")
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_FIRST_DAY: Final = "0001-01-02"
_LAST_DAY: Final = "9999-12-30"
"""A day further, and there are places whose calendar has no such day."""
_LONGEST: Final = 128


def new_id(length: int = 10) -> str:
    """Random characters, none of which looks like another."""
    return "".join(secrets.choice(_LETTERS) for _ in range(length))


def named_id(text: str) -> str:
    """Ten such characters that a text always comes to.

    >>> named_id("C0") == named_id("C0"), is_game_id(named_id("C0")), named_id("C0") == named_id("C1")
    (True, True, False)
    """
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in sha256(text.encode()).digest()[:10])


def is_game_id(text: str) -> bool:
    """Tell whether a game can have this id.

    >>> is_game_id("k7m2p9xwqa"), is_game_id("Friday")
    (True, False)
    """
    return GAME_ID.fullmatch(text) is not None


def is_stream(text: str) -> bool:
    """Tell whether a log can have a stream of this name: a game's, or one beside it.

    >>> is_stream("k7m2p9xwqa"), is_stream("k7m2p9xwqa/notes"), is_stream("k7m2p9xwqa/")
    (True, True, False)
    """
    return _STREAM.fullmatch(text) is not None


def is_key(text: str) -> bool:
    """Tell whether who enters something can be called so.

    >>> is_key("recorder"), is_key("Ann S.")
    (True, False)
    """
    return _KEY.fullmatch(text) is not None


def is_time(text: str) -> bool:
    """Tell whether something can have been recorded then: a moment of UTC that every time zone has.

    >>> is_time("2026-09-14T18:03:05.123456Z"), is_time("2026-19-14T18:03:05.123456Z")
    (True, False)
    """
    if not _TIME.fullmatch(text) or not _FIRST_DAY <= text[:10] <= _LAST_DAY:
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_command_id(text: str) -> bool:
    """Tell whether a command can have this id: 1 to 128 printable ASCII characters without spaces.

    >>> is_command_id("k7m2p9xwqa"), is_command_id("two words"), is_command_id("")
    (True, False, False)
    """
    return 0 < len(text) <= _LONGEST and text.isascii() and text.isprintable() and " " not in text


def digest(*command: Any) -> str:
    """SHA-256 of a command as it was sent; any text, even one that is no UTF-8."""
    return sha256(json.dumps(command, sort_keys=True, default=str).encode()).hexdigest()
