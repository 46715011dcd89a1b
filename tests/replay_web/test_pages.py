"""Every step of every sort of game opens, links keep the asker's eyes, bad input is a 4xx with a code."""

from __future__ import annotations

import gzip
import re
from html import escape
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from flask import Flask
from flask.testing import FlaskClient

from eventstore.formats.record_file import import_records
from eventstore.recording.commands import New, Undo
from eventstore.store import Store
from replay_web import create_app

SAMPLES = Path(str(files("cli"))) / "samples"
GAMES = ("star", "cards", "evil", "textual", "broken")
DRAWN = ("star", "cards", "evil")


class Tags(HTMLParser):
    """Collect start tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def of(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        names = {name.replace("_", "-"): value for name, value in wanted.items()}
        return [found for name, found in self.tags if name == tag and names.items() <= found.items()]


def frames(client: FlaskClient, game: str, first: int = 0, last: int = 63, eyes: str = "") -> dict[str, Any]:
    answer = client.get(f"/games/{game}/frames?from={first}&to={last}{eyes and f'&as={eyes}'}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json or {})


def last_step(store: Store, game: str) -> int:
    return store.game(game).steps


@pytest.mark.parametrize("game", GAMES)
def test_every_step_opens_for_everybody(client: FlaskClient, store: Store, game: str) -> None:
    last = last_step(store, game)
    for eyes in ("everything", "table", "p1", "p2"):
        for step in {0, 1, 2, 3, last // 2, last - 1, last} & set(range(last + 1)):
            answer = client.get(f"/games/{game}/steps/{step}?as={eyes}")
            assert answer.status_code == 200, (step, eyes)
            assert f"<title>Step {step} of {last} " in answer.text


def test_front_leads_to_the_list(client: FlaskClient) -> None:
    assert client.get("/").location == "/games"


def test_list_shows_each_game_and_finds_by_ruleset_and_player(client: FlaskClient) -> None:
    def found(query: str) -> set[str | None]:
        page = Tags(client.get(f"/games{query}").text)
        return {
            str(link["href"]).split("/")[2]
            for link in page.of("a", class_="game-title") or page.of("a")
            if "game-title" in str(link.get("class"))
        }

    assert found("") == set(GAMES)
    assert found("?ruleset=high-card") == {"cards", "evil"}
    assert found("?player=ann") == {"star", "cards"}
    assert found("?player=NN") == {"star", "cards"}
    assert found("?player=ann&ruleset=high-card") == {"cards"}
    assert found("?text=tuesday") == {"star"}
    assert found("?origin=dealt") == {"cards", "evil"}
    assert found("?player=nobody") == set()


def test_list_begins_with_the_game_played_last_and_names_players_on_every_row(
    client: FlaskClient, store: Store
) -> None:
    store.set_details("evil", played_on="2026-09-16")
    for game in ("textual", "broken"):
        store.set_details(game, played_on="2026-09-01")
    rows = client.get("/games").text.split('<li class="game">')[1:]
    games = [re.findall(r'href="/games/(\w+)/', row)[0] for row in rows]
    assert games == ["evil", "cards", "star", "broken", "textual"]
    assert 'Tuesday’s star</a> <span class="game-players">Ann – Bo</span>' in rows[2]
    assert ">Ann – Cem</a>" in rows[1]
    assert all("Player 1 – Player 2" in row for row in rows[3:])


def test_empty_list_says_what_to_do(client: FlaskClient, tmp_path: Any) -> None:
    assert "Show all games" in client.get("/games?player=nobody").text
    with Store.open(tmp_path / "empty.db") as empty:
        assert "tabletape new" in create_app(empty).test_client().get("/games").text
        guarded = create_app(empty, guarded=True).test_client()
        page = guarded.get("/games").text
        assert "Sign in</a> to start one" in page
        assert "tabletape new" not in page
        key = empty.access.add()[1]
        guarded.post("/sign-in", data={"key": key}, headers={"Sec-Fetch-Site": "same-origin"})
        assert "Start one here</a>." in guarded.get("/games").text


def test_links_of_a_step_lead_on_and_keep_the_eyes(client: FlaskClient) -> None:
    page = Tags(client.get("/games/cards/steps/3?as=p2").text)
    buttons = {str(link["data-do"]): link["href"] for link in page.of("a") if "data-do" in link}
    assert buttons["previous"] == "/games/cards/steps/2?as=p2"
    assert buttons["next"] == "/games/cards/steps/4?as=p2"
    assert buttons["first"] == "/games/cards/steps/0?as=p2"
    assert str(buttons["last"]).endswith("?as=p2")
    links = [str(link["href"]) for link in page.of("a") if "/games/cards" in str(link.get("href"))]
    assert [link for link in links if "as=p2" not in link] == ["/games/cards/steps/3"], (
        "only “see everything”"
    )


def test_ends_are_disabled_and_stay_links(client: FlaskClient, store: Store) -> None:
    last = last_step(store, "star")
    back = {"first", "previous", "previous-turn", "back-ten", "previous-marked"}
    on = {"last", "next", "next-turn", "on-ten", "next-marked"}
    for step, names in ((0, back), (last, on)):
        page = Tags(client.get(f"/games/star/steps/{step}").text)
        off = {link["data-do"] for link in page.of("a", aria_disabled="true")}
        assert off == names
        assert all(link["href"] for link in page.of("a") if link.get("aria-disabled"))


def test_list_of_moves_is_one_block_with_links_to_the_rest(client: FlaskClient) -> None:
    page = Tags(client.get("/games/star/steps/70").text)
    steps = [int(str(link["data-step"])) for link in page.of("a") if "data-step" in link]
    assert steps == list(range(64, 128))
    assert [link["data-step"] for link in page.of("a", aria_current="step")] == ["70"]
    assert [link["href"] for link in page.of("a") if "data-earlier" in link] == ["/games/star/steps/63"]
    assert [link["href"] for link in page.of("a") if "data-later" in link] == ["/games/star/steps/128"]


@pytest.mark.parametrize("game", DRAWN)
def test_page_and_frames_hold_the_same_picture(client: FlaskClient, store: Store, game: str) -> None:
    chunk = frames(client, game, 0, min(63, last_step(store, game)))
    for frame in chunk["frames"][::7]:
        page = client.get(f"/games/{game}/steps/{frame['step']}").text
        sprites = [chunk["sprites"][number] for number in frame["sprites"]]
        drawn = page.split("data-sprites>")[1].split("</g>\n</svg>")[0]
        assert drawn == "".join(
            f'<g data-k="{escape(key)}" class="{classes}" transform="{transform}">{inner}</g>'
            for key, classes, transform, inner in sprites
        )
        for name in ("panel", "notes", "figures"):
            assert f'<div data-panel="{name}">{chunk["texts"][frame[name]]}</div>' in page
        for name in ("ground", "trails"):
            assert f"data-{name}>{chunk['texts'][frame[name]]}</g>" in page
        assert all(
            f'href="#{name}"' not in drawn or name in chunk["symbols"]
            for name in re.findall(r'href="#(\w+)"', drawn)
        )


@pytest.mark.parametrize("game", ["star", "cards"])
def test_next_and_previous_turn_are_where_the_frames_change_their_turn(
    client: FlaskClient, store: Store, game: str
) -> None:
    last = min(last_step(store, game), 63)
    turns = [frame["turn"] for frame in frames(client, game, 0, last)["frames"]]
    starts = [step for step in range(1, last + 1) if turns[step] != turns[step - 1]]
    for step in range(0, last, 5):
        after = [start for start in starts if start > step]
        if after:
            assert client.get(f"/games/{game}/steps/{step}/next-turn").location.endswith(f"/steps/{after[0]}")
        before = [start for start in starts if start < step]
        answer = client.get(f"/games/{game}/steps/{step}/previous-turn")
        assert answer.location.endswith(f"/steps/{before[-1] if before else 0}")
    end = last_step(store, game)
    assert client.get(f"/games/{game}/steps/{end}/next-turn").location.endswith(f"/steps/{end}")


def test_address_of_an_event_leads_to_where_it_is_now(client: FlaskClient, store: Store) -> None:
    assert client.get("/games/star/at/5?as=p1").location == "/games/star/steps/4?as=p1"
    last = last_step(store, "star")
    store.do("star", Undo())
    gone = client.get(f"/games/star/at/{last + 1}")
    assert (gone.status_code, gone.headers["X-Error-Code"]) == (404, "event-not-in-the-game")


def test_typed_step_leads_there_or_to_the_end(client: FlaskClient, store: Store) -> None:
    assert client.get("/games/star/steps?step=7&as=p1").location == "/games/star/steps/7?as=p1"
    assert (
        client.get("/games/star/steps?step=99999999999").location
        == f"/games/star/steps/{last_step(store, 'star')}"
    )
    assert client.get("/games/star").location == "/games/star/steps/0"


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("/nowhere", 404, "not-found"),
        ("/games/no-such-game/steps/0", 404, "unknown-game"),
        ("/games/no-such-game/frames", 404, "unknown-game"),
        ("/games/no-such-game.csv", 404, "unknown-game"),
        ("/games/no-such-game.tape.jsonl", 404, "unknown-game"),
        ("/games/star%2Fnotes/steps/0", 404, "not-found"),
        ("/games/star/steps/9999", 404, "unknown-step"),
        ("/games/star/steps/99999999999999999999999", 404, "unknown-step"),
        ("/games/star/steps/-1", 404, "not-found"),
        ("/games/star/steps/two", 404, "not-found"),
        ("/games/star/steps/9999.svg", 404, "unknown-step"),
        ("/games/star/steps/9999.txt", 404, "unknown-step"),
        ("/games/star/steps/9999/next-turn", 404, "unknown-step"),
        ("/games/star/steps/9999/previous-turn", 404, "unknown-step"),
        ("/games/star/steps?step=x", 400, "bad-query"),
        ("/games/star/steps", 400, "bad-query"),
        ("/games/star/steps/0?as=p9", 404, "unknown-viewer"),
        ("/games/star/frames?as=p9", 404, "unknown-viewer"),
        ("/games/star.csv?as=p9", 404, "unknown-viewer"),
        ("/games/star/at/0", 404, "unknown-event"),
        ("/games/star/at/99999", 404, "unknown-event"),
        ("/games/star/frames?from=x", 400, "bad-query"),
        ("/games/star/frames?from=5&to=1", 400, "bad-query"),
        ("/games/star/frames?from=0&to=100000", 400, "bad-query"),
        ("/games/star/frames?from=٣", 400, "bad-query"),
        ("/games?page=0", 400, "bad-query"),
        ("/games?page=x", 400, "bad-query"),
        ("/games?origin=moon", 400, "bad-query"),
        ("/games/star/notes", 405, "method-not-allowed"),
        ("/games/textual/steps/0.svg", 404, "not-found"),
    ],
)
def test_bad_address_is_refused_with_a_code(
    client: FlaskClient, address: str, status: int, code: str
) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (status, code)
    assert code in answer.text
    as_json = client.get(address, headers={"Accept": "application/json"})
    assert as_json.json is not None
    assert as_json.json["error"]["code"] == code
    assert as_json.json["error"]["message"].endswith((".", ".\n"))


def test_frames_beyond_the_end_are_no_fault(client: FlaskClient, store: Store) -> None:
    last = last_step(store, "star")
    assert [frame["step"] for frame in frames(client, "star", last, last + 9)["frames"]] == [last]
    assert frames(client, "star", last + 1, last + 9)["frames"] == []


def test_frames_are_packed_for_those_who_can_unpack(client: FlaskClient) -> None:
    plain = client.get("/games/star/frames")
    packed = client.get("/games/star/frames", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 5


def test_game_without_its_ruleset_can_be_read_as_text(client: FlaskClient) -> None:
    page = client.get("/games/textual/steps/1").text
    assert "can only be read as text" in page
    assert page.count("chess, version 9") == 1
    assert "This step cannot be drawn" not in page
    assert "&#34;e2&#34;" in page or "&quot;e2&quot;" in page
    assert '<svg class="scene' not in page
    assert [frame["sprites"] for frame in frames(client, "textual")["frames"]] == [[], [], []]


def test_broken_log_shows_all_up_to_the_last_good_event_and_why_not_the_rest(client: FlaskClient) -> None:
    assert "data-board>" in client.get("/games/broken/steps/1").text
    page = client.get("/games/broken/steps/2").text
    assert "data-board hidden>" in page
    assert "This step cannot be drawn." in page
    assert "nowhere" in page
    assert "This step cannot be drawn." in client.get("/games/broken/steps/3").text


@pytest.mark.parametrize(
    "address",
    [
        "/games",
        "/help",
        "/nowhere",
        "/games/evil/steps/3",
        "/games/textual/steps/1",
        "/games/cards/steps/9?as=p1",
    ],
)
def test_page_holds_no_inline_script_or_style(client: FlaskClient, address: str) -> None:
    answer = client.get(address)
    page = Tags(answer.text)
    assert (
        "default-src 'none'; script-src 'self'; style-src 'self';"
        in answer.headers["Content-Security-Policy"]
    )
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert [found for tag, found in page.tags if "style" in found] == []
    assert [found for tag, found in page.tags if any(name.startswith("on") for name in found)] == []
    assert page.of("style") == []
    ours = {"/static/viewer.js", "/static/zoom.js"}
    assert [found for found in page.of("script") if found.get("src") not in ours] == []


def test_names_and_titles_appear_literally_everywhere(client: FlaskClient) -> None:
    for address in ("/games", "/games/evil/steps/0", "/games/evil/steps/4"):
        page = client.get(address).text
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)" in page
    picture = client.get("/games/evil/steps/4.svg")
    ET.fromstring(picture.text)  # noqa: S314 - our own text
    assert "<script" not in picture.text
    chunk = frames(client, "evil")
    assert "<script" not in "".join(
        (
            *chunk["texts"],
            *chunk["symbols"].values(),
            *(part for sprite in chunk["sprites"] for part in sprite),
        )
    )


def test_page_says_who_sees_and_only_what_they_may_know(client: FlaskClient) -> None:
    page = client.get("/games/cards/steps/2?as=p2").text
    assert re.search(r'<option value="p2" selected>Cem</option>', page)
    record = client.get("/games/cards.tape.jsonl?as=p2").text.splitlines()[2:]
    told = set(re.findall(r"\bc\d\d\b", "".join(record)))
    everything = set(re.findall(r"\bc\d\d\b", client.get("/games/cards/frames").text))
    assert set(re.findall(r"\bc\d\d\b", client.get("/games/cards/frames?as=p2").text)) == told
    assert told < everything


def test_file_names_are_written_for_old_and_new_programs(client: FlaskClient) -> None:
    header = client.get("/games/evil.csv").headers["Content-Disposition"]
    assert header == "attachment; filename=evil.csv; filename*=UTF-8''%22__script_alert%281%29__script_.csv"
    name = client.get("/games/star.tape.jsonl?as=p1").headers["Content-Disposition"]
    assert name.startswith("attachment; filename=star~p1.tape.jsonl; ")
    assert name.endswith("filename*=UTF-8''Tuesday%E2%80%99s%20star%20as%20p1.tape.jsonl")


def test_files_are_the_record_and_the_table(client: FlaskClient) -> None:
    record = client.get("/games/star.tape.jsonl")
    assert record.mimetype == "application/x-ndjson"
    assert record.text.startswith('{"format":"tabletape"')
    table = client.get("/games/star.csv")
    assert table.text.startswith("game,seq,step,at,by,kind,seat,caption,payload")
    assert client.get("/games/star/steps/3.txt").text.startswith("3. ")


def test_picture_as_a_file_carries_its_colours_under_a_policy_that_names_them(client: FlaskClient) -> None:
    answer = client.get("/games/star/steps/3.svg")
    assert answer.mimetype == "image/svg+xml"
    assert "style-src 'sha256-" in answer.headers["Content-Security-Policy"]
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    root = ET.fromstring(answer.text)  # noqa: S314 - our own text
    assert root.get("viewBox")


def test_site_answers_only_to_its_names(store: Store) -> None:
    client = create_app(store, hosts=["table.example"]).test_client()
    assert client.get("/healthz", base_url="http://table.example").status_code == 200
    elsewhere = client.get("/healthz", base_url="http://evil.example")
    assert (elsewhere.status_code, elsewhere.headers["X-Error-Code"]) == (400, "unknown-host")


def test_health_reads_the_store(client: FlaskClient) -> None:
    assert client.get("/healthz").json == {"ok": True}


def test_what_is_kept_is_of_this_head_and_these_names(client: FlaskClient, store: Store) -> None:
    before = client.get("/games/star/frames").text
    store.set_details("star", names={"p1": "Zoe"})
    after = client.get("/games/star/frames").text
    assert "Zoe" in after
    assert "Zoe" not in before
    assert "Ann" not in after


def test_nothing_is_kept_by_the_browser_but_files_of_the_site(client: FlaskClient) -> None:
    for address in ("/games", "/games/star/steps/3", "/games/star/frames", "/games/star.csv"):
        answer = client.get(address)
        assert answer.headers["Cache-Control"] == "no-store"
        assert "ETag" not in answer.headers


def test_path_of_a_database_is_opened(filled: Any, tmp_path: Any) -> None:
    copy = tmp_path / "own.db"
    copy.write_bytes(filled.read_bytes())
    app: Flask = create_app(copy)
    with app.extensions["tabletape"]:
        assert app.test_client().get("/games").status_code == 200


# --- ways to recording, and what is said of the rules ---


def test_every_game_that_goes_on_leads_to_recording(client: FlaskClient, store: Store) -> None:
    import_records(store, sorted((one.name, one.read_bytes()) for one in SAMPLES.glob("*.tape.jsonl")))
    playing = {entry.game for entry in store.catalogue.list(limit=100) if entry.status == "playing"}
    assert "three-cabin" in playing
    listed = client.get("/games").text
    for entry in store.catalogue.list(limit=100):
        link = f'href="/games/{entry.game}/record"'
        assert (link in listed) == (entry.game in playing)
        if entry.game in playing:
            steps = {0, entry.steps // 2, entry.steps}
            assert all(link in client.get(f"/games/{entry.game}/steps/{step}").text for step in steps)


def test_eyes_are_asked_for_where_something_is_hidden(client: FlaskClient) -> None:
    assert "See as" in client.get("/games/cards/steps/0").text
    assert "See as" in client.get("/games/cards/record").text
    assert "See as" not in client.get("/games/star/steps/0").text


def test_numbers_of_players_are_told_apart_from_the_version(client: FlaskClient) -> None:
    said = " ".join(client.get("/help").text.split())
    assert "<code>monster-maker</code>: version 1 · 2 to 5 players" in said
    assert "<code>monsters-forever</code>: version 1 · 2, 3 or 6 players" in said


@pytest.mark.parametrize(
    "address", ["steps/999999", "steps/abc", "at/99999", "steps?step=x", "steps/999999?as=p1"]
)
def test_refusal_within_a_game_leads_back_to_it(client: FlaskClient, address: str) -> None:
    text = client.get(f"/games/cards/{address}").text
    back = "/games/cards" + ("?as=p1" if "as=p1" in address else "")
    assert f'<a href="{back}">Back to the game</a>' in text
    assert "Back to the game" not in client.get("/games/nowhere/steps/1").text
    assert "Back to the game" not in client.get("/games/nowhere/steps/abc").text


def test_players_of_one_name_are_told_apart_in_page_and_list(client: FlaskClient, store: Store) -> None:
    game = store.do(None, New("monsters-forever", ["Ann", "Ann"], game="twins")).game.id
    assert "Ann (1) – Ann (2)" in client.get("/games").text
    assert "Ann (1) – Ann (2)" in client.get(f"/games/{game}/steps/0").text


@pytest.mark.parametrize("address", ["/static/viewer.js", "/static/page.css", "/scene.css"])
def test_modules_and_styles_are_packed_for_who_takes_them_so(client: FlaskClient, address: str) -> None:
    with client.get(address) as plain, client.get(address, headers={"Accept-Encoding": "gzip"}) as packed:
        assert (packed.headers["Content-Encoding"], packed.headers["Vary"]) == ("gzip", "Accept-Encoding")
        assert "Content-Encoding" not in plain.headers
        assert gzip.decompress(packed.data) == plain.data
        assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data) / 2
        tags = [answer.headers.get("ETag") for answer in (plain, packed)]
    for tag in filter(None, tags):
        seen = {"If-None-Match": tag, "Accept-Encoding": "gzip"}
        with client.get(address, headers=seen) as again:
            assert (again.status_code, again.data) == (304, b"")
    assert address == "/scene.css" or tags[0] != tags[1]


def test_how_many_may_play_is_said_alike_everywhere(client: FlaskClient) -> None:
    answer = client.get("/games/new?ruleset=monsters-forever&players=4")
    assert "Monsters Forever is played by 2, 3 or 6 players, not" in answer.text
    assert "2, 3 or 6 players" in client.get("/help").text
    assert "2, 3 or 6 players" in client.get("/games/new").text
