"""Words that count and join: nothing in here knows a game, so every room may use it."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, one: str, many: str = "") -> str:
    """Say how many.

    Many:    the plural, where it is not `one` and s; a whole phrase may stand for each.

    >>> counted(1, "game"), counted(1200, "event"), counted(0, "step is", "steps are")
    ('1 game', '1,200 events', '0 steps are')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def joined(words: Iterable[str], last: str = "and") -> str:
    """Join words with commas, and the last two with a word.

    >>> joined(["a", "b", "c"]), joined(("a", "b"), "or"), joined(["a"]), joined([])
    ('a, b and c', 'a or b', 'a', '')
    """
    *others, end = words or [""]
    return f"{', '.join(others)} {last} {end}" if others else end
