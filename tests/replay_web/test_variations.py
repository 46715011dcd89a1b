"""What if: another game begun at a step, without scripts; pages say whose it is and what leaves a step."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.log.rows import NewEvent
from eventstore.recording.amending import HistoryEdit, Insert
from eventstore.recording.commands import Amend, Branch, New, Record, Undo
from eventstore.store import Store
from games.core.events import Claim, RecordChecked, RecordClosed
from games.examples.high_card import CardLaid
from replay_web import create_app
from replay_web.models.variations import LISTED
from tests.replay_web.samples import EVIL
from tests.replay_web.sheets import HERE, Form, Page, press

JSON = {**HERE, "Accept": "application/json"}
OTHERWISE = CardLaid("p2", "c05")
"""What could be step 4 of the round instead."""


def form_of(client: FlaskClient, step: int = 3, game: str = "round") -> Form:
    return Page(client.get(f"/games/{game}/steps/{step}/what-if").text).form("/what-if")


def branch(store: Store, game: str, step: int = 3, *events: Any, **more: Any) -> str:
    made = store.do(game, Branch(step, **more)).game.id
    if events:
        store.do(made, Record(events))
    return made


def told(answer: TestResponse) -> tuple[int, str | None]:
    return answer.status_code, answer.headers.get("X-Error-Code")


def leaves(page: str) -> list[tuple[str, str]]:
    """Give address and words of what a page says leaves the step."""
    found = re.search(r'<ul class="leaves".*?</ul>', page, re.DOTALL)
    return re.findall(r'<a href="([^"]+)">(.+?)</a>', found[0]) if found else []


# --- beginning one ---


def test_step_leads_to_a_form_that_begins_one_and_the_form_to_its_sheet(
    client: FlaskClient, store: Store, game: str
) -> None:
    assert 'href="/games/round/steps/3/what-if"' in client.get("/games/round/steps/3").text
    form = form_of(client)
    key = form.sent_by(None)["key"]
    answer = press(client, form)
    assert (answer.status_code, answer.location) == (303, f"/games/{key}/record")
    opened = store.game(key)
    assert (opened.parent.game, opened.parent.step, opened.steps) == ("round", 3, 3)  # type: ignore[union-attr]
    assert store.game(key).details.title == "What if, from step 3"
    assert client.get(answer.location).status_code == 200


def test_same_form_sent_twice_begins_one(client: FlaskClient, store: Store, game: str) -> None:
    form = form_of(client)
    first = press(client, form, title="If only")
    store.do(game, Undo(6))
    again = press(client, form, title="If only")
    assert (again.status_code, again.location) == (303, first.location)
    (made,) = store.variations(game)
    assert made.title == "If only"


def test_key_that_began_something_else_is_refused(client: FlaskClient, store: Store, game: str) -> None:
    form = form_of(client)
    sent = form.sent_by(None)
    press(client, form, title="If only")
    other = store.do(None, New("high-card", ["Ann", "Bo"])).game.id
    for address, changes in (
        (form.action, {"title": "Another title"}),
        (form.action, {"seq": str(store.game(game).runs.seq_at(4))}),
        (form.action, {"key": other}),
        (f"/games/{other}/steps/0/what-if", {"seq": "1"}),
    ):
        answer = client.post(address, data={**sent, "title": "If only", **changes}, headers=JSON)
        assert told(answer) == (409, "command-id-reused"), (address, changes)
    assert [(made.game, made.title) for made in store.variations(game)] == [(sent["key"], "If only")]
    assert store.variations(other) == []


def test_programs_get_the_answer_of_the_recorder(client: FlaskClient, game: str) -> None:
    form = form_of(client)
    sent = form.sent_by(None)
    for status, repeated in ((201, False), (200, True)):
        answer = client.post(form.action, data=sent, headers=JSON)
        assert answer.status_code == status
        assert answer.get_json() == {
            "game": sent["key"],
            "seq": 4,
            "step": 3,
            "appended": 4,
            "outcome": None,
            "repeated": repeated,
        }


def test_what_others_record_meanwhile_does_not_matter_and_what_they_take_out_does(
    client: FlaskClient, store: Store, game: str
) -> None:
    early, late = form_of(client, 3), form_of(client, 6)
    store.do(game, Undo(5))
    store.do(game, Record([OTHERWISE]))
    assert press(client, early).status_code == 303
    refused = press(client, late, title="Kept")
    assert told(refused) == (422, "not-in-history")
    page = Page(refused.text)
    assert "no step of the game any more" in page.alert
    assert 'value="Kept"' in refused.text
    assert len(store.variations(game)) == 1


def test_step_that_moved_is_left_where_it_now_is(client: FlaskClient, store: Store, game: str) -> None:
    form = form_of(client, 6)
    second = store.game(game).runs.seq_at(2)
    store.do(game, Amend([HistoryEdit(second, Insert([RecordChecked((Claim("points.p1", 0),))]))]))
    assert press(client, form).status_code == 303
    assert store.variations(game)[0].parent.step == 7


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"key": "B!"}, (400, "bad-query")),
        ({"key": None}, (400, "bad-query")),
        ({"seq": "x"}, (400, "bad-query")),
        ({"seq": "999"}, (422, "not-in-history")),
        ({"title": "x" * 201}, (422, "bad-detail")),
        ({"step": "3"}, (400, "bad-form")),
    ],
)
def test_what_cannot_be_understood_is_refused(
    client: FlaskClient, store: Store, game: str, changes: dict[str, Any], expected: tuple[int, str]
) -> None:
    form = form_of(client)
    sent = {**form.sent_by(None), **changes}
    answer = client.post(form.action, data={k: v for k, v in sent.items() if v is not None}, headers=HERE)
    assert told(answer) == expected
    assert store.variations(game) == []


def test_step_that_is_not_there_and_game_that_cannot_be_read(client: FlaskClient, game: str) -> None:
    assert told(client.get("/games/round/steps/99/what-if")) == (404, "unknown-step")
    for address in ("/games/textual/steps/0", "/games/broken/steps/2"):
        page = client.get(f"{address}/what-if")
        assert (page.status_code, "Go on otherwise" in page.text) == (200, False)
    assert "Go on otherwise" in client.get("/games/broken/steps/1/what-if").text


def test_game_that_is_over_says_so(client: FlaskClient, store: Store, game: str) -> None:
    store.do(game, Record([RecordClosed("agreed")]))
    assert "The game is over here" in client.get("/games/round/steps/9/what-if").text
    assert "The game is over here" not in client.get("/games/round/steps/8/what-if").text
    assert press(client, form_of(client, 9)).status_code == 303


def test_who_is_not_shown_everything_begins_none(store: Store, game: str) -> None:
    app = create_app(store, guarded=True)
    ann, table = app.test_client(), app.test_client()
    for client, seat in ((ann, "p1"), (table, None)):
        key = store.access.add(f"{seat}-phone", seat=seat)[1]
        assert client.post("/sign-in", data={"key": key}, headers=HERE).status_code == 303
    form = form_of(table)
    assert "that takes a table key" in ann.get("/games/round/steps/3/what-if").text
    assert told(press(ann, form)) == (403, "corrections-hidden")
    assert told(press(app.test_client(), form)) == (403, "key-needed")
    assert "/what-if" not in ann.get("/games/round/steps/3").text
    assert store.variations(game) == []
    assert press(table, form).status_code == 303
    made = store.variations(game)[0].game
    # Of the variation they see what they saw of the game, and what leaves by their own eyes.
    store.do(made, Record([OTHERWISE]))
    assert leaves(ann.get("/games/round/steps/3").text) == [
        (f"/games/{made}/steps/4?as=p1", "Bo lays an unseen card.")
    ]
    assert leaves(table.get("/games/round/steps/3").text) == [(f"/games/{made}/steps/4", "Bo lays c05.")]


# --- whose it is, and what leaves ---


def test_every_page_of_a_variation_says_whose_it_is_and_leads_back(
    client: FlaskClient, store: Store, game: str
) -> None:
    store.set_details(game, title="Friday")
    made = branch(store, game, 3, OTHERWISE)
    pages = ("steps/0", "steps/4", "record", "history", "check", "rule", "steps/4/correct", "steps/4/what-if")
    for page in pages:
        text = client.get(f"/games/{made}/{page}").text
        assert '<a href="/games/round/steps/3" data-leave>Friday</a>' in text, page
        assert "from step 3 of" in text
    for page in ("steps/3", "record"):
        assert "data-leave" not in client.get(f"/games/round/{page}").text
    assert "data-leave" not in client.get("/games").text
    assert "data-leave>Friday</a>" in client.get(f"/games/{made}/steps/2?as=p2").text
    assert 'href="/games/round/steps/3?as=p2" data-leave' in client.get(f"/games/{made}/steps/2?as=p2").text


def test_way_back_leads_to_where_the_step_now_is(client: FlaskClient, store: Store, game: str) -> None:
    made = branch(store, game, 6)
    store.do(game, Undo(5))
    text = client.get(f"/games/{made}/steps/2").text
    assert '<a href="/games/round/steps/3" data-leave>Ann – Bo</a>' in text
    assert "where that step was undone or taken out since" in text
    assert client.get("/games/round/steps/3").status_code == 200


def test_variation_whose_parent_is_not_here_says_so(client: FlaskClient, store: Store) -> None:
    row = store.log.events("star", 1, 1)[0].payload
    parent = json.dumps({"game": EVIL, "head": -1, "step": 10**12})
    orphan = NewEvent("record.started", row.replace('"parent":null', f'"parent":{parent}'))
    store.log.append("orphan", [orphan], after=0, command_id="orphan", request="")
    text = client.get("/games/orphan/steps/0").text
    assert "which is not here" in text
    assert "<script>alert" not in text
    assert "data-leave" not in text


def test_step_names_what_leaves_it_by_the_first_move_of_its_own(
    client: FlaskClient, store: Store, game: str
) -> None:
    first = branch(store, game, 3, OTHERWISE, title="Bolder")
    second = branch(store, game, 3)
    other = branch(store, game, 5)
    page = client.get("/games/round/steps/3").text
    assert leaves(page) == [
        (f"/games/{first}/steps/4", "Bo lays c05."),
        (f"/games/{second}/steps/3", "Nothing yet"),
    ]
    assert "Bolder" in page
    assert leaves(client.get("/games/round/steps/4").text) == []
    assert leaves(client.get("/games/round/steps/5").text) == [(f"/games/{other}/steps/5", "Nothing yet")]
    assert leaves(client.get("/games/round/steps/3/what-if").text) == leaves(page)
    rows = re.findall(r'data-step="(\d+)".*?</a>', page)
    marked = [step for step in rows if f'data-step="{step}"' in page and _marks(page, step) == "what if"]
    assert marked == ["3", "5"]
    store.hide(first)
    assert leaves(client.get("/games/round/steps/3").text) == [(f"/games/{second}/steps/3", "Nothing yet")]


def _marks(page: str, step: str) -> str:
    found = re.search(rf'data-step="{step}"[^>]*>(.*?)</a>', page)
    marks = re.search(r'<span class="marks">(.*?)</span>', found[1]) if found else None
    return marks[1] if marks else ""


def test_frames_say_the_same_and_keep_up(client: FlaskClient, store: Store, game: str) -> None:
    def frame(step: int) -> tuple[str, str]:
        answer = client.get("/games/round/frames?from=0&to=63", headers={"Accept-Encoding": "gzip"})
        chunk = msgspec.json.decode(gzip.decompress(answer.data))
        found = chunk["frames"][step]
        return chunk["texts"][found["panel"]], found["marks"]

    assert (leaves(frame(3)[0]), frame(3)[1]) == ([], "")
    made = branch(store, game, 3)
    assert leaves(frame(3)[0]) == [(f"/games/{made}/steps/3", "Nothing yet")]
    store.do(made, Record([OTHERWISE]))
    assert leaves(frame(3)[0]) == [(f"/games/{made}/steps/4", "Bo lays c05.")]
    assert frame(3)[1] == "what if"
    assert leaves(frame(4)[0]) == []


def test_step_that_very_many_leave_names_a_dozen(client: FlaskClient, store: Store, game: str) -> None:
    for _ in range(LISTED):
        branch(store, game, 1)
    assert "what-ifs of this game" not in client.get("/games/round/steps/1/what-if").text
    branch(store, game, 1)
    assert len(leaves(client.get("/games/round/steps/1").text)) == LISTED
    page = client.get("/games/round/steps/1/what-if").text
    assert f'<a href="/games?of=round">All {LISTED + 1} what-ifs of this game</a>' in page


def test_what_leaves_a_step_that_is_undone_is_still_found(
    client: FlaskClient, store: Store, game: str
) -> None:
    made = branch(store, game, 7)
    store.do(game, Undo(3))
    assert "All 1 what-ifs" not in client.get("/games/round/steps/2/what-if").text
    page = client.get("/games/round/steps/2/what-if").text
    assert '<a href="/games?of=round">The what-if of this game</a>' in page
    assert f"/games/{made}/" in client.get("/games?of=round").text


def test_nothing_is_said_of_what_leaves_where_what_comes_later_is_hidden(
    client: FlaskClient, store: Store, game: str
) -> None:
    before = re.sub(r'name="key" value="[^"]+"', "", client.get("/games/round/steps/3?later=hidden").text)
    branch(store, game, 3, OTHERWISE)
    after = re.sub(r'name="key" value="[^"]+"', "", client.get("/games/round/steps/3?later=hidden").text)
    assert before == after


# --- lists ---


def test_list_leaves_variations_out_unless_asked(client: FlaskClient, store: Store, game: str) -> None:
    made = branch(store, game, 3, title="Bolder")
    other = branch(store, "star", 1, title="Braver")

    def listed(query: str = "") -> set[str]:
        return set(
            re.findall(r'class="game-title" href="/games/([a-z0-9]+)/', client.get(f"/games{query}").text)
        )

    assert not {made, other} & listed()
    assert not {made, other} & (listed("?text=ann") | listed("?player=ann"))
    assert {made, other, game, "star"} <= listed("?variations=1")
    assert listed("?of=round") == {made}
    assert listed("?of=cards") == set()
    assert ">what if</span>" in client.get("/games?of=round").text
    assert 'name="variations" value="1" checked' in client.get("/games?variations=1").text
    assert told(client.get("/games?variations=yes")) == (400, "bad-query")


def test_moves_of_a_variation_begin_under_a_line_of_its_own(
    client: FlaskClient, store: Store, game: str
) -> None:
    made = branch(store, "round", 3, OTHERWISE)
    page = client.get(f"/games/{made}/steps/4").text
    head, moves = page.split('<li class="sitting">What if, from here</li>')
    assert re.findall(r'data-step="(\d+)"', moves)[0] == "4"
    assert 'class="sitting"' not in head
    assert "What if, from here" not in client.get("/games/round/steps/4").text


def test_step_where_a_what_if_begins_is_marked(client: FlaskClient, store: Store, game: str) -> None:
    branch(store, "round", 3, OTHERWISE)
    assert client.get("/games/round/steps/0/next-marked").location == "/games/round/steps/3"


def test_form_says_what_stays_and_leads_to_one_instead_of_the_move(client: FlaskClient, game: str) -> None:
    page = client.get("/games/round/steps/3/what-if").text
    assert '<a href="/games/round/steps/2/what-if">Instead of this move</a>' in page
    assert "Instead of this move" not in client.get("/games/round/steps/0/what-if").text
