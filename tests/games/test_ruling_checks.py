"""Whatever is ruled: it is refused by a sentence, or everybody sees the game and it is played to its end."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import msgspec
import pytest

from games.core import fold, ruling_checks, serialization, start
from games.core.events import Change, Event, RecordRuled, RecordStarted
from games.core.registry import installed
from games.core.ruleset import CHANCE, IllegalAction, Pending, Ruleset
from games.examples import high_card
from games.testing.playout import next_event, playout

HOSTILE: tuple[Any, ...] = (
    0, -1, 1, 10**12, 10**30, 1.5, True, None, "", "zz", "p1", "p2", "p9", [], {}, ["p1", "p1"], ["zz"],
    {"zz": 1},
)  # fmt: skip
STATES, PLACES, STEPS = 2, 20, 4
GAMES, TRIED, TAKEN, LONGEST, OFTEN = 4, 800, 4, 200, 0.4
REFUSALS = {"ruling-mistyped", "ruling-breaks-the-count", "rules-cannot-go-on"}
RULESETS = installed().newest()


def places(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every place of a plain state, whole parts too."""
    if at:
        yield at, value
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from places(item, f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}")


def tables(
    rules: Ruleset[Any], seats: int, dice: random.Random
) -> Iterator[tuple[RecordStarted[Any, Any], Any]]:
    """States of a simulated game: the first, and some as they came."""
    started = start.started(rules, seats, origin="simulated")
    states = [rules.setup(started), *(state for _, state in playout(rules, started, dice, max_events=300))]
    yield from ((started, state) for state in [states[0], *dice.sample(states, min(STATES, len(states)))])


def hostile(state: Any, dice: random.Random) -> Iterator[Change]:
    """Changes of some places to what nobody meant, and to what stands elsewhere."""
    found = list(places(serialization.plain_state(state)))
    for at, was in dice.sample(found, min(PLACES, len(found))):
        alike = [value for _, value in found if type(value) is type(was)]
        for now in (*HOSTILE, dice.choice(alike), dice.choice(alike)):
            yield Change(at, was, now)


def played_on(rules: Ruleset[Any], started: RecordStarted[Any, Any], state: Any, dice: random.Random) -> None:
    """Show it to everybody, tell everybody of the next steps, and take them."""
    viewers = fold.viewers(started) if rules.has_hidden_information else ()
    seen = {viewer: rules.hide(state, viewer) for viewer in viewers}
    for _ in range(STEPS):
        for table in (state, *seen.values()):
            ruling_checks.ask(rules, table)
        rules.invariants(state)
        if fold.outcome(rules, state, started.seats, None) is not None:
            return
        event = next_event(rules, state, dice)
        for viewer, table in seen.items():
            told = fold.observe(rules, state, event, viewer, table)
            seen[viewer] = fold.evolve(rules, table, told)
        state = fold.evolve(rules, state, event)


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_a_ruling_is_refused_by_a_sentence_or_the_game_goes_on(name: str) -> None:
    rules, dice = RULESETS[name], random.Random(name)  # noqa: S311 - to be repeated
    taken, refused = 0, list[IllegalAction]()
    for started, state in tables(rules, dice.choice(rules.seats[:3]), dice):
        for change in hostile(state, dice):
            ruled = RecordRuled("so we agreed", (change,))
            try:
                fold.check(rules, state, ruled, seats=started.seats, closed=False)
            except IllegalAction as refusal:
                refused.append(refusal)
                continue
            taken += 1
            played_on(replace(rules, bot=None), started, fold.evolve(rules, state, ruled), dice)
    assert taken > 0
    assert {refusal.code for refusal in refused} <= REFUSALS
    assert all(refusal.sentence.endswith(".") for refusal in refused)
    assert len(refused) > taken


# --- half a ruling: what stands beside it would have to change too ---


def halves(state: Any, others: list[Any], dice: random.Random) -> tuple[Change, ...]:
    """One to three places, each changed to what could stand there: at another time, next to it, elsewhere."""
    found = dict(places(serialization.plain_state(state)))
    elsewhere = dict(places(serialization.plain_state(dice.choice(others))))
    chosen = dice.sample(list(found), dice.choice((1, 1, 2, 3)))
    if dice.random() < OFTEN:
        chosen[0] = "/phase"
    changes: list[Change] = []
    for at in dict.fromkeys(chosen):
        was, alike = found[at], [value for value in found.values() if type(value) is type(found[at])]
        near = [not was] if type(was) is bool else [was - 1, was + 1, 0, 1] if type(was) is int else alike
        now = dice.choice([elsewhere.get(at), *near, dice.choice(alike)])
        inside = any(f"{at}/".startswith(f"{change.at}/") for change in changes)
        if now != was and (type(now) is type(was) or was is None) and not inside:
            changes.append(Change(at, was, now))
    return tuple(sorted(changes, key=lambda change: change.at, reverse=True))


