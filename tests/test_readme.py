"""The README has a session, which is written anew as a golden file, and its links lead somewhere."""

from __future__ import annotations

import re

from tests.readme import ELLIPSIS, ROOT, fits, renewed, session

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_has_a_session() -> None:
    assert len(list(session(README))) > 8


def test_a_changed_output_is_seen() -> None:
    assert fits(["a", "b", "c"], ["a", ELLIPSIS])
    assert not fits(["a", "x"], ["a", "b"])
    assert not fits(["a", "b"], ["a"])


def test_a_changed_output_is_written_anew_and_nothing_else() -> None:
    text = "Say\n\n```console\n$ one\na\n…\nz\n$ two\nold\n$ three\n```\n\n$ four\n"
    now = {"one": ["A", "b", "c", "Z"], "two": ["new", "lines"], "three": []}
    assert renewed(text, now.__getitem__) == (
        "Say\n\n```console\n$ one\nA\n…\nZ\n$ two\nnew\nlines\n$ three\n```\n\n$ four\n"
    )


def test_every_folder_of_the_readme_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    missing = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert missing == []
