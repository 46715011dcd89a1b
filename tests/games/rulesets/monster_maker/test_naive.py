"""The ruleset against the naive table: the same judgement of what is right, the same heaps, the same winner.

TABLETAPE_DIFFERENTIAL=500 plays so many games of each number of players instead of 30.
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from games.core import serialization
from games.core.events import Event
from games.core.ruleset import IllegalAction
from games.core.start import started
from games.rulesets.monster_maker import RULESETS
from games.rulesets.monster_maker.state import State
from games.testing import playout
from tests.games.per_ruleset import GAMES
from tests.games.rulesets.monster_maker.naive import NAMES, PARTS, Game, Wrong

RULES = RULESETS[0]
READINGS = [
    {"off_turn": off_turn, "trades_per_turn": trades, "trade2": trade2, "monsters": monsters}
    for off_turn, trades, trade2, monsters in product(
        ("counts", "wait"), ("one-action", "any"), ("two", "up-to"), ("drawn", "chosen")
    )
]
WHIM = 0.2
"""How often a player does something odd, so that everything comes up."""


def same_table(state: State, game: Game) -> None:
    seats = state.setup.seats
    assert {seat: sorted(state.pieces[seat]) for seat in seats} == {s: sorted(game.hand[s]) for s in seats}
    assert {seat: sorted(state.trades[seat]) for seat in seats} == {s: sorted(game.saved[s]) for s in seats}
    assert list(reversed(state.garbage)) == game.garbage
    assert sorted(state.trade_discard) == sorted(game.spent)
    assert [layer.size for layer in state.draw] == [len(heap) for heap in game.heaps]
    assert state.drawn == game.waiting
    if not game.winner:
        assert (state.turn or "", state.phase == "garbage") == (game.now, game.searching)
    assert RULES.scores(state) == game.scores()
    over = RULES.outcome(state)
    assert (over.winners[0] if over else "", over.reason if over else "") == (game.winner, game.reason)


def whimsical(state: State, rng: Random) -> Event:
    """Do what the bot does, or now and then anything else that is offered, resigning least of all."""
    if rng.random() > WHIM:
        return playout.next_event(RULES, state, rng)
    due = [item for item in RULES.pending(state) if item.kinds != ("player_resigned",) or rng.random() < 0.02]
    event = playout.random_event(RULES, state, rng.choice(due), rng)
    assert event is not None
    return event


def follow(players: int, options: dict[str, Any], rng: Random) -> None:
    start = started(RULES, players, options=options, origin="simulated")
    state, game = RULES.setup(start), Game(players, options)
    while RULES.outcome(state) is None:
        event = whimsical(state, rng)
        RULES.check(state, event)
        state = RULES.evolve[type(event)](state, event)
        game.play(serialization.event_to(event))
        RULES.invariants(state)
        same_table(state, game)


@pytest.mark.parametrize("players", RULES.seats)
def test_games_of_each_number_of_players(players: int) -> None:
    for seed in range(GAMES):
        rng = Random(f"{players} {seed}")  # noqa: S311 - to be repeated
        follow(players, rng.choice(READINGS), rng)


# --- the same judgement, of what is right and of what is wrong -------------------------------------------


def anything(state: State, rng: Random) -> Any:
    """Make up an event of any kind, with cards that are mostly at hand."""
    seat = state.turn if state.turn and rng.random() < 0.8 else rng.choice(state.setup.seats)
    pieces = list(state.setup.pieces)
    trades = list(state.setup.trades)
    own = [
        *state.pieces[seat],
        *state.garbage[:2],
        *((state.drawn,) if state.drawn else ()),
        rng.choice(pieces),
    ]
    held = [*state.trades[seat], *((state.drawn,) if state.drawn else ()), rng.choice(trades)]
    bonus = rng.sample(pieces + trades, rng.choice([1, 1, 2, 3, 6]))
    kind = rng.choice(serialization.known_kinds(RULES))
    fields = {
        "monster_drawn": {"monster": rng.choice(NAMES)},
        "parts_dealt": {"cards": rng.sample(pieces + trades, rng.choice([6, 6, 6, 5]))},
        "bonus_dealt": {"cards": bonus},
        "part_drawn": {"card": rng.choice(pieces + trades)},
        "piece_kept": {"discard": rng.choice(own)},
        "garbage_taken": {"discard": rng.choice(own)},
        "trade_played": {"trade": rng.choice(held), "exchanges": swaps(state, seat, own, rng)},
        "garbage_trade_played": {"trade": rng.choice(held)},
        "garbage_picked": {"take": rng.choice([*state.garbage, *own]), "discard": rng.choice(own)},
        "draw_pile_rebuilt": {"count": rng.choice([0, len(state.garbage) - 1, len(state.garbage)])},
    }
    whose = {} if kind == "draw_pile_rebuilt" else {"player": seat}
    return serialization.event_from(RULES, {"kind": kind, **whose, **fields.get(kind, {})})


def swaps(state: State, seat: str, own: list[str], rng: Random) -> list[dict[str, str]]:
    made = []
    for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3])):
        other = rng.choice(state.setup.seats)
        takes = [*state.pieces[other], *state.trades[other], rng.choice(own)]
        made.append({"with": other, "take": rng.choice(takes), "give": rng.choice(own)})
    return made


def accepted(state: State, event: Event) -> bool:
    try:
        RULES.check(state, event)
    except IllegalAction as refusal:
        said = refusal
    else:
        return True
    assert said.sentence.endswith("."), said.sentence
    for other in said.legal[::7]:
        RULES.check(state, other)
    return False


def right(game: Game, event: Event) -> bool:
    before = dict(game.__dict__)
    try:
        game.play(serialization.event_to(event))
    except Wrong:
        return False
    game.__dict__ = before
    return True


@pytest.mark.parametrize("players", RULES.seats)
def test_both_judge_whatever_is_made_up_alike(players: int) -> None:
    counts = {True: 0, False: 0}
    for seed in range(3):
        rng = Random(f"judge {players} {seed}")  # noqa: S311 - to be repeated
        options = rng.choice(READINGS)
        state = RULES.setup(started(RULES, players, options=options, origin="simulated"))
        game = Game(players, options)
        while RULES.outcome(state) is None:
            for _ in range(20):
                event = anything(state, rng)
                verdict = accepted(state, event)
                assert verdict == right(game, event), (
                    serialization.encode_event(event),
                    serialization.plain_state(state),
                )
                counts[verdict] += 1
            event = whimsical(state, rng)
            state = RULES.evolve[type(event)](state, event)
            game.play(serialization.event_to(event))
        assert not any(accepted(state, anything(state, rng)) for _ in range(20))
    assert counts[True] > 100
    assert counts[False] > 100


def test_everything_listed_is_right_and_nothing_is_left_out() -> None:
    """Of what the naive table allows a player, all that differs in more than a like trade card is listed."""
    rng = Random(3)  # noqa: S311 - to be repeated
    state = RULES.setup(started(RULES, 3, origin="simulated"))
    game = Game(3, {})
    while RULES.outcome(state) is None:
        if state.turn is not None:
            listed = list(RULES.legal_actions(state, state.turn))
            for event in tries(state):
                assert (event in listed) == right(game, event), serialization.encode_event(event)
        event = whimsical(state, rng)
        state = RULES.evolve[type(event)](state, event)
        game.play(serialization.event_to(event))


def tries(state: State) -> list[Event]:
    """Every event of the kinds with one or two fields that a player might think of."""
    seat = state.turn or ""
    made: list[dict[str, Any]] = [{"kind": kind} for kind in ("piece_discarded", "trade_saved", "turn_ended")]
    cards = [f"{name}-{part}-{copy}" for name in NAMES for part in PARTS for copy in (1, 2)]
    made += [{"kind": kind, "discard": c} for kind in ("piece_kept", "garbage_taken") for c in cards]
    if state.phase == "garbage":
        some = [*state.pieces[seat], *state.garbage[:3]]
        made += [{"kind": "garbage_picked", "take": t, "discard": d} for t in some for d in some]
    return [serialization.event_from(RULES, {**item, "player": seat}) for item in made]
