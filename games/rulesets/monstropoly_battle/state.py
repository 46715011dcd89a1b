"""Options, card data, and the state; the state's field names are public."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from games.core import ruleset
from games.core.ruleset import UNSET
from games.kit.cards import CardZone, Unseen

Weapon = Literal["axe", "ankh", "gun", "knife", "poison", "magic"]
Letter = Literal["L", "O", "R", "D", "I"]
WEAPONS: Final[tuple[Weapon, ...]] = ("axe", "ankh", "gun", "knife", "poison", "magic")
LETTERS: Final[tuple[Letter, ...]] = ("L", "O", "R", "D", "I")
LINEUP: Final = "LORDI"
"""The kind of the team whose cards spell the word."""
TEAM: Final = 5
HAND: Final = 4
ROUNDS: Final = 46
TEAM_POINTS: Final = 10
PAIR_POINTS: Final = 5


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Named readings of the rulebook; a default is for ever the behaviour before the option existed."""

    dead_tie: Annotated[
        Literal["lot", "redraw", "take-back"],
        msgspec.Meta(
            description="Force, tie card, strike and weapon sum are all equal: a lot decides, further cards"
            " are turned (once through the deck, then the lot), or both take their cards back.",
            extra={"source": "ruling R2"},
        ),
    ] = "lot"
    tie_card: Annotated[
        Literal["replaces", "adds"],
        msgspec.Meta(
            description="The card turned after a tie gives the weapon values instead of the opposing card,"
            " or on top of it.",
            extra={"source": "ruling R3"},
        ),
    ] = "replaces"
    phase2_tie: Annotated[
        Literal["same-leads", "redraw", "split"],
        msgspec.Meta(
            description="Equal forces in a team battle: strike, then weapon sum, then nobody scores and the"
            " same player leads; or further cards are turned, once through the deck, then nobody scores;"
            " or nobody scores and the lead passes.",
            extra={"source": "ruling R5"},
        ),
    ] = "same-leads"
    lordi_win: Annotated[
        Literal[25, 5],
        msgspec.Meta(
            description="Points for a team battle won by showing LORDI: as for five pairs, or as for one.",
            extra={"source": "ruling R11"},
        ),
    ] = 25
    declare: Annotated[
        Literal["any", "maximum"],
        msgspec.Meta(
            description="A player sets out any complete teams that they like, or must set out"
            " as many as they can.",
            extra={"source": "ruling R12"},
        ),
    ] = "any"


