"""On a full disk the pages are read as ever, and what is sent is refused with what was not written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.recording.commands import New
from eventstore.store import Store
from replay_web import create_app
from tests.full_disk import full
from tests.replay_web.samples import opened, registry

HERE = {"Sec-Fetch-Site": "same-origin"}
KEY = "0123456789abcdef"
PAGES = (
    "/games", "/games?q=ann", "/games/star/steps/3", "/games/star/record", "/games/star/history",
    "/games/star/details", "/games/star/frames", "/stats", "/games/new", "/sign-in", "/help", "/invite",
)  # fmt: skip


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    """A database that the list has not caught up with."""
    with opened(filled, tmp_path) as store:
        store.do(None, New("high-card", ["Cleo", "Dan"], game="late"))
        return Path(store.log.path)


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """Opened on the full disk, as by a `serve` that was restarted there."""
    with full(path), Store.open(path, registry=registry()) as store:
        yield store


def note(client: FlaskClient) -> TestResponse:
    data = {"key": KEY, "seq": "4", "step": "3", "text": "Bold."}
    return client.post("/games/star/notes", data=data, headers=HERE)


def told(answer: TestResponse) -> tuple[int, str | None]:
    return answer.status_code, answer.headers.get("X-Error-Code")


def test_every_page_is_served(client: FlaskClient) -> None:
    assert {page: client.get(page).status_code for page in PAGES} == dict.fromkeys(PAGES, 200)
    assert "/games/late" in client.get("/games").text


def test_what_is_sent_is_refused_with_what_was_not_written(client: FlaskClient, store: Store) -> None:
    answer = note(client)
    assert told(answer) == (503, "storage-fault")
    assert "this note was not saved. Free some room and try again." in answer.text
    form = {"title": "Friday"}
    as_json = client.post("/games/star/details", data=form, headers={**HERE, "Accept": "application/json"})
    assert told(as_json) == (503, "storage-fault")
    assert "names and title were not changed" in as_json.json["error"]["message"]
    assert store.game("star").all_notes == []


def test_it_takes_what_is_sent_as_soon_as_there_is_room(path: Path) -> None:
    with full(path):
        store = Store.open(path, registry=registry())
        client = create_app(store).test_client()
        assert told(note(client)) == (503, "storage-fault")
    with store:
        assert note(client).status_code == 303
        assert [one.text for one in store.game("star").all_notes] == ["Bold."]


def test_nobody_can_sign_in(path: Path) -> None:
    with Store.open(path, registry=registry()) as store:
        _, key = store.access.add()
    with full(path), Store.open(path, registry=registry()) as store:
        client = create_app(store, guarded=True).test_client()
        answer = client.post("/sign-in", data={"key": key}, headers=HERE)
        assert told(answer) == (503, "storage-fault")
        assert "you are not signed in. Free some room and try again." in answer.text
        assert "Set-Cookie" not in answer.headers
        assert told(client.post("/sign-in", data={"key": "wrong"}, headers=HERE)) == (403, "wrong-key")
        assert client.get("/games/star/steps/3").status_code == 200


def test_a_move_that_the_disk_refuses_is_not_offered_as_a_ruling(client: FlaskClient, store: Store) -> None:
    page = client.get("/games/late/record").text
    assert 'name="typed"' in page
    data = {"key": KEY, "after": "1", "typed": "p1: deal c01,c02,c03"}
    refused = client.post("/games/late/events", data=data, headers=HERE)
    assert refused.headers["X-Error-Code"] == "storage-fault"
    assert "was not recorded. Free some room and try again." in refused.text
    assert "Agreed on at the table" not in refused.text
