"""Whole games: each ends, 54 cards stay 54, what is offered can be typed, the figures are the known ones."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections import Counter
from typing import Any

import pytest

from games.core import fold, serialization
from games.core.ruleset import CHANCE, TABLE, IllegalAction
from games.core.start import started
from games.rulesets.monstropoly_battle import RULESETS
from games.rulesets.monstropoly_battle.events import CardsRevealed, SpoilsSplit, TieCardDrawn
from games.rulesets.monstropoly_battle.places import known_at
from games.rulesets.monstropoly_battle.state import State
from games.rulesets.monstropoly_battle.teams import best_teams, possible_kinds
from games.testing.playout import playout
from games.text.wording import read, write
from tests.games.recorded import ended, find
from tests.games.recorded import read as read_record

RULES = RULESETS[0]
PLAIN = dataclasses.replace(RULES, bot=None)
START = started(RULES, 2, origin="simulated")
CARDS = RULES.setup(START).setup


@pytest.mark.parametrize("rules", [RULES, PLAIN], ids=["bot", "random"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"dead_tie": "redraw", "tie_card": "adds", "phase2_tie": "redraw", "lordi_win": 5},
        {"dead_tie": "take-back", "phase2_tie": "split", "declare": "maximum"},
    ],
    ids=str,
)
def test_games_end_and_every_offer_can_be_typed(rules: Any, options: dict[str, Any]) -> None:
    start = started(RULES, 2, options=options)
    before = RULES.setup(start)
    for event, after in playout(rules, start, random.Random(4)):  # noqa: S311 - to be repeated
        for due in RULES.pending(before):
            for offer in itertools.islice(RULES.legal_actions(before, due.seat), 12):
                assert read(RULES, before, write(RULES, before, offer)) == (offer,)
        text = write(RULES, before, event)
        assert not text.startswith("{")
        assert read(RULES, before, text) == (event,)
        RULES.invariants(after)
        assert card_count(after) == 54
        before = after
    assert RULES.outcome(before) is not None


def card_count(state: State) -> int:
    return sum(map(len, known_at(state).values())) + state.deck.unknown


def test_phase_one_takes_46_rounds_and_hands_hold_four_and_the_rounds_won() -> None:
    for seed in range(6):
        events = list(playout(RULES, START, random.Random(seed)))  # noqa: S311 - to be repeated
        last = next(state for event, state in events if state.phase == "phase2.declare")
        assert {seat: hand.size - 4 for seat, hand in last.hands.items()} == last.wins
        assert sum(last.wins.values()) == 46
        assert sum(isinstance(event, CardsRevealed) for event, _ in events) == 46
        assert sum(isinstance(event, SpoilsSplit) for event, _ in events) == 46


def test_random_games_have_the_figures_of_the_analysis() -> None:
    reasons: Counter[str] = Counter()
    ties = reveals = 0
    for seed in range(60):
        events = list(playout(RULES, START, random.Random(seed)))  # noqa: S311 - to be repeated
        assert 140 <= len(events) <= 260
        ties += sum(isinstance(event, TieCardDrawn) for event, _ in events)
        reveals += 46
        over = RULES.outcome(events[-1][1])
        assert over is not None
        reasons[over.reason] += 1
    assert 0.05 < ties / reveals < 0.2
    assert reasons["automatic-loss"] >= 8
    assert reasons["most-points"] >= 20


def test_the_same_seed_plays_the_same_game() -> None:
    one, two = ([event for event, _ in playout(RULES, START, random.Random(3))] for _ in range(2))  # noqa: S311
    assert one == two


# --- what is typed ---------------------------------------------------------------------------------------


def after(*texts: str) -> State:
    state = RULES.setup(START)
    for text in texts:
        for event in read(RULES, state, text):
            RULES.check(state, event)
            state = fold.evolve(RULES, state, event)
    return state


DEALT = ("hand p1 awa-1,ox-3,?,?", "hand p2")


@pytest.mark.parametrize(
    "text",
    ["", "awa", "awa v", "awa v kin v ox", "p1: awa v kin", "commit awa-1", "p1: commit zzz", "tie", "lot p3",
     "take what", "give all", "select", "select a", "select 0,", "select 9999999999", "select ²",
     "shuffle now", "field", "p1: lineup x", "lead awa-1", "hand", "hand p3",
     "{", '{"kind":"dance"}', "p9: commit awa-1 x"],
)  # fmt: skip
def test_what_is_no_move_is_not_understood(text: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        read(RULES, after(*DEALT), text)
    assert refused.value.code == "not-understood"


@pytest.mark.parametrize(
    ("text", "payload"),
    [
        ("AWA V KIN", {"kind": "cards_revealed", "cards": {"p1": "awa-1", "p2": "kita-2"}}),
        ("ox-3 v Mr. Lordi", {"kind": "cards_revealed", "cards": {"p1": "ox-3", "p2": "lordi-1"}}),
        ("p1: commit", {"kind": "card_committed", "player": "p1"}),
        ("p2:commit ?", {"kind": "card_committed", "player": "p2"}),
        ("p1: COMMIT awa", {"kind": "card_committed", "player": "p1", "card": "awa-1"}),
        ('{"kind":"lot_drawn","winner":"p1"}', {"kind": "lot_drawn", "winner": "p1"}),
    ],
)
def test_each_form_is_read(text: str, payload: dict[str, Any]) -> None:
    assert [serialization.event_to(event) for event in read(RULES, after(*DEALT), text)] == [payload]


def test_who_is_meant_follows_where_only_one_may_act() -> None:
    assert [
        serialization.event_to(event) for event in read(RULES, after(*DEALT, "p1: commit"), "commit ox-1")
    ] == [{"kind": "card_committed", "player": "p2", "card": "ox-1"}]


# --- the most teams -------------------------------------------------------------------------------------


def test_no_other_choice_of_wild_cards_makes_more_teams() -> None:
    """Try every way to give wild cards to teams, with every LORDI, on hands of many sizes."""
    rng = random.Random(11)  # noqa: S311 - to be repeated
    for size in (12, 18, 24, 30, 36, 42):
        for _ in range(6):
            hand = rng.sample(sorted(CARDS.cards), size)
            formed = best_teams(CARDS, hand)
            used = [card for team in formed for card in team.cards]
            assert len(used) == len(set(used)) == 5 * len(formed)
            assert set(used) <= set(hand)
            assert all(team.kind in possible_kinds(CARDS, team.cards) for team in formed)
            assert len(formed) == most(hand)


def most(hand: list[str]) -> int:
    lineups: list[list[str]] = [[]]
    for letter in "LORDI":
        named = [card for card in hand if CARDS.cards[card].letter == letter]
        lineups = [[*row, card] for row in lineups for card in named]
    with_lineup = (1 + filled([card for card in hand if card not in row]) for row in lineups)
    return max((filled(hand), *with_lineup))


def filled(hand: list[str]) -> int:
    teams = [CARDS.cards[card].team for card in hand]
    lacking = [5 - teams.count(name) for name in CARDS.teams if name in teams]
    chosen = itertools.chain.from_iterable(
        itertools.combinations(lacking, n) for n in range(len(lacking) + 1)
    )
    return max(len(some) for some in chosen if sum(some) <= teams.count(None))


def test_one_game_ends_the_same_whoever_recorded_it() -> None:
    names = ["most-points", *(f"most-points-seen-by-{viewer}" for viewer in ("p1", "p2", "table"))]
    witnesses = [find("monstropoly_battle", name) for name in names]
    assert {read_record(one)[0].seen_as for one in witnesses} == {"everything", "p1", "p2", "table"}
    outcomes = [ended(one)[1] for one in witnesses]
    assert outcomes == outcomes[:1] * len(witnesses)


@pytest.mark.parametrize("laid", [["p1: commit ox-2", "p2: commit kin"], ["p1: commit", "p2: commit kin"]])
def test_what_both_laid_is_turned_by_nobody(laid: list[str]) -> None:
    before = after(*DEALT, laid[0])
    assert [due.seat for due in RULES.pending(before)] == [TABLE, "p2"]
    state = after(*DEALT, *laid)
    (due,) = RULES.pending(state)
    assert (due.seat, due.kinds, due.must) == (CHANCE, ("cards_revealed",), True)
    turned = RULES.deal(state, random.Random(1)) if RULES.deal else None  # noqa: S311 - to be repeated
    assert isinstance(turned, CardsRevealed)
    RULES.check(state, turned)
    assert turned.cards["p2"] == "kita-2"
    known = None not in state.committed.values()
    assert list(RULES.legal_actions(state, CHANCE)) == ([turned] if known else [])
    assert [choice.kind for choice in RULES.open_choices(state, CHANCE)] == (
        [] if known else ["cards_revealed"]
    )
    assert not list(RULES.open_choices(state, TABLE))
