"""The course of a game: what is marked and where one is led, and the chart of the scores."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from flask import Flask
from flask.testing import FlaskClient

from eventstore.cache import Cache
from eventstore.recording.amending import HistoryEdit, Insert
from eventstore.recording.commands import Amend, New, Record, Rule, Undo, WriteNote
from eventstore.replay.game import Game
from eventstore.replay.replay import Replay
from eventstore.store import Store
from games.core.registry import installed
from replay_web.replay.timeline import COLUMNS, HEIGHT, TimelineAnswer, outline
from tests.replay_web.test_long_games import begin


def told(client: FlaskClient, game: str, query: str = "") -> TimelineAnswer:
    answer = client.get(f"/games/{game}/course{query}")
    assert answer.status_code == 200
    return msgspec.json.decode(answer.data, type=TimelineAnswer)


def points(store: Store, *changes: tuple[str, int]) -> None:
    """Rule who has how many points in the game `lead`, a step each."""
    for seat, now in changes:
        store.do("lead", Rule("agreed", changes=[{"at": f"/points/{seat}", "now": now}]))


@pytest.fixture
def lead(store: Store) -> str:
    """Give a game of six rulings, in which the lead changes at steps 4 and 6."""
    store.do(None, New("high-card", ["Ann", "Bo"], game="lead"))
    points(store, ("p1", 1), ("p1", 2), ("p2", 2), ("p2", 3), ("p1", 3), ("p1", 4))
    return "lead"


def test_lead_changes_where_another_is_ahead_alone(client: FlaskClient, lead: str) -> None:
    assert told(client, lead).leads == {4: "Bo takes the lead", 6: "Ann takes the lead"}


def test_notes_rulings_failed_checks_and_corrections_are_marked(client: FlaskClient, store: Store) -> None:
    assert told(client, "star").marked == ()
    store.do("star", WriteNote(6, text="A note"))
    store.do("star", WriteNote(21, glyph="!?"))
    last = store.game("star").steps
    scene = store.game("star").position().scene()
    assert scene is not None
    at, value = next((key, value) for key, value in scene.values() if isinstance(value, int))
    for claimed in (value, value + 1):
        store.do("star", Record([{"kind": "record.checked", "claims": [{"at": at, "value": claimed}]}]))
    assert told(client, "star").marked == (5, 20, last + 2)
    check = {"kind": "record.checked", "claims": [{"at": at, "value": value}]}
    store.do("star", Amend([HistoryEdit(last + 2, Insert([check]))], reason="once more"))
    assert told(client, "star").marked == (5, 20, last + 2, last + 3)
    store.do("star", Undo(3))
    assert told(client, "star").marked == (5, 20)


def test_addresses_lead_along_the_marked_steps_and_stay_at_the_ends(client: FlaskClient, lead: str) -> None:
    ways = {("next", 0): 1, ("next", 2): 3, ("next", 6): 6, ("previous", 6): 5, ("previous", 1): 1}
    for (way, step), leads in ways.items():
        answer = client.get(f"/games/{lead}/steps/{step}/{way}-marked")
        assert answer.location == f"/games/{lead}/steps/{leads}", (way, step)
    assert client.get(f"/games/{lead}/steps/7/next-marked").status_code == 404


def test_a_seat_is_led_by_the_notes_that_it_may_read(client: FlaskClient, store: Store) -> None:
    store.do("cards", WriteNote(4, text="Cem holds the ace"))
    assert told(client, "cards").marked == (3,)
    assert told(client, "cards", "?as=p1").marked == ()
    assert client.get("/games/cards/steps/1/next-marked").location == "/games/cards/steps/3"
    assert "/steps/3" not in client.get("/games/cards/steps/1/next-marked?as=p1").location


def test_every_fold_is_that_of_the_viewer(
    client: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    for name in ("positions", "position"):
        made = getattr(Replay, name)
        monkeypatch.setattr(
            Replay, name, lambda self, *more, made=made: asked.append(more[-1]) or made(self, *more)
        )
    told(client, "cards", "?as=p2")
    assert set(asked) == {"p2"}


def test_what_is_known_of_the_same_history_is_not_folded_again(
    client: FlaskClient, store: Store, app: Flask, lead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded: list[int] = []
    positions = Game.positions

    def counted(self: Game, first: int = 0, *more: Any) -> Any:
        folded.append(first)
        return positions(self, first, *more)

    monkeypatch.setattr(Game, "positions", counted)
    told(client, lead)
    told(client, lead)
    points(store, ("p2", 5))
    told(client, lead)
    store.do(lead, Undo(4))
    points(store, ("p1", 9))
    known = told(client, lead)
    assert folded == [0, 7, 4]
    app.extensions["courses"] = Cache(64)
    assert told(client, lead) == known


def test_chart_has_a_line_for_each_seat_from_first_to_last_score(client: FlaskClient, lead: str) -> None:
    chart = told(client, lead).chart
    lines = re.findall(r'<path class="tone-(\d)"[^>]* d="(M0[^"]*)"', chart)[:2]
    assert lines == [("0", "M0 200H1V150H2V100H5V50H6V0H6"), ("1", "M0 200H3V100H4V50H6")]
    assert 'role="img" aria-label="The scores over 6 steps. Ann: 0 at first, 4 in the end. Bo: 0' in chart
    picture = client.get(f"/games/{lead}/chart.svg")
    assert picture.mimetype == "image/svg+xml"
    assert "M0 200H3V100H4V50H6" in picture.text


@pytest.mark.parametrize(("game", "status"), [("textual", 404), ("broken", 200)])
def test_there_is_no_chart_to_seek_by_where_no_score_changes(
    client: FlaskClient, game: str, status: int
) -> None:
    assert told(client, game).chart == ""
    assert client.get(f"/games/{game}/chart.svg").status_code == status


@pytest.mark.parametrize("name", [name for name in installed().newest() if name != "textual"])
def test_chart_that_a_step_links_is_there_before_the_first_move(
    client: FlaskClient, store: Store, name: str
) -> None:
    seats = store.registry.find(name).seats[0]
    made = store.do(None, New(name, [f"Player {number}" for number in range(seats)])).game.id
    linked = "chart.svg" in client.get(f"/games/{made}/steps/0").text
    assert client.get(f"/games/{made}/chart.svg").status_code == (200 if linked else 404)
    assert told(client, made).chart == "", "nothing to seek by"


def test_long_line_is_no_finer_than_the_columns_and_keeps_what_stands_out() -> None:
    changes = [(step, step % 7) for step in range(20_000)]
    changes[9_999] = (9_999, 100)
    path = outline(changes, 20_000, 0, 100)
    assert len(re.findall("[HV]", path)) <= 4 * COLUMNS + 4
    assert "V0" in path, "the highest score"
    assert path.endswith("H20000")
    heights = [int(y) for y in re.findall(r"[V ](\d+)", path)]
    assert max(heights) == HEIGHT


def test_course_of_a_long_game_stays_small(client: FlaskClient, store: Store) -> None:
    begin(store, "long", 3000)
    answer = client.get("/games/long/course", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(answer.data) < 30_000


def test_chart_as_a_file_says_what_its_axes_are(client: FlaskClient, lead: str) -> None:
    words = re.findall(r"<text[^>]*>([^<]+)</text>", client.get(f"/games/{lead}/chart.svg").text)
    assert {"step 0", "step 6", "score"} <= set(words)
