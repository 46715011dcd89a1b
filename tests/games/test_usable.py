"""Whatever is ruled: it is refused by a sentence, or everybody sees the game and plays on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from games import replay, start, toy, usable, wire
from games.events import Change, RecordRuled, RecordStarted
from games.playout import next_event, playout
from games.registry import installed
from games.ruleset import CHANCE, IllegalAction, Ruleset

HOSTILE: tuple[Any, ...] = (
    0, -1, 1, 10**12, 10**30, 1.5, True, None, "", "zz", "p1", "p2", "p9", [], {}, ["p1", "p1"], ["zz"],
    {"zz": 1},
)  # fmt: skip
STATES, PLACES, STEPS = 2, 20, 4
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
    found = list(places(wire.plain_state(state)))
    for at, was in dice.sample(found, min(PLACES, len(found))):
        alike = [value for _, value in found if type(value) is type(was)]
        for now in (*HOSTILE, dice.choice(alike), dice.choice(alike)):
            yield Change(at, was, now)


def played_on(rules: Ruleset[Any], started: RecordStarted[Any, Any], state: Any, dice: random.Random) -> None:
    """Show it to everybody, tell everybody of the next steps, and take them."""
    viewers = replay.viewers(started) if rules.hides else ()
    seen = {viewer: rules.hide(state, viewer) for viewer in viewers}
    for _ in range(STEPS):
        for table in (state, *seen.values()):
            usable.ask(rules, table)
        rules.invariants(state)
        if replay.outcome(rules, state, started.seats, None) is not None:
            return
        event = next_event(rules, state, dice)
        for viewer, table in seen.items():
            told = replay.tell(rules, state, event, viewer, table)
            seen[viewer] = replay.evolve(rules, table, told)
        state = replay.evolve(rules, state, event)


@pytest.mark.parametrize("name", sorted(RULESETS))
def test_a_ruling_is_refused_by_a_sentence_or_the_game_goes_on(name: str) -> None:
    rules, dice = RULESETS[name], random.Random(name)  # noqa: S311 - to be repeated
    taken, refused = 0, list[IllegalAction]()
    for started, state in tables(rules, dice.choice(rules.seats[:3]), dice):
        for change in hostile(state, dice):
            ruled = RecordRuled("so we agreed", (change,))
            try:
                replay.check(rules, state, ruled, seats=started.seats, closed=False)
            except IllegalAction as refusal:
                refused.append(refusal)
                continue
            taken += 1
            played_on(replace(rules, bot=None), started, replay.evolve(rules, state, ruled), dice)
    assert taken > 0
    assert {refusal.code for refusal in refused} <= REFUSALS
    assert all(refusal.sentence.endswith(".") for refusal in refused)
    assert len(refused) > taken


def test_numbers_that_no_reader_of_json_keeps_are_no_state() -> None:
    state = toy.TOY.setup(start.started(toy.TOY, 2))
    ruled = RecordRuled("so", (Change("/round", 1, 10**30),))
    with pytest.raises(IllegalAction, match=r"ruling-mistyped.*more than 15 digits"):
        replay.check(toy.TOY, state, ruled, seats=("p1", "p2"), closed=False)


# --- rules that trip over what the invariants let pass ---


def ruled_round(**others: Any) -> IllegalAction:
    """The refusal of a ruling of round 7 by the toy with something else in it."""
    rules = replace(toy.TOY, **others)
    started = start.started(rules, 2)
    ruled = RecordRuled("so", (Change("/round", 1, 7),))
    replay.check(toy.TOY, rules.setup(started), ruled, seats=started.seats, closed=False)
    with pytest.raises(IllegalAction) as refused:
        replay.check(rules, rules.setup(started), ruled, seats=started.seats, closed=False)
    return refused.value


def tripping(part: str) -> Any:
    """A part of the toy that trips over round 7."""
    whole = getattr(toy.TOY, part)

    def part_of_it(state: toy.HighCard, *rest: Any) -> Any:
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
    def dealt(state: toy.HighCard, event: toy.HandDealt) -> toy.HighCard:
        return tripping("deal")(state, event) if state.round == 7 else toy.hand_dealt(state, event)

    refused = ruled_round(evolve={**toy.TOY.evolve, toy.HandDealt: dealt})
    assert refused.code == "rules-cannot-go-on"


def test_a_ruling_is_refused_where_only_a_viewer_could_not_be_shown_it() -> None:
    def hidden(state: toy.HighCard, viewer: str) -> toy.HighCard:
        return (
            msgspec.structs.replace(toy.TOY.hide(state, viewer), phase="turning")
            if state.round == 7
            else state
        )

    def scene(state: toy.HighCard) -> Any:
        return tripping("scene")(state) if state.phase == "turning" else toy.scene(state)

    assert ruled_round(hide=hidden, scene=scene).code == "rules-cannot-go-on"
    assert CHANCE in {due.seat for due in toy.TOY.pending(toy.TOY.setup(start.started(toy.TOY, 2)))}
