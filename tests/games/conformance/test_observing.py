"""Cards that were missed, and what the leak law sees."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from msgspec.structs import replace as changed

from games.core.start import started as start
from games.examples import high_card
from games.examples.high_card import TOY, CardLaid
from games.testing.laws import LawBroken, blurred, identities, recorded_games
from tests.games.conformance.observing import discards_put_away
from tests.games.conformance.planted import BY_NAME


def test_leak_law_needs_a_witness() -> None:
    blind = replace(TOY, scene=lambda state: changed(high_card.scene(state), zones=()))
    games = tuple(
        replace(game, started=changed(game.started, data=high_card.Data("none", ())))
        for game in recorded_games(blind)
    )
    with pytest.raises(LawBroken, match="no scene shows a card as witness"):
        BY_NAME["leak"].check(replace(blind, setup=lambda _: high_card.setup(start(TOY, 2))), games)


def test_leak_law_allows_a_card_turned_and_at_once_put_away() -> None:
    ruleset = replace(TOY, scene=discards_put_away)
    BY_NAME["leak"].check(ruleset, recorded_games(ruleset))


def test_blurred_games_miss_cards_and_keep_their_length() -> None:
    game = recorded_games(TOY)[0]
    views = list(blurred(TOY, game))
    assert [view.viewer for view in views][-1] == "no card seen"
    for view in views:
        events = list(view.events)
        assert len(events) == len(game.events)
        assert sum(b"null" in msgspec.json.encode(event) for event in events) > 0
    laid = [event for event in views[-1].events if isinstance(event, CardLaid)]
    assert {event.card for event in laid} == {None}


def test_identities_are_the_cards() -> None:
    assert identities(TOY, recorded_games(TOY)[0]) == {f"c{number:02}" for number in range(1, 13)}
