"""The page of statistics: the same figures as at the command line, of the games that were asked for."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from eventstore.recording.commands import New, Record
from eventstore.statistics import counts
from eventstore.store import Store
from games.core.events import RecordClosed
from replay_web import create_app
from tests.eventstore.played import damage

WISHES: dict[str, dict[str, Any]] = {
    "/stats": {},
    "/stats?ruleset=high-card": {"ruleset": "high-card"},
    "/stats?player=ann": {"player": "ann"},
    "/stats?origin=dealt": {"origin": "dealt"},
    "/stats?variations=1": {"variations": True},
    "/stats?since=2100-01-01": {"since": "2100-01-01"},
    "/stats?ruleset=none": {"ruleset": "none"},
}


@pytest.fixture
def won(store: Store, game: str) -> str:
    """Give a game that Ann has won, and a hidden one."""
    for name in ("second", "third"):
        store.do(None, New("high-card", ["Ann", "<b>Bo</b>"], game=name))
        store.do(name, Record([RecordClosed("conceded", "p2")]))
    store.hide("third")
    return "second"


@pytest.mark.usefixtures("won")
@pytest.mark.parametrize("address", WISHES)
def test_json_and_csv_are_those_of_the_store(client: FlaskClient, store: Store, address: str) -> None:
    entries = counts.chosen(store, **WISHES[address])
    path, _, query = address.partition("?")
    figures = client.get(f"{path}.json?{query}")
    assert figures.mimetype == "application/json"
    assert figures.json == json.loads(msgspec.json.encode(counts.statistics(store, entries)))
    table = client.get(f"{path}.csv?{query}")
    assert table.headers["Content-Disposition"].startswith("attachment; filename=tabletape.csv")
    assert table.text == "".join(counts.export_csv(entries))
    assert client.get(address).status_code == 200


@pytest.mark.usefixtures("won")
def test_page_has_the_figures_in_tables_and_links_to_files_of_the_same_games(client: FlaskClient) -> None:
    page = client.get("/stats?ruleset=high-card&player=ann").text
    figures = client.get("/stats.json?ruleset=high-card&player=ann").json
    assert figures
    (found,) = figures["rulesets"]
    for line in counts.said(msgspec.convert(found, counts.RulesetStatistics)):
        assert f"<p>{line}</p>" in page
    assert '<meter min="0" max="1" value="1.0" aria-hidden="true"></meter><span class="percent">100 %' in page
    assert "&lt;b&gt;Bo" in page
    assert "<b>Bo" not in page
    assert ">first (p1)</th>" in page
    assert f'<p class="explained">{counts.EXPLAINED}</p>' in page
    longest = found["length"]["game"]
    assert f'The longest: <a href="/games/{longest}/0">' in page.replace("/steps/", "/")
    assert f"({longest})" not in page
    assert 'href="/stats.csv?ruleset=high-card&amp;player=ann"' in page
    assert 'href="/stats.json?ruleset=high-card&amp;player=ann"' in page
    rows = list(csv.DictReader(io.StringIO(client.get("/stats.csv?player=ann").text)))
    assert "third" not in {row["game"] for row in rows}
    assert ("second", "Ann", "1") in {(row["game"], row["name"], row["won"]) for row in rows}


def test_list_leads_to_the_figures_of_its_games(client: FlaskClient, won: str) -> None:
    assert 'href="/stats"' in client.get("/games").text, won
    assert 'href="/stats?player=ann"' in client.get("/games?player=ann").text
    assert "/stats" not in client.get("/games?player=nobody").text


@pytest.mark.parametrize(
    "query", ["since=14.9.2026", "since=2026-02-30", "since=20260914", "origin=moon", "variations=2"]
)
def test_what_cannot_be_understood_is_refused(client: FlaskClient, query: str) -> None:
    for address in ("/stats", "/stats.json", "/stats.csv"):
        answer = client.get(f"{address}?{query}")
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (400, "bad-query")
        assert answer.is_json == (address != "/stats")


def test_where_nothing_is_counted_that_is_said(client: FlaskClient) -> None:
    page = client.get("/stats?player=nobody").text
    assert "No game fits." in page
    assert '<a href="/stats">Count all games</a>' in page


def test_visitors_see_what_the_list_shows_them(store: Store, won: str) -> None:
    guarded = create_app(store, guarded=True).test_client()
    whole = create_app(store).test_client()
    assert guarded.get("/stats.json").json == whole.get("/stats.json").json, won


@pytest.mark.usefixtures("game")
def test_a_damaged_game_is_left_out_and_named(client: FlaskClient, store: Store, won: str) -> None:
    client.get("/stats")
    damage(store.log.path, "UPDATE catalogue SET created_at = 'x' WHERE title IS NULL AND hidden = 0")
    counted = json.loads(client.get("/stats.json").data)
    assert won in counted["left_out"]
    assert f">{won}</a>" in client.get("/stats").text
