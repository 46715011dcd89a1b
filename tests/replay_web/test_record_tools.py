"""History, rulings and table checks without scripts: who is shown what, what is recorded, what comes back."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.log.rows import NewEvent
from eventstore.recording.amending import HistoryEdit, Remove, Replace
from eventstore.recording.commands import Amend, Check, Deal, New, Record, Rule, Undo
from eventstore.store import Store
from games.core import serialization
from games.core.events import Change, RecordChecked, RecordRuled
from games.examples.high_card import CardLaid, CardPassed, CardsDrawn
from replay_web import create_app
from tests.replay_web.samples import play
from tests.replay_web.sheets import HERE, Page, head, press


def history(client: FlaskClient, query: str = "") -> str:
    return client.get(f"/games/round/history{query}").text


def lines(page: str) -> dict[int, tuple[str, str]]:
    """Give what became of each event, and how it stands in the log."""
    found = re.findall(r'<li class="log-(\w+)" id="event-(\d+)">.*?<div><p>(.*?)</p>', page, re.DOTALL)
    return {int(seq): (fate, said) for fate, seq, said in found}


# --- history ---


def test_every_line_stands_in_the_history_with_what_became_of_it(
    client: FlaskClient, store: Store, game: str
) -> None:
    store.do(
        "round",
        Amend([HistoryEdit(7, Replace([CardsDrawn("p2", ("c07", "c12"))])), HistoryEdit(9, Remove())]),
    )
    store.do("round", Record([CardLaid("p1", "c03")]))
    store.do("round", Undo())
    store.do("round", Rule("agreed", changes=[{"at": "/points/p1", "now": 2}]))
    page = history(client)
    found = lines(page)
    assert list(found) == list(range(14, 0, -1))
    assert found[7] == ("replaced", "<del>Bo draws c07, c08.</del>")
    assert found[9] == ("removed", "<del>Ann lays c02.</del>")
    assert found[10] == ("rewrite", "Corrected: 2 steps taken out, 1 put in.")
    assert found[11] == ("shown", "Bo draws c07, c12.")
    assert found[12] == ("undone", "<del>Ann lays c03.</del>")
    assert found[13] == ("rewrite", "Undone: the game is again what it was after event 11.")
    assert found[14][0] == "shown"
    assert '<span class="badge loud">ruling</span>' in found[14][1]
    assert '<span class="badge">amended</span>' in page


def test_undone_line_is_restored_by_one_click_after_new_moves(
    client: FlaskClient, store: Store, game: str
) -> None:
    store.do("round", Undo(2))
    store.do("round", Record([CardPassed("p2", "c08")]))
    page = history(client)
    assert "What was taken back" in page
    assert '<li><span class="number">7</span> Bo passes c07.</li>' in page
    form = Page(page).form("/restore")
    (button,) = form.buttons("to")
    sent = form.sent_by(button)
    answers = [client.post(form.action, data=sent, headers=HERE) for _ in range(2)]
    assert [answer.location for answer in answers] == ["/games/round/steps/8"] * 2
    assert head(store) == 13
    assert list(store.game("round").runs) == list(range(1, 10))
    assert "Bo passes c08." in history(client)  # what came instead is the line that was left now


def test_late_click_on_restore_is_a_clash(client: FlaskClient, store: Store, game: str) -> None:
    store.do("round", Undo())
    form = Page(history(client)).form("/restore")
    sent = form.sent_by(form.buttons("to")[0])
    store.do("round", Record([CardLaid("p2", "c05")]))
    answer = client.post(form.action, data=sent, headers=HERE)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (409, "conflict")
    assert "Bo lays c05" in Page(answer.text).alert


def test_restoring_a_line_without_the_cards_that_were_dealt_asks(client: FlaskClient, store: Store) -> None:
    store.do(None, New("high-card", ["Ann", "Bo"], game="round", origin="dealt"))
    store.do("round", Deal(until_decision=False))
    store.do("round", Undo(again=True))
    store.do("round", Deal())
    seen = {line.tip for line in store.game("round").history.lines(head(store))}
    form = Page(history(client)).form("/restore")
    (button,) = form.buttons("to")
    assert {int(button.value)} == seen
    refused = client.post(form.action, data=form.sent_by(button), headers=HERE)
    assert (refused.status_code, refused.headers["X-Error-Code"]) == (422, "undo-past-draw")
    assert "Step 1 was dealt by Tabletape" in Page(refused.text).alert
    assert store.game("round").steps == 2
    (again,) = (one for one in Page(refused.text).forms if one.buttons("again"))
    done = client.post(again.action, data=again.sent_by(again.buttons("again")[0]), headers=HERE)
    assert (done.status_code, done.location) == (303, "/games/round/steps/1")


def test_undo_past_a_card_that_became_known_is_flagged(client: FlaskClient, store: Store, game: str) -> None:
    store.do("round", Undo())
    assert "become known" not in history(client)
    assert "became known" not in history(client)
    store.do("round", Undo())  # Ann had seen what Bo passed
    assert re.search(r"Took back a card that had become known</b> to Ann\.", history(client))
    store.do("round", Undo())  # Bo had seen what they drew
    assert re.search(r"Took back a card that had become known</b> to Bo\.", history(client))
    assert re.search(r"A card became known</b> to Ann, Bo in it", history(client))
    store.do("round", Undo())  # everybody had seen what was turned
    assert re.search(r"Took back a card that had become known</b> to everybody\.", history(client))


def test_restricted_viewer_gets_the_game_as_they_observe_it_and_nothing_else(
    client: FlaskClient, store: Store, game: str
) -> None:
    store.do(
        "round", Amend([HistoryEdit(7, Replace([CardsDrawn("p2", ("c07", "c12"))]))], reason="peeked at c12")
    )
    store.do("round", Undo())
    store.do("round", Record([CardLaid("p2", "c05")]))
    for viewer in ("p1", "table"):
        page = history(client, f"?as={viewer}")
        for hidden in ("c08", "c12", "c05", "peeked", "undone", "Undone", "replaced", "event-"):
            assert hidden not in page.partition("<ol")[2], (viewer, hidden)
        assert Page(page).forms == []
        assert page.count("<li>") == store.game("round").steps + 1


def test_long_history_has_pages(client: FlaskClient, store: Store) -> None:
    first, last = (client.get(f"/games/star/history{query}").text for query in ("?page=1", ""))
    assert 'id="event-128"' in first
    assert 'id="event-129"' not in first
    assert 'id="event-129"' in last
    assert 'id="event-128"' not in last
    told = client.get("/games/cards/history?as=p1&page=1").text
    assert '<span class="number">0</span>' in told


# --- rulings ---


def test_move_that_the_rules_refuse_is_recorded_with_its_reason(
    client: FlaskClient, store: Store, game: str
) -> None:
    form = Page(client.get("/games/round/rule").text).form("/rule")
    move = '{"kind":"cards_drawn","player":"p1","cards":["c09","c10"]}'
    answer = press(client, form, typed=move, reason="they had won, we looked again")
    assert (answer.status_code, answer.location) == (303, "/games/round/steps/9")
    ruled = store.game("round").position().event
    assert isinstance(ruled, RecordRuled)
    assert ruled.reason == "they had won, we looked again"
    assert press(client, form, typed=move, reason="they had won, we looked again").status_code == 303
    assert head(store) == 10


def test_places_of_the_state_are_said_in_words_beside_their_paths(
    client: FlaskClient, store: Store, game: str
) -> None:
    def said(where: str) -> list[str]:
        text = client.get(where).text
        return [
            ": ".join(one) for one in re.findall(r"<label><span>(.*?)<br><small><code>(.*?)</code>", text)
        ]

    assert "Points · Ann: /points/p1" in said("/games/round/rule")
    hands = client.get("/games/round/rule?within=/hands").text
    assert "those that stand in the record, in Hands <code>/hands</code>." in hands
    assert said("/games/round/rule?within=/hands")[:2] == [
        "Ann · known: /hands/p1/known",
        "Ann · unknown: /hands/p1/unknown",
    ]
    play(store, "lands", "legend-of-monopoly", ["Ann", "Bo"], most=60)
    assert "Tanimura · owner: /lands/26/owner" in said("/games/lands/rule?within=/lands")
    play(store, "monsters", "monster-maker", ["Ann", "Bo"], most=60)
    assert said("/games/monsters/rule?within=/draw")[0] == "No. 1 · known: /draw/0/known"


def test_state_is_patched_by_the_fields_that_were_changed(
    client: FlaskClient, store: Store, game: str
) -> None:
    form = Page(client.get("/games/round/rule").text).forms[1]
    assert {"now:/points/p1", "now:/round"} <= {one.name for one in form.controls}
    now = {one.name: one.value for one in form.controls if one.name.startswith("now:")}
    answer = press(client, form, **{**now, "now:/points/p1": "2"}, reason="a card had slid under the box")
    assert answer.status_code == 303
    event = store.game("round").position().event
    assert isinstance(event, RecordRuled)
    assert [(change.at, change.was, change.now) for change in event.changes] == [("/points/p1", 0, 2)]


def test_values_of_the_state_are_shown_and_read_in_words(client: FlaskClient, store: Store) -> None:
    store.do(None, New("monsters-forever", ["Ann", "Bo"], game="granted"))
    text = client.get("/games/granted/rule").text
    form = next(one for one in Page(text).forms if any(field.name == "was:/phase" for field in one.controls))
    shown = {one.name: one.value for one in form.controls if one.name.startswith("now:")}
    assert [shown[f"now:/{name}"] for name in ("phase", "retreat", "pantry_open", "move", "frozen")] == [
        *("turn", "nothing", "no", "1", "{}")
    ]
    assert text.index("Lists, as JSON") < text.index('name="now:/frozen"')
    assert text.index('name="now:/phase"') < text.index("<summary>Pantry</summary>")
    answer = press(client, form, **{**shown, "now:/moved": "a2", "now:/pantry_open": "yes"}, reason="so")
    assert answer.status_code == 303
    ruled = store.game("granted").position().event
    assert isinstance(ruled, RecordRuled)
    assert [(change.at, change.was, change.now) for change in ruled.changes] == [
        ("/pantry_open", False, True),
        ("/moved", None, "a2"),
    ]


def test_part_of_the_state_is_opened_by_a_link(client: FlaskClient, store: Store, game: str) -> None:
    assert "within=/hands" in client.get("/games/round/rule").text
    form = Page(client.get("/games/round/rule?within=/hands").text).forms[1]
    shown = {one.name: one.value for one in form.controls}
    assert shown["now:/hands/p1/known"] == '["c03","c07"]'
    assert shown["now:/hands/p1/unknown"] == "0"


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"what": "move", "typed": "", "reason": "so"}, "nothing-to-record"),
        ({"what": "move", "typed": "p2: lay c05", "reason": "so"}, "no-ruling-needed"),
        ({"what": "move", "typed": "p2: lay c05", "reason": " "}, "bad-detail"),
        ({"what": "state", "reason": "so"}, "nothing-to-record"),
        ({"what": "state", "reason": "so", "at": "/nowhere", "now": "1"}, "no-such-place"),
        ({"what": "state", "reason": "so", "at": "/round", "now": "many"}, "ruling-mistyped"),
        ({"what": "state", "reason": "so", "at": "/deck", "now": "40"}, "ruling-breaks-the-count"),
        ({"what": "state", "reason": "so", "was:/round": "7", "now:/round": "8"}, "ruling-does-not-fit"),
    ],
)
def test_ruling_that_cannot_be_is_refused_and_what_was_typed_stays(
    client: FlaskClient, store: Store, game: str, sent: dict[str, str], code: str
) -> None:
    data = {"key": "k" * 12, "after": "9", **sent}
    answer = client.post("/games/round/rule", data=data, headers=HERE)
    assert answer.headers["X-Error-Code"] == code
    assert answer.status_code == 422
    assert Page(answer.text).alert
    assert f">{sent['reason']}</textarea>" in answer.text
    assert head(store) == 9


def test_game_with_a_ruling_that_the_rules_cannot_follow_opens_and_offers_undo_and_correction(
    client: FlaskClient, store: Store, game: str
) -> None:
    slip = RecordRuled("a slip", (Change("/hands/p7", None, 40),))
    rows = [NewEvent("record.ruled", serialization.encode_event(slip))]
    last = head(store)
    store.log.append(game, rows, after=last, command_id="a-slip", request="x")
    step = store.game(game).steps
    pages = ("record", f"steps/{step}", f"frames?from=0&to={step}", "check", "rule", f"steps/{step}/correct")
    assert {client.get(f"/games/{game}/{page}").status_code for page in pages} == {200}
    page = client.get(f"/games/{game}/record").text
    assert f"From event {last + 1} of game {game} the rules cannot go on: " in page
    assert "The rules cannot go on from here. Undo takes" in page
    assert f"/games/{game}/steps/{step}/correct" in page
    undo = next(form for form in Page(page).forms if form.action.endswith("/undo"))
    assert press(client, undo).status_code == 303
    assert store.game(game).position().readable


def test_late_ruling_is_a_clash(client: FlaskClient, store: Store, game: str) -> None:
    form = Page(client.get("/games/round/rule").text).form("/rule")
    store.do("round", Record([CardLaid("p2", "c05")]))
    answer = press(client, form, typed="p1: lay c03", reason="so")
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (409, "conflict")
    assert "Bo lays c05" in Page(answer.text).alert
    assert head(store) == 10


def test_refused_move_leads_to_a_ruling(client: FlaskClient, store: Store, game: str) -> None:
    data = {"key": "k" * 12, "after": "9", "typed": "p1: lay c03"}
    page = client.post("/games/round/events", data=data, headers=HERE).text
    assert 'href="/games/round/rule?typed=p1:+lay+c03&amp;back=record"' in page
    assert 'value="p1: lay c03"' in client.get("/games/round/rule?typed=p1:+lay+c03").text
    told = client.post("/games/round/events?as=p1", data=data, headers=HERE).text
    assert "/rule" not in told
    unclear = client.post("/games/round/events", data={**data, "typed": "p1: lie c03"}, headers=HERE)
    assert unclear.headers["X-Error-Code"] == "not-understood"
    assert "Agreed on at the table all the same" not in unclear.text, "nothing was understood to rule on"


def test_ruling_made_while_recording_leads_back_to_it(client: FlaskClient, store: Store, game: str) -> None:
    page = Page(client.get("/games/round/rule?back=record").text)
    move = '{"kind":"cards_drawn","player":"p1","cards":["c09","c10"]}'
    answer = press(client, page.form("/rule"), typed=move, reason="so")
    assert answer.location == "/games/round/record#sheet"


def test_the_table_grants_moves_that_the_turn_has_not(client: FlaskClient, store: Store) -> None:
    store.do(None, New("monsters-forever", ["Ann", "Bo"], game="granted"))
    store.do("granted", Record([{"kind": "creature_moved", "team": "A", "from": "A6", "to": "A5"}]))
    for move in ("A8-A6", "A4-A7"):
        form = Page(client.get("/games/granted/rule").text).form("/rule")
        assert press(client, form, typed=move, reason="two more moves").status_code == 303
    now = store.game("granted").position()
    assert (now.state.extra, now.state.move) == (0, 0), "nothing is owed for it"
    assert now.caption(store.game("granted").names) == (
        "Ruling: Ann moves Zombies from A4 to A7. Two more moves."
    )
    form = Page(client.get("/games/granted/rule").text).form("/rule")
    onto_another = press(client, form, typed="A7-A6", reason="they <may>")
    assert onto_another.headers["X-Error-Code"] == "cannot-be-kept"
    assert (
        "cannot be ruled as it stands: After this ruling there are 35 creatures, not 36." in onto_another.text
    )
    assert 'href="#patch-title"' in onto_another.text
    assert onto_another.text.count(">they &lt;may&gt;</textarea>") == 2, (
        "the reason is there for the other way"
    )


# --- table checks ---


def check(client: FlaskClient, query: str = "", **claims: str) -> TestResponse:
    form = Page(client.get(f"/games/round/check{query}").text).form("/check")
    return press(client, form, **{f"at:{name}": value for name, value in claims.items()})


def test_check_that_holds_says_so(client: FlaskClient, store: Store, game: str) -> None:
    answer = check(client, deck="4", discards="2")
    assert answer.location == "/games/round/check?step=9"
    page = client.get(answer.location).text
    assert "The record holds" in page
    assert "<dt>Deck</dt><dd>4</dd>" in page


def test_drift_names_the_stretch_and_opens_the_correction_there(
    client: FlaskClient, store: Store, game: str
) -> None:
    store.do("round", Undo(3))
    check(client, deck="6")  # holds, at step 6
    store.do("round", Record([CardsDrawn("p2", ("c07", "c08")), CardPassed("p2", "c07")]))
    page = client.get(check(client, deck="5", discards="2").location).text
    assert "The record drifted" in page
    assert "went wrong between steps 7 and 8" in page
    assert re.findall(r'href="(/games/round/steps/\d+/correct)\?back=record"', page) == [
        "/games/round/steps/7/correct",
        "/games/round/steps/8/correct",
    ]
    changed, left = page.partition("<details")[::2]
    assert "steps/7/correct" in changed, "cards were drawn"
    assert "steps/8/correct" in left
    assert "1 step that left it as it was" in left
    assert "<dt>Discard pile</dt><dd>2</dd>" in page
    step = client.get("/games/round/steps/9").text
    assert "Deck: 5 on the table, 4 in the record." in step
    assert 'href="/games/round/check?step=9"' in step
    assert step.count("CHECK FAILED") == 1


def test_drift_without_a_step_between_blames_the_look(client: FlaskClient, store: Store, game: str) -> None:
    check(client, deck="4")
    page = client.get(check(client, deck="5").location).text
    assert "nothing was recorded since" in page


def test_check_of_places_and_of_figures_that_are_not_there_yet(client: FlaskClient, store: Store) -> None:
    store.do(None, New("monstropoly-battle", ["Ann", "Bo"], game="battle"))
    form = Page(client.get("/games/battle/check").text).form("/check")
    figure = next(one.name for one in form.controls if one.name.endswith("decided"))
    answer = press(client, form, **{figure: "smaller"})
    assert "smaller on the table" in client.get(answer.location.replace("check?step=", "steps/")).text
    form = Page(client.get("/games/star/check").text).form("/check")
    places = [one.name for one in form.controls if one.name.startswith("at:")][-2:]
    answer = press(client, form, **dict.fromkeys(places, "–"))
    claims = store.game("star").position().event
    assert isinstance(claims, RecordChecked)
    assert [claim.value for claim in claims.claims] == [None, None]
    assert answer.status_code == 303


def test_check_from_a_seat_asks_for_what_it_sees(client: FlaskClient, store: Store, game: str) -> None:
    answer = check(client, "?as=p1", deck="5")
    assert answer.location == "/games/round/check?step=9&as=p1"
    page = client.get(answer.location).text
    assert "went wrong between steps 1 and 8" in page
    assert "/correct" not in page.partition("<main")[2]
    assert "c08" not in page


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({}, "nothing-to-record"),
        ({"at:deck": "many"}, "no-such-value"),
        ({"at:nowhere": "1"}, "unknown-claim"),
    ],
)
def test_check_that_claims_nothing_or_nonsense_is_refused(
    client: FlaskClient, store: Store, game: str, claims: dict[str, str], code: str
) -> None:
    data = {"key": "k" * 12, "after": "9", **claims}
    answer = client.post("/games/round/check", data=data, headers=HERE)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, code)
    assert head(store) == 9


@pytest.mark.parametrize("typed", ["12345678901234567890", "-12345678901234567890", "1" * 5000])
@pytest.mark.parametrize("at", ["deck", "hand.p1", "nowhere"])
def test_a_number_that_is_too_long_to_keep_is_no_claim(
    client: FlaskClient, store: Store, game: str, at: str, typed: str
) -> None:
    data = {"key": "k" * 12, "after": "9", f"at:{at}": typed}
    answer = client.post("/games/round/check", data=data, headers=HERE)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "no-such-value")
    assert head(store) == 9


def test_a_check_sent_again_is_told_what_it_was_told_first(
    client: FlaskClient, store: Store, game: str
) -> None:
    sent = {"key": "k" * 12, "after": "9", "at:deck": "5"}
    first, again = (
        client.post("/games/round/check", data=sent, headers={**HERE, "Accept": "application/json"})
        for _ in range(2)
    )
    assert first.get_json()["drifts"] != []
    assert again.get_json() == {**first.get_json(), "repeated": True}
    store.do("round", Undo(3))
    store.do("round", Record([CardPassed("p2", "c08")]))
    later = client.post("/games/round/check", data=sent, headers={**HERE, "Accept": "application/json"})
    assert (later.status_code, later.get_json()) == (200, again.get_json())


def test_a_check_that_somebody_undoes_at_once_is_answered_all_the_same(
    client: FlaskClient, store: Store, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = store.commit

    def and_undone(decision: Any, *more: Any) -> Any:
        answer = commit(decision, *more)
        if isinstance(decision.command, Check):
            store.do("round", Undo(2))
        return answer

    monkeypatch.setattr(store, "commit", and_undone)
    sent = {"key": "k" * 12, "after": "9", "at:deck": "5"}
    answer = client.post("/games/round/check", data=sent, headers={**HERE, "Accept": "application/json"})
    assert answer.status_code == 201
    assert [one["at"] for one in answer.get_json()["drifts"]] == ["deck"]


@pytest.mark.parametrize("reason", ["", "  ", "\x1b[2J", "a\x00b", "x" * 60_000])
@pytest.mark.parametrize("kind", ["ruled", "closed"])
def test_whatever_way_a_reason_comes_it_is_a_text(
    client: FlaskClient, store: Store, game: str, kind: str, reason: str
) -> None:
    ruled = {"kind": "record.ruled", "changes": [{"at": "/points/p1", "was": 0, "now": 9}]}
    event = {**(ruled if kind == "ruled" else {"kind": "record.closed", "how": "agreed"}), "reason": reason}
    sent = {"key": "k" * 12, "after": "9", "event": json.dumps(event)}
    answer = client.post("/games/round/events", data=sent, headers=HERE)
    taken = kind == "closed" and not reason.strip()
    assert answer.status_code == (303 if taken else 422)
    assert head(store) == 9 + taken


def test_late_check_is_a_clash(client: FlaskClient, store: Store, game: str) -> None:
    form = Page(client.get("/games/round/check").text).form("/check")
    store.do("round", Record([CardLaid("p2", "c05")]))
    answer = press(client, form, **{"at:deck": "4"})
    assert answer.status_code == 409
    assert 'name="at:deck" inputmode="numeric"' in answer.text
    assert 'value="4"' in answer.text


# --- marks ---


def test_corrected_steps_and_rulings_are_marked_in_pages_list_and_frames(
    client: FlaskClient, store: Store, game: str
) -> None:
    store.do("round", Amend([HistoryEdit(7, Replace([CardsDrawn("p2", ("c07", "c12"))]))]))
    store.do("round", Rule("agreed", changes=[{"at": "/points/p1", "now": 2}]))
    page = client.get("/games/round/steps/6").text
    assert "This step was put here by a correction." in page
    assert '<span class="marks">amended</span>' in page
    assert '<span class="marks">RULING</span>' in page
    frames = client.get("/games/round/frames?from=0&to=9").get_json()["frames"]
    assert [frame["marks"] for frame in frames] == ["", "", "", "", "", "", "amended", "", "", "RULING"]
    listed = client.get("/games").text
    assert '<span class="badge">amended</span>' in listed
    assert '<span class="badge loud">1 ruling</span>' in listed
    store.do("round", Undo(2))
    assert ">amended<" not in client.get("/games").text


def test_failed_checks_are_marked_in_the_list_for_who_may_know_what_the_record_knows(
    client: FlaskClient, store: Store, game: str
) -> None:
    visitor = create_app(store, guarded=True).test_client()
    store.do("round", Check({"deck": 4}))
    assert "failed</span>" not in client.get("/games").text
    store.do("round", Check({"deck": 5}))
    assert '<span class="badge loud">check failed</span>' in client.get("/games").text
    assert "failed</span>" not in visitor.get("/games").text
    store.do("round", Check({"discards": 40}))
    assert '<span class="badge loud">2 checks failed</span>' in client.get("/games").text
    store.do("star", Check({store.game("star").position().scene().counters[0].key: 99}))
    assert visitor.get("/games").text.count('<span class="badge loud">check failed</span>') == 1
