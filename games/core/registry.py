"""The door through which every ruleset comes: the entry-point group `tabletape.rulesets`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from games.core.ruleset import Ruleset
from games.core.sentences import shortened

GROUP: Final = "tabletape.rulesets"


class UnknownRuleset(LookupError):
    """No ruleset of that id (or not in that version) is installed."""

    code = "unknown-ruleset"

    def __init__(self, sentence: str) -> None:
        super().__init__(shortened(sentence))


class Registry(Mapping[tuple[str, int], Ruleset[Any]]):
    """Rulesets by (id, version); `faults` says which entry points could not be loaded and why."""

    def __init__(self, rulesets: Mapping[tuple[str, int], Ruleset[Any]], faults: Mapping[str, str]) -> None:
        self._rulesets: dict[tuple[str, int], Ruleset[Any]] = dict(rulesets)
        self.faults = dict(faults)

    def __getitem__(self, key: tuple[str, int]) -> Ruleset[Any]:
        return self._rulesets[key]

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter(self._rulesets)

    def __len__(self) -> int:
        return len(self._rulesets)

    def newest(self) -> dict[str, Ruleset[Any]]:
        """Give each id with its newest version, sorted by id."""
        found: dict[str, Ruleset[Any]] = {}
        for (name, version), ruleset in sorted(self._rulesets.items()):
            if name not in found or version > found[name].version:
                found[name] = ruleset
        return found

    def find(self, name: str, version: int | None = None) -> Ruleset[Any]:
        """Look a ruleset up, the newest version unless one is named.

        Errors: `UnknownRuleset`, with the list of what is installed.
        """
        newest = self.newest()
        if name not in newest:
            raise UnknownRuleset(
                f"No ruleset is called {name!r}; installed are {', '.join(newest) or 'none'}."
            )
        if version is None:
            return newest[name]
        if (name, version) not in self._rulesets:
            have = ", ".join(str(number) for known, number in sorted(self._rulesets) if known == name)
            raise UnknownRuleset(f"{name} has no version {version} here; installed: {have}.")
        return self._rulesets[name, version]


def registry_of(*families: tuple[Ruleset[Any], ...]) -> Registry:
    """Make a registry of given rulesets: for tests, and for programs that bring their own."""
    return Registry({(item.id, item.version): item for family in families for item in family}, {})


@cache
def installed() -> Registry:
    """Load what is installed, once a process; a stranger's broken ruleset never keeps the others out."""
    rulesets: dict[tuple[str, int], Ruleset[Any]] = {}
    faults: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        try:
            family = _load(point)
            _refuse_doubles(family, rulesets)
            rulesets |= {(ruleset.id, ruleset.version): ruleset for ruleset in family}
        except Exception as error:  # noqa: BLE001 - whatever a stranger's module raises
            faults[point.name] = f"{type(error).__name__}: {error}"
    return Registry(rulesets, faults)


def _refuse_doubles(family: tuple[Ruleset[Any], ...], known: Mapping[tuple[str, int], Ruleset[Any]]) -> None:
    doubles = [f"{item.id} {item.version}" for item in family if (item.id, item.version) in known]
    if doubles:
        raise ValueError(f"{', '.join(doubles)} is installed already, from another package")


def _load(point: EntryPoint) -> tuple[Ruleset[Any], ...]:
    family = point.load()
    if not isinstance(family, tuple) or not all(isinstance(item, Ruleset) for item in family):
        raise TypeError(f"{point.value} is no tuple of rulesets")
    return family
