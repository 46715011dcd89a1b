"""The naive second rulesets, against which ours are held, borrow nothing from them."""

from __future__ import annotations

import re

import pytest

from tests.games.per_ruleset import TESTED, Subject


@pytest.mark.parametrize("tested", TESTED, ids=str)
def test_a_naive_ruleset_imports_nothing_of_ours(tested: Subject) -> None:
    source = (tested.tests / "naive.py").read_text(encoding="utf-8")
    assert re.findall(r"^\s*(?:import|from) (?:games|eventstore|tests)\b.*", source, re.MULTILINE) == []
    assert f"games.rulesets.{tested}" not in source
