"""RULINGS.md: rulings name tests that exist, scenarios belong to rulings, refusals refer to rulings."""

from __future__ import annotations

import re
from pathlib import Path

import games.rulesets.monster_maker as package

HERE = Path(__file__).parent
FOLDER = Path(package.__path__[0])
RULINGS = (FOLDER / "RULINGS.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (R\d+) \|.*\| ([^|]*) \|$", RULINGS, re.MULTILINE))
FILES = {path.stem for path in (HERE / "scenarios").glob("*.json")}
OF_THE_RULEBOOK = {
    "01", "02", "03", "04", "05", "06-take-the-top", "08", "garbage-trade-is", "garbage-trade-finds",
    "not-ones-turn", "notation", "option-unknown", "option-value", "ruling", "trade-with", "trade-takes",
    "trade-card",
}  # fmt: skip
"""Beginnings of scenarios that pin the text itself, the way it is typed, or the record's own rules."""


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
    assert {name for name in FILES - named if not name.startswith(tuple(OF_THE_RULEBOOK))} == set()


def test_every_ruling_that_a_refusal_names_is_there() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py"))
    referred = set(re.findall(r"\"(R\d+)\"", source))
    assert len(referred) > 5
    assert referred <= set(ROWS)


def test_every_golden_number_has_a_scenario() -> None:
    assert {name[:2] for name in FILES if name[0].isdigit()} == {f"{number:02}" for number in range(1, 12)}