class Values(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a card gives the other side for each weapon."""

    axe: Annotated[int, msgspec.Meta(ge=0, le=99)]
    ankh: Annotated[int, msgspec.Meta(ge=0, le=99)]
    gun: Annotated[int, msgspec.Meta(ge=0, le=99)]
    knife: Annotated[int, msgspec.Meta(ge=0, le=99)]
    poison: Annotated[int, msgspec.Meta(ge=0, le=99)]
    magic: Annotated[int, msgspec.Meta(ge=0, le=99)]

    def of(self, weapon: Weapon) -> int:
        """Give the value for one weapon."""
        value: int = getattr(self, weapon)
        return value

    def total(self) -> int:
        """Add all six."""
        return self.axe + self.ankh + self.gun + self.knife + self.poison + self.magic


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card; a wild card has no team, an ordinary one no letter."""

    id: str
    name: str
    team: str | None
    letter: Letter | None
    wild: bool
    strike: Annotated[int, msgspec.Meta(ge=1, le=7)]
    weapon: Weapon
    values: Values


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All 54 cards as the game uses them, and where they come from."""

    source: str
    cards: tuple[Card, ...]


class Setup(msgspec.Struct, frozen=True):
    """What never changes in a game; `teams` are the ten names, in the order of the data."""

    seats: tuple[str, ...]
    options: Options
    cards: dict[str, Card]
    teams: tuple[str, ...]


Phase = Literal[
    "dealing",
    "phase1.choose",
    "phase1.tie",
    "phase1.lot",
    "phase1.take",
    "phase1.split",
    "phase2.declare",
    "phase2.select",
    "phase2.shuffle",
    "phase2.field",
    "phase2.lead",
    "phase2.answer",
    "phase2.draw",
    "over",
]


class Deck(msgspec.Struct, frozen=True):
    """The deck: `known` cards shuffled among `unknown` ones, and `under` them those put there, next first."""

    known: tuple[str, ...]
    unknown: int
    under: tuple[str, ...]

    @property
    def shuffled(self) -> CardZone:
        """Give the part of which nobody knows the order; it is drawn before what lies under it."""
        return CardZone(self.known, self.unknown)

    @property
    def size(self) -> int:
        """Count the cards."""
        return len(self.known) + self.unknown + len(self.under)


class Hand(msgspec.Struct, frozen=True, omit_defaults=True):
    """A hand, in phase two the loose cards; cards known to lie there and how many others.

    `mixed` are cards known to be this player's, but not whether in their hand or in one of their teams: they
    are among the unknown ones of either.
    """

    known: tuple[str, ...]
    unknown: int
    mixed: tuple[str, ...] = ()

    @property
    def zone(self) -> CardZone:
        """Give what lies in the hand itself."""
        return CardZone(self.known, self.unknown)

    @property
    def size(self) -> int:
        """Count the cards, known and unknown."""
        return len(self.known) + self.unknown


class Team(msgspec.Struct, frozen=True):
    """A declared team; `cards` keep their five places even when they were played.

    `kind` is null while more than one is possible.
    """

    kind: str | None
    cards: tuple[Unseen, ...]
    selected: bool
    used: bool

    @property
    def unseen(self) -> int:
        """Count the places whose card the record does not know."""
        return self.cards.count(None)


class State(ruleset.State, frozen=True):
    """Where every card is, as far as the record knows, and what comes next."""

    phase: Phase
    round: int
    """1 to 46; the last one stays."""
    hands: dict[str, Hand]
    deck: Deck
    committed: dict[str, Unseen]
    """Who has laid a card face down, and which; until it is turned it also counts in their hand."""
    played: dict[str, str]
    """Face up in this round of phase one."""
    tie_cards: tuple[str, ...]
    """Turned after a tie and laid aside."""
    winner: str | None
    """Of this round of phase one, once it is decided."""
    drawn: Unseen
    """What the winner took from the deck, until they have split; null also for a card not seen."""
    wins: dict[str, int]
    """Rounds of phase one."""
    teams: dict[str, tuple[Team, ...]]
    """By who has declared; a team's place is its number in every event."""
    battle: int
    """The team battle, from 1; 0 until the deck of phase two is shuffled."""
    battles: int
    pair: int
    """1 to 5; 0 until both teams are fielded."""
    fielded: dict[str, int]
    leader: str | None
    """Who leads this pair."""
    led: str | None
    answered: str | None
    spent: tuple[str, ...]
    """Played in team battles, in that order."""
    points: dict[str, int]
    """0 in phase one."""
    last_loser: str | None
    """Of the latest comparison that was decided."""
    setup: Setup = UNSET


def other(state: State, seat: str) -> str:
    """Give the opponent."""
    first, second = state.setup.seats
    return second if seat == first else first


def shuffled(state: State) -> bool:
    """Tell whether the deck of phase two is made, so that teams not selected are gone."""
    return state.battle > 0


def live(state: State, seat: str) -> tuple[tuple[int, Team], ...]:
    """Give the teams of a seat, with their numbers, whose cards are not in the deck."""
    teams = enumerate(state.teams.get(seat, ()))
    return tuple((number, team) for number, team in teams if team.selected or not shuffled(state))


def unseen_in_teams(state: State, seat: str) -> int:
    """Count the cards of a seat's teams that the record does not know."""
    return sum(team.unseen for _, team in live(state, seat))


def remaining(state: State, team: Team) -> tuple[str, ...]:
    """List the known cards of a team that were not played."""
    gone = (*state.spent, state.led, state.answered)
    return tuple(card for card in team.cards if card is not None and card not in gone)


def was_shown(state: State, team: Team) -> bool:
    """Tell whether this is LORDI and won by being shown: it is used up, and none of its cards was played."""
    return team.used and team.kind == LINEUP and len(remaining(state, team)) == TEAM
