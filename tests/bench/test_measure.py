"""The harness compares like with like."""

from __future__ import annotations

import pytest

from bench.measure import Case, Rates, Result, Runner, cut, interleave, measure, percentile, table
from bench.workload import GAMES, events, scores


def test_each_round_begins_with_another_case() -> None:
    order: list[str] = []

    def case(name: str) -> Case:
        return Case(name, 1, lambda: order.append(name) or 1.0)  # type: ignore[func-returns-value]

    measure("units/s", [case("a"), case("b"), case("c")], rounds=3)
    assert "".join(order) == "abcbcacab"


def test_runners_take_their_blocks_by_turns_each_first_in_its_turn() -> None:
    done: list[tuple[str, list[int]]] = []

    def runner(name: str, blocks: list[list[int]]) -> Runner:
        return Runner(name, blocks, lambda block: done.append((name, list(block))))

    blocks = [[1], [2], [3]]
    rates = interleave("units/s", [runner("a", blocks), runner("b", blocks)])
    assert done == [("a", [1]), ("b", [1]), ("b", [2]), ("a", [2]), ("a", [3]), ("b", [3])]
    assert {name: len(found) for name, found in rates.by_case.items()} == {"a": 3, "b": 3}


def test_runners_with_unequal_numbers_of_blocks_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        interleave("units/s", [Runner("a", [[1], [2]], len), Runner("b", [[1]], len)])


def test_blocks_are_of_one_size() -> None:
    assert cut([1, 2, 3, 4, 5, 6, 7], 3) == [[1, 2], [3, 4], [5, 6]]


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
