"""No wall-clock time is asserted: a busy machine must not fail a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from eventstore.recording.commands import Record
from eventstore.store import Store
from tests.eventstore.played import REGISTRY, ROUND, begin

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test of a store over both logs, but for those that need the database's file."""
    if "store" in metafunc.fixturenames:
        alone = "path" in metafunc.fixturenames or metafunc.definition.get_closest_marker("database")
        kinds = ["database"] if alone else ["database", "memory"]
        metafunc.parametrize("store", kinds, indirect=True)


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store, in a database at `path` or in memory."""
    if request.param == "memory":
        opened = Store.in_memory(REGISTRY)
    else:
        opened = Store.open(tmp_path / "games.db", registry=REGISTRY)
    with opened:
        yield opened


@pytest.fixture
def game(store: Store) -> str:
    found = begin(store)
    store.do(found, Record(ROUND))
    return found
