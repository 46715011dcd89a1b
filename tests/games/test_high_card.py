"""High Card: its rules, its refusals, its secrets, its older version."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace as changed

from games.core import fold as replay
from games.core import serialization
from games.core.events import Change, Event, RecordRuled
from games.core.ruleset import BrokenInvariant, IllegalAction, Outcome
from games.core.scene import Scene
from games.core.start import started
from games.examples.high_card import (
    TOY,
    CardLaid,
    CardPassed,
    CardsDrawn,
    CardsTurned,
    DeckRebuilt,
    Hand,
    HandDealt,
    HighCard,
    Options,
)
from games.testing.playout import playout
from games.text import wording

START = started(TOY, 2, origin="dealt", options={"rounds": 2})
FIRST_ROUND: tuple[Event, ...] = (
    HandDealt("p1", ("c01", "c05", "c09")),
    HandDealt("p2", ("c02", "c06", "c10")),
    CardLaid("p1", "c09"),
    CardLaid("p2", "c10"),
    CardsTurned({"p1": "c09", "p2": "c10"}),
    CardsDrawn("p2", ("c03", "c04")),
    CardPassed("p2", "c02"),
)
LAST_ROUND: tuple[Event, ...] = (
    CardLaid("p2", "c03"),
    CardLaid("p1", "c05"),
    CardsTurned({"p1": "c05", "p2": "c03"}),
)


def fold(*events: Event, start: Any = START) -> HighCard:
    state = TOY.setup(start)
    for event in events:
        replay.check(TOY, state, event, seats=("p1", "p2"), closed=False)
        state = replay.evolve(TOY, state, event)
        TOY.invariants(state)
    return state


def refusal(state: HighCard, event: Event) -> IllegalAction:
    with pytest.raises(IllegalAction) as refused:
        TOY.check(state, event)
    return refused.value


# --- rules ---


def test_higher_card_scores_draws_and_passes() -> None:
    state = fold(*FIRST_ROUND)
    assert state.points == {"p1": 0, "p2": 1}
    assert state.hands == {"p1": Hand(("c01", "c02", "c05")), "p2": Hand(("c03", "c04", "c06"))}
    assert (state.round, state.deck, state.discards, state.phase) == (2, 4, ("c09", "c10"), "laying")


def test_lower_card_scores_by_option() -> None:
    start = started(TOY, 2, options={"scores": "lower"})
    assert fold(*FIRST_ROUND[:5], start=start).points == {"p1": 1, "p2": 0}


def test_game_ends_after_its_rounds() -> None:
    state = fold(*FIRST_ROUND, *LAST_ROUND)
    assert TOY.outcome(state) == Outcome("draw", (), {"p1": 1, "p2": 1})
    assert TOY.pending(state) == ()
    assert TOY.scores(state) == {"p1": 1, "p2": 1}


def test_most_points_win() -> None:
    start = started(TOY, 2, options={"rounds": 1})
    assert TOY.outcome(fold(*FIRST_ROUND[:5], start=start)) == Outcome(
        "most-points", ("p2",), {"p1": 0, "p2": 1}
    )


def test_discards_are_shuffled_back_when_too_few_are_left_to_draw() -> None:
    start = started(TOY, 2, origin="simulated", options={"rounds": 9})
    for event, state in playout(TOY, start, random.Random(1)):  # noqa: S311 - to be repeated
        if isinstance(event, DeckRebuilt):
            assert event.count == 8
            assert (state.deck, state.discards) == (8, ())
            break
    else:
        pytest.fail("the deck was never rebuilt")


def test_bot_lays_its_best_card_and_passes_its_worst() -> None:
    rng: Any = random.Random(1)  # noqa: S311 - to be repeated
    bot = TOY.bot
    assert bot is not None
    assert bot(fold(*FIRST_ROUND[:2]), "p1", rng) == CardLaid("p1", "c09")
    assert bot(fold(*FIRST_ROUND[:6]), "p2", rng) == CardPassed("p2", "c02")
    lower = started(TOY, 2, options={"scores": "lower"})
    assert bot(fold(*FIRST_ROUND[:2], start=lower), "p1", rng) == CardLaid("p1", "c01")


# --- refusals ---


@pytest.mark.parametrize(
    ("count", "event", "code", "says"),
    [
        (0, CardLaid("p1", "c01"), "not-due", "due is hand dealt"),
        (0, HandDealt("p2", ("c01", "c02", "c03")), "not-offered", "hand dealt"),
        (0, HandDealt("p1", ("c01", "c02")), "not-offered", "hand dealt"),
        (0, HandDealt("p1", ("c01", "c01", "c02")), "not-offered", "hand dealt"),
        (0, HandDealt("p1", (None,) * 20), "not-offered", "hand dealt"),
        (
            1,
            HandDealt("p2", ("c01", "c02", None)),
            "card-elsewhere",
            "c01 cannot be meant: it is in {p1}'s hand",
        ),
        (2, CardLaid("p1", "c02"), "card-elsewhere", "c02 cannot be meant: it is in {p2}'s hand"),
        (2, CardLaid("p1", "c03"), "not-offered", "card laid"),
        (2, CardLaid("p3", "c03"), "not-offered", "card laid"),
        (3, CardLaid("p1", "c05"), "not-offered", "card laid"),
        (3, CardLaid("p1", None), "not-offered", "card laid"),
        (4, CardsTurned({"p1": "c05", "p2": "c10"}), "card-elsewhere", "c05 cannot be meant"),
        (4, CardsTurned({"p1": "c09"}), "card-elsewhere", "the place before {p1}"),
        (5, CardsDrawn("p1", ("c03", "c04")), "not-offered", "cards drawn"),
        (
            5,
            CardsDrawn("p2", ("c03", "c09")),
            "card-elsewhere",
            "c09 cannot be meant: it is in the discard pile",
        ),
        (6, CardPassed("p2", "c01"), "card-elsewhere", "{p1}'s hand"),
        (10, CardLaid("p1", "c01"), "game-over", "over"),
    ],
)
def test_refused(count: int, event: Event, code: str, says: str) -> None:
    refused = refusal(fold(*(*FIRST_ROUND, *LAST_ROUND)[:count]), event)
    assert refused.code == code
    assert says in refused.sentence


def test_refusal_offers_what_is_possible() -> None:
    legal = refusal(fold(*FIRST_ROUND[:2]), CardLaid("p1", "c02")).legal
    assert CardLaid("p1", "c01") in legal


def test_card_of_a_hand_that_nobody_saw_may_be_any_that_lies_nowhere_else() -> None:
    state = fold(FIRST_ROUND[0], HandDealt("p2", (None, None, "c10")))
    TOY.check(state, CardLaid("p2", "c03"))
    TOY.check(state, CardLaid("p2", None))
    assert refusal(state, CardLaid("p2", "c05")).code == "card-elsewhere"


def test_card_that_leaves_unseen_may_have_been_any_of_the_hand() -> None:
    state = fold(FIRST_ROUND[0], HandDealt("p2", (None, "c06", "c10")), CardLaid("p2", None))
    assert state.hands["p2"] == Hand((), 2)
    both_laid = replay.evolve(TOY, state, CardLaid("p1", "c01"))
    TOY.check(both_laid, CardsTurned({"p1": "c01", "p2": "c10"}))


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"deck": 7}, "there are 13 cards, not 12"),
        ({"discards": ("c01",), "deck": 5}, "a card lies in two places"),
        ({"deck": -1, "hands": {"p1": Hand((), 7), "p2": Hand((), 6)}}, "less than nothing"),
        ({"hands": {"p1": Hand(("joker",), 2), "p2": Hand((), 3)}}, "not of this deck"),
    ],
)
def test_invariants(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(BrokenInvariant, match=says):
        TOY.invariants(changed(fold(*FIRST_ROUND[:2]), **fields))


# --- who is told what ---


def told(viewer: str) -> list[str]:
    state = TOY.setup(START)
    lines = []
    for event in replay.observed(TOY, START, FIRST_ROUND, viewer):
        lines.append(wording.write(TOY, state, event))
        state = replay.evolve(TOY, state, event)
    return lines


def test_table_is_told_what_is_turned_only() -> None:
    assert told("table") == [
        "p1: deal ?,?,?",
        "p2: deal ?,?,?",
        "p1: lay ?",
        "p2: lay ?",
        "turn c09,c10",
        "p2: draw ?,?",
        "p2: pass ?",
    ]


def test_receiver_is_told_what_was_passed() -> None:
    assert told("p1") == [
        "p1: deal c01,c05,c09",
        "p2: deal ?,?,?",
        "p1: lay c09",
        "p2: lay ?",
        "turn c09,c10",
        "p2: draw ?,?",
        "p2: pass c02",
    ]


def view(viewer: str, *events: Event) -> HighCard:
    start = replay.observe_start(START, viewer)
    return replay.fold(TOY, TOY.setup(start), replay.observed(TOY, START, events, viewer))


def scene_of(state: HighCard) -> Scene:
    return TOY.scene(state)


@pytest.mark.parametrize("viewer", ["p1", "p2", "table"])
@pytest.mark.parametrize(
    "swap",
    [
        # two cards change hands
        (Change("/hands/p1/known", ["c01", "c02", "c05"], ["c01", "c02", "c06"]),
         Change("/hands/p2/known", ["c03", "c04", "c06"], ["c03", "c04", "c05"])),
        # a card goes from a hand to the discard pile
        (Change("/hands/p2/known", ["c03", "c04", "c06"], ["c03", "c04"]),
         Change("/discards", ["c09", "c10"], ["c09", "c10", "c06"])),
        # a card goes back to the deck
        (Change("/hands/p1/known/0", "c01", "c08"), Change("/round", 2, 1)),
    ],
    ids=["swap", "discard", "another card"],
)  # fmt: skip
def test_ruling_on_secret_cards_is_told_as_the_viewer_may_know_them(
    viewer: str, swap: tuple[Change, ...]
) -> None:
    ruling = RecordRuled("agreed", swap)
    full = fold(*FIRST_ROUND, ruling)
    known = view(viewer, *FIRST_ROUND, ruling)
    sizes = [{zone.key: zone.size for zone in scene_of(state).zones} for state in (full, known)]
    assert sizes[0] == sizes[1]
    assert (known.round, known.discards) == (full.round, full.discards)
    for seat in ("p1", "p2"):
        assert known.hands[seat].known == (full.hands[seat].known if seat == viewer else ())
    secret = {card for seat in ("p1", "p2") if seat != viewer for card in full.hands[seat].known}
    before = fold(*FIRST_ROUND)
    open_to_viewer = {*full.discards, *(before.hands[viewer].known if viewer in before.hands else ())}
    observed_ruling = serialization.encode_event(
        replay.observe(TOY, before, ruling, viewer, view(viewer, *FIRST_ROUND))
    )
    assert not any(f'"{card}"' in observed_ruling for card in secret - open_to_viewer)


# --- record format ---


def test_option_that_is_left_out_means_what_it_meant_before_there_was_one() -> None:
    assert msgspec.json.decode("{}", type=Options) == Options(rounds=3, scores="higher")


def test_every_option_is_written_out() -> None:
    assert msgspec.json.encode(Options()) == b'{"rounds":3,"scores":"higher"}'


@pytest.mark.parametrize(
    ("count", "text", "event"),
    [
        (0, "deal c01,c05,c09", HandDealt("p1", ("c01", "c05", "c09"))),
        (1, "deal ?,?,?", HandDealt("p2", (None, None, None))),
        (2, "lay c01", CardLaid("p1", "c01")),
        (3, "lay c10", CardLaid("p2", "c10")),
        (4, "turn c09,c10", CardsTurned({"p1": "c09", "p2": "c10"})),
        (5, "draw c03,c04", CardsDrawn("p2", ("c03", "c04"))),
        (6, "pass c02", CardPassed("p2", "c02")),
        (2, "draw c03, c04", CardsDrawn("p1", ("c03", "c04"))),
        (5, "rebuild", DeckRebuilt(2)),
        (5, "deal ?", HandDealt("p1", (None,))),
    ],
)
def test_seat_need_not_be_typed(count: int, text: str, event: Event) -> None:
    assert wording.read(TOY, fold(*FIRST_ROUND[:count]), text) == (event,)


def test_caption_of_each_kind() -> None:
    state = fold(*FIRST_ROUND[:2])
    assert [wording.caption(TOY, state, event) for event in (*FIRST_ROUND, DeckRebuilt(8))] == [
        "{p1} is dealt c01, c05, c09.",
        "{p2} is dealt c02, c06, c10.",
        "{p1} lays c09.",
        "{p2} lays c10.",
        "Turned: c09 of {p1} against c10 of {p2}.",
        "{p2} draws c03, c04.",
        "{p2} passes c02.",
        "The 8 discards are shuffled into the deck.",
    ]
