"""No wall-clock time is asserted: a busy machine must not fail a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from eventstore.store import Tabletape
from tests.eventstore.played import REGISTRY, ROUND, begin

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def tape(path: Path) -> Iterator[Tabletape]:
    with Tabletape.open(path, registry=REGISTRY) as opened:
        yield opened


@pytest.fixture
def game(tape: Tabletape) -> str:
    found = begin(tape)
    tape.recorder.record(found, ROUND)
    return found
