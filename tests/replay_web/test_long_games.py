"""Games of hundreds of steps in one turn, or made impossible at once: work and pages stay bounded."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.recording.commands import New, Record
from eventstore.store import Store
from games.core import fold
from replay_web.amend.amend_preview import LISTED
from replay_web.replay import steps
from tests.replay_web.sheets import Form, Page

HERE = {"Sec-Fetch-Site": "same-origin"}
STARTS = [("p1", [6, 5]), ("p2", [1, 2]), ("p3", [1, 3]), ("p4", [1, 1])]
RESIGNS = '{"kind":"player_resigned","player":"p1"}'
"""Behind it no deal with p1 can stand."""
DEALS = 120


def begin(store: Store, game: str, deals: int) -> None:
    store.do(None, New("legend-of-monopoly", ["Ann", "Bo", "Cy", "Di"], options={"rounds": None}, game=game))
    store.do(game, Record([{"kind": "start_rolled", "player": seat, "dice": dice} for seat, dice in STARTS]))
    nothing = {"rahl": 0, "lands": [], "cards": []}
    pairs = [("p1", "p2"), ("p2", "p1")]
    store.do(
        game,
        Record(
            [
                {
                    "kind": "deal_made",
                    "from": one,
                    "to": other,
                    "give": {**nothing, "rahl": 1},
                    "get": nothing,
                }
                for one, other in (pairs[number % 2] for number in range(deals))
            ]
        ),
    )


def ask(client: FlaskClient, store: Store, game: str, way: str = "", **more: Any) -> TestResponse:
    head = store.log.head(game)
    assert head is not None
    sent = {"key": "abcdefgh23", "after": head.seq, "seq": 5, "do": "insert", "event": RESIGNS, **more}
    return client.post(f"/games/{game}/steps/4/correct{way}", data=sent, headers=HERE)


def settling(answer: TestResponse) -> Form:
    return next(form for form in Page(answer.text).forms if "/settle" in form.action)


def test_only_the_first_are_listed_and_the_rest_is_counted(client: FlaskClient, store: Store) -> None:
    begin(store, "long", DEALS)
    page = ask(client, store, "long")
    assert page.status_code == 200
    assert len(re.findall(r'<fieldset class="fault-of"', page.text)) == LISTED
    assert f"{DEALS} later steps cannot stand" in page.text
    assert f"{DEALS - LISTED} more cannot stand and are not listed" in page.text


def test_what_was_chosen_for_those_that_are_not_listed_is_sent_again(
    client: FlaskClient, store: Store
) -> None:
    begin(store, "long", DEALS)
    chosen = {f"settle.{seq}": "remove" for seq in range(6, 6 + LISTED + 15)}
    page = ask(client, store, "long", **chosen)
    assert len(re.findall(r'<fieldset class="fault-of"', page.text)) == 2 * LISTED
    hidden = {name for name in settling(page).sent_by(None) if name.startswith("settle.")}
    ticked = set(re.findall(r'name="(settle\.\d+)" value="remove" checked', page.text))
    assert len(hidden) == 15
    assert hidden | ticked == set(chosen)
    rest = {**dict.fromkeys(ticked, "remove"), "rest": "remove"}
    done = client.post(settling(page).action, data={**settling(page).sent_by(None), **rest}, headers=HERE)
    assert done.status_code == 303
    assert store.game("long").steps == 5


@pytest.mark.parametrize("way", ["", "/settle"])
def test_all_the_rest_goes_in_work_that_grows_with_the_record_alone(
    client: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    check, checked = fold.check, [0]

    def counted(*given: Any, **more: Any) -> None:
        checked[0] += 1
        check(*given, **more)

    work, size = {}, {}
    for deals in (DEALS, 3 * DEALS):
        begin(store, f"long-{deals}", deals)
        store.replays.forget()
        monkeypatch.setattr(fold, "check", counted)
        checked[0] = 0
        answer = ask(client, store, f"long-{deals}", way, rest="remove")
        assert answer.status_code == (303 if way else 200)
        work[deals], size[deals] = checked[0], len(answer.text)
        monkeypatch.setattr(fold, "check", check)
    assert 0 < work[3 * DEALS] - work[DEALS] <= 2 * (2 * DEALS) + 10
    assert size[3 * DEALS] < size[DEALS] + 5_000


def test_next_turn_is_looked_for_so_far_and_no_farther(
    client: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(store, "long", DEALS)
    monkeypatch.setattr(steps, "FAR", 50)
    monkeypatch.setattr(steps, "_STRETCH", 20)
    drawn: list[object] = []
    turn_of = steps.turn_of
    monkeypatch.setattr(steps, "turn_of", lambda *given: drawn.append(given) or turn_of(*given))
    last = 4 + DEALS
    ways = {(10, "next"): 60, (last - 30, "next"): last, (110, "previous"): 59, (8, "previous"): 4}
    for (step, way), leads in ways.items():
        drawn.clear()
        answer = client.get(f"/games/long/steps/{step}/{way}-turn")
        assert answer.location == f"/games/long/steps/{leads}"
        assert len(drawn) <= 50 + 3
