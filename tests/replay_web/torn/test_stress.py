"""Readers of every page and address beside a writer in a loop: no answer is torn, and none is a fault."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

import pytest
from flask import Flask

from eventstore.access.actor import Actor
from eventstore.errors import TabletapeError
from eventstore.log.rows import Commit
from eventstore.recording.commands import Record, Undo
from eventstore.store import Store
from games.core.ruleset import IllegalAction
from replay_web import create_app
from tests.conftest import Measured
from tests.replay_web.samples import registry
from tests.replay_web.sheets import HERE
from tests.replay_web.torn.addresses import OPEN, Example, examples, fill
from tests.replay_web.torn.offers import moves, moves_at, offered

SECONDS: Final = float(os.environ.get("TABLETAPE_TORN", "8"))
FINE: Final = {200, 201, 302, 303, 304, 409}
NO_LONGER: Final = {400, 404, 422}
"""What a page says of a step, a check or an event that has just been undone."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "games.db"
    fill(path)
    return path


def write_on(path: Path, over: Event, written: Counter[str]) -> None:
    """Record and undo, with a rest after ten events in which a form of another is accepted."""
    with Store.open(path, registry=registry()) as store:
        while not over.is_set():
            try:
                position = store.game(OPEN).position()
                seats = [due.seat for due in position.pending()]
                event = next((event for seat in seats for event in position.legal(seat)), None)
                undo = event is None or written["events"] % 3 == 2
                store.do(OPEN, Undo(2) if undo else Record([event]), Actor("another"))  # type: ignore[list-item]
                written["events"] += 1
                if written["events"] % 10 == 0:
                    over.wait(0.02)
            except (TabletapeError, IllegalAction):
                written["refused"] += 1


def read_on(  # noqa: PLR0917 - a thread takes its arguments by place
    app: Flask, store: Store, over: Event, found: Counter[str], torn: list[Any], endpoint: str
) -> None:
    """Ask for every page again and again, and compare what it offers with the head that it names."""
    client = app.test_client()
    while not over.is_set():
        for example in (one for one in examples(store, OPEN) if endpoint in one.endpoint):
            answer, form = ask(client, example)
            found["answers"] += 1
            found[str(answer.status_code)] += 1
            if answer.status_code not in FINE | NO_LONGER:
                torn.append((example.endpoint, example.address, answer.status_code))
            if answer.status_code < 400 and (commit := accepted(store, form)) is not None:
                found["accepted forms"] += 1
                if commit.first_seq != form["after"] + 1:
                    torn.append((example.endpoint, form["after"], commit.first_seq))
            if example.address.endswith("/record") and answer.status_code == 200:
                heads, events = offered(answer.text)
                found["record pages"] += 1
                legal = moves_at(store, max(heads)) if heads else set()
                if len(heads) != 1 or not moves(events) <= moves(legal):
                    torn.append((example.address, heads, len(events), len(legal)))
            if over.is_set():
                return


def accepted(store: Store, form: Mapping[str, Any]) -> Commit | None:
    """What was appended for a form that names its head; None where it names none, or nothing was."""
    if "after" not in form:
        return None
    commits = store.log.commits(OPEN)
    return next((one for one in commits if one.command_id.startswith(f"{form['key']}.")), None)


def ask(client: Any, example: Example) -> tuple[Any, Mapping[str, Any]]:
    """Send an example with a key of its own; give the answer and the form as it was sent."""
    headers = {**HERE, **example.headers}
    if example.form is None:
        return client.get(example.address, headers=headers), {}
    form = {name: value for name, value in example.form.items() if name != "key"}
    key = f"key{monotonic():.9f}".replace(".", "-")
    if "key" in example.form:
        form["key"] = key if example.endpoint != "variations.begin" else key[-8:].replace("-", "a")
    return client.post(example.address, headers=headers, data=form), form


def test_no_answer_is_torn_beside_a_fast_writer(place: Path, measured: Measured) -> None:
    over, written, found = Event(), Counter[str](), Counter[str]()
    torn: list[Any] = []
    with Store.open(place, registry=registry()) as store:
        app = create_app(store)
        threads = [Thread(target=write_on, args=(place, over, written))]
        threads += [
            Thread(target=read_on, args=(app, store, over, found, torn, endpoint))
            for endpoint in ("", "", "recording.page", "recording.events")
        ]
        for thread in threads:
            thread.start()
        over.wait(SECONDS)
        over.set()
        for thread in threads:
            thread.join()
    measured(f"Readers beside a writer, {SECONDS:g} s: {dict(written)} {dict(found)}")
    assert torn == []
    assert written["events"] > 20
    assert found["record pages"] > 5
    assert found["accepted forms"]


def test_a_button_of_another_head_would_be_noticed(place: Path) -> None:
    with Store.open(place, registry=registry()) as store:
        page = create_app(store).test_client().get(f"/games/{OPEN}/record").text
        heads, events = offered(page)
        (head,) = heads
        assert moves(events)
        assert moves(events) <= moves(moves_at(store, head))
        assert not moves(events) <= moves(moves_at(store, head - 1))
