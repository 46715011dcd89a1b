"""A game played on several days: the page and the module's frames divide the move list alike."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from freezegun import freeze_time

from eventstore.recording.commands import Record
from eventstore.store import Store
from games.core.events import RecordClosed
from tests.replay_web.samples import play


@pytest.fixture
def days(store: Store) -> int:
    """Record a game on one day and close it on another; give its last step."""
    with freeze_time("2026-09-14T18:00:00Z") as clock:
        play(store, "days", "monsters-forever", ["Ann", "Bo"], most=70, time_zone="Europe/Helsinki")
        clock.move_to("2026-09-15T22:00:00Z")
        store.do("days", Record([RecordClosed("abandoned")]))
    return store.game("days").steps


def test_a_line_stands_before_the_first_step_of_the_second_sitting(client: FlaskClient, days: int) -> None:
    page = client.get(f"/games/days/steps/{days}").text
    lines = re.findall(r'class="sitting">([^<]+)<|data-step="(\d+)"', page)
    where = lines.index(("Second sitting, 2026-09-16", ""))
    assert lines[where + 1] == ("", str(days))
    assert sum(bool(label) for label, _ in lines) == 1
    assert 'class="sitting"' not in client.get("/games/days/steps/0").text
    assert 'class="sitting"' not in client.get("/games/star/steps/0").text


def test_frames_name_the_sittings_of_their_steps_alone(client: FlaskClient, store: Store, days: int) -> None:
    def told(first: int, last: int) -> Any:
        answer: Any = client.get(f"/games/days/frames?from={first}&to={last}").json
        return answer["sittings"]

    assert told(0, 9) == {}
    assert told(days, days) == {str(days): "Second sitting, 2026-09-16"}
    store.set_details("days", time_zone="America/New_York")
    assert told(days, days) == {str(days): "Second sitting, 2026-09-15"}
    store.set_details("days", played_on="2026-09-01")
    assert told(days, days) == {str(days): "Second sitting, entered 2026-09-15"}
