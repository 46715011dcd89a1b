"""What is not understood is refused in two lines, with what can be typed now."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import pytest

from games.core.events import kind_of
from games.core.registry import installed
from games.core.ruleset import IllegalAction, Notation, Ruleset
from games.core.start import started
from games.testing.playout import playout

LONGEST = 160
RULESETS = list(installed().newest().values())
NO_SHORT_FORM = {"card_effect_entered", "attack_modified"}
"""What a card's print says can only be typed as JSON."""


def notation(ruleset: Ruleset[Any]) -> Notation[Any]:
    assert ruleset.notation is not None
    return ruleset.notation


def refusal(ruleset: Ruleset[Any], state: Any, text: str) -> str:
    with pytest.raises(IllegalAction) as refused:
        notation(ruleset).read(state, text)
    assert refused.value.code == "not-understood"
    return refused.value.sentence


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_every_kind_has_its_form(ruleset: Ruleset[Any]) -> None:
    kinds = {kind_of(event) for event in ruleset.events}
    assert set(notation(ruleset).forms) | NO_SHORT_FORM == kinds | NO_SHORT_FORM


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_a_refusal_takes_two_lines_at_most_all_through_a_game(ruleset: Ruleset[Any]) -> None:
    start = started(ruleset, ruleset.seats[0], origin="simulated")
    states = [ruleset.setup(start)]
    rng = random.Random(7)  # noqa: S311 - to be repeated
    states += [state for _, state in islice(playout(ruleset, start, rng, max_events=20_000), 150)]
    for state in states:
        said = refusal(ruleset, state, "castle & 7 over there")
        assert said.startswith("'castle & 7 over there' is not understood")
        assert len(said) <= LONGEST


def test_a_wrong_throw_is_told_what_dice_show() -> None:
    legend = installed().find("legend-of-monopoly")
    state = legend.setup(started(legend, 2))
    now = "possible now, for example: r 3 4 (a throw)."
    for typed in ("r 7 1", "r 3"):
        why = ": two dice are thrown, each shows 1 to 6"
        assert refusal(legend, state, typed) == f"{typed!r} is not understood{why}; {now}"
    assert refusal(legend, state, "1 2") == f"'1 2' is not understood; {now}"


def test_what_was_typed_at_length_is_cut() -> None:
    legend = installed().find("legend-of-monopoly")
    assert len(refusal(legend, legend.setup(started(legend, 2)), "x" * 5000)) <= LONGEST
