"""A public class name exists once outside of rulesets and examples: a name says which class is meant.

Tests and benchmarks are left out: nothing imports a class from them.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("eventstore", "games", "replay_web", "cli")
ELSEWHERE = ("games/rulesets/", "games/examples/")
"""A ruleset has names of its own; each is read by itself."""


def public_classes(sources: dict[str, str]) -> dict[str, list[str]]:
    """The files of each public class, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for file, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(file)
    return found


def test_a_class_name_exists_once() -> None:
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    names = {str(path.relative_to(ROOT)): path for path in files}
    sources = {
        name: path.read_text(encoding="utf-8")
        for name, path in names.items()
        if not name.startswith(ELSEWHERE)
    }
    found = public_classes(sources)
    assert len(found) > 200
    assert {name: where for name, where in found.items() if len(where) > 1} == {}


def test_a_second_class_of_a_name_is_found() -> None:
    sources = {
        "a.py": "class Game: ...\nclass _Own: ...\n",
        "b.py": "class _Own:\n    class Game: ...\n",
        "c.py": "if True:\n    class Game: ...\n",
    }
    assert public_classes(sources) == {"Game": ["a.py", "b.py", "c.py"]}
