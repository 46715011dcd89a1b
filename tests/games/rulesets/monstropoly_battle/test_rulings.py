"""RULINGS.md: rulings name tests that exist, scenarios belong to rulings, refusals refer to rulings."""

from __future__ import annotations

import re
from pathlib import Path

import games.rulesets.monstropoly_battle as package

HERE = Path(__file__).parent
FOLDER = Path(package.__path__[0])
RULINGS = (FOLDER / "RULINGS.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (R\d+) \|.*\| ([^|]*) \|$", RULINGS, re.MULTILINE))
FILES = {path.stem for path in (HERE / "scenarios").glob("*.json")}
OF_THE_RULEBOOK = ("01", "04", "11", "notation", "option-unknown", "option-value")
"""Beginnings of scenarios that pin the text itself, or the way it is typed."""
HEADINGS = {"Phase 1", "Phase 2", "Phase 2, LORDI", "The teams"}
"""Parts of the rulebook that refusals refer to."""


def pinned(cell: str) -> set[str]:
    names: set[str] = set()
    for pattern in re.findall(r"`([^`]+)`", cell):
        found = {path.stem for path in (HERE / "scenarios").glob(f"{pattern}.json")}
        assert found or (HERE / pattern).is_file(), f"no test {pattern}"
        names |= found
    return names


def test_rulings_are_numbered_without_gaps() -> None:
    assert list(ROWS) == [f"R{number}" for number in range(1, len(ROWS) + 1)]


def test_every_ruling_names_tests_that_exist() -> None:
    assert all("`" in cell for cell in ROWS.values())
    assert set().union(*map(pinned, ROWS.values())) <= FILES


def test_every_scenario_is_named_by_a_ruling_or_pins_the_text() -> None:
    named = set().union(*map(pinned, ROWS.values()))
    assert {name for name in FILES - named if not name.startswith(OF_THE_RULEBOOK)} == set()


def test_every_refusal_refers_to_a_ruling_or_to_the_rulebook() -> None:
    source = (FOLDER / "check.py").read_text(encoding="utf-8")
    referred = set(re.findall(r"\bR\d+\b", source))
    assert referred
    assert referred <= set(ROWS)
    assert set(re.findall(r'"((?:Phase|The teams)[^".]*)"\)', source)) == HEADINGS


def test_every_golden_number_has_a_scenario() -> None:
    assert {name[:2] for name in FILES if name[0].isdigit()} == {f"{number:02}" for number in range(1, 12)}
