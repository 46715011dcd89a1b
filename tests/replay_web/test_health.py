"""A store whose file was removed or replaced under the server: nothing is acknowledged, nothing is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from eventstore.errors import DatabaseReplaced
from eventstore.recording.commands import WriteNote
from eventstore.store import Store
from replay_web import create_app
from tests.replay_web.test_notes import send


def remove(path: Path) -> None:
    """Take the file away, and what SQLite keeps beside it."""
    for part in path.parent.glob(f"{path.name}*"):
        part.unlink()


def replace(path: Path) -> None:
    """Put another file of the same content there, as a restored copy would be."""
    other = path.with_name("other.db")
    other.write_bytes(path.read_bytes())
    other.replace(path)


def link(path: Path) -> None:
    """Put a link to another file there."""
    path.rename(path.with_name("kept.db"))
    other = path.with_name("other.db")
    other.write_bytes(b"")
    path.symlink_to(other)


GONE = pytest.mark.parametrize("take", [remove, replace, link])


@GONE
def test_nothing_is_read_from_a_file_that_is_gone(
    client: FlaskClient, store: Store, take: Callable[[Path], None]
) -> None:
    assert client.get("/games/star/steps/3").status_code == 200
    take(Path(store.log.path))
    for address in ("/games", "/games/star/steps/3", "/games/star/frames", "/games/star.tape.jsonl"):
        answer = client.get(address)
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (503, "database-replaced")
        assert f"The database file {store.log.path} was removed or replaced" in answer.text
    with client.get("/static/page.css") as style:
        assert style.status_code == 200


@GONE
def test_health_says_that_the_file_is_gone(
    client: FlaskClient, store: Store, take: Callable[[Path], None]
) -> None:
    take(Path(store.log.path))
    answer: Any = client.get("/healthz")
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "database-replaced")


@GONE
def test_nothing_is_written_into_a_file_that_is_gone(
    client: FlaskClient, store: Store, take: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Any] = []
    monkeypatch.setattr(Store, "do", lambda *args, **_: written.append(args))
    take(Path(store.log.path))
    answer = send(client)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (503, "database-replaced")
    assert written == []


def test_a_file_that_goes_while_a_form_is_met_is_noticed_before_the_answer(
    client: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(self: Store, *args: Any, **more: Any) -> Any:
        written = real(self, *args, **more)
        remove(Path(store.log.path))
        return written

    real = Store.do
    monkeypatch.setattr(Store, "do", write)
    answer = send(client)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (503, "database-replaced")
    assert answer.headers["Content-Security-Policy"]


def test_a_file_that_is_put_back_is_served_again(client: FlaskClient, store: Store) -> None:
    path = Path(store.log.path)
    path.rename(path.with_name("moved.db"))
    assert client.get("/games").status_code == 503
    path.with_name("moved.db").rename(path)
    assert client.get("/games").status_code == 200
    assert send(client).status_code == 303


def test_a_file_that_other_programs_write_to_stays_the_same_file(app: Flask, store: Store) -> None:
    with Store.open(store.log.path, registry=store.registry) as other:
        other.do("star", WriteNote(4, text="From elsewhere"))
    assert "From elsewhere" in app.test_client().get("/games/star/steps/3").text


def test_a_file_opened_read_only_is_watched_too(store: Store) -> None:
    with Store.open(store.log.path, read_only=True, registry=store.registry) as opened:
        client = create_app(opened).test_client()
        assert client.get("/healthz").status_code == 200
        os.replace(store.log.path, f"{store.log.path}.old")  # noqa: PTH105 - a path of text
        assert client.get("/healthz").status_code == 503
        with pytest.raises(DatabaseReplaced):
            opened.log.must_be_in_place()
