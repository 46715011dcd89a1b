"""What sentences have in common: they stay short, whatever they quote, and list numbers as people do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from games.words import joined

LONGEST: Final = 1_200
"""Characters of a sentence."""
_RUN: Final = re.compile(r"(?<!\S)\S{200,}")
"""So much without a space is no word of ours."""


def shortened(said: str) -> str:
    """Leave out the middle of what is too long to be read: someone's input, which the sentence quotes.

    >>> shortened(f"There is no game {'x' * 5000}.")[:90]
    'There is no game xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxx'
    """
    if len(said) > LONGEST:
        said = f"{said[: LONGEST // 2]}…{said[-LONGEST // 4 :]}"
    return _RUN.sub(lambda found: f"{found[0][:60]}…{found[0][-20:]}", said)


def how_many(seats: Sequence[int]) -> str:
    """Say how many may play.

    >>> how_many((2,)), how_many((2, 3)), how_many((2, 3, 6)), how_many((2, 3, 4, 5))
    ('2', '2 or 3', '2, 3 or 6', '2 to 5')
    """
    *others, last = map(str, seats)
    if len(others) > 1 and list(seats) == list(range(seats[0], seats[-1] + 1)):
        return f"{others[0]} to {last}"
    return joined((*others, last), "or")
