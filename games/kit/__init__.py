"""Parts that at least two rulesets need: pure values and small functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.lazy_names import lazy_names

if TYPE_CHECKING:
    from games.kit.cards import (
        EMPTY,
        CardFault,
        CardZone,
        Deck,
        Source,
        Unseen,
        candidates,
        draw,
        fault_in,
        join,
        leave,
        places,
        unplaced,
        without,
    )
    from games.kit.data import Fault, decoded, wrong_id, wrong_ids, wrong_name, wrong_text
    from games.kit.looks import BACKS, TONES, icons
    from games.kit.notation import Unclear, not_understood, shortest
    from games.kit.offers import offered, spoken
    from games.kit.seats import MANY, in_turn_after, next_in, why_stays

__all__ = [
    "BACKS",
    "EMPTY",
    "MANY",
    "TONES",
    "CardFault",
    "CardZone",
    "Deck",
    "Fault",
    "Source",
    "Unclear",
    "Unseen",
    "candidates",
    "decoded",
    "draw",
    "fault_in",
    "icons",
    "in_turn_after",
    "join",
    "leave",
    "next_in",
    "not_understood",
    "offered",
    "places",
    "shortest",
    "spoken",
    "unplaced",
    "why_stays",
    "without",
    "wrong_id",
    "wrong_ids",
    "wrong_name",
    "wrong_text",
]

__getattr__ = lazy_names(
    __name__,
    {
        "games.kit.cards": (
            "CardFault",
            "CardZone",
            "Deck",
            "EMPTY",
            "Source",
            "Unseen",
            "candidates",
            "draw",
            "fault_in",
            "join",
            "leave",
            "places",
            "unplaced",
            "without",
        ),
        "games.kit.data": ("Fault", "decoded", "wrong_id", "wrong_ids", "wrong_name", "wrong_text"),
        "games.kit.looks": ("BACKS", "TONES", "icons"),
        "games.kit.notation": ("Unclear", "not_understood", "shortest"),
        "games.kit.offers": ("offered", "spoken"),
        "games.kit.seats": ("MANY", "in_turn_after", "next_in", "why_stays"),
    },
)
