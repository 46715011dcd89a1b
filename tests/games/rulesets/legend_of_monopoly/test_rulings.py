"""RULINGS.md: every ruling has a test, every test of a ruling is named there, every refusal's rule exists."""

from __future__ import annotations

import re
from pathlib import Path

import games.rulesets.legend_of_monopoly as package

SCENARIOS = Path(__file__).parent / "scenarios"
RULINGS = (Path(package.__path__[0]) / "RULINGS.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (R\d+) \|.*\| ([^|]*) \|$", RULINGS, re.MULTILINE)
FILES = sorted(path.stem for path in SCENARIOS.glob("*.json"))


def pinned(cell: str) -> set[str]:
    """Expand `a` to `b` and `*` into the names of the files."""
    names: set[str] = set()
    for first, last in re.findall(r"`([^`]+)` to `([^`]+)`", cell):
        assert first in FILES
        assert last in FILES
        names |= {name for name in FILES if first <= name <= last}
    for pattern in re.findall(r"`([^`]+)`", cell):
        found = {path.stem for path in SCENARIOS.glob(f"{pattern}.json")}
        assert found, f"no scenario {pattern}"
        names |= found
    return names


def test_rulings_are_numbered_without_gaps() -> None:
    assert [name for name, _ in ROWS] == [f"R{number}" for number in range(1, 43)]


def test_every_ruling_names_scenarios_that_exist() -> None:
    assert all(pinned(cell) for _, cell in ROWS)


def test_every_scenario_of_a_ruling_is_named_there() -> None:
    for ruling, cell in ROWS:
        number = f"r{int(ruling[1:]):02}"
        own = {name for name in FILES if re.match(rf"{number}[a-z]?-", name)}
        assert own <= pinned(cell), f"{ruling} does not name {sorted(own - pinned(cell))}"


def test_every_golden_number_has_a_scenario() -> None:
    assert {name[:2] for name in FILES if name[0].isdigit()} == {f"{number:02}" for number in range(1, 17)}
