"""The four packages stay rooms that a reader can take in: few modules beside one another, and no circle."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests import structure

MOST = 15
FULL_BY_NATURE = ("cli.commands", "games.rulesets")
"""One module for each command, and a folder for each title with the same names in it."""
BUILT = structure.graph()


@pytest.mark.parametrize("package", structure.PACKAGES)
def test_no_modules_import_one_another(package: str) -> None:
    assert structure.circles(structure.within(BUILT, package)) == []


@pytest.mark.parametrize("package", structure.PACKAGES)
def test_no_rooms_import_one_another(package: str) -> None:
    assert structure.circles(structure.rooms(structure.within(BUILT, package))) == []


@pytest.mark.parametrize("package", structure.PACKAGES)
def test_few_modules_stand_at_one_level(package: str) -> None:
    counted = structure.levels(structure.within(BUILT, package))
    over = {name: count for name, count in counted.items() if count > MOST}
    assert {name for name in over if not name.startswith(FULL_BY_NATURE)} == set()


def test_a_circle_is_found_wherever_it_is() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set[str]()}
    assert structure.circles(arrows) == [["b", "c"]]
    assert structure.floors(arrows) == 3


def test_rooms_that_import_one_another_through_different_modules_are_a_circle() -> None:
    arrows = {
        "p": {"p.a.x"},
        "p.a.x": {"p.b.y"},
        "p.b.y": set[str](),
        "p.b.z": {"p.a.w"},
        "p.a.w": set[str](),
    }
    assert structure.circles(arrows) == []
    assert structure.circles(structure.rooms(arrows)) == [["p.a", "p.b"]]


def test_modules_are_counted_beside_one_another() -> None:
    assert structure.levels(["p", "p.a", "p.b", "p.q", "p.q.c"]) == {"p": 2, "p.q": 1}


def test_no_page_imports_another() -> None:
    arrows = structure.within(BUILT, "replay_web")
    views = {name for name in arrows if hasattr(import_module(name), "bp")}
    assert len(views) > 15
    assert {(name, other) for name in views for other in arrows[name] & views} == set()