def played_out(rules: Ruleset[Any], state: Any, dice: random.Random) -> None:
    """Play on at random to the end, or far; the rules take each step, and the laws hold behind it."""
    for _ in range(LONGEST):
        if rules.outcome(state) is not None:
            return
        event = next_event(replace(rules, bot=None), state, dice)
        rules.check(state, event)
        state = fold.evolve(rules, state, event)
        rules.invariants(state)


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_whatever_part_of_a_ruling_is_taken_the_game_is_played_to_its_end(name: str) -> None:
    rules, dice, count = RULESETS[name], random.Random(name), 0  # noqa: S311 - to be repeated
    for _ in range(GAMES):
        started = start.started(rules, dice.choice(rules.seats[:2]), origin="simulated")
        states = [state for _, state in playout(rules, started, dice, max_events=400)]
        for state, ruled in islice(taken(rules, started, states, dice), TAKEN):
            played_out(rules, fold.evolve(rules, state, ruled), dice)
            count += 1
    assert count >= GAMES


def taken(
    rules: Ruleset[Any], started: RecordStarted[Any, Any], states: list[Any], dice: random.Random
) -> Iterator[tuple[Any, RecordRuled]]:
    """States with rulings that are accepted there."""
    for _ in range(TRIED):
        state = dice.choice(states)
        ruled = RecordRuled("so we agreed", halves(state, states, dice))
        with suppress(IllegalAction):
            fold.check(rules, state, ruled, seats=started.seats, closed=False)
            if ruled.changes:
                yield state, ruled


Plain = dict[str, Any]


def both_field(_state: Plain) -> Plain:
    return {"/fielded": {"p1": 0, "p2": 0}}


def nobody_left(state: Plain) -> Plain:
    cards = [card for teams in state["teams"].values() for team in teams for card in team["cards"]]
    seat = next(iter(state["teams"]), "p1")
    held = [*state["hands"][seat]["known"], *cards]
    return {"/teams": {"p1": [], "p2": []}, f"/hands/{seat}/known": held}


def all_used(state: Plain) -> Plain:
    return {f"/teams/p1/{n}/used": True for n, team in enumerate(state["teams"]["p1"]) if team["selected"]}


def gambit_up(state: Plain) -> Plain:
    seat, cards = next((seat, cards) for seat, cards in state["gambit_discards"].items() if cards)
    return {f"/gambit_discards/{seat}": cards[1:], "/gambits": {seat: cards[0]}}


DEAD_ENDS = [
    ("monsters-forever", "start", lambda _: {"/phase": "retreat", "/retreat": "A1"}, "/retreat, /pieces"),
    ("monstropoly-battle", "phase2.declare", nobody_left, "/teams"),
    ("monstropoly-battle", "phase2.field", both_field, "/fielded"),
    ("monstropoly-battle", "phase2.field", all_used, "/teams, /battle"),
    ("monstropoly-battle", "phase2.lead", lambda state: {"/battle": state["battle"] + 1}, "/battle"),
    ("monstropoly-battle", "phase2.lead", lambda state: {"/pair": state["pair"] % 5 + 1}, "/spent, /pair"),
    ("monsters-of-war", "war.lay", gambit_up, "/gambits"),
    ("monster-maker", "start", lambda _: {"/out": ["p3"]}, "before the first turn (/out)"),
    ("monster-maker", "turn", lambda _: {"/out": ["p3"]}, "/out, /pieces/p3, /trades/p3"),
    ("legend-of-monopoly", "turn.post", lambda _: {"/out": ["p3"]}, "/out, /streak, /space, /cash, /loans"),
    ("legend-of-monopoly", "turn.post", lambda _: {"/water_open": True}, "/water_open"),
    ("legend-of-monopoly", "start", lambda _: {"/move_due": 6}, "/move_due"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "phase", "wish", "says"), DEAD_ENDS)
def test_a_ruling_into_a_dead_end_names_what_would_have_to_change_with_it(
    name: str, phase: str, wish: Any, says: str
) -> None:
    rules, dice = RULESETS[name], random.Random(name)  # noqa: S311 - to be repeated
    seats = 3 if 3 in rules.seats else 2
    started = start.started(rules, seats, origin="simulated")
    states = [rules.setup(started), *(state for _, state in playout(rules, started, dice, max_events=600))]
    state = next((state for state in reversed(states) if state.phase == phase), states[0])
    wished = (Change(at, None, now) for at, now in wish(serialization.plain_state(state)).items())
    changes = fold.fitted(state, wished)
    with pytest.raises(IllegalAction, match=re.escape(says)):
        fold.check(rules, state, RecordRuled("so", changes), seats=started.seats, closed=False)


