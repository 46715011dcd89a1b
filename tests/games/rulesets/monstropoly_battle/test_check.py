"""Refusals refer to rulings, or to a part of the rulebook that is there."""

from __future__ import annotations

import re
from pathlib import Path

import games.rulesets.monstropoly_battle as package

HEADINGS = {"Phase 1", "Phase 2", "Phase 2, LORDI", "The teams"}
"""Parts of the rulebook that refusals refer to."""


def test_refusals_name_parts_of_the_rulebook_by_their_headings() -> None:
    source = (Path(package.__path__[0]) / "check.py").read_text(encoding="utf-8")
    assert set(re.findall(r'"((?:Phase|The teams)[^".]*)"\)', source)) == HEADINGS
