"""What stands in front of a typed move."""

from __future__ import annotations

import re
from typing import Final

from games.core.ruleset import SEAT

_IN_FRONT: Final = re.compile(rf"({SEAT})\s*:\s*(.*)", re.IGNORECASE | re.DOTALL)


def split_seat(text: str) -> tuple[str | None, str]:
    """Take the seat off that stands in front of a move.

    >>> split_seat("P2: field 0"), split_seat("shuffle")
    (('p2', 'field 0'), (None, 'shuffle'))
    """
    found = _IN_FRONT.fullmatch(text.strip())
    return (found[1].lower(), found[2].strip()) if found else (None, text.strip())
