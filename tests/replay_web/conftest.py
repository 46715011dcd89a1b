"""A store with one game of each sort, and a client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from eventstore.recording.commands import New, Record
from eventstore.store import Store
from replay_web import create_app
from tests.eventstore.played import ROUND
from tests.replay_web.fuzz_rounds import mix
from tests.replay_web.samples import fill, opened, registry


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a database to copy."""
    path = tmp_path_factory.mktemp("store") / "games.db"
    with Store.open(path, registry=registry()) as store:
        fill(store)
    return path


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the database of the fuzz to copy."""
    path = tmp_path_factory.mktemp("mixed") / "games.db"
    mix(path)
    return path


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Iterator[Store]:
    with opened(filled, tmp_path) as store:
        yield store


@pytest.fixture
def app(store: Store) -> Flask:
    made = create_app(store)
    made.testing = True
    return made


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def game(store: Store) -> str:
    """Give a round of the toy, with two laid cards and a third one to come."""
    store.do(None, New("high-card", ["Ann", "Bo"], game="round"))
    store.do("round", Record(ROUND))
    return "round"
