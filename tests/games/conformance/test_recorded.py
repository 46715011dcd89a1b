"""Games that are played to be judged."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import msgspec

from games.examples.high_card import TOY, Options
from games.testing.laws import LONGEST, option_variants, player_counts, recorded_games
from tests.games.conformance.playing import may_turn_early


def test_games_are_played_for_each_option_value_and_each_sort_of_player() -> None:
    labels = [game.label for game in recorded_games(TOY, seeds=(7,))]
    assert labels == [
        "2 players, seed 7, bot",
        "2 players, seed 7, random",
        "2 players, seed 7, bot, scores lower",
    ]


def test_a_restless_player_takes_up_what_another_leaves_for_chance() -> None:
    labels = [game.label for game in recorded_games(replace(TOY, pending=may_turn_early), seeds=(7,))]
    assert labels[2] == "2 players, seed 7, restless"


class Mood(Enum):
    """The schema has it among its definitions."""

    CALM = "calm"
    WILD = "wild"


class Switched(msgspec.Struct, frozen=True):
    rounds: int = 1
    scores: str = "higher"
    blind: bool = False
    mood: Mood = Mood.CALM


def test_option_variants_try_switches_and_named_values_too() -> None:
    ruleset = replace(TOY, options=Switched, suggested=lambda _: Switched())
    tried = [(event.options.blind, event.options.mood) for event in option_variants(ruleset)]
    assert tried == [(True, Mood.CALM), (False, Mood.WILD)]


def test_player_counts_are_the_fewest_the_next_and_the_most() -> None:
    assert player_counts(replace(TOY, seats=tuple(range(2, 15)))) == (2, 3, 14)


def test_playouts_stop_at_the_cap() -> None:
    endless = replace(TOY, suggested=lambda _: Options(rounds=1_000_000))
    assert {len(game.events) for game in recorded_games(endless, seeds=(1,))[:2]} == {LONGEST}
