"""What everybody needs is written once: packing, keeping in memory, counting and joining words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("games", "eventstore", "replay_web", "cli")


class Helper(NamedTuple):
    by_hand: str
    """What it looks like where somebody does without the helper."""
    places: frozenset[str]
    """Where it may stand: the helper, and what has a reason of its own."""
    plants: tuple[str, ...]
    """What must be found."""


HELPERS = {
    "packing": Helper(
        r"\b(?:import|from) (?:gzip|bz2|lzma)\b|\bzlib\.compress",
        frozenset({
            "replay_web/http/packing.py",
            "eventstore/formats/unwrapped.py",  # it undoes the packing of others
        }),
        ("import gzip", "from gzip import compress", "packed = zlib.compress(data)"),
    ),
    "cache": Helper(
        r"\bOrderedDict\b|\.popitem\(|\.move_to_end\(|if len\((\S+)\) >=? \S+:\s+\1\.clear\(\)",
        frozenset({
            "eventstore/cache.py",
            "eventstore/sqlite/appender.py",  # it fills and drops its heads with a transaction
        }),
        ("from collections import OrderedDict", "self._kept.popitem(last=False)", "kept.move_to_end(key)",
         "if len(self._known) > 64:\n        self._known.clear()"),
    ),
    "words": Helper(
        r"""['"],? (?:and|or)(?: \w+)? ['"]\.join\("""
        r"""|', '\.join\([^{}]*\)\} (?:and|or) \{"""
        r"""|(?:''|"") if [^{}\n]* else ['"]s['"]|['"]s['"] if [^{}\n]* else (?:''|"")|['"]s['"] \*"""
        r"""|== 1 else f['"]\{[\w.]+\} """
        r"""|\{len\([^{}]+\)\} (?:[a-z]+ )?[a-z]+s\b|\|length ?\}\} (?:[a-z]+ )?[a-z]+s\b""",
        frozenset({"cli/reference/events.py"}),  # types, in which a comma divides fields
        ("said = ' and '.join(names)", 'said = " or ".join(map(str, found))',
         """said = f"{', '.join(others)} and {last}\"""",
         """said = f"{n} game{'' if n == 1 else 's'}\"""", """said = f"{n} game{'s' * (n > 1)}\"""",
         """<p>{{ n }} step{{ "" if n == 1 else "s" }}</p>""",
         """said = "1 card" if n == 1 else f"{n} cards\"""",
         """said = f"it names {len(held[seat])} cards\"""", """said = f"{len(teams)} complete teams\"""",
         """<p>{{ games|length }} games</p>"""),
    ),
}  # fmt: skip


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        for end in ("*.py", "*.html"):
            yield from (ROOT / package).rglob(end)


@pytest.mark.parametrize("name", HELPERS)
def test_nobody_does_by_hand_what_a_helper_does(name: str) -> None:
    helper = HELPERS[name]
    found = {
        str(file.relative_to(ROOT))
        for file in sources()
        if re.search(helper.by_hand, file.read_text(encoding="utf-8"))
    }
    assert found == helper.places


@pytest.mark.parametrize(
    ("name", "line"), [(name, line) for name, helper in HELPERS.items() for line in helper.plants]
)
def test_what_is_done_by_hand_is_found(name: str, line: str) -> None:
    assert re.search(HELPERS[name].by_hand, f"def f():\n    {line}\n")
