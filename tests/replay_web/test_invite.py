"""Whoever has the table key invites others from the browser."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
import segno
from flask import Flask
from flask.testing import FlaskClient

from eventstore.store import Store
from replay_web import create_app

HERE = {"Sec-Fetch-Site": "same-origin"}
LAN = "http://192.168.1.7:8765/"


@pytest.fixture
def app(store: Store) -> Flask:
    return create_app(store, guarded=True, address=LAN)


@pytest.fixture
def table(client: FlaskClient, store: Store) -> FlaskClient:
    client.post("/sign-in", data={"key": store.access.add()[1]}, headers=HERE)
    return client


def squares(text: str) -> str:
    """Give the path of the code that stands for a text."""
    drawn = BytesIO()
    segno.make(text, error="l", micro=False).save(drawn, kind="svg", scale=6, border=3)
    found = re.search(rb'class="qrline"[^>]* d="([^"]+)"', drawn.getvalue())
    assert found is not None
    return found[1].decode()


def shown(page: str) -> list[str]:
    return re.findall(r' d="(M[^"]+h[^"]+)"', "".join(re.findall(r'<svg[^>]*class="qr".*?</svg>', page)))


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("http://localhost:8765", LAN),
        ("http://127.0.0.1:8765", LAN),
        ("http://192.168.1.7:8765", LAN),
        ("http://10.0.0.3:8765", "http://10.0.0.3:8765/"),
    ],
)
def test_address_that_others_reach_is_shown_with_its_code(
    table: FlaskClient, store: Store, base: str, address: str
) -> None:
    key = store.access.add()[1]
    table.post("/sign-in", data={"key": key}, headers=HERE, base_url=base)
    answer = table.get("/invite", base_url=base)
    assert answer.status_code == 200
    assert f'href="{address}"' in answer.text
    assert any(squares(address) in path for path in shown(answer.text))


def test_key_for_a_player_is_shown_once_with_its_code_and_opens_their_seat(
    table: FlaskClient, store: Store, app: Flask
) -> None:
    answer = table.post("/invite/keys", data={"seat": "p2"}, headers=HERE)
    found = re.search(r"<code>([a-z0-9-]{31})</code>", answer.text)
    assert found is not None
    assert answer.headers["Cache-Control"] == "no-store"
    assert any(squares(f"{LAN}sign-in#key={found[1]}") in path for path in shown(answer.text))
    assert found[1] not in table.get("/invite").text
    player = app.test_client()
    assert player.post("/sign-in", data={"key": found[1]}, headers=HERE).status_code == 303
    assert player.get("/games/cards/steps/1?as=p2").status_code == 200
    assert player.get("/games/cards/steps/1?as=p1").status_code == 403
    table.post("/invite/revoke", data={"name": "p2"}, headers=HERE)
    assert [key.name for key in store.access.list()] == ["table-key"]
    assert player.get("/games/cards/steps/1?as=p2").status_code == 403


@pytest.mark.parametrize("seat", ["p1", None])
def test_nobody_else_invites(client: FlaskClient, store: Store, seat: str | None) -> None:
    if seat:
        client.post("/sign-in", data={"key": store.access.add(seat=seat)[1]}, headers=HERE)
    before = store.access.list()
    assert "/invite" not in client.get("/games").text
    assert client.get("/invite").headers["X-Error-Code"] == "table-key-needed"
    for address, data in (("keys", {"seat": "p1"}), ("revoke", {"name": "p1"})):
        answer = client.post(f"/invite/{address}", data=data, headers=HERE)
        assert answer.status_code == 403
    assert store.access.list() == before


def test_what_cannot_be_is_refused_on_the_page(table: FlaskClient, store: Store) -> None:
    for address, data, code in (
        ("keys", {"seat": "chance"}, "bad-detail"),
        ("revoke", {"name": "nobody"}, "unknown-key"),
    ):
        answer = table.post(f"/invite/{address}", data=data, headers=HERE)
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, code)
        assert 'role="alert"' in answer.text
    assert [key.name for key in store.access.list()] == ["table-key"]


def test_every_page_leads_the_table_key_there(table: FlaskClient) -> None:
    for address in ("/games", "/games/star/record", "/games/star/steps/0"):
        assert 'href="/invite"' in table.get(address).text


def test_served_to_this_machine_alone_it_says_how_others_get_in(store: Store) -> None:
    page = create_app(store).test_client().get("/invite").text
    assert "serve --lan" in page
    assert 'class="qr"' not in page
