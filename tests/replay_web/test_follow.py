"""What is new: nothing is answered with nothing, and a change says from which step on all is different."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from eventstore.recording.commands import Record, Redo, Undo
from eventstore.store import Store
from replay_web import create_app
from replay_web.models.step_blocks import BLOCK


def ask(client: FlaskClient, since: int, eyes: str = "everything", tag: str = "") -> Any:
    headers = {"If-None-Match": tag} if tag else {}
    return client.get(f"/games/star/news?since={since}&as={eyes}", headers=headers)


def undo(store: Store, n: int) -> None:
    store.do("star", Undo(n))


def test_nothing_new_is_answered_with_nothing_until_there_is_something(
    client: FlaskClient, store: Store
) -> None:
    head = store.game("star").head
    first = ask(client, head)
    assert first.json == {"seq": head, "steps": head - 1, "same": head - 1}
    tag = first.headers["ETag"]
    again = ask(client, head, tag=tag)
    assert (again.status_code, again.data) == (304, b"")
    undo(store, 1)
    assert ask(client, head, tag=tag).json == {"seq": head + 1, "steps": head - 2, "same": head - 2}


def test_news_name_the_last_step_that_is_still_the_same(client: FlaskClient, store: Store) -> None:
    game = store.game("star")
    head, last = game.head, game.steps
    moves = [store.game("star").position(step).event for step in (last - 1, last)]
    undo(store, 2)
    store.do("star", Record(moves[:1]))
    answer = ask(client, head).json
    assert answer == {"seq": head + 3, "steps": last - 1, "same": last - 2}
    store.do("star", Record(moves[1:]))
    assert ask(client, head + 3).json == {"seq": head + 4, "steps": last, "same": last - 1}
    assert ask(client, 1).json["same"] == 0
    assert ask(client, head + 99).json["same"] == -1
    assert ask(client, 0).json["same"] == -1


def test_all_up_to_that_step_is_what_it_was_and_the_next_is_not(client: FlaskClient, store: Store) -> None:
    """Compare whole frames before and after, for each of several changes."""

    def shown() -> list[str]:
        found: list[str] = []
        for first in range(0, store.game("star").steps + 1, BLOCK):
            chunk: Any = client.get(f"/games/star/frames?from={first}&to={first + BLOCK - 1}").json
            found += [f"{frame['seq']} {frame['caption']}" for frame in chunk["frames"]]
        return found

    last = store.game("star").steps
    again = [store.game("star").position(step).event for step in range(last - 2, last + 1)]
    changes = (
        lambda: undo(store, 3),
        lambda: store.do("star", Record(again[:2])),
        lambda: undo(store, 1),
        lambda: store.do("star", Redo()),
    )
    for change in changes:
        since, before = store.game("star").head, shown()
        change()
        after, told = shown(), ask(client, since).json
        assert len(after) == told["steps"] + 1
        assert before[: told["same"] + 1] == after[: told["same"] + 1]
        assert len(after) == told["same"] + 1 or len(before) == told["same"] + 1


def test_tag_is_the_viewer_and_how_many_events_there_are(client: FlaskClient, store: Store) -> None:
    game = store.game("cards")
    for eyes in ("everything", "table", "p1"):
        answer = client.get(f"/games/cards/news?as={eyes}")
        assert answer.headers["ETag"] == f'"{eyes}.{game.head}"'
        assert game.chain not in f"{answer.headers}{answer.text}"
    other = client.get("/games/cards/news?as=p1", headers={"If-None-Match": f'"table.{game.head}"'})
    assert other.status_code == 200


def test_page_frames_and_news_speak_of_one_event(client: FlaskClient, store: Store) -> None:
    undo(store, 4)
    seq = store.game("star").head
    assert f'data-seq="{seq}"' in client.get("/games/star/steps/3").text
    frames: Any = client.get("/games/star/frames?from=0&to=9").json
    assert (frames["seq"], ask(client, seq).json["seq"]) == (seq, seq)


@pytest.mark.parametrize("game", ["textual", "broken", "evil"])
def test_games_of_each_sort_can_be_followed(client: FlaskClient, store: Store, game: str) -> None:
    opened = store.game(game)
    answer: Any = client.get(f"/games/{game}/news?since=1").json
    assert answer == {"seq": opened.head, "steps": opened.steps, "same": 0}


def test_what_cannot_be_asked_is_refused_as_json(client: FlaskClient) -> None:
    for since in ("-1", "x", "9" * 13, "²"):
        answer = client.get(f"/games/star/news?since={since}")
        assert (answer.status_code, answer.json["error"]["code"]) == (400, "bad-query")  # type: ignore[index]
    gone: Any = client.get("/games/nowhere/news").json
    assert gone["error"]["code"] == "unknown-game"


def test_a_view_that_is_closed_tells_no_news(store: Store) -> None:
    guarded = create_app(store, guarded=True).test_client()
    assert guarded.get("/games/cards/news?as=p1").status_code == 403
    assert guarded.get("/games/cards/news").headers["ETag"].startswith('"table.')
