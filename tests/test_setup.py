"""The set-up holds what the documents promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
VERBS = set(re.findall(r"^([a-z]+):", MAKEFILE, flags=re.MULTILINE))


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "bench/README.md"])
def test_documents_name_only_verbs_that_exist(document: str) -> None:
    named = set(re.findall(r"\bmake ([a-z]+)", (ROOT / document).read_text(encoding="utf-8")))
    assert named
    assert named <= VERBS


def test_every_verb_is_phony_and_says_what_it_does() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, flags=re.MULTILINE)
    helped = re.findall(r"^([a-z]+):.*## \S", MAKEFILE, flags=re.MULTILINE)
    assert phony is not None
    assert set(phony.group(1).split()) == VERBS == set(helped)
