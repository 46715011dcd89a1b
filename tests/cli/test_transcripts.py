"""What the commands print, to the letter; see `transcript.py` for the form and how to write one anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import transcript

FILES = sorted(transcript.FOLDER.glob("*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_session_prints_what_it_printed(file: Path) -> None:
    expected = file.read_text(encoding="utf-8")
    assert transcript.played(expected) == expected


def test_there_are_transcripts() -> None:
    assert len(FILES) >= 3
