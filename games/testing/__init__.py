"""The laws of every ruleset and the simulated games that they are tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.lazy_names import lazy_names

if TYPE_CHECKING:
    from games.testing.laws import (
        LAWS,
        Law,
        LawBroken,
        RecordedGame,
        option_variants,
        play,
        player_counts,
        recorded_games,
    )

__all__ = [
    "LAWS",
    "Law",
    "LawBroken",
    "RecordedGame",
    "option_variants",
    "play",
    "player_counts",
    "recorded_games",
]

__getattr__ = lazy_names(
    __name__,
    {
        "games.testing.laws": (
            "LAWS",
            "Law",
            "LawBroken",
            "RecordedGame",
            "option_variants",
            "play",
            "player_counts",
            "recorded_games",
        ),
    },
)
