"""Notes: once for each form, from this site alone, as typed, and never lost by a refusal."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.access.actor import Actor
from eventstore.library.notes import versions
from eventstore.log.note import Note
from eventstore.recording.commands import RemoveNote, Undo, WriteNote
from eventstore.store import Store
from replay_web import create_app

HERE = {"Sec-Fetch-Site": "same-origin"}
KEY = "0123456789abcdef"


def send(
    client: FlaskClient,
    game: str = "star",
    headers: dict[str, str] | None = None,
    query: str = "",
    **form: Any,
) -> TestResponse:
    data = {"key": KEY, "seq": "4", "step": "3", "text": "Bold.", **form}
    return client.post(f"/games/{game}/notes{query}", data=data, headers=HERE if headers is None else headers)


def test_note_is_shown_on_its_step_in_the_page_the_list_and_the_frames(client: FlaskClient) -> None:
    answer = send(client, text="A bold\r\nstart", glyph="!?", tags="opening,  turning point,")
    assert (answer.status_code, answer.location) == (303, "/games/star/steps/3#notes")
    page = client.get("/games/star/steps/3").text
    assert '<p class="note-text">A bold\nstart</p>' in page
    assert '<span class="marks">!? ✎</span>' in page
    assert '<span class="tag">opening</span> <span class="tag">turning point</span>' in page
    assert "A bold" not in client.get("/games/star/steps/4").text
    chunk: Any = client.get("/games/star/frames").json
    assert chunk["frames"][3]["marks"] == "!? ✎"
    assert "A bold" in chunk["texts"][chunk["frames"][3]["notes"]]


def test_form_of_the_page_brings_all_that_is_needed(client: FlaskClient, store: Store) -> None:
    page = client.get("/games/star/steps/3").text
    form = page.split("data-note-form>")[1].split("</form>")[0]
    fields = {name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form)}
    assert client.post("/games/star/notes", data={**fields, "text": "x"}, headers=HERE).status_code == 303
    assert [note.seq for note in store.game("star").all_notes] == [4]


def test_two_pages_bring_two_keys(client: FlaskClient) -> None:
    keys = {
        re.findall(r'name="key" value="([^"]+)"', client.get("/games/star/steps/3").text)[0] for _ in range(2)
    }
    assert len(keys) == 2


def test_form_sent_twice_writes_one_note(client: FlaskClient, store: Store) -> None:
    assert [send(client).status_code, send(client).status_code] == [303, 303]
    assert len(store.game("star").all_notes) == 1


def test_key_of_another_note_is_refused(client: FlaskClient, store: Store) -> None:
    send(client)
    answer = send(client, text="Another.")
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (409, "command-id-reused")
    assert "Another." in answer.text
    assert len(store.game("star").all_notes) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost.evil.example"},
    ],
)
def test_form_from_elsewhere_is_refused(client: FlaskClient, store: Store, headers: dict[str, str]) -> None:
    answer = send(client, headers=headers)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (403, "from-elsewhere")
    assert store.game("star").all_notes == []


def test_form_from_a_plain_http_page_of_this_site_is_taken(client: FlaskClient) -> None:
    assert send(client, headers={"Origin": "http://localhost"}).status_code == 303


@pytest.mark.parametrize(
    ("form", "status", "code"),
    [
        ({"seq": ""}, 400, "bad-query"),
        ({"seq": "-4"}, 400, "bad-query"),
        ({"seq": "four"}, 400, "bad-query"),
        ({"seq": "9999"}, 404, "unknown-event"),
        ({"key": ""}, 400, "bad-query"),
        ({"key": "with spaces in it"}, 400, "bad-query"),
        ({"text": "x" * 10_001}, 422, "bad-detail"),
        ({"text": "", "glyph": "", "tags": ""}, 422, "bad-detail"),
        ({"text": "bell \x07"}, 422, "bad-detail"),
        ({"glyph": "‽"}, 422, "bad-detail"),
        ({"tags": "x" * 41}, 422, "bad-detail"),
        ({"text": "x" * 70_000}, 413, "too-large"),
    ],
)
def test_bad_note_is_refused_with_a_code_and_nothing_is_written(
    client: FlaskClient, store: Store, form: dict[str, Any], status: int, code: str
) -> None:
    answer = send(client, **form)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (status, code)
    assert store.game("star").all_notes == []


def test_text_that_is_refused_is_given_back(client: FlaskClient) -> None:
    answer = send(client, text="A thought & <b>more</b>", tags="x" * 41)
    assert "A thought &amp; &lt;b&gt;more&lt;/b&gt;</textarea>" in answer.text


def test_refused_note_leads_back_to_its_step(client: FlaskClient) -> None:
    answer = send(client, text="", glyph="", tags="", step="4")
    assert '<a href="/games/star/steps/4#notes">Back to the game</a>' in answer.text


def test_note_on_an_unknown_game_is_refused(client: FlaskClient) -> None:
    assert send(client, "no-such-game").headers["X-Error-Code"] == "unknown-game"


def test_note_appears_literally(client: FlaskClient) -> None:
    send(client, text="<img src=x onerror=alert(1)>", tags="<i>")
    page = client.get("/games/star/steps/3").text
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_notes_of_a_game_with_secrets_are_not_told_to_a_seat(client: FlaskClient, store: Store) -> None:
    store.do("cards", WriteNote(3, text="Bo holds the twelve"))
    store.do("cards", WriteNote(3, text="my own"), Actor("p1"))
    store.access.add("ann", seat="p1")
    store.do("cards", WriteNote(3, text="on the phone"), Actor("ann"))
    assert "Bo holds the twelve" in client.get("/games/cards/steps/2").text
    for address in (
        "/games/cards/steps/2?as=p1",
        "/games/cards/frames?as=p1",
        "/games/cards/frames?as=table",
    ):
        assert "Bo holds the twelve" not in client.get(address).text
    assert "my own" in client.get("/games/cards/frames?as=p1").text
    assert "on the phone" in client.get("/games/cards/frames?as=p1").text
    assert "on the phone" not in client.get("/games/cards/frames?as=p2").text
    assert "/remove" not in client.get("/games/cards/steps/2?as=p1").text
    answer = send(client, "cards", query="?as=p1")
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (403, "notes-hidden")
    assert (
        client.post("/games/cards/notes/abc/remove?as=p1", data={"key": KEY}, headers=HERE).status_code == 403
    )


def test_notes_of_an_open_game_are_shown_to_every_seat(client: FlaskClient) -> None:
    assert send(client, query="?as=p1").location == "/games/star/steps/3?as=p1#notes"
    assert "Bold." in client.get("/games/star/steps/3?as=p2").text


def test_note_on_an_undone_event_is_kept_apart(client: FlaskClient, store: Store) -> None:
    last = store.game("star").steps
    send(client, seq=str(last + 1), text="The end?")
    store.do("star", Undo())
    page = client.get("/games/star/steps/3").text
    assert "taken out" in page
    assert "The end?" in page


def test_note_can_be_removed_once(client: FlaskClient, store: Store) -> None:
    note = store.do("star", WriteNote(4, text="Away with it")).result
    page = client.get("/games/star/steps/3").text
    address, fields = re.findall(
        r'<form method="post" action="(/games/star/notes/\w+/remove)">(.+?)</form>', page
    )[0]
    form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', fields))
    assert address == f"/games/star/notes/{note.id}/remove"
    assert [client.post(address, data=form, headers=HERE).status_code for _ in range(2)] == [303, 303]
    assert store.game("star").all_notes == []
    again = client.post(address, data={"key": "another-key"}, headers=HERE)
    assert (again.status_code, again.headers["X-Error-Code"]) == (404, "unknown-note")


def test_database_that_is_read_only_offers_no_form_and_refuses_one(store: Store, filled: Path) -> None:
    with Store.open(filled, read_only=True, registry=store.registry) as opened:
        client = create_app(opened).test_client()
        page = client.get("/games/star/steps/3").text
        assert "read-only here" in page
        assert "data-note-form" not in page
        answer = send(client)
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (503, "database-read-only")
        assert client.get("/games").status_code == 200


# --- changing ---


def change(
    client: FlaskClient, note: Note, headers: dict[str, str] | None = None, **form: Any
) -> TestResponse:
    """Send the form that the page has for a note, filled in otherwise."""
    page = client.get("/games/star/steps/3").text
    form_of = re.search(rf'action="/games/star/notes/{note.id}">(.+?)</form>', page, re.DOTALL)
    assert form_of is not None
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form_of[1]))
    data = {**hidden, "text": note.text, "glyph": note.glyph or "", "tags": ", ".join(note.tags), **form}
    return client.post(f"/games/star/notes/{note.id}", data=data, headers={**HERE, **(headers or {})})


@pytest.fixture
def written(store: Store) -> Note:
    return store.do("star", WriteNote(4, text="As it was", glyph="!", tags=("opening",)), Actor("p1")).result


def test_form_for_a_change_holds_the_note_as_it_stands(client: FlaskClient, written: Note) -> None:
    page = client.get("/games/star/steps/3").text
    form = page.split(f'action="/games/star/notes/{written.id}">')[1].split("</form>")[0]
    assert f'name="replaces" value="{written.version}"' in form
    assert ">\nAs it was</textarea>" in form
    assert "<option selected>!</option>" in form
    assert 'name="tags" value="opening"' in form


def test_changed_note_stands_in_the_place_of_the_old_one_which_is_kept(
    client: FlaskClient, store: Store, written: Note
) -> None:
    answer = change(client, written, text="As it\r\nis", glyph="", tags="a, b,a")
    assert (answer.status_code, answer.location) == (303, "/games/star/steps/3#notes")
    (note,) = store.game("star").all_notes
    assert (note.id, note.seq, note.text, note.glyph, note.tags) == (
        written.id,
        4,
        "As it\nis",
        None,
        ("a", "b"),
    )
    assert [one.text for one in versions(store.game("star"), note.id)] == ["As it was", "As it\nis"]
    page = client.get(f"/games/star/notes/{note.id}").text
    assert page.index("As it\nis</p>") < page.index("What it said before</h2>") < page.index("As it was</p>")


def test_tags_that_stay_as_they_are_written_are_no_change(client: FlaskClient, store: Store) -> None:
    note = store.do(
        "star", WriteNote(4, text="As it was", tags=("king", "turning point", "capture, first"))
    ).result
    assert change(client, note).status_code == 303
    assert store.game("star").all_notes == [note]


def test_change_sent_twice_changes_once(client: FlaskClient, store: Store, written: Note) -> None:
    data = {"replaces": str(written.version), "step": "3", "text": "Once"}
    for _ in range(2):
        assert client.post(f"/games/star/notes/{written.id}", data=data, headers=HERE).status_code == 303
    assert len(versions(store.game("star"), written.id)) == 2


def test_change_that_changes_nothing_writes_nothing(client: FlaskClient, store: Store, written: Note) -> None:
    assert change(client, written).status_code == 303
    assert len(versions(store.game("star"), written.id)) == 1


def test_who_changes_second_is_shown_both_texts_and_writes_nothing(
    client: FlaskClient, store: Store, written: Note
) -> None:
    stale = {
        "replaces": str(written.version),
        "step": "3",
        "text": "Mine & <mine>",
        "tags": "own",
        "glyph": "?",
    }
    change(client, written, text="Theirs")
    answer = client.post(f"/games/star/notes/{written.id}", data=stale, headers=HERE)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (409, "stale-note")
    assert '<p class="note-text">Theirs</p>' in answer.text
    assert ">\nMine &amp; &lt;mine&gt;</textarea>" in answer.text
    assert 'name="tags" value="own"' in answer.text
    assert [note.text for note in store.game("star").all_notes] == ["Theirs"]
    again = re.findall(r'name="replaces" value="(\d+)"', answer.text)
    both = client.post(f"/games/star/notes/{written.id}", data={**stale, "replaces": again[0]}, headers=HERE)
    assert both.status_code == 303
    texts = [note.text for note in versions(store.game("star"), written.id)]
    assert texts == ["As it was", "Theirs", "Mine & <mine>"]


def test_two_who_save_the_same_words_both_have_them(client: FlaskClient, store: Store, written: Note) -> None:
    for _ in range(2):
        data = {"replaces": str(written.version), "text": "The same"}
        assert client.post(f"/games/star/notes/{written.id}", data=data, headers=HERE).status_code == 303
    assert [note.text for note in store.game("star").all_notes] == ["The same"]


def test_clash_tells_a_program_both_texts(client: FlaskClient, written: Note) -> None:
    change(client, written, text="Theirs")
    data = {"replaces": str(written.version), "text": "Mine"}
    answer: Any = client.post(
        f"/games/star/notes/{written.id}", data=data, headers={**HERE, "Accept": "application/json"}
    )
    assert (answer.status_code, answer.json["error"]["code"]) == (409, "stale-note")
    theirs = answer.json["error"]["theirs"]
    assert (theirs["text"], theirs["version"], answer.json["error"]["yours"]) == ("Theirs", 2, "Mine")


def test_change_that_cannot_be_kept_is_given_back(client: FlaskClient, store: Store, written: Note) -> None:
    answer = change(client, written, text="A thought", tags="x" * 41)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "bad-detail")
    assert ">\nA thought</textarea>" in answer.text
    assert store.game("star").all_notes == [written]


def test_note_that_was_taken_away_meanwhile_is_not_written_again(
    client: FlaskClient, store: Store, written: Note
) -> None:
    store.do("star", RemoveNote(written.id))
    for text in ("As it was", "Too late"):
        data = {"replaces": str(written.version), "text": text, "glyph": "!", "tags": "opening"}
        answer = client.post(f"/games/star/notes/{written.id}", data=data, headers=HERE)
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (404, "unknown-note")
        assert text in answer.text
    assert store.game("star").all_notes == []
    page = client.get(f"/games/star/notes/{written.id}")
    assert "taken away" in page.text
    assert "As it was" in page.text
    assert "<form class" not in page.text
    assert client.get("/games/star/notes/nothing").status_code == 404


def test_what_a_seat_may_not_read_it_neither_changes_nor_looks_up(client: FlaskClient, store: Store) -> None:
    note = store.do("cards", WriteNote(3, text="Bo holds the twelve")).result
    data = {"replaces": str(note.version), "text": "Not so"}
    for answer in (
        client.get(f"/games/cards/notes/{note.id}?as=p1"),
        client.post(f"/games/cards/notes/{note.id}?as=p1", data=data, headers=HERE),
    ):
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (403, "notes-hidden")
        assert "twelve" not in answer.text
    assert store.game("cards").all_notes == [note]


def test_orphaned_note_has_a_page(client: FlaskClient, store: Store) -> None:
    last = store.game("star").head
    note = store.do("star", WriteNote(last, text="The end?")).result
    store.do("star", Undo())
    page = client.get(f"/games/star/notes/{note.id}").text
    assert "Note on an event that was taken out" in page
    assert "The end?" in page
