"""What is kept in memory: the values that were used last, and no more of them than was said."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from eventstore.cache import Cache


def test_the_value_that_was_not_used_for_longest_goes_first() -> None:
    kept = Cache[str, str](2)
    for key in ("a", "b"):
        kept.put(key, key)
    assert kept.get("a") == "a"
    kept.put("c", "c")
    assert [kept.get(key) for key in ("a", "b", "c")] == ["a", None, "c"]


def test_a_value_that_is_put_again_takes_the_place_of_the_first_and_counts_as_used() -> None:
    kept = Cache[str, int](2)
    for key, value in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        kept.put(key, value)
    assert [kept.get(key) for key in ("a", "b", "c")] == [3, None, 4]


def test_a_value_is_made_once_while_it_is_kept() -> None:
    kept, made = Cache[str, bool](2), list[str]()

    def ask(key: str) -> bool:
        return kept.made(key, lambda: bool(made.append(key)))  # False is a value, too

    assert [ask(key) for key in ("a", "a", "b", "a", "c", "a", "b")] == [False] * 7
    assert made == ["a", "b", "c", "b"]
    kept.clear()
    ask("a")
    assert made[-1] == "a"


def test_a_value_that_cannot_be_made_is_not_kept() -> None:
    kept = Cache[str, int](2)
    with pytest.raises(ZeroDivisionError):
        kept.made("a", lambda: 1 // 0)
    assert kept.get("a") is None
    assert kept.made("a", lambda: 7) == 7


def test_threads_share_one_and_it_never_grows() -> None:
    kept = Cache[int, int](8)

    def work(start: int) -> set[int]:
        return {
            kept.made(number % 20, lambda n=number: n % 20) - number % 20 for number in range(start, 4000)
        }

    with ThreadPoolExecutor(8) as pool:
        assert set().union(*pool.map(work, range(8))) == {0}
    assert sum(kept.get(number) is not None for number in range(20)) == 8
