"""Names and titles written from the right, or with signs that turn lines round: each stays by itself."""

from __future__ import annotations

import json
from html import unescape
from urllib.parse import unquote

import pytest
from flask.testing import FlaskClient

from eventstore.recording.commands import New, Record, Undo
from eventstore.store import Store

NAMES = ("\u202eAnn", "\u05d3\u05df")
TITLE = "Night \u202eof\u2069 games"
PLACE = "\u202eKitchen"
SHOWN = (*NAMES, TITLE.replace("\u2069", ""), PLACE)
PAGES = (
    "/games",
    "/games/turned/steps/1",
    "/games/turned/steps/2",
    "/games/turned/steps/1.svg",
    "/games/turned/steps/1.txt",
    "/games/turned/frames",
    "/games/turned/record",
    "/games/turned/record?part=1",
    "/games/turned/history",
    "/games/turned/rule",
    "/games/turned/check",
    "/games/turned/unseen",
    "/games/turned/steps/1/correct",
    "/games/turned/steps/1/correct?do=insert",
)


@pytest.fixture
def turned(store: Store) -> str:
    store.do(None, New("high-card", list(NAMES), game="turned", title=TITLE, place=PLACE))
    store.do("turned", Record([{"kind": "hand_dealt", "player": "p1", "cards": ["c01", "c02", "c03"]}]))
    store.do("turned", Record([{"kind": "record.closed", "how": "conceded", "seat": "p2"}]))
    return "turned"


@pytest.mark.parametrize("address", PAGES)
def test_what_turns_lines_round_stands_between_isolates(
    client: FlaskClient, store: Store, turned: str, address: str
) -> None:
    if "correct" not in address and "record" in address:
        store.do(turned, Undo())
    answer = client.get(address, headers={"Accept": "application/json"} if "part" in address else {})
    assert answer.status_code == 200
    told = json.dumps(answer.json, ensure_ascii=False) if answer.is_json else answer.text
    text = unescape(told)
    assert any(f"\u2068{shown}\u2069" in text for shown in SHOWN)
    for shown in SHOWN:
        text = text.replace(f"\u2068{shown}\u2069", "")
    assert [shown for shown in (*SHOWN, TITLE) if shown in text] == []


def test_file_is_named_without_isolates(client: FlaskClient, turned: str) -> None:
    named = unquote(client.get(f"/games/{turned}.csv").headers["Content-Disposition"])
    assert "Night _of games.csv" in named


def test_other_names_stay_as_they_were_typed(client: FlaskClient) -> None:
    for address in ("/games", "/games/star/steps/1", "/games/star/frames"):
        assert "\u2068" not in client.get(address).text
