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


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.open(path, registry=REGISTRY) as opened:
        yield opened


@pytest.fixture
def game(store: Store) -> str:
    found = begin(store)
    store.do(found, Record(ROUND))
    return found
