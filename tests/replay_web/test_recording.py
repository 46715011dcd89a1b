"""Recording through the pages: once for each form, nothing lost, what others recorded meanwhile is shown."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.recording.commands import Deal, New, Record, Undo
from eventstore.recording.typed_lines import read_line
from eventstore.store import Store
from games.core import serialization
from games.core.events import RecordClosed, kind_of
from games.core.start import data_file
from games.testing import playout
from replay_web import create_app
from replay_web.models.event_values import independent
from tests.replay_web.samples import registry
from tests.replay_web.sheets import Form, Page

HERE = {"Sec-Fetch-Site": "same-origin"}
JSON = {**HERE, "Accept": "application/json"}
FIRST = '{"kind":"creature_moved","team":"A","from":"A6","to":"A5"}'


@pytest.fixture
def game(store: Store) -> str:
    return store.do(None, New("monsters-forever", ["Ann", "Bo"], game="fresh")).game.id


@pytest.fixture
def dealt(store: Store) -> str:
    return store.do(None, New("high-card", ["Ann", "Bo"], game="dealt", origin="dealt")).game.id


def page(client: FlaskClient, game: str = "fresh", query: str = "") -> Page:
    answer = client.get(f"/games/{game}/record{query}")
    assert answer.status_code == 200
    return Page(answer.text)


def press(
    client: FlaskClient, form: Form, button: Any = None, /, headers: Any = None, **filled: Any
) -> TestResponse:
    return client.post(form.action, data=form.sent_by(button, **filled), headers=headers or HERE)


def tap(client: FlaskClient, event: str, shown: Page, **more: Any) -> TestResponse:
    button = next(one for one in shown.taps() if one.value == event)
    return press(client, button.form, button, **more)


def payloads(store: Store, game: str) -> list[str]:
    return [event.payload for event in store.log.events(game)]


# --- tapping and typing ---


def test_tap_records_and_leads_back_to_the_sheet(client: FlaskClient, store: Store, game: str) -> None:
    answer = tap(client, FIRST, page(client))
    assert (answer.status_code, answer.location) == (303, "/games/fresh/record#sheet")
    assert payloads(store, game)[1:] == [FIRST]


def test_typed_moves_are_one_command(client: FlaskClient, store: Store, game: str) -> None:
    typed = page(client).form("/events")
    typed = next(form for form in page(client).forms if any(one.name == "typed" for one in form.controls))
    assert press(client, typed, typed=" A6-A5; . ").status_code == 303
    assert [json.loads(text)["kind"] for text in payloads(store, game)[1:]] == [
        "creature_moved",
        "turn_ended",
    ]
    assert len(store.log.commits(game)) == 2


def test_typed_move_that_is_refused_stays_in_its_field_beside_the_reason(
    client: FlaskClient, game: str
) -> None:
    typed = next(form for form in page(client).forms if any(one.name == "typed" for one in form.controls))
    answer = press(client, typed, typed="A6-A2")
    assert answer.status_code == 422
    shown = Page(answer.text)
    field = next(one for form in shown.forms for one in form.controls if one.name == "typed")
    assert field.value == "A6-A2"
    assert field.attributes["aria-describedby"] == "refusal"
    assert "A2" in shown.alert
    assert answer.headers["X-Error-Code"] != ""
    assert FIRST in {one.value for one in shown.taps()}


def entered(form: Form) -> Any:
    """Give the button that Enter in a field of the form presses."""
    return form.buttons()[0]


def test_enter_after_a_refusal_records_what_is_typed_and_no_suggestion(
    client: FlaskClient, store: Store, game: str
) -> None:
    (typed,) = (one.form for form in page(client).forms for one in form.controls if one.name == "typed")
    shown = Page(press(client, typed, entered(typed), typed="A6-A2").text)
    assert len(shown.taps()) > len(page(client).taps())
    (typed,) = (one.form for form in shown.forms for one in form.controls if one.name == "typed")
    assert press(client, typed, entered(typed), typed="A4-A7").status_code == 303
    assert payloads(store, game)[1:] == [FIRST.replace("A6", "A4").replace("A5", "A7")]


def test_enter_after_a_refusal_of_a_form_sends_that_form(client: FlaskClient, store: Store) -> None:
    game = store.do(None, New("legend-of-monopoly", ["Ann", "Bo"])).game.id
    filled = next(form for form in page(client, game).forms if form.buttons("fixed"))
    shown = Page(press(client, filled, entered(filled)).text)
    again = next(form for form in shown.forms if form.buttons("fixed"))
    assert shown.alert
    assert entered(again).name == "fixed"


def test_last_three_entries_are_echoed(client: FlaskClient, store: Store, game: str) -> None:
    store.do(game, Record(read_line(store.game(game), "A6-A5; .")))
    text = client.get("/games/fresh/record").text
    echoed = text.split('class="echoed"')[1].split("</ol>")[0]
    assert echoed.count("<li") == 3
    assert "A6" in echoed


# --- once ---


@pytest.mark.parametrize("headers", [HERE, JSON])
def test_form_sent_twice_records_once(
    client: FlaskClient, store: Store, game: str, headers: dict[str, str]
) -> None:
    shown = page(client)
    first, again = (tap(client, FIRST, shown, headers=headers) for _ in range(2))
    assert payloads(store, game)[1:] == [FIRST]
    if headers is JSON:
        assert (first.status_code, again.status_code) == (201, 200)
        assert again.json is not None
        assert again.json["repeated"] is True
        assert again.json["seq"] == 2
    else:
        assert (first.status_code, again.status_code) == (303, 303)


def test_typed_form_sent_twice_is_not_read_again(client: FlaskClient, store: Store, game: str) -> None:
    typed = next(form for form in page(client).forms if any(one.name == "typed" for one in form.controls))
    assert [press(client, typed, typed="A6-A5; .").status_code for _ in range(2)] == [303, 303]
    assert len(payloads(store, game)) == 3


def test_undo_sent_twice_undoes_once(client: FlaskClient, store: Store, game: str) -> None:
    store.do(game, Record(read_line(store.game(game), "A6-A5; .")))
    undo = page(client).form("/undo")
    assert [press(client, undo).status_code for _ in range(2)] == [303, 303]
    assert store.game(game).steps == 1


def test_second_button_of_an_old_page_is_a_clash(client: FlaskClient, store: Store, game: str) -> None:
    shown = page(client)
    other = next(one for one in shown.taps() if "creature_moved" in one.value and one.value != FIRST)
    tap(client, FIRST, shown)
    assert press(client, other.form, other).status_code == 409
    assert payloads(store, game)[1:] == [FIRST]


# --- several recorders ---


def test_clash_shows_what_was_recorded_meanwhile_and_keeps_what_was_typed(
    client: FlaskClient, store: Store, game: str
) -> None:
    typed = next(form for form in page(client).forms if any(one.name == "typed" for one in form.controls))
    store.do(game, Record(read_line(store.game(game), "A6-A5")))
    answer = press(client, typed, typed="A8-A7")
    assert answer.status_code == 409
    shown = Page(answer.text)
    assert "A6" in shown.alert
    again = next(form for form in shown.forms if any(one.name == "typed" for one in form.controls))
    field = next(one for one in again.controls if one.name == "typed")
    assert field.value == "A8-A7"
    assert again.sent_by(None)["after"] == "2"
    assert len(payloads(store, game)) == 2


def test_clash_as_json_has_the_head_and_the_entries(client: FlaskClient, store: Store, game: str) -> None:
    shown = page(client)
    store.do(game, Record(read_line(store.game(game), "A6-A5")))
    answer = tap(client, FIRST, shown, headers=JSON)
    assert answer.status_code == 409
    error = answer.json["error"] if answer.json else {}
    assert (error["code"], error["head"]) == ("conflict", 2)
    assert [item["step"] for item in error["meanwhile"]] == [1]


def test_clash_over_an_undo_says_so(client: FlaskClient, store: Store, game: str) -> None:
    store.do(game, Record(read_line(store.game(game), "A6-A5")))
    shown = page(client)
    store.do(game, Undo())
    turn = next(one for one in shown.taps() if "turn_ended" in one.value)
    answer = press(client, turn.form, turn)
    assert answer.status_code == 409
    assert "taken back" in Page(answer.text).alert


# --- undo and redo ---


def test_undo_and_redo_are_always_there(client: FlaskClient, store: Store, game: str) -> None:
    store.do(game, Record(read_line(store.game(game), "A6-A5")))
    assert press(client, page(client).form("/undo")).status_code == 303
    assert store.game(game).steps == 0
    assert press(client, page(client).form("/redo")).status_code == 303
    assert store.game(game).steps == 1


@pytest.mark.parametrize(("way", "code"), [("/undo", "nothing-to-undo"), ("/redo", "nothing-to-redo")])
def test_undo_at_the_first_step_says_so(client: FlaskClient, game: str, way: str, code: str) -> None:
    answer = press(client, page(client).form(way))
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, code)
    assert "first step" in Page(answer.text).alert or "nothing was undone" in Page(answer.text).alert
    assert game not in Page(answer.text).alert


def disabled(client: FlaskClient, game: str) -> dict[str, bool]:
    shown = page(client, game)
    return {way: "aria-disabled" in shown.form(way).buttons()[0].attributes for way in ("/undo", "/redo")}


def test_undo_and_redo_look_as_if_they_do_something_only_where_they_do(
    client: FlaskClient, store: Store, game: str
) -> None:
    assert disabled(client, game) == {"/undo": True, "/redo": True}
    store.do(game, Record(read_line(store.game(game), "A6-A5")))
    assert disabled(client, game) == {"/undo": False, "/redo": True}
    store.do(game, Undo())
    assert disabled(client, game) == {"/undo": True, "/redo": False}
    told = client.get(f"/games/{game}/record?part=1").get_json()["part"]
    assert (told["undo"], told["redo"]) == (False, True)


def test_undo_past_a_draw_asks(client: FlaskClient, store: Store, dealt: str) -> None:
    deal = page(client, dealt).form("/deal")
    assert press(client, deal).status_code == 303
    steps = store.game(dealt).steps
    answer = press(client, page(client, dealt).form("/undo"))
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "undo-past-draw")
    assert f"Step {steps} was dealt" in Page(answer.text).alert
    shown = Page(answer.text)
    (again,) = shown.form("/undo").buttons("again")
    assert store.game(dealt).steps == steps
    assert press(client, again.form, again).status_code == 303
    assert store.game(dealt).steps == steps - 1


def test_deal_draws_what_is_due(client: FlaskClient, store: Store, dealt: str) -> None:
    deal = page(client, dealt).form("/deal")
    (every,) = deal.buttons("all")
    assert press(client, deal, every).status_code == 303
    assert not any(item.seat == "chance" and item.must for item in store.game(dealt).position().pending())


# --- who may ---


def test_form_of_another_site_is_turned_away(client: FlaskClient, store: Store, game: str) -> None:
    answer = tap(client, FIRST, page(client), headers={"Sec-Fetch-Site": "cross-site"})
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (403, "from-elsewhere")
    assert len(payloads(store, game)) == 1


def test_read_only_database_offers_no_form(store: Store, game: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(store.log.path, copy)
    for ending in ("-wal",):
        if Path(f"{store.log.path}{ending}").exists():
            shutil.copy(f"{store.log.path}{ending}", f"{copy}{ending}")
    with Store.open(copy, registry=registry(), read_only=True) as opened:
        client = create_app(opened).test_client()
        shown = page(client)
        assert [form for form in shown.forms if form.action.endswith(("/events", "/undo"))] == []
        answer = client.post(
            "/games/fresh/events", data={"key": "k" * 12, "after": "1", "event": FIRST}, headers=HERE
        )
        assert answer.status_code == 503
        assert Page(client.get("/games/new").text).forms == []


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"key": "short"}, "bad-query"),
        ({"after": "x"}, "bad-query"),
        ({"event": "nonsense"}, "malformed-event"),
    ],
)
def test_broken_form_is_refused(
    client: FlaskClient, store: Store, game: str, fields: dict[str, str], code: str
) -> None:
    data = {"key": "k" * 12, "after": "1", "event": FIRST, **fields}
    answer = client.post("/games/fresh/events", data=data, headers=HERE)
    assert answer.status_code in {400, 422}
    assert answer.headers["X-Error-Code"] == code
    assert len(payloads(store, game)) == 1


# --- a new game ---


def start_form(client: FlaskClient, ruleset: str, players: int = 2) -> Form:
    return Page(client.get(f"/games/new?ruleset={ruleset}&players={players}").text).form("/games")


def test_new_game_by_its_form(client: FlaskClient, store: Store) -> None:
    form = start_form(client, "monsters-forever", 3)
    filled = {
        "player.p1": "Ann",
        "player.p2": "Bo",
        "player.p3": "Cem",
        "title": "Kitchen",
        "played_on": "2026-09-14",
        "place": "home",
        "time_zone": "Europe/Helsinki",
        "origin": "table",
        "seen_as": "everything",
    }
    answers = [press(client, form, **filled) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0].location == answers[1].location
    game = answers[0].location.split("/")[2]
    entry = store.catalogue.get(game)
    assert [seat.name for seat in entry.seats] == ["Ann", "Bo", "Cem"]
    assert (entry.title, entry.place, entry.time_zone, entry.played_on) == (
        "Kitchen",
        "home",
        "Europe/Helsinki",
        "2026-09-14",
    )


def test_every_option_of_every_ruleset_is_asked_for_with_its_meaning(
    client: FlaskClient, store: Store
) -> None:
    for rules in store.registry.newest().values():
        text = client.get(f"/games/new?ruleset={rules.id}").text
        form = Page(text).form("/games")
        asked = {one.name.split(".")[1] for one in form.controls if one.name.startswith("option.")}
        assert asked == set(rules.options.__struct_fields__), rules.id
        assert text.count('class="meaning" id="option.') == len(asked)


def test_form_of_a_new_game_speaks_in_words(client: FlaskClient, store: Store) -> None:
    for rules in store.registry.newest().values():
        text = client.get(f"/games/new?ruleset={rules.id}").text
        said = " ".join(re.sub(r"<[^>]*>", " ", text.partition("<form")[2].partition("</form>")[0]).split())
        for code in ("{", "`", " null", "ruling R", "docs/", "optional-stay", "decline-is", "Dice 1"):
            assert code not in said, (rules.id, code)
        assert len(re.findall('type="radio"', text)) == (2 if rules.deal else 0)


def test_each_team_is_led_by_the_seat_that_was_chosen_for_it(client: FlaskClient, store: Store) -> None:
    form = start_form(client, "monsters-forever", 3)
    asked = [one for one in form.controls if one.name.startswith("option.teams.")]
    assert {one.name[-1] for one in asked} == set("ABCDEF")
    led = dict(zip("ABCDEF", ("p3", "p3", "p2", "p2", "p1", "p1"), strict=True))
    answer = press(client, form, **{f"option.teams.{team}": seat for team, seat in led.items()})
    assert answer.status_code == 303
    started = store.game(answer.location.split("/")[2]).position().started
    assert started is not None
    assert started.options.teams == led


def test_teams_that_cannot_be_stand_beside_their_field_as_they_were_chosen(
    client: FlaskClient, store: Store
) -> None:
    before = store.catalogue.list()
    form = start_form(client, "monsters-forever")
    answer = press(client, form, **{f"option.teams.{team}": "p2" for team in "ABCDEF"})
    assert answer.status_code == 422
    assert Page(answer.text).alert
    assert 'id="wrong"' in answer.text
    assert len(re.findall('<option value="p2" selected>', answer.text)) == 6
    assert store.catalogue.list() == before


def test_new_game_of_each_ruleset_as_its_form_stands(client: FlaskClient, store: Store) -> None:
    for rules in store.registry.newest().values():
        form = start_form(client, rules.id, rules.seats[0])
        options = {
            one.name: one.value
            for one in form.controls
            if one.tag == "input" and one.name.startswith("option.")
        }
        answer = press(client, form, origin="table", seen_as="everything", **options)
        assert answer.status_code == 303, answer.text
        game = answer.location.split("/")[2]
        started = store.game(game).position().started
        assert started is not None
        assert started.options == rules.suggested(started.seats), rules.id


def test_wrong_detail_stands_beside_its_field_and_all_else_is_kept(client: FlaskClient, store: Store) -> None:
    before = len(store.log.games())
    form = start_form(client, "monsters-forever")
    answer = press(client, form, title="Kept", played_on="yesterday")
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "bad-detail")
    assert "yesterday" in Page(answer.text).alert
    assert 'value="Kept"' in answer.text
    assert len(store.log.games()) == before


def test_own_cards_of_each_ruleset_are_a_file_that_its_form_takes(client: FlaskClient, store: Store) -> None:
    for rules in registry().newest().values():
        (address,) = re.findall(r'href="([^"]+)" download', client.get(f"/games/new?ruleset={rules.id}").text)
        file = client.get(address)
        assert file.headers["Content-Disposition"] == f"attachment; filename={rules.id}.json"
        assert (file.mimetype, file.text) == ("application/json", data_file(rules))
        form = start_form(client, rules.id, rules.seats[0])
        data = form.sent_by(None, data=(io.BytesIO(file.data), "own.json"))
        answer = client.post(form.action, data=data, headers=HERE)
        assert answer.status_code == 303, Page(answer.text).alert
    unknown = client.get("/rulesets/chess/data.json")
    assert (unknown.status_code, unknown.headers["X-Error-Code"]) == (404, "unknown-ruleset")


def test_new_game_takes_options_origin_eyes_and_a_card_file(client: FlaskClient, store: Store) -> None:
    rules: Any = store.registry.find("monsters-of-war")
    form = start_form(client, rules.id)
    cards = rules.load_data(None, ("p1", "p2"), rules.suggested(("p1", "p2")), "table")
    own = json.loads((Path(rules_folder(rules.id)) / "data/cards.json").read_text(encoding="utf-8"))
    answer = client.post(
        form.action,
        data=form.sent_by(
            None,
            origin="dealt",
            seen_as="p2",
            **{"option.days": "2", "data": (io.BytesIO(json.dumps(own).encode()), "own.json")},
        ),
        headers=HERE,
    )
    assert answer.status_code == 303, Page(answer.text).alert
    started = store.game(answer.location.split("/")[2]).position().started
    assert started is not None
    assert (started.origin, started.seen_as, started.options.days) == ("dealt", "p2", 2)
    assert type(started.data) is type(cards)


def test_card_file_that_does_not_fit_is_refused_beside_its_field(client: FlaskClient, store: Store) -> None:
    before = len(store.log.games())
    form = start_form(client, "monsters-of-war")
    data = form.sent_by(None, title="Kept", data=(io.BytesIO(b'{"cards": 3}'), "own.json"))
    answer = client.post(form.action, data=data, headers=HERE)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "bad-data")
    assert Page(answer.text).alert
    assert 'value="Kept"' in answer.text
    assert len(store.log.games()) == before


def rules_folder(ruleset: str) -> Path:
    return Path(__file__).parents[2] / "games" / "rulesets" / ruleset.replace("-", "_")


# --- what the sheet makes of offers ---


def hand(client: FlaskClient, store: Store) -> tuple[str, Form]:
    game = store.do(None, New("monstropoly-battle", ["Ann", "Bo"])).game.id
    form = next(one for one in page(client, game).forms if one.buttons("fixed"))
    return game, form


def dealt_hand(store: Store, game: str) -> list[str | None]:
    cards: list[str | None] = json.loads(payloads(store, game)[-1])["cards"]
    return cards


def test_cards_that_nobody_saw_are_one_tap(client: FlaskClient, store: Store) -> None:
    game, _ = hand(client, store)
    unseen = next(one for one in page(client, game).taps() if "null" in one.value)
    assert press(client, unseen.form, unseen).status_code == 303
    assert dealt_hand(store, game) == [None] * 4


def test_some_cards_of_a_hand_may_be_unseen(client: FlaskClient, store: Store) -> None:
    game, form = hand(client, store)
    (send,) = form.buttons("fixed")
    two = [one.value for one in form.controls if one.name == "some:cards"][:2]
    fields = {"some:cards": two}
    refused = press(client, form, send, **fields)
    assert (refused.status_code, refused.headers["X-Error-Code"]) == (422, "choose-some")
    again = next(one for one in Page(refused.text).forms if one.buttons("fixed"))
    kept = [one for one in again.controls if one.name == "some:cards" and "checked" in one.attributes]
    assert [one.value for one in kept] == two
    assert press(client, again, again.buttons("fixed")[0], **fields, **{"rest:cards": "1"}).status_code == 303
    assert dealt_hand(store, game) == [*(json.loads(text)[0] for text in two), None, None]


def test_cards_are_typed_by_their_first_letters(client: FlaskClient, store: Store) -> None:
    game, form = hand(client, store)
    (send,) = form.buttons("fixed")
    wrong = press(client, form, send, **{"typed:cards": "amen no. 2, amen no. 3, nobody, ox no. 2"})
    assert (wrong.status_code, wrong.headers["X-Error-Code"]) == (422, "no-such-value")
    assert "nobody" in Page(wrong.text).alert
    right = next(one for one in Page(wrong.text).forms if one.buttons("fixed"))
    assert next(one.value for one in right.controls if one.name == "typed:cards").startswith("amen no. 2")
    typed = {"typed:cards": "amen no. 2, am no. 3, lordi no. 4, ox no. 2"}
    answer = press(client, right, right.buttons("fixed")[0], **typed)
    assert answer.status_code == 303, Page(answer.text).alert
    assert dealt_hand(store, game) == ["amen-2", "amen-3", "lordi-4", "ox-2"]


def test_order_that_the_rules_need_is_found_where_scripts_cannot_tell_it(
    client: FlaskClient, store: Store
) -> None:
    game = store.do(None, New("monster-maker", ["Ann", "Bo"])).game.id
    rules: Any = store.registry.find("monster-maker")
    rng = random.Random(36)  # noqa: S311 - seeded on purpose
    while (event := playout.next_event(rules, store.game(game).position().state, rng)) is not None:
        if kind_of(event) == "bonus_dealt":
            break
        store.do(game, Record([event]))
    form = next(one for one in page(client, game).forms if one.buttons("fixed"))
    (send,) = form.buttons("fixed")
    wanted = serialization.event_to(event)["cards"]
    values = [json.dumps([card]) for card in reversed(wanted)]
    assert press(client, form, send, **{"some:cards": values}).status_code == 303
    assert dealt_hand(store, game)[-1] == wanted[-1]
    wrong = press(client, page(client, game).form("/undo"))
    assert wrong.status_code == 303
    form = next(one for one in page(client, game).forms if one.buttons("fixed"))
    refused = press(client, form, form.buttons("fixed")[0], **{"some:cards": values[1:] or values * 2})
    assert refused.status_code == 422
    assert "{p" not in Page(refused.text).alert


def test_whose_a_card_is_follows_from_the_card() -> None:
    assert independent([(b"p2", b"a"), (b"p2", b"b"), (b"p3", b"c")]) == [1]
    assert independent([(b"x", b"1"), (b"y", b"1"), (b"x", b"2")]) == [0, 1]


def test_move_typed_without_a_key_is_given_back(store: Store, game: str) -> None:
    client = create_app(store, guarded=True).test_client()
    assert [form for form in page(client).forms if form.action.endswith(("/events", "/undo"))] == []
    data = {"key": "k" * 12, "after": "1", "typed": "A6-A5; ."}
    answer = client.post("/games/fresh/events", data=data, headers=HERE)
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (403, "key-needed")
    assert "A6-A5; ." in answer.text
    assert len(payloads(store, game)) == 1


# --- what chance does in a dealt game ---


def with_a_trade_card(store: Store) -> str:
    """Play a dealt game until a player may trade or draw, whichever they like."""
    rules: Any = store.registry.find("monster-maker")
    game = store.do(None, New("monster-maker", ["Ann", "Bo"], origin="dealt")).game.id
    rng = random.Random(36)  # noqa: S311 - seeded on purpose
    while (position := store.game(game).position()).outcome() is None:
        due = position.pending()
        if any(item.seat == "chance" and not item.must for item in due):
            return game
        if any(item.seat == "chance" for item in due):
            store.do(game, Deal(until_decision=False), chance=rng)
        else:
            store.do(game, Record([playout.next_event(rules, position.state, rng)]))
    raise AssertionError(game)


def test_draw_that_a_player_may_leave_is_offered_in_a_dealt_game(client: FlaskClient, store: Store) -> None:
    game = with_a_trade_card(store)
    (may,) = (item for item in store.game(game).position().pending() if item.seat == "chance")
    text = client.get(f"/games/{game}/record").text
    (once,) = Page(text).form("/deal").buttons()
    assert once.name == ""
    assert f">Possible: {may.why.replace('{p1}', 'Ann').replace('{p2}', 'Bo')}</h2>" in text
    assert Page(text).taps()
    steps = store.game(game).steps
    assert press(client, once.form, once).status_code == 303
    last = store.game(game).position()
    assert (last.step, last.kind) == (steps + 1, may.kinds[0])


def test_what_was_dealt_together_is_taken_back_together(
    client: FlaskClient, store: Store, dealt: str
) -> None:
    deal = page(client, dealt).form("/deal")
    (every,) = deal.buttons("all")
    press(client, deal, every)
    steps = store.game(dealt).steps
    assert steps > 1
    shown = Page(press(client, page(client, dealt).form("/undo")).text)
    one, together = shown.form("/undo").buttons("again")
    assert "only the last" in one.text
    assert f"all {steps} entries" in together.text
    assert press(client, together.form, together).status_code == 303
    assert store.game(dealt).steps == 0


def test_finished_game_shows_its_result_and_no_field(client: FlaskClient, store: Store, game: str) -> None:
    before = Page(client.get("/games/fresh/record").text)
    assert any(one.name == "typed" for form in before.forms for one in form.controls)
    store.do(game, Record([RecordClosed("abandoned")]))
    text = client.get("/games/fresh/record").text
    assert "Abandoned, nobody wins: " in text.split('class="over">')[1].split("</p>")[0]
    assert not any(one.name == "typed" for form in Page(text).forms for one in form.controls)


# --- a new game that cannot be ---


@pytest.mark.parametrize(
    ("ruleset", "option", "typed", "right"),
    [
        ("legend-of-monopoly", "tokens", "sword", 'or wizard-fire-hand, like {"p1":'),
        (
            "legend-of-monopoly",
            "starting_money",
            '{"500":"x"}',
            'each value is a whole number from 0, like {"500":2',
        ),
        ("legend-of-monopoly", "rounds", "many", "a whole number from 1 or left empty."),
        ("monsters-of-war", "days", "12", "a whole number from 1 to 9."),
        ("monsters-forever", "retreat", "maybe", "must, decline-is-capture or optional-stay."),
    ],
)
def test_wrong_option_is_named_with_what_would_be_right(
    client: FlaskClient, ruleset: str, option: str, typed: str, right: str
) -> None:
    form = start_form(client, ruleset)
    answer = press(client, form, title="Kept", **{f"option.{option}": typed})
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (422, "bad-option")
    alert = Page(answer.text).alert
    assert f"“{option.replace('_', ' ')}” cannot be {typed}" in alert
    assert right in alert
    assert f'href="#option.{option}"' in answer.text
    assert f'id="option.{option}"' in answer.text
    assert answer.text.index('role="alert"') < answer.text.index("<form")
    assert 'value="Kept"' in answer.text


def test_option_that_may_be_left_out_is_left_empty(client: FlaskClient, store: Store) -> None:
    form = start_form(client, "monsters-forever")
    assert next(one.value for one in form.controls if one.name == "option.max_rounds") == ""
    answer = press(client, form, **{"option.max_rounds": " "})
    started = store.game(answer.location.split("/")[2]).position().started
    assert started is not None
    assert started.options.max_rounds is None
