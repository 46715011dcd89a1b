"""What each viewer is told: nobody looks at face-down cards, so all seats and the table are told the same."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from games.core.events import Claim, Event, RecordChecked
from games.core.ruleset import EVERYTHING
from games.kit.cards import CardZone
from games.rulesets.monsters_of_war.events import AttackModified, CardsLaid, Move
from games.rulesets.monsters_of_war.state import State
from games.rulesets.monsters_of_war.zones import OPEN, sort_of

_HIDDEN: Final = ("decks", "spoils", "laid", "gambit_decks", "aside")
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
        case RecordChecked():
            return replace(event, claims=tuple(claim for claim in event.claims if _open_claim(state, claim)))
        case _:
            return event


def _told_move(move: Move) -> Move:
    open_end = {sort_of(move.from_), sort_of(move.to)} & OPEN
    return move if open_end else replace(move, cards=None)


def hide(state: State, _viewer: str) -> State:
    """Take out what lies face down: nobody may look there, whatever they saw when it was turned."""
    return replace(
        state,
        **{
            name: {seat: CardZone((), zone.size) for seat, zone in getattr(state, name).items()}
            for name in _HIDDEN
        },
    )


def _open_claim(state: State, claim: Claim) -> bool:
    """Tell whether a claim names no card: a pile's value is its size, so a text there is somebody's slip."""
    return claim.value not in {*state.setup.battle, *state.setup.gambits}
