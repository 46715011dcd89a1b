"""The harness compares like with like."""

from __future__ import annotations

import pytest

from bench.measure import Case, Rates, Result, measure, percentile, table
from bench.workload import GAMES, events, scores


def test_each_round_begins_with_another_case() -> None:
    order: list[str] = []

    def case(name: str) -> Case:
        return Case(name, 1, lambda: order.append(name) or 1.0)  # type: ignore[func-returns-value]

    measure("units/s", [case("a"), case("b"), case("c")], rounds=3)
    assert "".join(order) == "abcbcacab"


def test_ratios_are_taken_within_a_round() -> None:
    # The machine was ten times slower in the second round, for both.
    rates = Rates("units/s", {"ours": (200.0, 20.0, 210.0), "theirs": (100.0, 10.0, 100.0)})
    assert rates.ratio("ours", "theirs") == 2.0
    assert rates.median("ours") == 200.0


@pytest.mark.parametrize(
    ("value", "less_is_better", "verdict"),
    [
        (0.84, False, "missed"),
        (0.85, False, "met"),
        (0.95, False, "met, stretch too"),
        (0.96, True, "missed"),
        (0.86, True, "missed"),
        (0.85, True, "met"),
    ],
)
def test_a_result_says_what_was_reached(value: float, *, less_is_better: bool, verdict: str) -> None:
    row = Result("A1", "append", value, 0.85, None if less_is_better else 0.95, less_is_better=less_is_better)
    assert row.cells()[-1] == verdict


def test_table_has_a_line_for_each_result() -> None:
    lines = table([Result("A1", "append", 0.9, 0.85, 0.95), Result("C2", "bytes", 0.07, 0.1)]).splitlines()
    assert len(lines) == 4
    assert len({len(line) for line in lines}) == 1


def test_percentile_is_the_value_below_which_the_share_lies() -> None:
    assert percentile(range(1, 101), 0.99) == 100
    assert percentile(range(1, 101), 0.5) == 51


def test_workload_is_the_same_each_time() -> None:
    assert events(500) == events(500)
    assert len(scores(50)) == 50
    assert len(set(GAMES)) == 64
