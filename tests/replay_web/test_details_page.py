"""Names, title, day and place of a game are changed on a page of it."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from eventstore.store import Store
from replay_web import create_app
from tests.replay_web.samples import EVIL

HERE = {"Sec-Fetch-Site": "same-origin"}
PAGE = "/games/star/details"


def known(store: Store, game: str = "star") -> tuple[object, ...]:
    entry = store.catalogue.get(game)
    names = [seat.name for seat in entry.seats]
    return names, entry.title, entry.played_on, entry.place, entry.time_zone, entry.hidden


def test_form_shows_what_is_known_and_keeps_what_is_sent(client: FlaskClient, store: Store) -> None:
    page = client.get(PAGE).text
    for value in ("Ann", "Bo", "Tuesday’s star", "2026-09-14"):
        assert f'value="{value}"' in page
    steps = store.game("star").head
    sent = {
        "player.p1": "Anna",
        "player.p2": "Bo",
        "title": "Wednesday",
        "played_on": "2026-09-15",
        "place": "",
        "time_zone": "Europe/Helsinki",
        "listed": "yes",
    }
    answer = client.post(PAGE, data=sent, headers=HERE)
    assert answer.status_code == 303
    assert re.fullmatch(r"/games/star/steps/\d+", answer.location)
    assert known(store) == (["Anna", "Bo"], "Wednesday", "2026-09-15", None, "Europe/Helsinki", False)
    assert store.game("star").head == steps


def test_game_is_left_out_of_the_list_and_brought_back(client: FlaskClient, store: Store) -> None:
    answer = client.post(PAGE, data={"listed": "no", "back": "record"}, headers=HERE)
    assert (answer.status_code, answer.location) == (303, "/games/star/record")
    assert "Tuesday" not in client.get("/games").text
    assert known(store)[:2] == (["Ann", "Bo"], "Tuesday’s star")
    assert client.get("/games/star/steps/0").status_code == 200
    client.post(PAGE, data={"listed": "yes"}, headers=HERE)
    assert "Tuesday" in client.get("/games").text


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("player.p2", "x" * 81, "81 characters"),
        ("player.p1", "\u200b", "nothing of it can be seen"),
        ("title", "a\x07b", "control character"),
        ("played_on", "2026-13-01", "no date like"),
        ("place", "x" * 201, "at most 200"),
        ("time_zone", "Mars/Base", "no time zone like"),
    ],
)
def test_refusal_stands_beside_its_field_and_keeps_what_was_typed(
    client: FlaskClient, store: Store, field: str, text: str, said: str
) -> None:
    before = known(store)
    answer = client.post(PAGE, data={"title": "Kept in the form", field: text}, headers=HERE)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "bad-detail")
    beside = re.search(rf'id="wrong-{re.escape(field)}"[^>]*>([^<]*)<', answer.text)
    assert beside is not None
    assert said in beside[1]
    assert answer.text.count('aria-invalid="true"') == 1
    assert field == "title" or 'value="Kept in the form"' in answer.text
    assert known(store) == before


def test_two_wrong_fields_are_told_together(client: FlaskClient) -> None:
    answer = client.post(PAGE, data={"played_on": "soon", "time_zone": "Mars"}, headers=HERE)
    assert answer.text.count('aria-invalid="true"') == 2


def test_seat_that_is_not_there_is_refused(client: FlaskClient, store: Store) -> None:
    before = known(store)
    answer = client.post(PAGE, data={"player.p7": "Zoe"}, headers=HERE)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (400, "bad-form")
    assert known(store) == before


def test_names_are_escaped(client: FlaskClient) -> None:
    client.post(PAGE, data={"player.p1": EVIL, "title": EVIL, "place": EVIL}, headers=HERE)
    for address in (PAGE, "/games/star/record", "/games/star/steps/0", "/games", "/games/star/history"):
        assert EVIL not in client.get(address).text


def test_game_that_can_only_be_read_as_text_has_details_too(client: FlaskClient, store: Store) -> None:
    assert client.get("/games/textual/details").status_code == 200
    answer = client.post("/games/textual/details", data={"title": "Chess"}, headers=HERE)
    assert answer.status_code == 303
    assert store.catalogue.get("textual").title == "Chess"


def test_where_keys_are_asked_for_it_takes_the_tables(store: Store) -> None:
    client = create_app(store, guarded=True).test_client()
    before = known(store)
    page = client.get(PAGE).text
    assert "table key" in page
    assert "<fieldset" not in page
    for seat, status in (("p1", 403), (None, 303)):
        client.post("/sign-in", data={"key": store.access.add(seat=seat)[1]}, headers=HERE)
        answer = client.post(PAGE, data={"title": "Mine"}, headers=HERE)
        assert answer.status_code == status
        assert (known(store) == before) == (status == 403)
        linked = "/games/star/details" in client.get("/games/star/record").text
        assert linked == (status == 303)
