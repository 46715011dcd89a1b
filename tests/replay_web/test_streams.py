"""Told at once: one line for each change, nothing of what it is, few at a time, no thread held for ever."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.recording.commands import Redo, Undo
from eventstore.store import Store
from replay_web import create_app
from replay_web.replay.streams import AGAIN, BEAT, LONGEST, Streams, lines
from tests.replay_web.test_notes import send

MOST = 2


class Table:
    """Stands for the condition on which streams wait: time goes by only there; what was planned happens."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.planned: list[Callable[[], object]] = []
        self.woken = 0

    def __enter__(self) -> None:
        return

    def __exit__(self, *_: object) -> None:
        return

    def notify_all(self) -> None:
        self.woken += 1

    def wait_for(self, predicate: Callable[[], bool], timeout: float) -> None:
        if predicate():
            return
        if self.planned:
            self.planned.pop(0)()
        self.now += timeout


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def streams(table: Table) -> Streams:
    made = Streams(MOST, clock=lambda: table.now)
    made._changed = table  # type: ignore[assignment]
    return made


@pytest.fixture
def app(store: Store, streams: Streams) -> Flask:
    made = create_app(store, streams=MOST)
    made.extensions["streams"] = streams
    return made


def listen(client: FlaskClient, game: str = "star", query: str = "", **more: Any) -> TestResponse:
    return client.get(f"/games/{game}/news/stream{query}", buffered=False, **more)


def read(answer: TestResponse) -> str:
    """Read a stream to its end, and close it, as every server does."""
    text = answer.text
    answer.close()
    return text


def told(answer: TestResponse) -> list[str]:
    return [line[6:] for line in read(answer).splitlines() if line.startswith("data: ")]


def test_each_change_is_told_in_a_line_of_its_own(client: FlaskClient, store: Store, table: Table) -> None:
    head = store.game("star").head
    table.planned = [
        lambda: store.do("star", Undo()),
        lambda: None,
        lambda: store.do("star", Redo()),
        lambda: send(client),  # a note is no event of the game
        lambda: store.do("star", Undo(3)),
    ]
    answer = listen(client)
    assert answer.mimetype == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-store"
    assert told(answer) == [str(head + 1), str(head + 2), str(head + 5)]


def test_what_was_recorded_before_the_stream_began_is_told_first(client: FlaskClient, store: Store) -> None:
    head = store.game("star").head
    assert told(listen(client, query=f"?since={head}")) == []
    assert told(listen(client, query=f"?since={head - 1}")) == [str(head)]
    again = listen(client, query="?since=1", headers={"Last-Event-ID": str(head)})
    assert told(again) == []


def test_stream_says_nothing_of_what_happened_to_anybody(client: FlaskClient, store: Store) -> None:
    head = store.game("cards").head
    texts = {read(listen(client, "cards", f"?since=1&as={eyes}")) for eyes in ("everything", "table", "p1")}
    (text,) = texts
    assert re.sub(r"retry: \d+\n|id: \d+\n|data: \d+\n|: \n|\n", "", text) == ""
    assert f"data: {head}\n" in text


def test_stream_shows_that_it_lives_and_ends_by_itself(client: FlaskClient, table: Table) -> None:
    begun = table.now
    assert read(listen(client)).splitlines().count(": ") == LONGEST / BEAT
    assert LONGEST <= table.now - begun <= LONGEST + 1


def test_so_many_streams_and_no_more(client: FlaskClient) -> None:
    open_ones = [listen(client) for _ in range(MOST)]
    full = listen(client)
    assert (full.status_code, full.headers["X-Error-Code"]) == (503, "no-stream")
    assert full.headers["Retry-After"] == str(AGAIN)
    assert full.json == {"error": {"code": "no-stream", "message": full.json["error"]["message"]}}  # type: ignore[index]
    assert client.get("/games/star/news").status_code == 200
    open_ones[0].close()
    assert listen(client).status_code == 200


def test_places_come_back_however_a_stream_ends(client: FlaskClient, streams: Streams) -> None:
    listen(client).close()  # nobody read a line
    begun = listen(client)
    next(iter(begun.iter_encoded()))
    begun.close()
    begun.close()
    client.head("/games/star/news/stream").close()
    assert listen(client, query="?since=x").status_code == 400
    read(listen(client))
    assert streams._open == set()


def test_a_site_without_spare_threads_has_no_streams(store: Store) -> None:
    client = create_app(store).test_client()
    assert listen(client).status_code == 503
    assert "data-streams" not in client.get("/games/star/steps/3").text
    assert "data-streams" in create_app(store, streams=1).test_client().get("/games/star/steps/3").text


def test_a_view_that_is_closed_has_no_stream(store: Store, streams: Streams) -> None:
    app = create_app(store, guarded=True)
    app.extensions["streams"] = streams
    client = app.test_client()
    for eyes in ("everything", "p1"):
        assert listen(client, "cards", f"?as={eyes}").status_code == 403
    assert listen(client, "cards").status_code == 200


def test_what_is_recorded_here_is_told_without_waiting(client: FlaskClient, table: Table) -> None:
    send(client)
    assert table.woken == 1
    send(client, seq="x")
    client.get("/games/star/steps/3")
    assert table.woken == 1


def test_streams_end_with_the_server(client: FlaskClient, streams: Streams, table: Table) -> None:
    table.planned = [lambda: None, streams.end]
    begun = table.now
    assert told(listen(client)) == []
    assert table.now - begun < BEAT


def test_stream_ends_where_nobody_reads_any_more(client: FlaskClient, table: Table) -> None:
    gone: list[bool] = []
    table.planned = [lambda: gone.append(True)]
    begun = table.now
    read(listen(client, environ_overrides={"waitress.client_disconnected": lambda: bool(gone)}))
    assert table.now - begun < BEAT


def test_stream_ends_where_the_database_is_gone(client: FlaskClient, store: Store, table: Table) -> None:
    table.planned = [lambda: Path(store.log.path).unlink()]
    begun = table.now
    assert told(listen(client)) == []
    assert table.now - begun < BEAT


def test_a_change_between_look_and_wait_is_not_slept_over(table: Table, streams: Streams) -> None:
    found: Iterator[str] = iter(["1", "2", "2"])

    def newest() -> str:
        streams.tell()  # somebody records just after the look
        return next(found)

    written = lines(streams, "0", newest)
    begun = table.now
    assert [next(written) for _ in range(3)][1:] == ["id: 1\ndata: 1\n\n", "id: 2\ndata: 2\n\n"]
    assert table.now == begun
