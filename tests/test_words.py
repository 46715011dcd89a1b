"""A player is "they" in every text that we write: code, names, docs, messages, tests, golden files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
# An underscore ends a word here, so the names of tests and functions are read, too.
HE = re.compile(r"(?<![^\W_])(he|him|his|himself|she|her|hers|herself)(?![^\W_])", re.IGNORECASE)


class Exemption(NamedTuple):
    """Words that may stand in the files whose path begins so, and why."""

    path: str
    words: str
    why: str


RECORDED = "a note or a reason that stands in a sample, which is an existing record file"
EXEMPT = (
    Exemption("", "not-his", "a refusal code, which is public"),
    Exemption("cli/samples/remake.py", "Oda holds her breath.", RECORDED),
    Exemption("cli/samples/remake.py", "his next turn is left out", RECORDED),
    Exemption("cli/samples/remake.py", "Yann is lucky with his cards.", RECORDED),
    Exemption("cli/samples/remake.py", "Bruno wants his money", RECORDED),
    Exemption("cli/samples/remake.py", "Enary stands up to Mr. Lordi himself.", RECORDED),
)
# Whole files: lines of existing record files, and this file, which names the words. No name in the data of
# the cards holds such a word.
NOT_OURS = re.compile(r"cli/samples/[^/]+\.tape\.jsonl|tests/old_records/.+|tests/test_words\.py")


def found_in(path: str, text: str) -> list[str]:
    """Give the lines that call somebody he or she, each with its path and number."""
    exempt = [one.words for one in EXEMPT if path.startswith(one.path)]
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        ours = line
        for words in exempt:
            ours = ours.replace(words, "")
        if HE.search(ours):
            found.append(f"{path}:{number}: {line.strip()}")
    return found


def texts() -> dict[str, str]:
    """Read each tracked file of ours that is text, by its path."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    read = {}
    for path in filter(None, listed.decode().split("\0")):
        if NOT_OURS.fullmatch(path) or not (ROOT / path).is_file():
            continue
        content = (ROOT / path).read_bytes()
        if b"\0" not in content:
            read[path] = content.decode("utf-8")
    return read


def test_a_player_is_they() -> None:
    read = texts()
    assert {"README.md", "Makefile", ".ci/run", "tests/test_readme.py"} <= read.keys()
    named = [line for path in read for line in found_in("", path.replace("/", " "))]
    assert named + [line for path, text in read.items() for line in found_in(path, text)] == []


@pytest.mark.parametrize(
    "line",
    [
        "He draws a card.",
        "a card of his hand",
        "what she holds",
        "gives it to him, not-his",
        "def test_a_player_keeps_his_cards() -> None:",
        "to_him = []",
        '"about": "Who resigns ends his turn."',
    ],
)
def test_a_he_is_found(line: str) -> None:
    assert found_in("a.py", f"first\n{line}\n") == [f"a.py:2: {line}"]


@pytest.mark.parametrize("line", ["this", "the other", "where", "history", "scheme", "not-his"])
def test_other_words_are_not_found(line: str) -> None:
    assert found_in("a.py", line) == []


def test_an_exemption_holds_in_its_file_alone() -> None:
    line = "Oda holds her breath."
    assert found_in("cli/samples/remake.py", line) == []
    assert found_in("cli/samples/__init__.py", line) == [f"cli/samples/__init__.py:1: {line}"]


def test_each_exemption_is_needed() -> None:
    read = texts()
    unused = [
        one
        for one in EXEMPT
        if not any(path.startswith(one.path) and one.words in text for path, text in read.items())
    ]
    assert unused == []


def test_what_is_exempt_as_recorded_stands_in_a_record_file() -> None:
    recorded = "\n".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "cli/samples").glob("*.tape.jsonl")
    )
    assert [one.words for one in EXEMPT if one.why == RECORDED and one.words not in recorded] == []
