"""What each viewer is told: nobody looks at face-down cards, so all seats and the table are told the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec.structs import replace

from games.events import Change, Claim, Event, RecordChecked, RecordRuled
from games.ruleset import EVERYTHING
from games.rulesets.monsters_of_war.events import AttackModified, CardsLaid, Move
from games.rulesets.monsters_of_war.state import State
from games.rulesets.monsters_of_war.zones import OPEN, sort_of

_HIDDEN: Final = frozenset({"decks", "spoils", "laid", "gambit_decks", "aside"})
"""Fields of the state with piles that lie face down."""


def redact(state: State, event: Event, viewer: str) -> Event:
    """Tell an event without the identities of cards that lie face down before and after it."""
    if viewer == EVERYTHING:
        return event
    match event:
        case CardsLaid():
            return replace(event, cards=None)
        case AttackModified():
            return replace(event, moves=tuple(_told_move(move) for move in event.moves))
        case RecordRuled():
            return replace(event, changes=tuple(_told_changes(state, event)))
        case RecordChecked():
            return replace(event, claims=tuple(claim for claim in event.claims if _open_claim(state, claim)))
        case _:
            return event


def _told_move(move: Move) -> Move:
    open_end = {sort_of(move.from_), sort_of(move.to)} & OPEN
    return move if open_end else replace(move, cards=None)


def _told_changes(state: State, event: RecordRuled) -> Iterator[Change]:
    """Leave out what a ruling did to face-down cards that only the record knows.

    At a table the record knows a face-down card because it was turned before; only one that lies on the
    Battlefield unturned is no one's to know.  A dealt game names every card, so there none is told.
    """
    secret = _secret(state)
    for change in event.changes:
        field = change.at.split("/")[1] if "/" in change.at else ""
        if field not in _HIDDEN or not _names(change, secret):
            yield change


def _secret(state: State) -> frozenset[str]:
    if state.setup.origin != "table":
        return frozenset((*state.setup.battle, *state.setup.gambits))
    return frozenset(card for zone in state.laid.values() for card in zone.known)


def _names(change: Change, cards: frozenset[str]) -> bool:
    return any(text in cards for text in (*_texts(change.was), *_texts(change.now)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _open_claim(state: State, claim: Claim) -> bool:
    """Tell whether a claim names no card: a pile's value is its size, so a text there is somebody's slip."""
    return claim.value not in {*state.setup.battle, *state.setup.gambits}
