"""Whole games: each ends, no card gets lost, what is written reads back, the figures are the known ones."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from typing import Any

import msgspec
import pytest

from games.core import serialization
from games.core.ruleset import CHANCE, Outcome
from games.core.start import started
from games.rulesets.monster_maker import RULESETS
from games.rulesets.monster_maker.events import (
    DrawPileRebuilt,
    PartDrawn,
    PieceDiscarded,
    PieceKept,
    TradePlayed,
    TradeSaved,
)
from games.rulesets.monster_maker.state import State, loose_cards, matched
from games.testing.playout import next_event, playout, random_event
from games.text.wording import read, write
from tests.games.recorded import ended, find

RULES = RULESETS[0]


def play(players: int, options: Mapping[str, Any], seed: int, *, whim: float = 0.0) -> Outcome:
    """Play with the bot, now and then at random; look at everything on the way."""
    rng = random.Random(seed)  # noqa: S311 - to be repeated
    state = RULES.setup(started(RULES, players, options=options))
    while RULES.outcome(state) is None:
        event: Any = next_event(RULES, state, rng)
        if rng.random() < whim:
            event = random_event(RULES, state, rng.choice(RULES.pending(state)), rng)
        RULES.check(state, event)
        assert read(RULES, state, write(RULES, state, event)) == (event,)
        assert not write(RULES, state, event).startswith("{")
        assert "\n" not in RULES.describe(state, event)
        state = RULES.evolve[type(event)](state, event)
        RULES.invariants(state)
        counted(state)
    assert RULES.pending(state) == ()
    over = RULES.outcome(state)
    assert over is not None
    return over


def counted(state: State) -> None:
    """Sixty pieces and nineteen trade cards, counted once more without the ruleset's own law."""
    drawn = [state.drawn] if state.drawn else []
    placed = Counter([*sum(state.pieces.values(), ()), *sum(state.trades.values(), ())])
    placed += Counter([*state.garbage, *state.trade_discard, *drawn])
    placed += Counter(card for layer in state.draw for card in layer.known)
    assert max(placed.values(), default=1) == 1
    pieces = sum(card in state.setup.pieces for card in placed)
    trades = sum(card in state.setup.trades for card in placed)
    unknown = sum(layer.unknown for layer in state.draw)
    assert (len(state.setup.pieces), len(state.setup.trades)) == (60, 19)
    assert pieces + trades + unknown == 79
    if state.turn is not None:
        assert {len(held) for seat, held in state.pieces.items() if seat not in state.out} == {6}


@pytest.mark.parametrize("players", RULES.seats)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"off_turn": "wait", "trades_per_turn": "any", "monsters": "chosen"},
        {"trade2": "up-to", "trades_per_turn": "any"},
    ],
    ids=str,
)
def test_games_of_any_size_end_under_mixed_options(players: int, options: dict[str, Any]) -> None:
    reasons = {play(players, options, seed, whim=0.15).reason for seed in range(4)}
    assert reasons <= {"monster-complete", "last-player"}


def test_simulated_games_have_the_figures_of_the_analysis() -> None:
    turns: list[int] = []
    off_turn = rebuilt = 0
    for seed in range(160):
        start = started(RULES, 2 + seed % 4, origin="simulated")
        seats: list[str | None] = []
        for event, state in playout(RULES, start, random.Random(seed)):  # noqa: S311 - to be repeated
            seats += [] if seats[-1:] == [state.turn] else [state.turn]
            rebuilt += isinstance(event, DrawPileRebuilt)
        over = RULES.outcome(state)
        assert over is not None
        assert over.reason == "monster-complete"
        off_turn += over.winners != (state.turn,)
        turns.append(len(seats) - 1)
    assert 27 <= median(turns) <= 40
    assert max(turns) < 150
    assert off_turn <= 5
    assert rebuilt <= 16


@pytest.mark.parametrize("players", RULES.seats)
def test_the_bot_keeps_what_it_needs_and_takes_what_it_lacks(players: int) -> None:
    start = started(RULES, players, origin="simulated")
    for seed in range(10):
        before = RULES.setup(start)
        for event, after in playout(RULES, start, random.Random(seed)):  # noqa: S311 - to be repeated
            seat = getattr(event, "player", "")
            if before.turn is not None and seat:
                assert len(matched(after, seat)) >= len(matched(before, seat)), serialization.encode_event(
                    event
                )
            match event:
                case PieceKept():
                    assert len(matched(after, seat)) > len(matched(before, seat))
                case PieceDiscarded():
                    held = replace_piece(before, seat)
                    assert len(matched(held, seat)) == len(matched(before, seat))
                case _:
                    pass
            before = after


def replace_piece(state: State, seat: str) -> State:
    held = (*state.pieces[seat], state.drawn or "")
    changed: State = msgspec.structs.replace(state, pieces={**state.pieces, seat: held})
    return changed


