"""Who is told what: each hand its owner, a draw its winner, a given card its two; leaks are caught."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from games.core import fold
from games.core.events import Claim, Event, RecordChecked
from games.core.start import started
from games.rulesets.monstropoly_battle import RULESETS
from games.rulesets.monstropoly_battle.events import (
    CardCommitted,
    HandDealt,
    SpoilsSplit,
    TeamsDeclared,
    TopCardTaken,
)
from games.rulesets.monstropoly_battle.state import State
from games.testing.laws import LAWS, LawBroken, play
from games.testing.playout import next_event

RULES = RULESETS[0]
START = started(RULES, 2, origin="dealt")
VIEWERS = ("table", "p1", "p2")
LEAK = next(law for law in LAWS if law.name == "leak")


def dealt(seed: int) -> list[Event]:
    """Play a dealt game to its end, with cards laid face down now and then."""
    state, rng = RULES.setup(START), random.Random(seed)  # noqa: S311 - to be repeated
    events: list[Event] = []
    while RULES.outcome(state) is None:
        events.append(step(state, rng))
        state = fold.evolve(RULES, state, events[-1])
    return events


def step(state: State, rng: random.Random) -> Event:
    free = [seat for seat in state.setup.seats if seat not in state.committed]
    if state.phase == "phase1.choose" and free and rng.random() < 0.3:
        seat = rng.choice(free)
        return CardCommitted(seat, rng.choice(state.hands[seat].known))
    return next_event(RULES, state, rng)


GAMES = {seed: dealt(seed) for seed in range(1, 7)}


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("seed", GAMES)
def test_each_viewer_s_log_ends_with_the_same_outcome(seed: int, viewer: str) -> None:
    full = fold.fold(RULES, RULES.setup(START), GAMES[seed])
    seen = RULES.setup(fold.observe_start(START, viewer))
    for event in fold.observed(RULES, START, GAMES[seed], viewer):
        RULES.check(seen, event)
        seen = fold.evolve(RULES, seen, event)
        RULES.invariants(seen)
    assert RULES.outcome(seen) == RULES.outcome(full) is not None
    assert (seen.wins, seen.points, seen.round) == (full.wins, full.points, full.round)


def test_in_a_dealt_game_nothing_is_unknown_but_the_order_of_the_deck() -> None:
    for events in GAMES.values():
        for state in fold.states(RULES, START, events):
            assert all(not hand.unknown and not hand.mixed for hand in state.hands.values())
            assert all(team.unseen == 0 for teams in state.teams.values() for team in teams)
            assert state.deck.unknown == 0 or state.battle == 0


def test_a_seat_knows_its_own_hand_and_what_lay_open_of_the_other_s() -> None:
    seen = RULES.setup(fold.observe_start(START, "p1"))
    full = RULES.setup(START)
    for event, told in zip(GAMES[1], fold.observed(RULES, START, GAMES[1], "p1"), strict=True):
        full, seen = fold.evolve(RULES, full, event), fold.evolve(RULES, seen, told)
        assert seen.hands["p1"] == full.hands["p1"]
        assert set(seen.hands["p2"].known) <= set(full.hands["p2"].known)


def told_of(state: State, event: Event) -> dict[str, Event]:
    return {viewer: RULES.redact(state, event, viewer) for viewer in (*VIEWERS, "everything")}


def after(*texts: str) -> State:
    state = RULES.setup(started(RULES, 2))
    assert RULES.notation is not None
    for text in texts:
        for event in RULES.notation.read(state, text):
            RULES.check(state, event)
            state = fold.evolve(RULES, state, event)
    return state


SPLIT = ("hand p1 awa-1,ox-1,ox-2,ox-3", "hand p2 kin,amen-1,amen-2,amen-3", "awa-1 v kin", "take mana-1")


def test_a_given_card_is_shown_to_its_two_and_not_to_the_table() -> None:
    state = after(*SPLIT)
    event = SpoilsSplit("p1", "drawn")
    assert told_of(state, event) == {
        "table": event,
        "p1": event,
        "p2": SpoilsSplit("p1", "drawn", "mana-1"),
        "everything": event,
    }


def test_a_card_that_was_named_late_is_told_to_whom_it_is_shown() -> None:
    state = after(*SPLIT[:3], "take")
    given, kept = SpoilsSplit("p1", "drawn", "mana-1"), SpoilsSplit("p1", "own", "mana-1")
    assert told_of(state, given) == {
        "table": SpoilsSplit("p1", "drawn"),
        "p1": given,
        "p2": given,
        "everything": given,
    }
    assert told_of(state, kept) == {
        "table": SpoilsSplit("p1", "own"),
        "p1": kept,
        "p2": SpoilsSplit("p1", "own"),
        "everything": kept,
    }


def test_a_known_top_card_is_named_to_everybody() -> None:
    state = after(*SPLIT[:3])
    open_deck = replace(state, deck=replace(state.deck, unknown=0, under=("otus-1",)))
    for event in (TopCardTaken("p1"), TopCardTaken("p1", "otus-1")):
        named = TopCardTaken("p1", "otus-1")
        assert told_of(open_deck, event) == {**dict.fromkeys(VIEWERS, named), "everything": event}


def test_a_table_check_that_names_a_card_is_not_told() -> None:
    event = RecordChecked((Claim("deck", 46), Claim("deck", "ox-1")))
    told = RULES.redact(after(*SPLIT[:2]), event, "p1")
    assert told == RecordChecked((Claim("deck", 46),))


# --- planted leaks ---------------------------------------------------------------------------------------


def leaking(kind: type[Event], leak: Callable[[State, Any, str], Event]) -> Any:
    def redact(state: State, event: Event, viewer: str) -> Event:
        return leak(state, event, viewer) if type(event) is kind else RULES.redact(state, event, viewer)

    return dataclasses.replace(RULES, redact=redact)


def as_it_is(_state: State, event: Event, _viewer: str) -> Event:
    return event


def to_the_table(state: State, event: SpoilsSplit, viewer: str) -> Event:
    return replace(event, drawn=state.drawn) if event.gives == "drawn" else RULES.redact(state, event, viewer)


def kept_to_the_loser(state: State, event: SpoilsSplit, viewer: str) -> Event:
    return replace(event, drawn=state.drawn) if viewer != "table" else RULES.redact(state, event, viewer)


def kinds_with_a_card(_state: State, event: TeamsDeclared, _viewer: str) -> Event:
    return replace(
        event, teams=tuple(replace(team, cards=(*team.cards[:1], *(None,) * 4)) for team in event.teams)
    )


LEAKS: dict[str, tuple[type[Event], Callable[[State, Any, str], Event]]] = {
    "the deal": (HandDealt, as_it_is),
    "the draw": (TopCardTaken, as_it_is),
    "the commitment": (CardCommitted, as_it_is),
    "the drawn card to the table": (SpoilsSplit, to_the_table),
    "the kept card to the loser": (SpoilsSplit, kept_to_the_loser),
    "the teams": (TeamsDeclared, as_it_is),
    "a card of each team": (TeamsDeclared, kinds_with_a_card),
}


@pytest.fixture(scope="module")
def judged() -> list[Any]:
    plain = dataclasses.replace(RULES, bot=None)
    return [play(RULES, START, 2, "bot"), play(RULES, START, 8, "bot"), play(plain, START, 1, "restless")]


@pytest.mark.parametrize("name", LEAKS)
def test_a_planted_leak_is_caught(name: str, judged: list[Any]) -> None:
    LEAK.check(RULES, judged)
    with pytest.raises(LawBroken):
        LEAK.check(leaking(*LEAKS[name]), judged)
