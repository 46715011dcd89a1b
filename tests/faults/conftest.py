"""Tests in which file operations fail. They need a C compiler, and a Python that LD_PRELOAD reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import shim
from tests.needs import is_required, left_out

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ours = [item for item in items if HERE in item.path.parents]
    why = None if is_required("COMPILER") or not ours else shim.unusable()
    if why is not None:
        for item in ours:
            item.add_marker(left_out(why))


@pytest.fixture(scope="session", autouse=True)
def usable() -> None:
    """Fail in one sentence where the tests are required and cannot run."""
    why = shim.unusable()
    if why is not None:
        pytest.fail(why, pytrace=False)
