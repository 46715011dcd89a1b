"""Each RULINGS.md: rulings name tests, scenarios belong to rulings, refusals and options refer to them."""

from __future__ import annotations

import re
from functools import cache

import pytest

from games.core.options import ruleset_options
from games.core.ruleset import seat_names
from tests.games.per_ruleset import TESTED, Subject

ROW = re.compile(r"^\| (R\d+) \|(.*)\| ([^|]*) \|$", re.MULTILINE)

each = pytest.mark.parametrize("tested", TESTED, ids=str)


class Row:
    """A ruling: what it says, and the scenarios that pin it; `a` to `b` and `*` are expanded."""

    def __init__(self, tested: Subject, says: str, cell: str) -> None:
        self.says = says
        self.cell = cell
        self.pinned: set[str] = set()
        files = tested.scenarios
        for first, last in re.findall(r"`([^`]+)` to `([^`]+)`", cell):
            assert {first, last} <= set(files)
            self.pinned |= {name for name in files if first <= name <= last}
        for pattern in re.findall(r"`([^`]+)`", cell):
            found = {path.stem for path in (tested.tests / "scenarios").glob(f"{pattern}.json")}
            assert found or (tested.tests / pattern).is_file(), f"no test {pattern}"
            self.pinned |= found


@cache
def rows(tested: Subject) -> dict[str, Row]:
    text = (tested.package / "RULINGS.md").read_text(encoding="utf-8")
    return {name: Row(tested, says, cell) for name, says, cell in ROW.findall(text)}


@each
def test_rulings_are_numbered_without_gaps(tested: Subject) -> None:
    assert len(rows(tested)) > 20
    assert list(rows(tested)) == [f"R{number}" for number in range(1, len(rows(tested)) + 1)]


@each
def test_every_ruling_names_a_test(tested: Subject) -> None:
    assert [name for name, row in rows(tested).items() if "`" not in row.cell] == []


@each
def test_every_scenario_of_a_ruling_is_named_there(tested: Subject) -> None:
    for ruling, row in rows(tested).items():
        number = f"r{int(ruling[1:]):02}"
        own = {name for name in tested.scenarios if re.match(rf"{number}[a-z]?-", name)}
        assert own <= row.pinned, f"{ruling} does not name {sorted(own - row.pinned)}"


@each
def test_every_scenario_is_named_by_a_ruling_or_belongs_to_none(tested: Subject) -> None:
    named = set().union(*(row.pinned for row in rows(tested).values()))
    left = [name for name in tested.scenarios if name not in named]
    lost = [name for name in left if not name.startswith(tested.expected.unruled)]
    assert not lost, f"no ruling of RULINGS.md names {lost}, and `unruled` of expected.toml does not, either"
    unused = [start for start in tested.expected.unruled if not any(name.startswith(start) for name in left)]
    assert not unused, f"RULINGS.md names all that begins with {unused}: take it out of `unruled`"


@each
def test_every_ruling_that_the_rules_refer_to_is_there(tested: Subject) -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in sorted(tested.package.glob("*.py")))
    referred = set(re.findall(r"\bR\d+\b", source))
    assert len(referred) > 5
    assert referred <= set(rows(tested))


@each
def test_every_option_is_named_by_its_ruling(tested: Subject) -> None:
    for option in ruleset_options(tested.ruleset, seat_names(tested.ruleset.seats[0])):
        for ruling in re.findall(r"\bR\d+\b", option.source):
            assert f"`{option.name}`" in rows(tested)[ruling].says, f"{ruling} does not name {option.name}"


@each
def test_every_golden_number_has_a_scenario(tested: Subject) -> None:
    numbers = {name[:2] for name in tested.scenarios if name[0].isdigit()}
    assert numbers == {f"{number:02}" for number in range(1, tested.expected.golden + 1)}
