"""The exact twin: another writer comes before the n-th look at the log, for every n of every page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import Flask
from freezegun import freeze_time

from eventstore.store import Store
from replay_web.http import forms
from tests.replay_web.samples import registry
from tests.replay_web.torn.addresses import GAMES, Example, examples, fill, without_example, write
from tests.replay_web.torn.site import Site

WRITERS = ("move", "undo", "rename", "note")
VIEWERS = {"everything": "keeper", "table": None, "p1": "seated"}
"""Who looks, and the key that they have."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, str]]:
    """The bytes of the database, and a session for each key."""
    path = tmp_path_factory.mktemp("torn") / "games.db"
    with freeze_time("2026-09-14T18:00:00Z"):
        fill(path)
        with Store.open(path, registry=registry()) as store:
            sessions = {}
            for name, seat in (("keeper", None), ("seated", "p1")):
                store.access.revoke(name)
                _, typed = store.access.add(f"{name}-2", seat=seat)
                sessions[name] = str(store.access.begin(typed))
            store.catalogue.list(text="x")
    return path.read_bytes(), sessions


@contextmanager
def site(base: tuple[bytes, dict[str, str]], folder: Path, app: Flask | None = None) -> Iterator[Site]:
    for file in folder.glob("games.db*"):
        file.unlink()
    path = folder / "games.db"
    path.write_bytes(base[0])
    made = Site(path, app)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(autouse=True)
def nothing_drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Draw the same keys and ids for each page, and stop the clock."""
    monkeypatch.setattr(forms, "fresh_key", lambda: "fresh-key-12")
    monkeypatch.setattr("eventstore.log.ids.secrets.choice", lambda letters: letters[0])
    with freeze_time("2026-09-14T19:00:00Z"):
        yield


def test_every_address_has_an_example(base: tuple[bytes, dict[str, str]], tmp_path: Path) -> None:
    with site(base, tmp_path) as made:
        assert without_example(made.app, made.store) == set()


def asked(store: Store, game: str, viewer: str) -> list[Example]:
    hides = game != GAMES[0]
    return [one for one in examples(store, game) if not (one.everything and hides and viewer != "everything")]


@pytest.mark.parametrize(
    ("game", "viewer", "how"),
    [
        *((game, "everything", how) for game in GAMES for how in WRITERS),
        ("round", "table", "move"),
        ("round", "p1", "move"),
    ],
)
def test_an_answer_is_that_of_one_state(
    base: tuple[bytes, dict[str, str]], tmp_path: Path, game: str, viewer: str, how: str
) -> None:
    session = None if VIEWERS[viewer] is None else base[1][str(VIEWERS[viewer])]
    with site(base, tmp_path) as made:
        wanted, app = asked(made.store, game, viewer), made.app
    torn = []
    tried = 0
    for example in wanted:
        with site(base, tmp_path, app) as made:
            quiet, looks = made.answer(example, session), made.looks
        with site(base, tmp_path, app) as made:
            write(made.other, game, how)
            behind = made.answer(example, session)
        for number in range(1, looks + 1):
            with site(base, tmp_path, app) as made:
                made.before = number, lambda made=made: write(made.other, game, how)  # type: ignore[misc]
                got = made.answer(example, session)
            tried += 1
            if got not in (quiet, behind):
                torn.append((example.endpoint, example.address, number, looks, got.status))
    assert tried > len(wanted)
    assert torn == []
