"""Folding, telling, judging, ruling: the core's half of every game."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace as changed

from games.core import fold, serialization
from games.core.events import (
    Change,
    Claim,
    Edit,
    Event,
    RecordAmended,
    RecordChecked,
    RecordClosed,
    RecordRuled,
    RecordStarted,
    RecordUndone,
)
from games.core.ruleset import IllegalAction, Outcome
from games.core.start import started
from games.examples import high_card
from games.examples.high_card import TOY, CardLaid, CardsTurned, HandDealt, HighCard
from games.testing.playout import playout

START = started(TOY, 2, origin="simulated")
EVENTS = tuple(event for event, _ in playout(TOY, START, random.Random(3)))  # noqa: S311 - to be repeated
SEATS = START.seats


def after(count: int) -> HighCard:
    return fold.fold(TOY, TOY.setup(START), EVENTS[:count])


def ruled(*changes: Change) -> RecordRuled:
    return RecordRuled("agreed", changes)


def refusal(state: HighCard, event: Event, *, closed: bool = False) -> IllegalAction:
    with pytest.raises(IllegalAction) as refused:
        fold.check(TOY, state, event, seats=SEATS, closed=closed)
    return refused.value


# --- folding ---


def test_fold_is_the_last_of_the_states() -> None:
    states = list(fold.states(TOY, START, EVENTS))
    assert len(states) == len(EVENTS) + 1
    assert states[0] == TOY.setup(START)
    assert states[-1] == after(len(EVENTS))


def test_record_facts_that_say_nothing_about_the_table_change_nothing() -> None:
    state = after(5)
    facts = (RecordChecked((Claim("deck", 6),)), RecordClosed("agreed"))
    assert fold.fold(TOY, state, facts) == state


def test_start_folds_to_the_first_state() -> None:
    assert fold.evolve(TOY, after(5), START) == TOY.setup(START)


@pytest.mark.parametrize("event", [RecordUndone(1), RecordAmended((Edit(1, 1, 0),), "")])
def test_what_rewrites_history_is_never_folded(event: Event) -> None:
    with pytest.raises(TypeError, match="rewrites the history"):
        fold.fold(TOY, after(5), [event])


# --- telling ---


def test_everybody_who_can_look() -> None:
    assert fold.viewers(START) == ("everything", "table", "p1", "p2")


def test_one_event_is_told_as_in_the_whole_log() -> None:
    for viewer in fold.viewers(START):
        told = list(fold.observed(TOY, START, EVENTS, viewer))
        known = list(fold.states(TOY, fold.observe_start(START, viewer), told))
        alone = [fold.observe(TOY, after(n), event, viewer, known[n]) for n, event in enumerate(EVENTS)]
        assert told == alone
    assert list(fold.observed(TOY, START, EVENTS, "everything")) == list(EVENTS)


def test_nothing_is_redacted_where_nothing_hides() -> None:
    fields = {key: value for key, value in vars(TOY).items() if key != "redact"}
    assert list(fold.observed(type(TOY)(**fields), START, EVENTS, "table")) == list(EVENTS)


def test_a_start_observed_by_a_viewer_is_seen_as_theirs() -> None:
    assert fold.observe_start(START, "p1").seen_as == "p1"
    own = changed(START, seen_as="p2")
    assert fold.observe_start(own, "everything").seen_as == "p2"


# --- pending and outcome ---


def test_nothing_is_pending_once_the_record_is_closed() -> None:
    assert fold.pending(TOY, after(3)) == TOY.pending(after(3)) != ()
    assert fold.pending(TOY, after(3), closed=True) == ()


@pytest.mark.parametrize(
    ("closing", "outcome"),
    [
        (None, None),
        (RecordClosed("conceded", "p1"), ("conceded", ("p2",))),
        (RecordClosed("agreed"), ("agreed", ())),
        (RecordClosed("abandoned"), ("abandoned", ())),
    ],
)
def test_closing_gives_the_outcome(closing: RecordClosed | None, outcome: Any) -> None:
    state = after(5)
    expected = None if outcome is None else Outcome(*outcome, scores=state.points)
    assert fold.outcome(TOY, state, SEATS, closing) == expected


def test_outcome_by_the_rules_goes_before_a_closing() -> None:
    state = after(len(EVENTS))
    assert fold.outcome(TOY, state, SEATS, RecordClosed("agreed")) == TOY.outcome(state)


# --- judging ---


def test_own_events_are_judged_by_the_ruleset() -> None:
    fold.check(TOY, after(0), EVENTS[0], seats=SEATS, closed=False)
    assert refusal(after(0), CardLaid("p1", "c01")).code == "not-due"


@pytest.mark.parametrize("event", [EVENTS[5], RecordClosed("agreed"), RecordChecked(()), ruled()])
def test_nothing_is_accepted_once_the_record_is_closed(event: Event) -> None:
    assert refusal(after(5), event, closed=True).code == "record-closed"


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (START, "already-started"),
        (RecordUndone(1), "rewrites-history"),
        (RecordClosed("conceded"), "unknown-seat"),
        (RecordClosed("conceded", "p3"), "unknown-seat"),
        (RecordClosed("agreed", "p1"), "unexpected-seat"),
        (RecordChecked((Claim("hand.p3", 1),)), "unknown-claim"),
    ],
)
def test_record_facts_are_judged_by_the_core(event: Event, code: str) -> None:
    assert refusal(after(5), event).code == code


def test_game_that_is_over_cannot_be_closed() -> None:
    assert refusal(after(len(EVENTS)), RecordClosed("agreed")).code == "game-over"


@pytest.mark.parametrize("event", [RecordClosed("conceded", "p2"), RecordClosed("abandoned", None, "rain")])
def test_game_may_be_closed(event: Event) -> None:
    fold.check(TOY, after(5), event, seats=SEATS, closed=False)


def test_table_check_is_never_refused_for_what_it_finds() -> None:
    wrong = RecordChecked((Claim("deck", 5), Claim("hand.p1", 2), Claim("round", 1)))
    fold.check(TOY, after(5), wrong, seats=SEATS, closed=False)
    assert fold.mismatches(TOY.scene(after(5)), wrong.claims) == [(Claim("deck", 5), 6)]


# --- rulings ---


def test_ruling_patches_the_state() -> None:
    state = after(5)
    ruling = ruled(Change("/points/p1", state.points["p1"], 9), Change("/round", 1, 2))
    fold.check(TOY, state, ruling, seats=SEATS, closed=False)
    now = fold.evolve(TOY, state, ruling)
    assert now == changed(state, points={**state.points, "p1": 9}, round=2)
    assert now.setup is state.setup


def test_ruling_takes_an_element_of_a_list() -> None:
    state = after(6)
    first, second = state.discards[:2]
    now = fold.evolve(
        TOY, state, ruled(Change("/discards/1", second, first), Change("/discards/0", first, second))
    )
    assert now.discards[:2] == (second, first)


@pytest.mark.parametrize(
    "at",
    ["", "/", "points", "/points/p3", "/discards/9", "/discards/-1", "/discards/01", "/discards/+1",
     "/discards/x", "/round/1", "/setup", "/hands/p1/known/0/x"],
)  # fmt: skip
def test_ruling_names_a_place_that_is_there(at: str) -> None:
    refused = refusal(after(6), ruled(Change(at, None, None)))
    assert refused.code == "no-such-place"
    assert "/phase, /round, /hands" in refused.sentence


def test_ruling_finds_keys_with_slashes_and_tildes() -> None:
    hands = {"a/b": high_card.Hand(), "c~d": high_card.Hand()}
    state = changed(after(0), hands=hands, deck=12)
    places = (Change("/hands/a~1b/unknown", None, 2), Change("/hands/c~0d/unknown", None, 1))
    assert [change.was for change in fold.fitted(state, places)] == [0, 0]


@pytest.mark.parametrize("was", [5, "6", None, True, {"a": 1}])
def test_ruling_must_fit_what_stands_there(was: Any) -> None:
    refused = refusal(changed(after(6), deck=6), ruled(Change("/deck", was, 5)))
    assert refused.code == "ruling-does-not-fit"
    assert "/deck holds 6, not" in refused.sentence


def test_one_is_not_true_in_a_ruling() -> None:
    assert refusal(after(6), ruled(Change("/round", now=2, was=True))).code == "ruling-does-not-fit"


@pytest.mark.parametrize("now", ["five", None, 5.5, [5]])
def test_ruling_must_be_of_the_states_type(now: Any) -> None:
    assert refusal(after(5), ruled(Change("/deck", 6, now))).code == "ruling-mistyped"


def test_ruling_keeps_the_count() -> None:
    refused = refusal(after(5), ruled(Change("/deck", 6, 7)))
    assert refused.code == "ruling-breaks-the-count"
    assert "there are 13 cards, not 12" in refused.sentence


def test_ruling_that_is_refused_changes_nothing() -> None:
    state = after(5)
    before = serialization.freeze(state)
    refusal(state, ruled(Change("/round", 1, 2), Change("/deck", 6, 7)))
    assert serialization.freeze(state) == before


def test_ruling_leaves_its_own_event_alone() -> None:
    """A change into what an earlier change of the same ruling put there must not change the event."""
    state = after(6)
    hand = msgspec.to_builtins(state.hands["p1"])
    put = {"known": list(hand["known"]), "unknown": hand["unknown"]}
    (first, *rest) = put["known"]
    spare = next(card for card in state.setup.values if card not in high_card._places(state))
    ruling = ruled(Change("/hands/p1", hand, put), Change("/hands/p1/known", [first, *rest], [spare, *rest]))
    before = serialization.encode_event(ruling)
    now = fold.evolve(TOY, state, ruling)
    assert spare in now.hands["p1"].known
    assert serialization.encode_event(ruling) == before
    assert fold.evolve(TOY, state, ruling) == now


@pytest.mark.parametrize(("one", "other"), [(0, len(EVENTS)), (3, 7), (5, 6), (9, 2)])
def test_difference_is_a_ruling_from_one_state_to_another(one: int, other: int) -> None:
    was, now = after(one), after(other)
    changes = tuple(fold.difference(serialization.plain_state(was), serialization.plain_state(now)))
    assert fold.apply_ruling(TOY, was, ruled(*changes)) == now
    assert list(fold.difference(serialization.plain_state(was), serialization.plain_state(was))) == []


def test_difference_escapes_keys_and_tells_one_from_true() -> None:
    found = list(fold.difference({"a/b": {"c~": 1}}, {"a/b": {"c~": True}}))
    assert found == [Change("/a~1b/c~0", 1, now=True)]


def test_judging_covers_the_kinds_of_the_ruleset() -> None:
    kinds = {type(event) for event in EVENTS}
    assert {HandDealt, CardLaid, CardsTurned} <= kinds
    assert RecordStarted not in kinds
