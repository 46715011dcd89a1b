"""How much is measured, and where the files lie."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from bench.measure import Rates


@dataclass(frozen=True)
class Scale:
    """Sizes of one run; numbers of events unless said otherwise."""

    rounds: int
    recorded: int
    """Commands of one event in a round of C2."""
    singles: int
    batched: int
    calls: int
    short_game: int
    long_game: int
    real: int
    """In all games of a real ruleset together."""
    seeks: int
    """Jumps to random steps."""


FULL: Final = Scale(
    rounds=7,
    recorded=2000,
    singles=4000,
    batched=40_000,
    calls=19_200,
    short_game=20_000,
    long_game=100_000,
    real=15_000,
    seeks=400,
)
QUICK: Final = Scale(
    rounds=3,
    recorded=2000,
    singles=4000,
    batched=16_000,
    calls=9600,
    short_game=20_000,
    long_game=100_000,
    real=4000,
    seeks=200,
)


class Place:
    """A folder on the disk that is measured; every case gets a file that was not there before."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count(1)

    def beside(self) -> Path:
        """Name a file that does not exist yet, for what is open while others are."""
        return self._folder / f"open-{next(self._numbers)}.db"

    def kept(self, name: str) -> Path:
        """Name a file that stays until the run ends."""
        return self._folder / f"kept-{name}.db"

    def show(self, rates: Rates) -> None:
        """Print the rates of a group at once: a long run should be seen to move."""
        print("\n" + "\n".join(rates.lines()), flush=True)
