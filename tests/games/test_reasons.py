"""How a game ended is said in words, not by the name that scripts know."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from games.core.registry import installed
from games.core.ruleset import Outcome, Ruleset
from games.text.wording import ending

RULESETS = list(installed().newest().values())


def reasons(ruleset: Ruleset[Any]) -> set[str]:
    """Find the reasons that a ruleset's scoring can give."""
    file = import_module(ruleset.outcome.__module__).__file__
    assert file is not None
    calls = [
        node
        for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    made = [call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Outcome"]
    texts = (node.value for reason in made for node in ast.walk(reason) if isinstance(node, ast.Constant))
    return {str(text) for text in texts}


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_every_reason_has_its_words(ruleset: Ruleset[Any]) -> None:
    assert set(ruleset.reasons) == reasons(ruleset) - {"draw"}


def test_an_end_is_said_in_the_words_of_its_rules() -> None:
    legend, forever = installed().find("legend-of-monopoly"), installed().find("monsters-forever")
    richest = Outcome("wealthiest-after-rounds", ("p1",), {"p1": 9})
    assert ending(richest, {"p1": "Thea"}, legend) == "Thea wins (richest when the rounds were over): Thea 9."
    assert ending(Outcome("max-rounds", (), {}), {}, forever) == "A draw (the rounds are over), nobody wins."
    assert ending(Outcome("draw", (), {}), {}, legend) == "A draw, nobody wins."
