"""A player is "they" in every text that we write."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HE = re.compile(r"\b(he|him|his|himself|she|her|hers|herself)\b", re.IGNORECASE)
TEXTS = (".py", ".md", ".html", ".js", ".json", ".css", ".toml", ".txt", ".svg")

# What may say so, by the beginning of a path, and why.
EXEMPT = {
    "cli/samples/": "lines of existing record files, and what people say in them",
    "tests/old_records/": "lines of existing record files",
    "CHANGELOG.md": "what was written of earlier versions stays",
    "tests/test_words.py": "names the words",
}
# Words that are no text of ours, wherever they stand.
NOT_OURS = (
    "not-his",  # a refusal code, which is public
    "Mr. Lordi himself",  # a card's name in a note of a sample
    "Denna",  # a character of a card, with her privileges
    "{denna}",  # as above
    "only-she",  # the name of a scenario about her
    "her phone",  # a note that somebody typed in a test
    "she had won",  # a reason that somebody typed in a test
    "she <may>",  # as above
    "she &lt;may&gt;",  # as above
    "passed to her",  # Ann, who is named
    "straight back at her",  # a note that somebody typed in a transcript
)


def said_of(text: str) -> list[tuple[int, str]]:
    """The lines that call somebody he or she, by number."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if HE.search(line) and not any(words in line for words in NOT_OURS):
            found.append((number, line.strip()))
    return found


def texts() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    wanted = (name for name in names if name.endswith(TEXTS) and not name.startswith(tuple(EXEMPT)))
    return [ROOT / name for name in wanted if (ROOT / name).is_file()]


def test_a_player_is_they() -> None:
    found = {str(path.relative_to(ROOT)): said_of(path.read_text(encoding="utf-8")) for path in texts()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line", ["He draws a card.", "a card of his hand", "what she holds", "gives it to him"]
)
def test_a_he_is_found(line: str) -> None:
    assert said_of(f"first\n{line}\n") == [(2, line)]


def test_what_nobody_needs_to_exempt_is_not_exempt() -> None:
    everything = "\n".join(path.read_text(encoding="utf-8") for path in texts())
    assert [words for words in NOT_OURS if words not in everything and "Lordi" not in words] == []
