"""Everybody sees everything but the order of the Draw Pile: all are told the same, no card can be unseen."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args, get_type_hints

import pytest
from msgspec.structs import replace as changed

from games.core import fold, serialization
from games.core.events import Event
from games.core.scene import NOBODY, PUBLIC
from games.core.start import started
from games.rulesets.monster_maker import RULESETS
from games.rulesets.monster_maker.events import (
    BonusDealt,
    Exchange,
    PartDrawn,
    PartsDealt,
    PieceKept,
    TradePlayed,
)
from games.rulesets.monster_maker.state import State, loose_cards
from games.testing.laws import LAWS, LawBroken, play
from games.testing.playout import playout

RULES = RULESETS[0]


def test_no_event_can_leave_a_card_out() -> None:
    for event in (*RULES.events, Exchange):
        hints = get_type_hints(event)
        assert not [name for name in event.__struct_fields__ if type(None) in get_args(hints[name])], event


@pytest.mark.parametrize("players", RULES.seats)
def test_all_are_told_the_same(players: int) -> None:
    start = started(RULES, players, origin="simulated")
    events = [event for event, _ in playout(RULES, start, random.Random(players))]  # noqa: S311 - repeated
    full = list(fold.states(RULES, start, events))
    assert not RULES.has_hidden_information
    for viewer in fold.viewers(start):
        told = list(fold.observed(RULES, start, events, viewer))
        assert told == events
        seen = list(fold.states(RULES, fold.observe_start(start, viewer), told))
        assert [serialization.freeze(state) for state in seen] == [
            serialization.freeze(state) for state in full
        ]


@pytest.mark.parametrize("players", RULES.seats)
def test_nobody_may_look_into_the_draw_pile_and_it_names_no_card_that_was_not_seen(players: int) -> None:
    start = started(RULES, players, origin="simulated")
    shown: set[str] = set()
    for event, state in playout(RULES, start, random.Random(players)):  # noqa: S311 - repeated
        zones = RULES.scene(state).zones
        assert {zone.key for zone in zones if zone.seen_by == NOBODY} == {"draw"}
        assert {zone.seen_by for zone in zones if zone.key != "draw"} == {PUBLIC}
        named = set(_texts(serialization.event_to(event)))
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


# --- whoever is told something else than the others is found out --------------------------------------


def another_deal(state: State, event: PartsDealt | BonusDealt) -> Event:
    spare = [
        card for card in loose_cards(state) if card in state.setup.pieces and card not in event.cards[:-1]
    ]
    return changed(event, cards=(*event.cards[:-1], spare[0]))


def another_draw(state: State, event: PartDrawn) -> Event:
    same = state.setup.trades if event.card in state.setup.trades else state.setup.pieces
    return changed(event, card=next((card for card in loose_cards(state) if card in same), event.card))


def another_discard(state: State, event: PieceKept) -> Event:
    return changed(event, discard=next(card for card in state.pieces[event.player] if card != event.discard))


def another_gift(state: State, event: TradePlayed) -> Event:
    given = {item.give for item in event.exchanges}
    other = next(card for card in state.pieces[event.player] if card not in given)
    first, *rest = event.exchanges
    return changed(event, exchanges=(changed(first, give=other), *rest))


@pytest.mark.parametrize(
    ("kinds", "lie"),
    [
        ((PartsDealt, BonusDealt), another_deal),
        ((PartDrawn,), another_draw),
        ((PieceKept,), another_discard),
        ((TradePlayed,), another_gift),
    ],
    ids=["deal", "draw", "discard", "trade"],
)
def test_a_card_told_wrongly_breaks_the_told_law(
    kinds: tuple[type[Event], ...], lie: Callable[[State, Any], Event]
) -> None:
    def redact(state: State, event: Event, viewer: str) -> Event:
        return lie(state, event) if isinstance(event, kinds) and viewer == "p2" else event

    observed = next(law for law in LAWS if law.name == "observed")
    game = play(RULES, started(RULES, 3, origin="simulated"), 1, "bot")
    observed.check(RULES, (game,))
    with pytest.raises(LawBroken):
        observed.check(replace(RULES, redact=redact, hide=lambda state, _viewer: state), (game,))
