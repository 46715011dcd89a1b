"""Correcting without scripts: what is wished, before and after, what becomes impossible, one command."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.recording.commands import Record, Undo
from eventstore.store import Store
from games.core.events import RecordRuled
from games.examples.high_card import CardLaid, CardPassed
from replay_web import create_app
from tests.replay_web.sheets import HERE, Form, Page, head, press


def form_of(client: FlaskClient, address: str, ending: str) -> Form:
    return Page(client.get(address).text).form(ending)


def look(client: FlaskClient, step: int, do: str = "replace", **filled: Any) -> TestResponse:
    """Send what is wished; the answer is the page with before and after."""
    form = form_of(client, f"/games/round/steps/{step}/correct?do={do}", "/correct")
    return press(client, form, **filled)


def settle_form(page: TestResponse) -> Form:
    return Page(page.text).form("/settle")


def captions(store: Store) -> list[str]:
    return [position.caption({"p1": "Ann", "p2": "Bo"}) for position in store.game("round").positions(1)]


# --- asking ---


@pytest.mark.parametrize(
    ("do", "cards"),
    [("replace", {"c01", "c02", "c03", "c04", "c05", "c06"}), ("insert", {"c04", "c05", "c06"})],
)
def test_what_was_possible_there_stands_as_buttons(
    client: FlaskClient, game: str, do: str, cards: set[str]
) -> None:
    page = Page(client.get(f"/games/round/steps/3/correct?do={do}").text)
    laid = [json.loads(tap.value) for tap in page.taps()]
    assert {event["card"] for event in laid if event["kind"] == "card_laid"} == cards


def test_wish_shows_both_boards_and_appends_nothing(client: FlaskClient, store: Store, game: str) -> None:
    answer = look(client, 8, event='{"kind":"card_laid","player":"p1","card":"c03"}')
    assert answer.status_code == 200
    assert answer.text.count('class="scene board"') == 4
    assert "<del>Ann lays c02.</del>" in answer.text
    assert "<ins>Ann lays c03.</ins>" in answer.text
    assert "All later steps can stand" in answer.text
    assert head(store) == 9


@pytest.mark.parametrize(
    "wished",
    [
        {"event": '{"kind":"cards_drawn","player":"p2","cards":["c07","c12"]}'},
        {"typed": '{"kind":"cards_drawn","player":"p2","cards":["c07","c12"]}'},
        {
            "fixed": '{"kind":"cards_drawn","player":"p2","cards":null}',
            "some:cards": ['["c07"]', '["c12"]'],
        },
    ],
    ids=["tapped", "typed", "filled in"],
)
def test_event_is_replaced(client: FlaskClient, store: Store, game: str, wished: dict[str, Any]) -> None:
    if "fixed" in wished:
        page = client.get("/games/round/steps/6/correct").text
        fixed = next(one.value for form in Page(page).forms for one in form.buttons("fixed"))
        wished = {**wished, "fixed": fixed}
    seen = look(client, 6, **wished)
    answer = press(client, settle_form(seen), reason="misread")
    assert (answer.status_code, answer.location) == (303, "/games/round/steps/6")
    assert captions(store)[5] == "Bo draws c07, c12."
    assert captions(store)[6:] == ["Bo passes c07.", "Ann lays c02."]
    assert '"reason":"misread"' in store.log.events("round", 10, 10)[0].payload


def test_correction_begun_at_recording_leads_back_there(client: FlaskClient, store: Store, game: str) -> None:
    address = re.search(r'href="(/games/round/steps/8/correct[^"]*)"', client.get("/games/round/record").text)
    assert address is not None
    form = form_of(client, address[1], "/correct")
    seen = press(client, form, event='{"kind":"card_laid","player":"p1","card":"c03"}')
    answer = press(client, Page(seen.text).form("/settle"))
    assert (answer.status_code, answer.location) == (303, "/games/round/record#sheet")
    assert captions(store)[7] == "Ann lays c03."


def test_what_was_recorded_is_marked_among_what_was_possible(client: FlaskClient, game: str) -> None:
    taps = Page(client.get("/games/round/steps/8/correct").text).taps()
    marked = [json.loads(tap.value)["card"] for tap in taps if "as recorded" in tap.text]
    assert marked == ["c02"]
    behind = Page(client.get("/games/round/steps/8/correct?do=insert").text).taps()
    assert behind
    assert not any("as recorded" in tap.text for tap in behind)


def test_event_is_put_behind_another_and_taken_out_again(
    client: FlaskClient, store: Store, game: str
) -> None:
    before = captions(store)
    seen = look(client, 8, "insert", event='{"kind":"card_laid","player":"p2","card":"c05"}')
    assert press(client, settle_form(seen)).location == "/games/round/steps/9"
    assert captions(store) == [*before, "Bo lays c05."]
    seen = look(client, 9, "remove")
    assert "Nothing comes in its place." in seen.text
    assert press(client, settle_form(seen)).status_code == 303
    assert captions(store) == before


def test_wrong_option_is_corrected_at_the_first_step(client: FlaskClient, store: Store, game: str) -> None:
    page = client.get("/games/round/steps/0/correct").text
    assert "Take it out" not in page
    form = next(
        form for form in Page(page).forms if any(one.name.startswith("option.") for one in form.controls)
    )
    seen = press(client, form, options="1", **{"option.rounds": "5", "option.scores": '"lower"'})
    assert "cannot stand" in seen.text  # the taker of the trick is another
    answer = press(client, settle_form(seen), rest="remove")
    assert answer.status_code == 303
    started = store.game("round").position().started
    assert started is not None
    assert (started.options.rounds, started.options.scores) == (5, "lower")


def test_replacement_that_the_rules_refuse_is_given_back_with_what_is_possible(
    client: FlaskClient, store: Store, game: str
) -> None:
    answer = look(client, 8, typed="p1: lay c09")
    page = Page(answer.text)
    assert answer.status_code == 422
    assert page.alert.startswith("This is not possible now: card laid.")
    assert 'value="p1: lay c09"' in answer.text
    assert [tap.text for tap in page.taps()].count("p1: lay c03") == 1
    assert head(store) == 9


@pytest.mark.parametrize("typed", ["", "nonsense", '{"kind":"chess"}', "{"])
def test_what_is_no_event_is_refused_beside_the_field(
    client: FlaskClient, store: Store, game: str, typed: str
) -> None:
    answer = look(client, 8, typed=typed)
    assert answer.status_code == 422
    assert Page(answer.text).alert
    assert 'aria-invalid="true"' in answer.text
    assert head(store) == 9


# --- what becomes impossible ---


def test_consequences_are_settled_differently_by_one_command(
    client: FlaskClient, store: Store, game: str
) -> None:
    seen = look(client, 5, "remove")
    assert "3 later steps cannot stand after this" in seen.text
    form = settle_form(seen)
    offered = {(one.name, one.value) for one in form.controls if one.name.startswith("settle.")}
    assert ("settle.7", "keep") in offered
    assert ("settle.8", "keep") not in offered  # as long as nothing was drawn
    again = press(client, form, **{"settle.7": "keep"})
    assert again.status_code == 422
    assert head(store) == 9
    chosen = {"settle.7": "keep", "settle.9": "cut", "reason": "as we played"}
    assert press(client, settle_form(again), **chosen).status_code == 303
    ruled = [position.event for position in store.game("round").positions(5)]
    assert [type(event) for event in ruled] == [RecordRuled, CardPassed]
    assert [commit.first_seq for commit in store.log.commits("round")] == [1, 2, 10]


def test_impossible_step_becomes_another_that_is_offered_or_typed(
    client: FlaskClient, store: Store, game: str
) -> None:
    seen = look(client, 2, typed='{"kind":"hand_dealt","player":"p2","cards":["c04","c05","c07"]}')
    page = Page(seen.text)
    assert "Bo draws c07, c08" in seen.text
    other = {
        "settle.7": "other",
        "typed.7": '{"kind":"cards_drawn","player":"p2","cards":["c06","c08"]}',
    }
    answer = press(client, page.form("/settle"), **other)
    assert answer.status_code == 303
    assert captions(store)[5:] == ["Bo draws c06, c08.", "Bo passes c07.", "Ann lays c02."]


def test_other_without_an_event_is_asked_for_beside_it(client: FlaskClient, store: Store, game: str) -> None:
    seen = look(client, 5, "remove")
    answer = press(client, settle_form(seen), **{"settle.7": "other"})
    assert answer.status_code == 422
    assert "Choose what is to stand here" in Page(answer.text).alert
    wrong = press(client, settle_form(seen), **{"settle.7": "other", "typed.7": "p2: lay c11"})
    assert wrong.status_code == 422
    assert "p2: lay c11" in wrong.text
    assert head(store) == 9


def test_all_that_is_left_goes_by_one_tick(client: FlaskClient, store: Store, game: str) -> None:
    answer = press(client, settle_form(look(client, 5, "remove")), **{"settle.7": "keep", "rest": "remove"})
    assert answer.status_code == 303
    kinds = [position.kind for position in store.game("round").positions(5)]
    assert kinds == ["record.ruled", "card_passed"]
    assert store.game("round").amended


def test_choices_are_looked_at_before_they_are_done(client: FlaskClient, store: Store, game: str) -> None:
    form = settle_form(look(client, 5, "remove"))
    sent = {**form.sent_by(None), "settle.7": "keep", "settle.9": "remove"}
    seen = client.post("/games/round/steps/5/correct", data=sent, headers=HERE)
    assert seen.status_code == 200
    assert re.findall(r'name="settle.(\d)" value="(\w+)" checked', seen.text) == [
        ("7", "keep"),
        ("9", "remove"),
    ]
    assert head(store) == 9


def test_nothing_is_appended_while_one_step_is_not_settled(
    client: FlaskClient, store: Store, game: str
) -> None:
    answer = press(client, settle_form(look(client, 5, "remove")), **{"settle.7": "remove"})
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "faults-left")
    first = re.search(r'href="#fault-(\d+)">To step \d+, the first that is open', answer.text)
    assert first is not None
    assert first[1] == "8", "7 is settled"
    assert re.findall(r'name="settle.(\d+)" value="\w+" autofocus', answer.text) == ["8"]
    assert "still to be settled" in Page(answer.text).alert
    assert head(store) == 9


# --- sent twice, sent late ---


def test_form_sent_twice_amends_once(client: FlaskClient, store: Store, game: str) -> None:
    form = settle_form(look(client, 8, event='{"kind":"card_laid","player":"p1","card":"c03"}'))
    answers = [press(client, form) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0].location == answers[1].location
    assert head(store) == 11


def test_form_for_another_head_is_a_clash_that_keeps_what_was_wished(
    client: FlaskClient, store: Store, game: str
) -> None:
    form = settle_form(look(client, 5, "remove"))
    store.do("round", Record([CardLaid("p2", "c05")]))
    answer = press(client, form, **{"settle.7": "keep", "rest": "remove", "reason": "kept"})
    page = Page(answer.text)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (409, "conflict")
    assert "Somebody else recorded meanwhile" in page.alert
    assert "Bo lays c05" in page.alert
    assert re.search(r'name="settle.7" value="keep" checked', answer.text)
    assert ">kept</textarea>" in answer.text
    assert head(store) == 10
    assert press(client, page.form("/settle"), **{"settle.7": "keep", "rest": "remove"}).status_code == 303


def test_wish_about_an_event_that_was_undone_meanwhile_is_a_clash(
    client: FlaskClient, store: Store, game: str
) -> None:
    form = settle_form(look(client, 8, "remove"))
    store.do("round", Undo())
    answer = press(client, form)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (409, "conflict")
    assert "taken back" in Page(answer.text).alert


def test_clash_on_the_first_form_too(client: FlaskClient, store: Store, game: str) -> None:
    form = form_of(client, "/games/round/steps/8/correct?do=remove", "/correct")
    store.do("round", Record([CardLaid("p2", "c05")]))
    assert press(client, form).status_code == 409


def test_program_gets_the_answer_as_json(client: FlaskClient, store: Store, game: str) -> None:
    form = settle_form(look(client, 5, "remove"))
    headers = {**HERE, "Accept": "application/json"}
    refused = client.post(form.action, data=form.sent_by(None), headers=headers)
    assert refused.get_json()["error"]["code"] == "faults-left"
    sent = {**form.sent_by(None), "rest": "remove"}
    told = client.post(form.action, data=sent, headers=headers)
    assert told.status_code == 201
    assert told.get_json()["game"] == "round"
    again = client.post(form.action, data=sent, headers=headers)
    assert (again.status_code, again.get_json()["repeated"]) == (200, True)


# --- who may ---


def test_who_is_not_shown_everything_corrects_nothing(client: FlaskClient, store: Store, game: str) -> None:
    for viewer in ("p1", "table"):
        asked = client.get(f"/games/round/steps/5/correct?as={viewer}")
        assert (asked.status_code, asked.headers["X-Error-Code"]) == (403, "corrections-hidden")
        edit = {"seq": "6", "do": "remove", "rest": "remove"}
        forms = {"steps/5/correct": edit, "steps/5/correct/settle": edit, "rule": {}, "restore": {"to": "3"}}
        for address, more in forms.items():
            data = {"key": "k" * 12, "after": "9", **more}
            answer = client.post(f"/games/round/{address}?as={viewer}", data=data, headers=HERE)
            assert answer.headers["X-Error-Code"] == "corrections-hidden"
    assert head(store) == 9


def test_foreign_form_and_form_without_a_key_are_turned_away(store: Store, game: str) -> None:
    client = create_app(store, guarded=True).test_client()
    data = {"key": "k" * 12, "after": "9", "seq": "6", "do": "remove", "rest": "remove", "to": "3"}
    for address in ("steps/5/correct", "steps/5/correct/settle", "rule", "restore", "check"):
        foreign = client.post(f"/games/round/{address}", data=data)
        assert foreign.headers["X-Error-Code"] == "from-elsewhere"
        locked = client.post(f"/games/round/{address}", data=data, headers=HERE)
        assert locked.headers["X-Error-Code"] == "key-needed"
    assert head(store) == 9


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("steps/99/correct", 404),
        ("steps/5/correct?do=burn", 400),
        ("history?page=0", 400),
        ("history?page=9", 400),
        ("check?step=x", 400),
        ("check?step=3", 400),
        ("check?step=99", 404),
        ("rule?within=/nowhere", 400),
    ],
)
def test_address_that_means_nothing_is_refused(
    client: FlaskClient, game: str, address: str, status: int
) -> None:
    assert client.get(f"/games/round/{address}").status_code == status


@pytest.mark.parametrize(
    "broken", [{"do": "burn"}, {"seq": "x"}, {"after": "x"}, {"key": "short"}, {"events": "{"}]
)
def test_broken_form_is_refused(client: FlaskClient, store: Store, game: str, broken: dict[str, str]) -> None:
    form = settle_form(look(client, 8, event='{"kind":"card_laid","player":"p1","card":"c03"}'))
    assert press(client, form, **broken).status_code == 400
    assert head(store) == 9


@pytest.mark.parametrize("name", ["textual", "broken"])
@pytest.mark.parametrize("address", ["steps/3/correct?do=insert", "rule", "check", "history"])
def test_game_that_can_only_be_read_offers_no_forms(client: FlaskClient, name: str, address: str) -> None:
    answer = client.get(f"/games/{name}/{address.replace('3', '2') if name == 'textual' else address}")
    assert answer.status_code == 200
    assert Page(answer.text).forms == []


def test_step_that_cannot_be_read_is_corrected(client: FlaskClient, store: Store) -> None:
    assert not store.game("broken").position().readable
    page = Page(client.get("/games/broken/steps/2/correct").text)
    seen = press(client, page.form("/correct"), event=page.taps()[0].value)
    assert "It cannot be drawn." in seen.text
    assert press(client, settle_form(seen), rest="remove").status_code == 303
    assert store.game("broken").position().readable


def test_what_was_dealt_goes_only_when_asked_for(client: FlaskClient, store: Store) -> None:
    dealt = next(
        position.step for position in store.game("cards").positions(1) if position.kind == "cards_drawn"
    )
    form = form_of(client, f"/games/cards/steps/{dealt}/correct?do=remove", "/correct")
    seen = press(client, form, rest="remove")
    assert "Deal again what goes" in seen.text
    before = store.game("cards").head
    refused = press(client, settle_form(seen), rest="remove")
    assert (refused.status_code, refused.headers["X-Error-Code"]) == (422, "undo-past-draw")
    assert store.game("cards").head == before
    assert press(client, settle_form(refused), rest="remove", again="1").status_code == 303


def boards(page: str) -> list[str]:
    """Give what lies on each board of a page."""
    drawn = re.findall(r'<svg class="scene board".*?</svg>', page, re.DOTALL)
    return [
        re.sub(r"\s+", " ", board.partition('<g class="sprites"')[2].partition(">")[2]) for board in drawn
    ]


def test_boards_that_were_shown_are_those_that_come(client: FlaskClient, store: Store, game: str) -> None:
    now = boards(client.get("/games/round/steps/8").text)[0]
    laid = '{"kind":"card_laid","player":"p2","card":"c05"}'
    seen = look(client, 8, "insert", typed=laid)
    assert boards(seen.text)[::2] == [now, now]
    assert press(client, settle_form(seen)).status_code == 303
    assert boards(seen.text)[1::2] == boards(client.get("/games/round/steps/9").text) * 2
    drawn = '{"kind":"cards_drawn","player":"p2","cards":["c07","c12"]}'
    seen = look(client, 6, event=drawn)
    press(client, settle_form(seen))
    corrected = [boards(client.get(f"/games/round/steps/{step}").text)[0] for step in (6, 9)]
    assert boards(seen.text)[1::2] == corrected
    assert corrected[0] != corrected[1]
    seen = look(client, 9, typed="p2: lay c06; p2: lay c05")
    assert seen.status_code == 422
    seen = look(client, 8, typed="p1: lay c03; p2: lay c05", rest="remove")
    press(client, settle_form(seen), rest="remove")
    assert boards(seen.text)[1] == boards(client.get("/games/round/steps/9").text)[0]


@pytest.mark.parametrize("do", ["replace", "insert"])
@pytest.mark.parametrize("typed", [";", " ; ;", ""])
def test_a_text_without_a_move_corrects_nothing(
    client: FlaskClient, store: Store, game: str, do: str, typed: str
) -> None:
    sent = {"key": "k" * 12, "after": "9", "seq": "7", "do": do, "reason": ""}
    answers = [
        client.post("/games/round/steps/6/correct", data={**sent, "typed": typed}, headers=HERE),
        client.post("/games/round/steps/6/correct/settle", data={**sent, "typed": typed}, headers=HERE),
        client.post("/games/round/steps/6/correct", data={**sent, "events": f'["{typed}"]'}, headers=HERE),
        client.post(
            "/games/round/steps/6/correct/settle", data={**sent, "events": f'["{typed}"]'}, headers=HERE
        ),
    ]
    assert {(one.status_code, one.headers.get("X-Error-Code")) for one in answers} == {
        (422, "nothing-to-record")
    }
    assert head(store) == 9


def test_a_consequence_is_not_settled_by_a_text_without_a_move(
    client: FlaskClient, store: Store, game: str
) -> None:
    sent = {"settle.7": "other", "typed.7": " ; ", "settle.8": "remove", "settle.9": "remove"}
    answer = press(client, settle_form(look(client, 5, "remove")), **sent)
    assert answer.status_code == 422
    assert head(store) == 9


def test_a_correction_sent_again_is_told_what_it_was_told_first(
    client: FlaskClient, store: Store, game: str
) -> None:
    sent = {"key": "k" * 12, "after": "9", "seq": "6", "do": "remove", "reason": "seen wrongly"}
    sent |= {"settle.7": "remove", "settle.8": "remove", "settle.9": "remove"}

    def send() -> TestResponse:
        to = "/games/round/steps/5/correct/settle"
        return client.post(to, data=sent, headers={**HERE, "Accept": "application/json"})

    first = send()
    assert first.status_code == 201
    store.do("round", Undo())
    again = send()
    assert (again.status_code, again.get_json()) == (200, {**first.get_json(), "repeated": True})
    assert first.get_json()["seq"] == 10
