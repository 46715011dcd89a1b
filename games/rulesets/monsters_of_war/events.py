"""The facts of a game: what was dealt, turned, laid, shuffled; nobody ever chooses anything but to resign."""

from __future__ import annotations

from typing import Final

import msgspec

from games.core.events import Event
from games.kit.cards import Unseen


class DecksDealt(Event, frozen=True, tag="decks_dealt"):
    """Both sorts of cards are dealt face down: how many each seat got."""

    battle: dict[str, int]
    gambits: dict[str, int]


class BattleFlipped(Event, frozen=True, tag="battle_flipped"):
    """Everybody in the game turns the top card of their Battle Deck at once."""

    cards: dict[str, str]


class CardsLaid(Event, frozen=True, tag="cards_laid"):
    """Everybody in the War lays cards face down: how many, and which if somebody saw them."""

    counts: dict[str, int]
    cards: dict[str, tuple[Unseen, ...]] | None = None


class GambitDeckRebuilt(Event, frozen=True, tag="gambit_deck_rebuilt"):
    """An empty Gambit Deck is made anew from so many discards (option `gambit_empty`)."""

    player: str
    count: int


class GambitsDrawn(Event, frozen=True, tag="gambits_drawn"):
    """Everybody in the War who has a gambit turns the top one; it is played at once."""

    cards: dict[str, str]


class BattleDeckShuffled(Event, frozen=True, tag="battle_deck_shuffled"):
    """A gambit had this seat's Battle Deck shuffled."""

    player: str


class AttackFlipped(Event, frozen=True, tag="attack_flipped"):
    """Everybody in the War who has a card left turns it: the War Attack Cards."""

    cards: dict[str, str]


class Move(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """So many cards that a gambit moved from one place to another, as `deck.p1` to `spoils.p2`.

    `cards` says which, null for one that nobody saw; left out where nobody saw any.
    """

    count: int
    from_: str = msgspec.field(name="from")
    to: str
    cards: tuple[Unseen, ...] | None = None


class AttackModified(Event, frozen=True, tag="attack_modified", kw_only=True):
    """What the gambit of `player` did, typed in because only its printed text says so (op `manual`).

    `changes` are added to attacks, `wins` takes the War whatever the attacks are, `cancels` are seats whose
    gambits have no effect, `shuffles` seats whose Battle Decks were shuffled.
    """

    player: str
    changes: dict[str, int]
    wins: str | None = None
    cancels: tuple[str, ...]
    shuffles: tuple[str, ...]
    moves: tuple[Move, ...]
    reason: str


class DecksRebuilt(Event, frozen=True, tag="decks_rebuilt"):
    """A new Day: all shuffle their Spoils and what is left of their Battle Deck to a new Battle Deck."""

    day: int
    counts: dict[str, int]


class PlayerResigned(Event, frozen=True, tag="player_resigned"):
    """One of three or more leaves; their cards are set aside."""

    player: str


EVENTS: Final[tuple[type[Event], ...]] = (
    DecksDealt,
    BattleFlipped,
    CardsLaid,
    GambitDeckRebuilt,
    GambitsDrawn,
    BattleDeckShuffled,
    AttackFlipped,
    AttackModified,
    DecksRebuilt,
    PlayerResigned,
)
