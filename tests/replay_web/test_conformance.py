"""The twin law holds on every ruleset that hides something, and falls when a ruleset or a page leaks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flask import Flask, Response, request

from eventstore import store
from eventstore.access.actor import Actor
from eventstore.recording import judging, table_checks
from eventstore.recording.table_checks import Drift
from games.core import seat_permissions
from games.core.registry import installed
from games.core.ruleset import EVERYTHING, Ruleset
from games.examples import high_card
from games.testing.laws import Law, LawBroken, RecordedGame, recorded_games
from replay_web.http import security, viewing
from replay_web.record import table_check
from replay_web.testing.laws import LAWS

HIDING = [item for item in (*installed().values(), high_card.TOY) if item.has_hidden_information]
GAMES = recorded_games(high_card.TOY, seeds=(1,))[:1]


def judge(ruleset: Ruleset[Any], games: tuple[RecordedGame, ...]) -> None:
    for law in LAWS:
        law.check(ruleset, games)


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("ruleset", HIDING, ids=lambda item: f"{item.id}-{item.version}")
def test_law_holds(ruleset: Ruleset[Any], law: Law) -> None:
    law.check(ruleset, recorded_games(ruleset, seeds=(1,))[:1])


def test_ruleset_that_tells_everything_is_rejected() -> None:
    with pytest.raises(LawBroken, match="twin law"):
        judge(replace(high_card.TOY, redact=lambda _state, event, _viewer: event), GAMES)


def test_page_that_shows_everything_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewing, "viewer", lambda: EVERYTHING)
    with pytest.raises(LawBroken, match="twin law"):
        judge(high_card.TOY, GAMES)


def test_correcting_by_who_is_not_shown_everything_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewing, "shows_all", lambda _tape: True)
    monkeypatch.setattr(store, "_judged", lambda game, _command: game.as_everything())
    with pytest.raises(LawBroken, match="twin law"):
        judge(high_card.TOY, GAMES)


def test_table_check_by_all_that_lies_there_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    told = table_checks.drift

    def tell_all(game: Any, step: int) -> Any:
        whole = game.as_everything()
        hands = whole.position(2).state.hands.values()
        cards = sorted(card for hand in hands for card in hand.known)
        return (*told(whole, step), Drift(cards[0], None, None, None, step))

    monkeypatch.setattr(table_check, "drift", tell_all)
    with pytest.raises(LawBroken, match="check"):
        judge(high_card.TOY, GAMES)


def test_hash_over_the_whole_record_in_a_header_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    init_app = security.init_app

    def add(response: Response) -> Response:
        if request.view_args and "game" in request.view_args:
            head = viewing.opened_store().log.head(request.view_args["game"])
            response.headers["ETag"] = head.hash if head else ""
        return response

    def planted(app: Flask, **how: Any) -> None:
        init_app(app, **how)
        app.after_request(add)

    monkeypatch.setattr(security, "init_app", planted)
    with pytest.raises(LawBroken, match="twin law"):
        judge(high_card.TOY, GAMES)


# --- what a seat's key sends ---

SEAT = next(law for law in LAWS if law.name == "seat")


def test_seat_that_may_send_whatever_its_view_allows_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Actor, "bound_to", lambda _self, _ruleset: None)
    with pytest.raises(LawBroken, match="seat law"):
        SEAT.check(high_card.TOY, GAMES)


def test_judging_by_what_is_hidden_before_what_is_known_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "_judged_by_its_seat", lambda _judge, events, *_: events)
    with pytest.raises(LawBroken, match="seat law"):
        SEAT.check(high_card.TOY, GAMES)


def test_naming_cards_that_the_own_view_does_not_show_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat_permissions, "_known_to", lambda *_: lambda _value: True)
    with pytest.raises(LawBroken, match="seat law"):
        SEAT.check(high_card.TOY, GAMES)


def test_correcting_with_a_seats_key_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewing, "shows_all", lambda _tape: True)
    monkeypatch.setattr(store, "_judged", lambda game, _command: game.as_everything())
    with pytest.raises(LawBroken, match="seat law"):
        SEAT.check(high_card.TOY, GAMES)
