"""The facts of a game; a null is a card that the recorder did not see."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from games.core.events import Event
from games.kit.cards import Unseen

Slot = Literal["own", "opponent", "drawn"]
"""One of the three cards of a round: what the winner played, what the loser played, what was drawn."""


class HandDealt(Event, frozen=True, tag="hand_dealt"):
    """A player gets four cards; p1 before p2.  Only they see them."""

    player: str
    cards: tuple[Unseen, ...]


class CardCommitted(Event, frozen=True, tag="card_committed"):
    """A player lays a card of their hand face down (for play over a distance).  Only they see it."""

    player: str
    card: Unseen = None


class CardsRevealed(Event, frozen=True, tag="cards_revealed"):
    """Both play a card at once: one event of the seat `table`, an entry a player."""

    cards: dict[str, str]


class TieCardDrawn(Event, frozen=True, tag="tie_card_drawn"):
    """After equal forces a card of the deck is turned; it gives both their weapon values."""

    card: str


class LotDrawn(Event, frozen=True, tag="lot_drawn"):
    """A lot decides the round that nothing else decides."""

    winner: str


class TopCardTaken(Event, frozen=True, tag="top_card_taken"):
    """The winner takes the top card of the deck.  Only they see it, unless everybody knows it already."""

    player: str
    card: Unseen = None


class SpoilsSplit(Event, frozen=True, tag="spoils_split"):
    """The winner gives the loser one of the three cards and keeps two.

    `drawn` names the drawn card for whoever is shown it now.
    """

    player: str
    gives: Slot
    drawn: Unseen = None


class DeclaredTeam(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Five cards set out as a team: a team's name or LORDI.  All null for who does not see them."""

    kind: str | None
    cards: tuple[Unseen, ...]


class TeamsDeclared(Event, frozen=True, tag="teams_declared"):
    """A player sets out their complete teams face down, in either order; how many is public."""

    player: str
    teams: tuple[DeclaredTeam, ...]


class TeamsSelected(Event, frozen=True, tag="teams_selected"):
    """Who has more teams picks those that fight, by their numbers."""

    player: str
    teams: tuple[int, ...]


class DeckShuffled(Event, frozen=True, tag="deck_shuffled"):
    """Every card that is in no fighting team goes into a new deck of so many cards."""

    count: int


class TeamFielded(Event, frozen=True, tag="team_fielded"):
    """A player sends one of their teams, by its number, into the next battle; in either order."""

    player: str
    team: int


class LineupShown(Event, frozen=True, tag="lineup_shown"):
    """A player shows that their fielded team is LORDI, in the order of the letters, and wins the battle."""

    player: str
    cards: tuple[str, ...]
    other_team: int


class CardLed(Event, frozen=True, tag="card_led"):
    """A player opens a pair with a card of their fielded team."""

    player: str
    card: str


class CardAnswered(Event, frozen=True, tag="card_answered"):
    """The other answers."""

    player: str
    card: str


class WeaponCardDrawn(Event, frozen=True, tag="weapon_card_drawn"):
    """A third card is turned; it gives both their weapon values."""

    card: str


EVENTS: Final[tuple[type[Event], ...]] = (
    HandDealt,
    CardCommitted,
    CardsRevealed,
    TieCardDrawn,
    LotDrawn,
    TopCardTaken,
    SpoilsSplit,
    TeamsDeclared,
    TeamsSelected,
    DeckShuffled,
    TeamFielded,
    LineupShown,
    CardLed,
    CardAnswered,
    WeaponCardDrawn,
)
