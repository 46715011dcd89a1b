"""Every golden scenario of every ruleset."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games import golden


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=f"{path.parts[-3]}-{path.stem}") for path in golden.scenario_files()]
)
def test_scenario(path: Path) -> None:
    golden.run(path)
