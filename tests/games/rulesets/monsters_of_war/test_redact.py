"""Nobody looks at face-down cards: seats and table are told how many, never which."""

from __future__ import annotations

import random
from typing import Any

import pytest

from games import replay, wire
from games.events import Change, Claim, RecordChecked, RecordRuled
from games.playout import playout
from games.rulesets.monsters_of_war import RULESETS
from games.rulesets.monsters_of_war.events import AttackModified, CardsLaid, Move
from games.start import started

RULES = RULESETS[0]
VIEWERS = ("table", "p1", "p2")


def dealt(seed: int = 1) -> tuple[Any, list[Any]]:
    start = started(RULES, 2, origin="dealt")
    return start, list(playout(RULES, start, random.Random(seed)))  # noqa: S311 - to be repeated


@pytest.mark.parametrize("viewer", VIEWERS)
def test_laid_cards_are_told_to_nobody_but_the_record(viewer: str) -> None:
    start, played = dealt()
    before = RULES.setup(start)
    lays = 0
    for event, after in played:
        told = RULES.redact(before, event, viewer)
        if isinstance(event, CardsLaid):
            lays += 1
            assert event.cards is not None
            assert told == CardsLaid(event.counts)
        else:
            assert told == event
        assert RULES.redact(before, event, "everything") == event
        before = after
    assert lays


def test_what_a_viewer_knows_is_what_was_turned() -> None:
    start, played = dealt()
    view = RULES.setup(replay.tell_start(start, "p1"))
    turned: set[str] = set()
    for event in replay.told(RULES, start, [event for event, _ in played], "p1"):
        turned |= set(getattr(event, "cards", None) or {}) and set(event.cards.values())
        view = replay.evolve(RULES, view, event)
        zones = [*view.decks.values(), *view.spoils.values(), *view.laid.values()]
        assert {card for zone in zones for card in zone.known} <= turned


@pytest.mark.parametrize("viewer", VIEWERS)
def test_cards_that_a_gambit_moved_face_down_are_told_to_nobody(viewer: str) -> None:
    moves = (
        Move(count=1, from_="spoils.p1", to="deck.p2", cards=("m01a",)),
        Move(count=1, from_="field.p1", to="deck.p1", cards=("m02a",)),
        Move(count=1, from_="gambit_deck.p1", to="gambit_discard.p1", cards=("ambush-1",)),
    )
    event = AttackModified(player="p1", changes={}, cancels=(), shuffles=(), moves=moves, reason="")
    told = RULES.redact(RULES.setup(started(RULES, 2)), event, viewer)
    assert isinstance(told, AttackModified)
    assert [move.cards for move in told.moves] == [None, ("m02a",), ("ambush-1",)]


def ruling(*changes: Change) -> RecordRuled:
    return RecordRuled("agreed", changes)


def test_a_ruling_does_not_tell_a_face_down_card_on_the_battlefield() -> None:
    start = started(RULES, 2)
    state = RULES.setup(start)
    for text in ("deal", "W-9", "lay m01a,m01b v ?,?"):
        assert RULES.notation is not None
        for event in RULES.notation.read(state, text):
            state = replay.evolve(RULES, state, event)
    swap = Change("/laid/p1/known", ["m01a", "m01b"], ["m01a", "m03a"])
    day = Change("/day", 1, 2)
    known = Change("/spoils/p1/known", [], ["m12a"])
    assert RULES.redact(state, ruling(swap, day, known), "table") == ruling(day, known)
    assert RULES.redact(state, ruling(swap, day), "everything") == ruling(swap, day)


def test_a_ruling_in_a_dealt_game_tells_no_face_down_card() -> None:
    _, played = dealt()
    state = played[5][1]
    changes = ruling(Change("/decks/p1", {"known": ["m01a"], "unknown": 3}, {"known": [], "unknown": 4}))
    assert RULES.redact(state, changes, "p2") == ruling()
    assert "m01a" not in wire.encode_event(RULES.redact(state, changes, "table"))


def test_a_table_check_that_names_a_card_is_told_without_it() -> None:
    state = RULES.setup(started(RULES, 2))
    sizes = Claim("deck.p1", 26)
    event = RecordChecked((sizes, Claim("laid.p1", "m01a")))
    assert RULES.redact(state, event, "p1") == RecordChecked((sizes,))
