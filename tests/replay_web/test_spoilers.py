"""With what comes later hidden, the answer at a step is the same whatever follows it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from flask.testing import FlaskClient
from freezegun import freeze_time

from eventstore.recording.amending import HistoryEdit, Insert
from eventstore.recording.commands import Amend, WriteNote
from eventstore.store import Store
from replay_web import create_app
from replay_web.http.policy import policies
from tests.replay_web.samples import play, registry

CUT = 40
"""The last step of the games that were cut."""
CHANCE = re.compile(rb'name="key" value="[^"]*"|/notes/[0-9a-z]{8}')
"""Keys of forms and names of notes are made anew."""
WHEN = "2026-09-14T18:03:05Z"
GAMES = {"star": "monsters-forever", "duel": "monstropoly-battle", "land": "legend-of-monopoly"}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Store]]:
    """Give games that go on behind step `CUT`, with much to say of it, and the same ones cut there."""
    folder = tmp_path_factory.mktemp("later")
    with (
        freeze_time(WHEN),
        Store.open(folder / "whole.db", registry=registry()) as whole,
        Store.open(folder / "cut.db", registry=registry()) as cut,
    ):
        for game, ruleset in GAMES.items():
            for store, most in ((whole, 400), (cut, CUT)):
                play(store, game, ruleset, ["Ann", "Bo"], seed=11, most=most, played_on="2026-09-14")
                store.do(game, WriteNote(6, text="Early", id=f"early-{game}"))
            last = whole.game(game).steps
            assert cut.game(game).steps == CUT < last
            whole.do(game, WriteNote(last - 1, text="Late", glyph="!!"))
            nothing = {"kind": "record.checked", "claims": []}
            whole.do(game, Amend([HistoryEdit(CUT + 10, Insert([nothing]))], reason="late"))
        yield {"whole": whole, "cut": cut}


@pytest.fixture(scope="module")
def clients(stores: dict[str, Store]) -> dict[str, FlaskClient]:
    return {name: create_app(store).test_client() for name, store in stores.items()}


def same(clients: dict[str, FlaskClient], address: str) -> bool:
    answers = [clients[name].get(address) for name in ("whole", "cut")]
    assert {answer.status_code for answer in answers} <= {200, 302, 400, 404}, address
    found = [(answer.status_code, answer.location, CHANCE.sub(b"", answer.data)) for answer in answers]
    return found[0] == found[1]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("eyes", ["", "&as=p1", "&as=table"])
def test_page_of_a_step_is_the_same_whatever_comes_later(
    clients: dict[str, FlaskClient], game: str, eyes: str
) -> None:
    for step in (0, 1, 5, 20, CUT - 1):
        assert same(clients, f"/games/{game}/steps/{step}?later=hidden{eyes}"), step
        assert not same(clients, f"/games/{game}/steps/{step}?{eyes}"), "else the two differ"
        for end in (".svg", ".txt", "/previous-turn"):
            assert same(clients, f"/games/{game}/steps/{step}{end}?later=hidden{eyes}"), (step, end)


def test_list_tells_nothing_of_how_games_went(clients: dict[str, FlaskClient]) -> None:
    assert same(clients, "/games?later=hidden")
    assert not same(clients, "/games")
    page = clients["whole"].get("/games?later=hidden").text
    assert set(re.findall(r'href="(/games/\w+/[^"]+)"', page)) == {
        f"/games/{game}/steps/0?later=hidden" for game in GAMES
    }


def test_what_is_not_there_tells_not_how_much_is(clients: dict[str, FlaskClient]) -> None:
    assert same(clients, "/games/star/steps/99999?later=hidden")
    assert same(clients, "/games/star/steps?step=99999&later=hidden")
    assert same(clients, "/games/star/steps?step=x&later=hidden")
    assert not same(clients, "/games/star/steps/99999")


def test_every_address_of_a_game_hides_it_or_is_refused(clients: dict[str, FlaskClient]) -> None:
    rules = [rule for rule in clients["cut"].application.url_map.iter_rules() if "game" in rule.arguments]
    declared = policies(clients["cut"].application)
    hiding = {rule.endpoint for rule in rules if declared[rule.endpoint].spoilers == "hidden"}
    assert {rule.endpoint for rule in rules} > hiding > {"steps.step", "notes.page"}
    told = set()
    for rule in rules:
        for game in GAMES:
            for number in (5, 21, 99999):
                values = {"game": game, "step": number, "seq": number, "note": "nothing0"}
                path = rule.build({name: values[name] for name in rule.arguments}, append_unknown=False)
                assert path is not None
                address = f"{path[1]}?later=hidden"
                method = "GET" if "GET" in (rule.methods or ()) else "POST"
                headers = {"Sec-Fetch-Site": "same-origin"}
                answer = clients["whole"].open(address, method=method, headers=headers)
                if rule.endpoint not in hiding:
                    found = (answer.status_code, answer.headers.get("X-Error-Code"))
                    assert found == (400, "later-not-hidden"), address
                elif method == "GET" and not same(clients, address):
                    told.add((rule.endpoint, number))
    assert told == set()


def test_next_leads_on_to_the_end_and_every_link_keeps_it_hidden(clients: dict[str, FlaskClient]) -> None:
    address, steps = "/games/star/steps/37?as=p1&later=hidden", []
    while True:
        page = clients["cut"].get(address).text
        steps.append(int(re.findall(r"<title>Step (\d+) ", page)[0]))
        for link in re.findall(r'href="(/games/star/[^"]+)"', page):
            assert "later=hidden" in link or link.endswith(f"/steps/{steps[-1]}?as=p1"), link
        on = re.search(r'data-do="next" href="([^"]+)"(?! aria-disabled)', page)
        if on is None:
            break
        address = on[1].replace("&amp;", "&")
    assert steps == [37, 38, 39, CUT]
    assert "Nothing does any more." in page


def test_note_written_there_leads_back_there(clients: dict[str, FlaskClient]) -> None:
    page = clients["cut"].get("/games/star/steps/3?later=hidden").text
    form = re.search(r'action="([^"]+/notes[^"]*)" data-note-form', page)
    assert form is not None
    sent = {"key": "abcdefgh23", "seq": "4", "step": "3", "text": "Here"}
    answer = clients["cut"].post(form[1], data=sent, headers={"Sec-Fetch-Site": "same-origin"})
    assert answer.location == "/games/star/steps/3?later=hidden#notes"


def test_words_are_not_looked_for_in_what_comes_later(clients: dict[str, FlaskClient]) -> None:
    answer = clients["whole"].get("/games?text=late&later=hidden")
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (400, "later-not-hidden")
    assert clients["whole"].get("/games?text=late").status_code == 200


def test_note_on_an_event_that_is_not_there_tells_not_how_many_are(clients: dict[str, FlaskClient]) -> None:
    sent = {"key": "abcdefgh24", "seq": "99999", "step": "3", "text": "Here"}
    headers = {"Sec-Fetch-Site": "same-origin"}
    answers = [
        clients["whole"].post(f"/games/star/notes{word}", data=sent, headers=headers)
        for word in ("?later=hidden", "")
    ]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert ["events are 1 to" in answer.text for answer in answers] == [False, True]


def test_another_word_is_refused(clients: dict[str, FlaskClient]) -> None:
    for address in ("/games/star/steps/3?later=x", "/games?later=x"):
        answer = clients["cut"].get(address)
        assert (answer.status_code, answer.headers["X-Error-Code"]) == (400, "bad-query")


def test_frames_have_no_links_that_hide(clients: dict[str, FlaskClient]) -> None:
    assert "later=hidden" not in clients["cut"].get("/games/star/frames").text


def test_module_of_the_whole_game_is_not_there(clients: dict[str, FlaskClient]) -> None:
    page = clients["whole"].get("/games/star/steps/3?later=hidden").text
    assert "viewer.js" not in page
    assert "alone.js" in page
