"""What every ruleset of ours is tested for: found through the door, with its data in `expected.toml`.

tests/games/rulesets/<ruleset's folder>/expected.toml holds

golden      how many numbered scenarios the rulebook's own examples make: 01-… to that number
unruled     beginnings of scenarios that belong to no ruling: they pin the text itself, the way it is
            typed, the data, or the record's own rules
endings     each way a recorded game ends: the reason, and the kind of the event that ends it
unrecorded  kinds of events, options and numbers of players that no recorded game shows
writer      the module beside it that writes its recorded games; left out: the common transcript
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

import msgspec

from games.core.registry import GROUP
from games.core.ruleset import Ruleset

ROOT: Final = Path(__file__).parent / "rulesets"
HOME: Final = "games.rulesets."
GAMES: Final = int(os.environ.get("TABLETAPE_DIFFERENTIAL", "30"))
"""So many games are held against the naive table, of each number of players."""


class Expected(msgspec.Struct, forbid_unknown_fields=True):
    """One `expected.toml`."""

    golden: int
    unruled: tuple[str, ...]
    endings: tuple[tuple[str, str], ...]
    unrecorded: frozenset[str] = frozenset()
    writer: str = ""


@dataclass(frozen=True, eq=False)
class Subject:
    """A ruleset of ours, where it stands, where its tests stand, and what they expect."""

    ruleset: Ruleset[Any]
    package: Path
    tests: Path
    expected: Expected

    @property
    def scenarios(self) -> list[str]:
        """Name its golden scenarios, in order."""
        return sorted(path.stem for path in (self.tests / "scenarios").glob("*.json"))

    def __str__(self) -> str:
        return self.tests.name


def _tested(module: str) -> Subject:
    package = import_module(module)
    tests = ROOT / module.removeprefix(HOME)
    said = tomllib.loads((tests / "expected.toml").read_text(encoding="utf-8"))
    return Subject(package.RULESETS[0], Path(package.__path__[0]), tests, msgspec.convert(said, Expected))


TESTED: Final = [
    _tested(point.module) for point in entry_points(group=GROUP) if point.module.startswith(HOME)
]
