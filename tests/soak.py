"""Rounds of the tests that take a number of runs, with fresh seeds, until the time is used: `make soak`.

The environment may set how much a round does; see `ROUND`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from time import monotonic
from typing import Final

ROOT: Final = Path(__file__).parents[1]
ROUND: Final = {
    "TABLETAPE_FAULT_SEEDS": 200,
    "TABLETAPE_KILLS": 240,
    "TABLETAPE_POWER_LOSSES": 320,
    "TABLETAPE_FUZZ": 50_000,
}
"""What one round does, unless the environment has other numbers."""
TESTS: Final = ("tests/faults", "tests/replay_web/test_fuzz.py")
FIGURES: Final = {
    "fault runs": r"^faults: (\d+) runs",
    "faults injected": r"(\d+) faults injected",
    "kills": r"^kills: .*?(\d+) at ",
    "power losses": r"^power losses: (\d+)",
    "HTTP calls": r"(\d+) calls",
    "acknowledged": r"(\d+) (?:events acknowledged|answers checked|acknowledged things checked)",
    "losses": r"(\d+) lost",
}
"""What is summed up of the lines that tests measure."""
_MINUTE: Final = 60


def figures(printed: str) -> Counter[str]:
    """Sum up the measured lines of one round.

    >>> found = figures("faults: 40 runs, 7 faults injected, 90 events acknowledged, 1 lost")
    >>> found["fault runs"], found["acknowledged"], found["losses"]
    (40, 90, 1)
    """
    found: Counter[str] = Counter()
    for line in re.sub(r"(?<=\d),(?=\d{3})", "", printed).splitlines():
        for name, pattern in FIGURES.items():
            if match := re.search(pattern, line):
                found[name] += int(match[1])
    return found


def one_round(number: int) -> tuple[Counter[str], int]:
    """Run the tests once: their figures, and what pytest ended with."""
    numbers = {name: os.environ.get(name, str(default)) for name, default in ROUND.items()}
    seed = 1_000 + (number - 1) * int(numbers["TABLETAPE_FAULT_SEEDS"])
    environment = {**os.environ, **numbers, "TABLETAPE_SEED": str(seed), "TABLETAPE_COMPILER": "required"}
    there = [name for name in TESTS if (ROOT / name).exists()]
    workers = ("--numprocesses=auto", "--maxprocesses=4", "--dist=loadfile")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *workers, *there],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    print(done.stdout, flush=True)  # noqa: T201 - what the round said
    return figures(done.stdout), done.returncode


def main(minutes: float) -> int:
    """Run rounds until the time is used, then print a table of figures."""
    end = monotonic() + minutes * _MINUTE
    total: Counter[str] = Counter()
    failed = rounds = 0
    while rounds == 0 or monotonic() < end:
        rounds += 1
        found, code = one_round(rounds)
        total += found
        failed += code != 0
    width = max(map(len, FIGURES))
    print(f"{'rounds':{width}}  {rounds:>10,}")  # noqa: T201 - the table
    for name in FIGURES:
        print(f"{name:{width}}  {total[name]:>10,}")  # noqa: T201 - the table
    print(f"{'failed rounds':{width}}  {failed:>10,}")  # noqa: T201 - the table
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
