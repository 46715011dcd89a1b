"""The door through which every ruleset comes: the entry-point group `tabletape.rulesets`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from threading import RLock
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
    """Rulesets by (id, version); a family is loaded when a ruleset of its name is first asked for.

    Whoever asks for all of them, or for one that no entry point is named for, has all families loaded.
    Threads: may share one.
    """

    def __init__(
        self, rulesets: Mapping[tuple[str, int], Ruleset[Any]], doors: Iterable[EntryPoint] = ()
    ) -> None:
        """`rulesets` are loaded already, `doors` lead to more of them."""
        self._rulesets: dict[tuple[str, int], Ruleset[Any]] = dict(rulesets)
        self._faults: dict[str, str] = {}
        self._doors = tuple(doors)
        self._names = frozenset(door.name for door in self._doors)
        self._lock = RLock()

    def __getitem__(self, key: tuple[str, int]) -> Ruleset[Any]:
        self._load(key[0])
        return self._rulesets[key]

    def __iter__(self) -> Iterator[tuple[str, int]]:
        self._load()
        return iter(sorted(self._rulesets))

    def __len__(self) -> int:
        self._load()
        return len(self._rulesets)

    @property
    def faults(self) -> dict[str, str]:
        """The entry points that could not be loaded, and why."""
        self._load()
        return dict(self._faults)

    def names(self) -> list[str]:
        """The names that entry points bear, and the ids of what is loaded, sorted: nothing more is loaded."""
        return sorted({*self._names, *(name for name, _ in self._rulesets)})

    def offers(self, name: str, version: int) -> bool:
        """Whether a ruleset is installed, as far as a list of games must know.

        Cost:    where an entry point bears its id, a first version is taken to be there without loading it:
                 old versions stay in their family.
        """
        waits = any(door.name == name for door in self._doors)
        return (waits and version == 1) or (name, version) in self

    def _load(self, name: str | None = None) -> None:
        """Load the family that is named so, if one is; else, or without a name, all that are not loaded."""
        if not self._doors:
            return
        with self._lock:
            alone = name in self._names
            for door in self._doors:
                if not alone or door.name == name:
                    self._open(door)
            self._doors = tuple(door for door in self._doors if alone and door.name != name)

    def _open(self, door: EntryPoint) -> None:
        """Take a family in; a stranger's broken ruleset never keeps the others out."""
        try:
            family = _family(door)
            taken = [item for item in family if self._is_taken(item, door)]
            if taken:
                listed = ", ".join(f"{item.id} {item.version}" for item in taken)
                raise ValueError(f"{listed} is installed already, or another entry point bears its id")  # noqa: TRY301 - as any fault
        except Exception as error:  # noqa: BLE001 - whatever a stranger's module raises
            self._faults[door.name] = f"{type(error).__name__}: {error}"
            return
        self._rulesets = self._rulesets | {(item.id, item.version): item for item in family}

    def _is_taken(self, item: Ruleset[Any], door: EntryPoint) -> bool:
        """Whether it is there, or belongs to the entry point that bears its id."""
        return (item.id, item.version) in self._rulesets or (item.id != door.name and item.id in self._names)

    def newest(self) -> dict[str, Ruleset[Any]]:
        """Give each id with its newest version, sorted by id."""
        self._load()
        return _newest(self._rulesets)

    def find(self, name: str, version: int | None = None) -> Ruleset[Any]:
        """Look a ruleset up, the newest version unless one is named.

        Errors: `UnknownRuleset`, with the list of what is installed.
        """
        self._load(name)
        newest = _newest(self._rulesets)
        if name not in newest:
            listed = ", ".join(self.newest())
            raise UnknownRuleset(f"No ruleset is called {name!r}; installed are {listed or 'none'}.")
        if version is None:
            return newest[name]
        if (name, version) not in self._rulesets:
            have = ", ".join(str(number) for known, number in sorted(self._rulesets) if known == name)
            raise UnknownRuleset(f"{name} has no version {version} here; installed: {have}.")
        return self._rulesets[name, version]


def _newest(rulesets: Mapping[tuple[str, int], Ruleset[Any]]) -> dict[str, Ruleset[Any]]:
    found: dict[str, Ruleset[Any]] = {}
    for (name, version), ruleset in sorted(rulesets.items()):
        if name not in found or version > found[name].version:
            found[name] = ruleset
    return found


def registry_of(*families: tuple[Ruleset[Any], ...]) -> Registry:
    """Make a registry of given rulesets: for tests, and for programs that bring their own."""
    return Registry({(item.id, item.version): item for family in families for item in family})


@cache
def installed() -> Registry:
    """What is installed; the entry points are looked up once a process."""
    return Registry({}, entry_points(group=GROUP))


def _family(door: EntryPoint) -> tuple[Ruleset[Any], ...]:
    family = door.load()
    if not isinstance(family, tuple) or not all(isinstance(item, Ruleset) for item in family):
        raise TypeError(f"{door.value} is no tuple of rulesets")
    return family
