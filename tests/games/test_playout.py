"""Simulated play: seeded, fair to every offer, honest about dead ends."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from games.core import serialization
from games.core.choices import sample
from games.core.events import Event, kind_of
from games.core.fold import check, fold
from games.core.ruleset import Amount, Choice, DeadEnd, IllegalAction, OneOf, Pending, Ruleset, SomeOf
from games.core.start import started
from games.examples import high_card
from games.examples.high_card import TOY, CardLaid, DeckRebuilt, HighCard
from games.testing.playout import next_event, playout, random_event

START = started(TOY, 2, origin="simulated")
RANDOM: Ruleset[HighCard] = replace(TOY, bot=None)


def rng(seed: int = 1) -> random.Random:
    return random.Random(seed)  # noqa: S311 - to be repeated


def events(ruleset: Ruleset[Any], seed: int, **limits: int) -> list[Event]:
    return [event for event, _ in playout(ruleset, START, rng(seed), **limits)]


def laying() -> HighCard:
    return fold(TOY, TOY.setup(START), events(TOY, 1)[:2])


@pytest.mark.parametrize("ruleset", [TOY, RANDOM], ids=["bot", "random"])
def test_playout_is_a_legal_game_to_its_end(ruleset: Ruleset[HighCard]) -> None:
    state = TOY.setup(START)
    for event, after in playout(ruleset, START, rng()):
        check(TOY, state, event, seats=START.seats, closed=False)
        state = fold(TOY, state, [event])
        assert state == after
    assert TOY.outcome(state) is not None


def test_playout_is_the_same_for_the_same_seed() -> None:
    assert events(RANDOM, 5) == events(RANDOM, 5) != events(RANDOM, 6)


def test_playout_stops_after_so_many_events() -> None:
    assert len(events(TOY, 1, max_events=7)) == 7


def test_a_hundred_thousand_events_can_be_made() -> None:
    start = started(TOY, 2, origin="simulated", options={"rounds": 1_000_000})
    count = sum(1 for _ in playout(TOY, start, rng(), max_events=100_000))
    assert count == 100_000


def test_those_who_must_at_once_act_in_any_order() -> None:
    first = Counter(next_event(RANDOM, laying(), rng(seed)).player for seed in range(40))  # type: ignore[attr-defined]
    assert set(first) == {"p1", "p2"}


def test_bot_is_asked_for_whoever_must() -> None:
    best = next_event(TOY, laying(), rng())
    assert isinstance(best, CardLaid)
    hand = laying().hands[best.player].known
    assert best.card == max(hand)


def test_chance_deals_before_a_bot_is_asked() -> None:
    assert kind_of(next_event(TOY, TOY.setup(START), rng())) == "hand_dealt"


def test_chance_without_a_dealer_is_drawn_from_its_forms() -> None:
    ruleset = replace(RANDOM, deal=None)
    assert kind_of(next_event(ruleset, TOY.setup(START), rng())) == "hand_dealt"
    assert len(events(ruleset, 2)) == len(events(RANDOM, 2))


def may_rebuild(state: HighCard) -> tuple[Pending, ...]:
    return (*high_card.pending(state), Pending("chance", ("deck_rebuilt",), must=False))


def listed_too(state: HighCard, seat: str) -> Iterator[Event]:
    yield from high_card.legal_actions(state, seat)
    if seat == "chance":
        yield DeckRebuilt(0)


def test_what_one_may_is_taken_up_rarely() -> None:
    ruleset = replace(RANDOM, pending=may_rebuild, legal_actions=listed_too, deal=None)
    kinds = Counter(kind_of(next_event(ruleset, laying(), rng(seed))) for seed in range(400))
    assert 30 < kinds["deck_rebuilt"] < 100
    assert kinds["deck_rebuilt"] + kinds["card_laid"] == 400


def test_must_is_done_where_a_may_has_nothing_to_offer() -> None:
    ruleset = replace(RANDOM, pending=may_rebuild, deal=None)
    assert {kind_of(next_event(ruleset, laying(), rng(seed))) for seed in range(60)} == {"card_laid"}


def test_dead_end_where_nothing_is_offered() -> None:
    ruleset = replace(RANDOM, legal_actions=lambda state, seat: iter(()))
    with pytest.raises(DeadEnd, match=r"high-card: \['p1', 'p2'\] must act, and nothing is offered"):
        next_event(ruleset, laying(), rng())


def test_dead_end_where_nobody_must() -> None:
    with pytest.raises(DeadEnd, match="nobody must do anything"):
        next_event(replace(TOY, pending=lambda state: ()), laying(), rng())


def test_form_that_is_always_refused_gives_no_event() -> None:
    def refuse(_state: HighCard, _event: Event) -> None:
        raise IllegalAction("no", "No.")

    ruleset = replace(RANDOM, deal=None, check=refuse)
    state = TOY.setup(START)
    assert random_event(ruleset, state, TOY.pending(state)[0], rng()) is None


def test_sample_answers_every_question_within_its_bounds() -> None:
    asks = (OneOf("a", ("x", "y")), SomeOf("b.c", (1, 2, 3), 1, 9), Amount("b.d", 10, 40, 10))
    samples = [sample(Choice("k", {"e": 1, "b": {"f": 2}}, asks), rng(seed)) for seed in range(200)]
    assert {item["a"] for item in samples} == {"x", "y"}
    assert {len(item["b"]["c"]) for item in samples} == {1, 2, 3}
    assert all(len(set(item["b"]["c"])) == len(item["b"]["c"]) for item in samples)
    assert {item["b"]["d"] for item in samples} == {10, 20, 30, 40}
    assert all((item["kind"], item["e"], item["b"]["f"]) == ("k", 1, 2) for item in samples)


def test_random_event_is_one_that_wire_can_write() -> None:
    state = laying()
    event = random_event(RANDOM, state, TOY.pending(state)[0], rng())
    assert event is not None
    assert serialization.decode_event(TOY, serialization.encode_event(event)) == event


def never(_state: HighCard, _seat: str, _rng: object) -> Event:
    raise AssertionError("the bot is not asked where chance is due")


def test_players_of_a_bot_may_act_while_chance_is_due() -> None:
    wish = DeckRebuilt(1)
    eager = replace(TOY, bot=never, bot_during_chance=lambda _state, _rng: wish)
    assert next_event(eager, TOY.setup(START), rng()) is wish


def test_chance_goes_on_where_they_want_nothing_or_nobody_is_a_bot() -> None:
    state = TOY.setup(START)
    plain = replace(RANDOM, bot_during_chance=lambda _state, _rng: DeckRebuilt(1))
    for ruleset in (replace(TOY, bot=never), plain):
        assert next_event(ruleset, state, rng()) == next_event(TOY, state, rng())
