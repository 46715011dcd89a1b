"""What tests measure, and assert nothing of, stands below the results; machines differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

Measured = Callable[[str], None]
"""Note one line of figures."""

_PROPERTY = "measured"


@pytest.fixture
def measured(record_property: Callable[[str, object], None]) -> Measured:
    """Print this line when all tests are done, in whichever process they ran."""
    return lambda line: record_property(_PROPERTY, line)


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    passed = terminalreporter.getreports("passed")
    lines = [line for report in passed for name, line in report.user_properties if name == _PROPERTY]
    if lines:
        terminalreporter.section("measured")
        for line in lines:
            terminalreporter.line(str(line))
