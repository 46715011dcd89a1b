"""Each scene of a failing disk, in a process of its own with the shim."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.scenes import SCENES
from tests.faults.shim import preloaded

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", SCENES)
def test_scene(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.faults.scenes", name],
        env=preloaded(os.environ),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "held\n", done.stderr
