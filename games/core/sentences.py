"""What the sentences of all refusals have in common: they stay short, whatever they quote."""

from __future__ import annotations

import re
from typing import Final

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
