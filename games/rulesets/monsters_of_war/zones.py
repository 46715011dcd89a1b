"""The piles by the keys that a table check and a gambit's moves name: `deck.p1`, `spoils.p2` and so on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.kit.cards import CardZone, Deck, places
from games.rulesets.monsters_of_war.state import State

BATTLE: Final = {"deck": "decks", "spoils": "spoils", "laid": "laid", "field": "field"}
"""The state's field for each sort of pile with battle cards."""
GAMBIT: Final = {"gambit_deck": "gambit_decks", "gambit_discard": "gambit_discards"}
OPEN: Final = frozenset({"field", "gambit_discard"})
"""Piles that lie face up."""
_FIELDS: Final = {**BATTLE, **GAMBIT}
_CALLED: Final = {
    "deck": "{%s}'s Battle Deck",
    "spoils": "{%s}'s Spoils",
    "laid": "{%s}'s face-down cards on the Battlefield",
    "field": "{%s}'s face-up cards on the Battlefield",
    "gambit_deck": "{%s}'s Gambit Deck",
    "gambit_discard": "{%s}'s discarded gambits",
    "gambit": "play before {%s}",
    "aside": "the cards that {%s} set aside",
}


def sort_of(key: str) -> str:
    """Give the sort of pile: the part of a key before the dot."""
    return key.partition(".")[0]


def seat_of(key: str) -> str:
    """Give the seat of a pile: the part of a key behind the dot."""
    return key.partition(".")[2]


def called(key: str) -> str:
    """Say how people call a pile."""
    return _CALLED[sort_of(key)] % seat_of(key)


def zone_at(state: State, key: str) -> CardZone:
    """Give a pile by its key; a face-up one as a zone without unknown cards."""
    held: CardZone | tuple[str, ...] = getattr(state, _FIELDS[sort_of(key)])[seat_of(key)]
    return CardZone(held, 0) if isinstance(held, tuple) else held


def with_zone(state: State, key: str, zone: CardZone) -> State:
    """Put another content into a pile."""
    name = _FIELDS[sort_of(key)]
    held: dict[str, Any] = getattr(state, name)
    content = zone.known if sort_of(key) in OPEN else zone
    return replace(state, **{name: {**held, seat_of(key): content}})


def keys_of(state: State, sorts: Mapping[str, str]) -> tuple[str, ...]:
    """List the keys of all piles of these sorts."""
    return tuple(f"{sort}.{seat}" for sort in sorts for seat in state.setup.seats)


def battle_cards(state: State) -> Deck:
    """Say where the record knows each battle card to lie."""
    known = {key: zone_at(state, key).known for key in keys_of(state, BATTLE)}
    known |= {f"aside.{seat}": zone.known for seat, zone in state.aside.items()}
    return _deck("battle card", state.setup.battle, known)


def gambit_cards(state: State) -> Deck:
    """Say where the record knows each gambit to lie."""
    known = {key: zone_at(state, key).known for key in keys_of(state, GAMBIT)}
    known |= {f"gambit.{seat}": (card,) for seat, card in state.gambits.items()}
    return _deck("gambit", state.setup.gambits, known)


def _deck(what: str, identities: Mapping[str, object], known: Mapping[str, tuple[str, ...]]) -> Deck:
    return Deck(what, frozenset(identities), places(known), {key: called(key) for key in known})
