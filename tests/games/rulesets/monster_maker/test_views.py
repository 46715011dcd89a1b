"""Everybody sees everything but the order of the Draw Pile: all are told the same, no card can be unseen."""

from __future__ import annotations

import random
from typing import Any, get_args, get_type_hints

import pytest

from games import replay, wire
from games.playout import playout
from games.rulesets.monster_maker import RULESETS
from games.rulesets.monster_maker.events import Exchange
from games.scene import NOBODY, PUBLIC
from games.start import started

RULES = RULESETS[0]


def test_no_event_can_leave_a_card_out() -> None:
    for event in (*RULES.events, Exchange):
        hints = get_type_hints(event)
        assert not [name for name in event.__struct_fields__ if type(None) in get_args(hints[name])], event


@pytest.mark.parametrize("players", RULES.seats)
def test_all_are_told_the_same(players: int) -> None:
    start = started(RULES, players, origin="simulated")
    events = [event for event, _ in playout(RULES, start, random.Random(players))]  # noqa: S311 - repeated
    full = list(replay.states(RULES, start, events))
    assert not RULES.hides
    for viewer in replay.viewers(start):
        told = list(replay.told(RULES, start, events, viewer))
        assert told == events
        seen = list(replay.states(RULES, replay.tell_start(start, viewer), told))
        assert [wire.freeze(state) for state in seen] == [wire.freeze(state) for state in full]


@pytest.mark.parametrize("players", RULES.seats)
def test_nobody_may_look_into_the_draw_pile_and_it_names_no_card_that_was_not_seen(players: int) -> None:
    start = started(RULES, players, origin="simulated")
    shown: set[str] = set()
    for event, state in playout(RULES, start, random.Random(players)):  # noqa: S311 - repeated
        zones = RULES.scene(state).zones
        assert {zone.key for zone in zones if zone.seen_by == NOBODY} == {"draw"}
        assert {zone.seen_by for zone in zones if zone.key != "draw"} == {PUBLIC}
        named = set(_texts(wire.event_to(event)))
        shown |= named & {*state.setup.pieces, *state.setup.trades}
        assert {card for layer in state.draw for card in layer.known} <= shown


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


@pytest.mark.parametrize("seed", range(5))
def test_the_dealer_keeps_no_order(seed: int) -> None:
    """Where the record goes no further, each card of the pile may come next."""
    start = started(RULES, 4, origin="dealt")
    states = [state for _, state in playout(RULES, start, random.Random(seed))]  # noqa: S311 - repeated
    middle = next(state for state in states[len(states) // 2 :] if state.phase == "turn" and state.draw)
    assert RULES.deal is not None
    drawn = {
        getattr(RULES.deal(middle, random.Random(number)), "card", None)  # noqa: S311 - repeated
        for number in range(600)
    }
    (form,) = RULES.open_choices(middle, "chance")
    assert drawn == set(form.asks[0].values)  # type: ignore[union-attr]