def test_the_bot_plays_every_trade_card_and_saves_some() -> None:
    start = started(RULES, 3, origin="simulated")
    kinds: Counter[str] = Counter()
    for seed in range(20):
        for event, _ in playout(RULES, start, random.Random(seed)):  # noqa: S311 - to be repeated
            kinds[event.trade[:7] if isinstance(event, TradePlayed) else type(event).__name__] += 1
    assert min(kinds[name] for name in ("trade-1", "trade-2", "GarbageTradePlayed", "TradeSaved")) > 5
    assert kinds[TradeSaved.__name__] < kinds[PartDrawn.__name__]


def test_the_same_seed_plays_the_same_game() -> None:
    start = started(RULES, 4, origin="simulated")
    one, two = ([event for event, _ in playout(RULES, start, random.Random(3))] for _ in range(2))  # noqa: S311
    assert one == two


def test_every_card_of_the_pile_is_as_likely() -> None:
    state = RULES.setup(started(RULES, 2, origin="dealt"))
    assert RULES.deal is not None
    rng = random.Random(5)  # noqa: S311 - to be repeated
    while state.phase != "turn":
        event = RULES.deal(state, rng)
        state = RULES.evolve[type(event)](state, event)
    drawn = Counter(getattr(RULES.deal(state, rng), "card", "") for _ in range(6500))
    size = sum(layer.size for layer in state.draw)
    assert len(drawn) == size
    assert max(abs(times - 6500 / size) for times in drawn.values()) < 55


def test_who_can_only_draw_draws_and_who_can_choose_is_asked() -> None:
    state = RULES.setup(started(RULES, 2, origin="dealt"))
    assert RULES.deal is not None
    for event in ("monster p1 petey", "monster p2 slurp"):
        state = apply(state, event)
    state = apply(state, "deal p1 petey-head,petey-body,slurp-head,bogart-head,bogart-body,bogart-left-arm")
    state = apply(state, "deal p2 slurp-body,grizzle-head,grizzle-body,mugwump-head,mugwump-body,trade-1")
    state = apply(state, "bonus p2 slurp-left-arm")
    assert [(due.seat, due.must) for due in RULES.pending(state)] == [(CHANCE, True)]
    state = apply(apply(state, "draw grizzle-left-arm"), "x")
    assert [(due.seat, due.must) for due in RULES.pending(state)] == [("p2", True), (CHANCE, False)]


def apply(state: State, text: str) -> State:
    (event,) = read(RULES, state, text)
    RULES.check(state, event)
    after: State = RULES.evolve[type(event)](state, event)
    return after


def test_without_its_bot_a_game_of_three_ends_too() -> None:
    rules = replace(RULES, bot=None)
    start = started(rules, 3, origin="simulated")
    *_, (_, last) = playout(rules, start, random.Random(1))  # noqa: S311 - to be repeated
    assert rules.outcome(last) is not None


# --- forms ---


def test_the_form_of_a_trade_2_asks_for_as_many_exchanges_as_the_option_says() -> None:
    for trade2, least in (("two", 2), ("up-to", 1)):
        start = started(RULES, 3, options={"trade2": trade2}, origin="simulated")
        forms = [
            (state, form)
            for _, state in playout(RULES, start, random.Random(2))  # noqa: S311 - to be repeated
            for form in RULES.open_choices(state, state.turn or "")
        ]
        assert forms
        for state, form in forms:
            (ask,) = form.asks
            assert (ask.least, ask.most) == (least, 2)  # type: ignore[union-attr]
            assert len(ask.values) == 6 * 6 * 2  # type: ignore[union-attr]
            assert state.setup.trades[form.fixed["trade"]] == "trade-2"


def test_a_rebuilt_pile_offers_the_cards_that_went_into_it() -> None:
    start = started(RULES, 2, origin="simulated")
    state = next(state for _, state in playout(RULES, start, random.Random(1)) if state.phase == "turn")  # noqa: S311
    loose = [card for card in loose_cards(state) if card in state.setup.pieces]
    trades = [card for card in loose_cards(state) if card in state.setup.trades]
    empty = msgspec.structs.replace(state, draw=(), garbage=tuple(loose), trade_discard=tuple(trades))
    RULES.invariants(empty)
    rebuilt = apply(empty, "rebuild")
    (form,) = RULES.open_choices(rebuilt, CHANCE)
    assert set(form.asks[0].values) == set(loose[1:])  # type: ignore[union-attr]
    for card in loose[1:]:
        RULES.check(rebuilt, PartDrawn(rebuilt.turn or "", card))


def test_a_win_in_anothers_turn_is_recorded() -> None:
    state, over = ended(find("monster_maker", "off-turn-win"))
    assert over.winners[0] != state.turn
