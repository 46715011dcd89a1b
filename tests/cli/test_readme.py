"""The README of the folder names every module that is no command."""

from __future__ import annotations

import re
from pathlib import Path

CLI = Path(__file__).resolve().parents[2] / "cli"


def test_every_module_that_is_no_command_is_explained() -> None:
    explained = re.findall(r"`(_\w+\.py)`", (CLI / "README.md").read_text(encoding="utf-8"))
    assert set(explained) == {file.name for file in CLI.glob("_*.py")} - {"__init__.py"}
