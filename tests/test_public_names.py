"""What the packages export: each name is there, and it is the one that type checkers see."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import cli
import eventstore
import games
import replay_web

EXPORTING = ("games", "games.kit", "games.testing", "eventstore", "eventstore.testing", "replay_web")
"""Their names are public from version 0.2.0 on."""


def _with_names() -> list[str]:
    found = []
    for package in (cli, eventstore, games, replay_web):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            spec = importlib.util.find_spec(module.name)
            if spec is not None and spec.origin and "__all__ =" in Path(spec.origin).read_text("utf-8"):
                found.append(module.name)
    return sorted({*found, *EXPORTING})


@pytest.mark.parametrize("name", _with_names())
def test_every_exported_name_is_there(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__all__, name
    assert [public for public in module.__all__ if not hasattr(module, public)] == []


@pytest.mark.parametrize("name", EXPORTING)
def test_exported_name_is_what_the_type_checker_sees(name: str) -> None:
    module = importlib.import_module(name)
    tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
    seen = {
        alias.asname or alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (alias.asname or alias.name) in module.__all__
    }
    assert seen.keys() == set(module.__all__)
    for public, home in seen.items():
        assert getattr(module, public) is getattr(importlib.import_module(str(home)), public), public


def test_name_that_is_not_exported_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'games' has no attribute 'Chessboard'"):
        _ = games.Chessboard  # type: ignore[attr-defined]
