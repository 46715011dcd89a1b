"""Seeded runs of `living_writer`: file operations fail, and the same process goes on writing.

`TABLETAPE_FAULT_SEEDS` is how many seeds run, `TABLETAPE_SEED` which one is the first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from tests.conftest import Measured
from tests.faults.shim import preloaded

ROOT: Final = Path(__file__).parents[2]
SEEDS: Final = int(os.environ.get("TABLETAPE_FAULT_SEEDS", "40"))
FIRST: Final = int(os.environ.get("TABLETAPE_SEED", "1"))
AT_ONCE: Final = 2
"""Processes side by side: they wait for the disk more than they compute."""
OF_A_PROCESS: Final = 10


def figures(first: int, count: int) -> dict[str, dict[str, object]]:
    command = [sys.executable, "-m", "tests.faults.living_writer", str(first), str(count)]
    done = subprocess.run(
        command, env=preloaded(os.environ), cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, f"seeds {first} to {first + count - 1}: {done.stderr[-2000:]}"
    found: dict[str, dict[str, object]] = json.loads(done.stdout)
    return found


def test_no_fault_damages_a_record(measured: Measured) -> None:
    starts = range(FIRST, FIRST + SEEDS, OF_A_PROCESS)
    counts = [min(OF_A_PROCESS, FIRST + SEEDS - start) for start in starts]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        parts = list(pool.map(figures, starts, counts))
    failures = {seed: why for part in parts for seed, why in part["failures"].items()}

    def total(name: str) -> int:
        return sum(int(str(part["figures"].get(name, 0))) for part in parts)

    measured(
        f"faults: {total('runs')} runs, {total('faults injected')} faults injected,"
        f" {total('acknowledged events')} events acknowledged,"
        f" {total('refused')} commands refused, {total('refused, outcome unknown')} of unknown outcome"
        f" ({total('unknown and kept')} kept), {len(failures)} lost"
    )
    assert not failures, "\n\n".join(f"seed {seed}: {why}" for seed, why in failures.items())
    assert total("runs") == SEEDS
    assert total("faults injected") > SEEDS
    assert total("acknowledged events") > 10 * SEEDS
