"""Figures that tests measure but do not assert are printed below the results: machines differ.

The last lines say which tests were left out, and what they need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.needs import LEFT_OUT

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

Measured = Callable[[str], None]
"""Note one line of figures."""

_PROPERTY = "measured"

_SAID = pytest.StashKey[list[str]]()


@pytest.fixture
def measured(record_property: Callable[[str, object], None]) -> Measured:
    """Print this line when all tests are done, in whichever process they ran."""
    return lambda line: record_property(_PROPERTY, line)


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    skipped = [str(report.longrepr) for report in terminalreporter.getreports("skipped")]
    reasons = [text.partition(LEFT_OUT)[2].rstrip("')") for text in skipped if LEFT_OUT in text]
    counts = Counter(reasons)
    terminalreporter.config.stash[_SAID] = [
        f"{LEFT_OUT}{count} test{'' if count == 1 else 's'}. {reason}" for reason, count in counts.items()
    ]
    done = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    lines = [line for report in done for name, line in report.user_properties if name == _PROPERTY]
    if lines:
        terminalreporter.section("measured")
        for line in lines:
            terminalreporter.line(str(line))


def pytest_unconfigure(config: pytest.Config) -> None:
    for line in config.stash.get(_SAID, []):
        print(line)  # noqa: T201 - after pytest's own last line
