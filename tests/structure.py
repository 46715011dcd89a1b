"""The structure of the four packages as figures: modules at each level, arrows, floors and circles.

    python tests/structure.py

An arrow is a direct import between two modules of one package, type checking included. The floor of a module
is one more than the highest floor of the modules that it imports. A circle is a set of modules that import
one another.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import grimp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

PACKAGES = ("games", "eventstore", "replay_web", "cli")


class Figures(NamedTuple):
    """What is measured of one package."""

    modules: int
    arrows: int
    floors: int
    circles: list[list[str]]
    fullest: tuple[str, int]
    """The package with most modules beside one another, and how many."""


def graph(packages: Iterable[str] = PACKAGES) -> grimp.ImportGraph:
    """Read the imports of the packages."""
    return grimp.build_graph(*packages, cache_dir=None)


def within(built: grimp.ImportGraph, package: str) -> dict[str, set[str]]:
    """Give the arrows inside one package: module → what it imports."""
    names = {name for name in built.modules if name == package or name.startswith(f"{package}.")}
    return {name: built.find_modules_directly_imported_by(name) & names for name in sorted(names)}


def circles(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """Find the modules that import one another, directly or by way of others."""
    reached = {name: _reached(arrows, name) for name in arrows}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in arrows
        if name in reached[name]
    }
    return sorted(map(list, groups))


def _reached(arrows: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    ahead = set(arrows[start])
    while ahead:
        found |= ahead
        ahead = {further for name in ahead for further in arrows[name]} - found
    return found


def floors(arrows: Mapping[str, set[str]]) -> int:
    """Count the floors; a circle stands on one."""
    tied = {name: frozenset(group) for group in circles(arrows) for name in group}
    known: dict[frozenset[str], int] = {}

    def floor(name: str) -> int:
        group = tied.get(name, frozenset([name]))
        if group not in known:
            below = {other for member in group for other in arrows[member]} - group
            known[group] = 1 + max((floor(other) for other in below), default=0)
        return known[group]

    return max(map(floor, arrows))


def rooms(arrows: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Draw the arrows between the modules and rooms that stand directly in a package.

    What the package's own `__init__` imports and exports is left out.
    """

    def room(name: str) -> str:
        return ".".join(name.split(".")[:2])

    inside = {name: others for name, others in arrows.items() if "." in name}
    found: dict[str, set[str]] = {room(name): set() for name in inside}
    for name, others in inside.items():
        found[room(name)] |= {room(other) for other in others if "." in other} - {room(name)}
    return found


def levels(names: Iterable[str]) -> Counter[str]:
    """Count modules beside one another, by package, without packages."""
    names = set(names)
    parents = {name.rpartition(".")[0] for name in names}
    return Counter(name.rpartition(".")[0] for name in names if "." in name and name not in parents)


def figures(built: grimp.ImportGraph, package: str) -> Figures:
    """Measure one package."""
    arrows = within(built, package)
    return Figures(
        len(arrows),
        sum(map(len, arrows.values())),
        floors(arrows),
        circles(arrows),
        levels(arrows).most_common(1)[0],
    )


def lines() -> Iterator[str]:
    """Give a line for each package, and one for each circle."""
    built = graph()
    for package in PACKAGES:
        one = figures(built, package)
        where, most = one.fullest
        between = rooms(within(built, package))
        yield (
            f"{package:12} {one.modules:4} modules {one.arrows:4} arrows {one.floors:3} floors"
            f" {len(one.circles)} circles, at most {most} modules at one level ({where})"
        )
        yield (
            f"{'  at the top':12} {len(between):4} rooms   {sum(map(len, between.values())):4} arrows"
            f" {floors(between):3} floors {len(circles(between))} circles"
        )
        yield from (f"  circle: {', '.join(circle)}" for circle in one.circles)


if __name__ == "__main__":
    print("\n".join(lines()))  # noqa: T201 - it prints a table
