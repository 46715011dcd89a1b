"""Tests are skipped in one way only, and the gate allows none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from tests.needs import LEFT_OUT, Need, leave_out

ROOT = Path(__file__).parents[1]
_SKIPS = re.compile(r"pytest\.(?:mark\.)?(?:skip|skipif|importorskip)\b|@skip\b|SkipTest")


def test_no_test_is_skipped_in_another_way() -> None:
    files = {file for file in (ROOT / "tests").rglob("*.py") if _SKIPS.search(file.read_text("utf-8"))}
    assert files == {ROOT / "tests" / "needs.py", Path(__file__)}


@pytest.mark.parametrize("need", get_args(Need))
def test_the_gate_requires_each_need(need: Need) -> None:
    assert f"TABLETAPE_{need}=required" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_a_need_that_is_required_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABLETAPE_MOUNT", raising=False)
    with pytest.raises(pytest.skip.Exception, match=LEFT_OUT):
        leave_out("MOUNT", "This machine has no such thing.")
    monkeypatch.setenv("TABLETAPE_MOUNT", "required")
    with pytest.raises(pytest.fail.Exception, match="no such thing"):
        leave_out("MOUNT", "This machine has no such thing.")
