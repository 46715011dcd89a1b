"""Each golden file is what its program writes now, and no file of the repository is renewed by hand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import golden_files
from tests.golden_files import ROOT, GoldenFile, difference, renew

GOLDEN = golden_files.golden_files()
BY_HAND = (
    "tests/*/*/*/scenarios/*.json",
    "tests/*/*/*/transcripts/*.events.jsonl",  # what happened; its text is golden
    "tests/*/*/*/expected.toml",
    "tests/*/*/monsters_forever/perft.txt",
    "tests/conformance/events/record.jsonl",  # a line for each kind, written once
    "tests/old_records/*",  # written by version 0.1.0, never again
    "tests/faults/shim.c",
)
"""What a person writes, or an older program wrote, among the files of tests."""
WRITTEN = re.compile(r"by `make golden`|by `python -m")
"""A page that says so is written by a program."""


@pytest.mark.parametrize("file", GOLDEN, ids=[file.name for file in GOLDEN])
def test_file_is_as_its_program_writes_it(file: GoldenFile) -> None:
    made, stored = file.made(), file.stored()
    assert made == stored, f"run: make golden\n{difference(stored, made)}"


def test_no_file_has_two_programs() -> None:
    assert len({file.path for file in GOLDEN}) == len(GOLDEN)


def unknown(files: set[str], golden: set[str]) -> set[str]:
    """Name the files that are neither golden nor written by hand."""
    return {name for name in files - golden if not any(Path(name).match(pattern) for pattern in BY_HAND)}


def files_of(folder: str, *, but: str = ".py") -> set[str]:
    found = (
        file for file in (ROOT / folder).rglob("*") if file.is_file() and "__pycache__" not in file.parts
    )
    return {file.relative_to(ROOT).as_posix() for file in found if file.suffix != but}


def test_every_file_that_tests_and_samples_hold_is_golden_or_written_by_hand() -> None:
    files = files_of("tests") | files_of("cli/samples")
    assert len(files) > 500
    assert unknown(files, {file.name for file in GOLDEN}) == set()
    for pattern in BY_HAND:
        assert any(Path(name).match(pattern) for name in files), pattern


def test_every_page_that_a_program_writes_is_golden_and_says_so() -> None:
    pages = files_of("docs") | {file.name for file in ROOT.glob("*.md")}
    written = {name for name in pages if WRITTEN.search((ROOT / name).read_text(encoding="utf-8")[:500])}
    assert written == {file.name for file in GOLDEN if file.name.startswith("docs/")} != set()


def test_a_golden_file_that_nobody_renews_is_found() -> None:
    name = "tests/cli/transcripts/duel.txt"
    others = {file.name for file in GOLDEN} - {name}
    assert unknown(files_of("tests") | files_of("cli/samples"), others) == {name}


# --- renewing --------------------------------------------------------------------------------------------


def text() -> bytes:
    return b"one\ntwo\nthree\n"


def test_only_what_differs_is_written_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golden_files, "ROOT", tmp_path)
    stale, fresh, new = (GoldenFile(tmp_path / name, text) for name in ("stale", "fresh", "in/new"))
    stale.path.write_bytes(b"one\n2\nthree\nfour\n")
    fresh.path.write_bytes(text())
    before = fresh.path.stat().st_mtime_ns
    assert list(renew([stale, fresh, new])) == [
        "stale: +1 -2 lines\n  2 - 2\n  2 + two",
        "in/new: new, 3 lines",
    ]
    assert {file.path.read_bytes() for file in (stale, fresh, new)} == {text()}
    assert fresh.path.stat().st_mtime_ns == before
    assert list(renew([stale, fresh, new])) == []


def test_a_long_line_is_shown_where_it_differs() -> None:
    first, second = (f"{'x' * 900}{word}{'y' * 900}\n".encode() for word in ("old", "new"))
    said = difference(first, second).splitlines()
    assert "xold" in said[1]
    assert "xnew" in said[2]
    assert max(map(len, said)) < 120


def test_the_command_renews_by_word_and_says_when_there_is_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden_files", "docs/events.md", "high-card"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "Nothing to renew.\n"
