"""What a refusal repeats of somebody's input."""

from __future__ import annotations

import pytest

from games.core.registry import UnknownRuleset
from games.core.ruleset import BadData, IllegalAction
from games.core.sentences import LONGEST, shortened


@pytest.mark.parametrize("quoted", ["x" * 1_000_000, "x " * 500_000, "\n".join(["y" * 150] * 7_000)])
def test_no_refusal_repeats_all_of_a_long_input(quoted: str) -> None:
    said = f"There is no {quoted!r}; write A1."
    for short in (
        shortened(said),
        IllegalAction("not-understood", said).sentence,
        str(IllegalAction("not-understood", said)),
        BadData("row", said).sentence,
        str(UnknownRuleset(said)),
    ):
        assert len(short) < LONGEST
        assert "There is no 'x" in short or "There is no 'y" in short
        assert short.endswith("write A1.")
        assert "…" in short


def test_a_sentence_of_ordinary_length_stays_as_it_is() -> None:
    said = "Ann cannot go from A1 to A2: a Troll is there. " * 25
    assert shortened(said) == said
