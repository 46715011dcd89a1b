"""The README of the folder names every module that is no command."""

from __future__ import annotations

import re
from pathlib import Path

CLI = Path(__file__).resolve().parents[2] / "cli"


def test_every_module_that_is_no_command_is_explained() -> None:
    named = set(re.findall(r"`([\w/]+\.py)`", (CLI / "README.md").read_text(encoding="utf-8")))
    explained = {name for name in named if not name.startswith("tests/")}
    modules = {str(file.relative_to(CLI)) for file in CLI.rglob("*.py") if file.name != "__init__.py"}
    assert {name for name in modules - explained if not name.startswith(("commands/", "samples/"))} == set()
    assert explained - modules - {"name.py", "name_.py", "remake.py"} == set()