def test_a_card_of_a_hand_may_be_ruled_under_the_deck() -> None:
    rules, dice = RULESETS["monstropoly-battle"], random.Random(1)  # noqa: S311 - to be repeated
    started = start.started(rules, 2, origin="simulated")
    states = [state for _, state in playout(rules, started, dice, max_events=40)]
    state = next(state for state in reversed(states) if state.phase == "phase1.choose")
    first, *rest = state.hands["p1"].known
    under = Change("/deck/under", None, (*state.deck.under, first))
    changes = fold.fitted(state, (Change("/hands/p1/known", None, rest), under))
    ruled = RecordRuled("it had slipped", changes)
    fold.check(rules, state, ruled, seats=started.seats, closed=False)
    for _ in range(20):
        played_out(rules, fold.evolve(rules, state, ruled), dice)


def test_numbers_that_no_reader_of_json_keeps_are_no_state() -> None:
    state = high_card.TOY.setup(start.started(high_card.TOY, 2))
    ruled = RecordRuled("so", (Change("/round", 1, 10**30),))
    with pytest.raises(IllegalAction, match=r"ruling-mistyped.*more than 15 digits"):
        fold.check(high_card.TOY, state, ruled, seats=("p1", "p2"), closed=False)


# --- rules that trip over what the invariants let pass ---


def ruled_round(**others: Any) -> IllegalAction:
    """The refusal of a ruling of round 7 by the toy with something else in it."""
    rules = replace(high_card.TOY, **others)
    started = start.started(rules, 2)
    ruled = RecordRuled("so", (Change("/round", 1, 7),))
    fold.check(high_card.TOY, rules.setup(started), ruled, seats=started.seats, closed=False)
    with pytest.raises(IllegalAction) as refused:
        fold.check(rules, rules.setup(started), ruled, seats=started.seats, closed=False)
    return refused.value


def tripping(part: str) -> Any:
    """A part of the toy that trips over round 7."""
    whole = getattr(high_card.TOY, part)

    def part_of_it(state: high_card.HighCard, *rest: Any) -> Any:
        if state.round == 7:
            raise KeyError(part)
        return whole(state, *rest)

    return part_of_it


@pytest.mark.parametrize(
    "part",
    ["outcome", "scores", "scene", "pending", "legal_actions", "open_choices", "hide", "deal", "invariants"],
)
def test_a_ruling_that_the_rules_trip_over_is_refused(part: str) -> None:
    refused = ruled_round(**{part: tripping(part)})
    assert refused.code == "rules-cannot-go-on"
    assert refused.sentence == f"After this ruling the rules cannot go on from here: KeyError: '{part}'."


def test_a_ruling_is_refused_where_the_step_behind_it_could_not_be_taken() -> None:
    def dealt(state: high_card.HighCard, event: high_card.HandDealt) -> high_card.HighCard:
        return tripping("deal")(state, event) if state.round == 7 else high_card.hand_dealt(state, event)

    refused = ruled_round(evolve={**high_card.TOY.evolve, high_card.HandDealt: dealt})
    assert refused.code == "rules-cannot-go-on"


def test_a_ruling_is_refused_where_only_a_viewer_could_not_be_shown_it() -> None:
    def hidden(state: high_card.HighCard, viewer: str) -> high_card.HighCard:
        return (
            msgspec.structs.replace(high_card.TOY.hide(state, viewer), phase="turning")
            if state.round == 7
            else state
        )

    def scene(state: high_card.HighCard) -> Any:
        return tripping("scene")(state) if state.phase == "turning" else high_card.scene(state)

    assert ruled_round(hide=hidden, scene=scene).code == "rules-cannot-go-on"
    assert CHANCE in {
        due.seat for due in high_card.TOY.pending(high_card.TOY.setup(start.started(high_card.TOY, 2)))
    }


@pytest.mark.parametrize("ahead", [0, 1])
def test_a_ruling_is_refused_where_here_or_one_step_further_who_must_cannot(ahead: int) -> None:
    def pending(state: high_card.HighCard) -> tuple[Pending, ...]:
        dealt = sum(bool(hand.known) for hand in state.hands.values())
        stuck = state.round == 7 and dealt == ahead
        return (Pending("p1", ("card_laid",)),) if stuck else high_card.pending(state)

    refused = ruled_round(pending=pending)
    assert refused.code == "rules-cannot-go-on"
    assert refused.sentence == (
        "After this ruling the game is not over, and nothing that {p1} must do (card laid) can be done."
    )


def test_a_ruling_is_refused_where_nobody_must_do_anything() -> None:
    refused = ruled_round(pending=lambda state: () if state.round == 7 else high_card.pending(state))
    assert refused.sentence == "After this ruling the game is not over, and nobody must do anything."


def test_a_ruling_is_refused_where_what_chance_brings_is_against_the_rules() -> None:
    def check(state: high_card.HighCard, event: Event) -> None:
        if state.round == 7:
            raise IllegalAction("not-now", "Not in round 7.")
        high_card.check(state, event)

    assert ruled_round(check=check).code == "rules-cannot-go-on"
