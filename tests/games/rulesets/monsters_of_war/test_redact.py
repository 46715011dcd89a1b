"""Nobody looks at face-down cards: seats and table are told how many, never which."""

from __future__ import annotations

import random
from typing import Any

import pytest

from games.core import fold, serialization
from games.core.events import Change, Claim, RecordChecked, RecordRuled
from games.core.start import started
from games.rulesets.monsters_of_war import RULESETS
from games.rulesets.monsters_of_war.events import AttackModified, CardsLaid, Move
from games.testing.playout import playout

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
    view = RULES.setup(fold.observe_start(start, "p1"))
    turned: set[str] = set()
    for event in fold.observed(RULES, start, [event for event, _ in played], "p1"):
        turned |= set(getattr(event, "cards", None) or {}) and set(event.cards.values())
        view = fold.evolve(RULES, view, event)
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
    full, seen = RULES.setup(start), RULES.setup(fold.observe_start(start, "table"))
    for text in ("deal", "W-9", "lay m01a,m01b v ?,?"):
        assert RULES.notation is not None
        for event in RULES.notation.read(full, text):
            told = fold.observe(RULES, full, event, "table", seen)
            full, seen = fold.evolve(RULES, full, event), fold.evolve(RULES, seen, told)
    swap = Change("/laid/p1/known", ["m01a", "m01b"], ["m01a", "m03a"])
    day = Change("/day", 1, 2)
    assert fold.observe(RULES, full, ruling(swap, day), "table", seen) == ruling(day)
    assert fold.observe(RULES, full, ruling(swap, day), "everything", full) == ruling(swap, day)


def test_a_ruling_on_spoils_is_told_as_so_many_cards() -> None:
    """Where a viewer saw what lies there, and the ruling changes it, they know no more than how many."""
    start, played = dealt()
    events = [event for event, _ in played]
    full = played[29][1]
    seen = fold.fold(RULES, RULES.setup(start), list(fold.observed(RULES, start, events[:30], "p2")))
    rich, poor = full.spoils["p1"], full.spoils["p2"]
    assert rich.known
    changes = ruling(
        Change("/spoils/p1/known", list(rich.known), list(rich.known[1:])),
        Change("/spoils/p2/known", list(poor.known), [*poor.known, rich.known[0]]),
    )
    told = fold.observe(RULES, full, changes, "p2", seen)
    after = fold.evolve(RULES, seen, told)
    assert {seat: zone.size for seat, zone in after.spoils.items()} == {
        "p1": rich.size - 1,
        "p2": poor.size + 1,
    }
    assert rich.known[0] not in serialization.encode_event(told).split('"now"', 1)[1].split('"was"', 1)[0]


def test_a_table_check_that_names_a_card_is_told_without_it() -> None:
    state = RULES.setup(started(RULES, 2))
    sizes = Claim("deck.p1", 26)
    event = RecordChecked((sizes, Claim("laid.p1", "m01a")))
    assert RULES.redact(state, event, "p1") == RecordChecked((sizes,))
