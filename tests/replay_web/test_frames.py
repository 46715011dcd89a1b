"""What the server keeps of the frames: nobody gets what was made for another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from eventstore.access.actor import Actor
from eventstore.cache import Cache
from eventstore.recording.commands import WriteNote
from eventstore.store import Store
from replay_web import create_app

HERE = {"Sec-Fetch-Site": "same-origin"}
GAMES = ("star", "cards")
EYES = ("", "everything", "table", "p2")


@pytest.fixture
def app(store: Store) -> Flask:
    made = create_app(store, guarded=True)
    made.testing = True
    return made


@pytest.fixture
def askers(app: Flask, store: Store) -> dict[str, FlaskClient]:
    """Give a visitor and the holders of keys, the one of the seat with a note of their own."""
    keys = {
        "visitor": None,
        "p1": store.access.add(seat="p1")[1],
        "p2": store.access.add(seat="p2")[1],
        "table": store.access.add()[1],
    }
    for game in GAMES:
        for by in ("p1", "table-key", "recorder"):
            store.do(game, WriteNote(2, text=f"A note of {by}."), Actor(by))
    found = {}
    for name, key in keys.items():
        found[name] = app.test_client()
        if key is not None:
            assert found[name].post("/sign-in", data={"key": key}, headers=HERE).status_code == 303
    return found


def addresses() -> Iterator[str]:
    for game in GAMES:
        for eyes in EYES:
            query = f"as={eyes}" if eyes else ""
            yield f"/games/{game}/frames?{query}"
            yield f"/games/{game}/frames?from=1&to=4&{query}"


def forget(app: Flask) -> None:
    for name in ("chunks", "rows", "sittings"):
        app.extensions[name] = Cache(512)


def test_everybody_gets_the_same_whoever_asked_before(app: Flask, askers: dict[str, FlaskClient]) -> None:
    fresh = {}
    for name, client in askers.items():
        for address in addresses():
            forget(app)
            fresh[name, address] = client.get(address).data
    assert len({fresh[name, "/games/star/frames?"] for name in askers}) > 1, (
        "told apart by the button at a note"
    )
    for order in (tuple(askers), tuple(reversed(askers))):
        forget(app)
        for name in order:
            for address in addresses():
                assert askers[name].get(address).data == fresh[name, address], (name, "after", order, address)


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("*", True),
        ("", False),
        ("identity", False),
        ("gzip;q=0", False),
        ("gzip;q=0, *;q=1", False),
        ("x-notgzip", False),
    ],
)
def test_answer_is_packed_for_those_alone_who_take_it(app: Flask, accepted: str, *, packed: bool) -> None:
    answer = app.test_client().get("/games/star/frames", headers={"Accept-Encoding": accepted})
    assert (answer.headers.get("Content-Encoding") == "gzip") is packed
    assert answer.headers["Vary"] == "Accept-Encoding"
