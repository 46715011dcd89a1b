"""Tests in which file operations fail. They need a C compiler, and a Python that LD_PRELOAD reaches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import shim
from tests.faults.commands import fill
from tests.faults.forks import Forks, in_memory
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


@pytest.fixture(scope="module")
def memory() -> Iterator[Path]:
    with in_memory() as folder:
        yield folder


@pytest.fixture(scope="module")
def forks(memory: Path) -> Iterator[Forks]:
    printed = memory / "printed"
    printed.mkdir()
    with Forks(printed) as forks:
        yield forks


@pytest.fixture(scope="module")
def filled(forks: Forks, memory: Path) -> Path:
    """Give the folder that each call begins with."""
    folder = memory / "filled"
    folder.mkdir()
    fill(forks, folder)
    return folder
