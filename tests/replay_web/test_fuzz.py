"""Thousands of seeded calls to every route, from good ones to garbage, of which none is a fault of ours.

`TABLETAPE_FUZZ` is how many calls are made (2,000 by default), `TABLETAPE_SEED` what they are drawn from.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.conftest import Measured
from tests.replay_web.fuzz_rounds import CALLS, PAGES, ROUND, SEED, judged, made, played, visited
from tests.replay_web.test_policy_forms import FORMS

TRIES: Final = 900
"""Good calls to a route, of which one has to reach it."""
SAME: Final = "1"
"""The seed of the good calls: whether they reach every route does not depend on the seed of a soak."""


@pytest.mark.parametrize("part", range(-(-CALLS // ROUND)))
def test_no_call_is_a_fault(mixed: Path, tmp_path: Path, part: int, measured: Measured) -> None:
    calls = min(ROUND, CALLS - part * ROUND)
    with made(mixed, tmp_path, f"{SEED}.{part}") as maker:
        visited(maker, PAGES, f"round {part}")
        played(maker, calls, f"round {part}")
    measured(f"HTTP fuzz, round {part}: {calls} calls")


def test_every_route_is_reached_by_good_calls(mixed: Path, tmp_path: Path) -> None:
    """A route that no good call reaches would be fuzzed at its door alone."""
    with made(mixed, tmp_path, SAME) as maker:
        visited(maker, 2 * PAGES, "good")
        # Flask answers OPTIONS by itself.
        wanted = [route for route in maker.routes if route[1] != "OPTIONS"]
        for route in wanted:
            for number in range(TRIES):
                if route in maker.reached:
                    break
                site = maker.sites["open" if number % 2 else "table"]
                judged(maker, maker.good(site, route), f"good, try {number}")
                look = maker.unseen(site)
                if look is not None:
                    judged(maker, look, f"good, try {number}")
        assert set(wanted) - set(maker.reached) == set()
        assert {endpoint for endpoint, method in maker.reached if method == "POST"} == set(FORMS)
