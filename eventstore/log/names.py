"""When two names are one."""

from __future__ import annotations

import unicodedata


def folded(name: str) -> str:
    """What names are compared by: capitals or not, and however a keyboard makes an accent.

    >>> folded("Zoe\u0308") == folded("ZO\u00cb")
    True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
