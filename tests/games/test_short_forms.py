"""Whatever stands in a short form that does not belong there: it is refused, or means nothing at all."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from games.core.events import Event
from games.core.registry import installed
from games.core.ruleset import IllegalAction, Ruleset
from games.core.start import started
from games.testing.laws import some_offered
from games.testing.playout import playout
from games.text import wording

RULESETS = list(installed().newest().values())
NUMBER = "9" * 5000
RUBBISH = ["~", ",~", "~,", ",~,", " ~ ", "\u00b2", "\u0663", "\u200b", "{", "\ud800", NUMBER]
"""What no short form has: other signs, figures of other scripts, numbers without end."""
OF_A_KIND = 3


def written(ruleset: Ruleset[Any]) -> Iterator[tuple[Any, Event, str]]:
    """What is offered in some games, and how it is typed: some of each kind."""
    kinds = dict.fromkeys(ruleset.events, 0)
    for players in ruleset.seats[:2]:
        start = started(ruleset, players, origin="simulated")
        rng = random.Random(players)  # noqa: S311 - to be repeated
        for _, state in islice(playout(ruleset, start, rng), 0, 800, 8):
            for event in some_offered(ruleset, state, rng):
                kinds[type(event)] += 1
                text = wording.write(ruleset, state, event)
                if kinds[type(event)] <= OF_A_KIND and not text.startswith("{"):
                    yield state, event, text


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_rubbish_in_a_short_form_is_refused_or_changes_nothing(ruleset: Ruleset[Any]) -> None:
    misread = []
    for state, event, text in written(ruleset):
        for place in range(len(text) + 1):
            for rubbish in RUBBISH:
                typed = text[:place] + rubbish + text[place:]
                try:
                    again = wording.read(ruleset, state, typed)
                except IllegalAction:
                    continue
                if again != (event,):
                    misread.append((text, typed[:80], again))
    assert misread == []
