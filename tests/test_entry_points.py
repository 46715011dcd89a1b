"""Our own rulesets come through the door for all: each folder an entry point, each a tuple of versions."""

from __future__ import annotations

import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RULESETS = PROJECT["entry-points"]["tabletape.rulesets"]


def test_every_ruleset_folder_is_at_the_door() -> None:
    folders = {init.parent.name for init in (ROOT / "games" / "rulesets").glob("*/__init__.py")}
    modules = {target.partition(":")[0].rpartition(".")[2] for target in RULESETS.values()}
    assert modules == folders


@pytest.mark.parametrize("name", RULESETS)
def test_installed_rulesets_are_those_of_the_project(name: str) -> None:
    (door,) = entry_points(group="tabletape.rulesets", name=name)
    versions = door.load()
    assert [ruleset.id for ruleset in versions] == [name] * len(versions)
    assert [ruleset.version for ruleset in versions] == list(range(len(versions), 0, -1))
