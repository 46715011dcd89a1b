"""Options, card data, and the state; the state's field names are public."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from games.core import ruleset
from games.core.events import Origin
from games.core.ruleset import UNSET
from games.kit.cards import CardZone

Op = Literal[
    "add-self",
    "add-opponent",
    "multiply-self",
    "swap",
    "cancel",
    "shuffle-self",
    "shuffle-opponent",
    "wins-ties",
    "manual",
]
WITH_NUMBER: frozenset[str] = frozenset({"add-self", "add-opponent", "multiply-self"})
"""The ops that need a number `n`; the others have none."""
MOST: Final = 10**9
"""What no gambit adds to an attack."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Named readings of the rulebook; a default is for ever the behaviour before the option existed."""

    tie_war: Annotated[
        bool,
        msgspec.Meta(
            description="Equal monsters in a battle start a War.",
            extra={"source": "rulebook, optional rule of the War Sequence; ruling R1"},
        ),
    ] = True
    tie: Annotated[
        Literal["keep", "carry"],
        msgspec.Meta(
            description="Without `tie_war`: after equal monsters each keeps their own card,"
            " or the cards wait for who wins the next battle.",
            extra={"source": "ruling R1"},
        ),
    ] = "keep"
    short: Annotated[
        Literal["keep-one", "last-card-attacks", "forfeit"],
        msgspec.Meta(
            description="Too few cards in a War: keep one back for the attack, attack with the last card"
            " played whatever it is, or lay what there is and lose for want of an attack.",
            extra={"source": "ruling R5"},
        ),
    ] = "keep-one"
    gambit_empty: Annotated[
        Literal["none", "reshuffle-discards"],
        msgspec.Meta(
            description="An empty Gambit Deck: no gambit, or a new deck from the player's own discards.",
            extra={"source": "ruling R7"},
        ),
    ] = "none"
    days: Annotated[
        int,
        msgspec.Meta(
            ge=1,
            le=9,
            description="How many Days of War are played.",
            extra={"source": "rulebook, Objective (3); ruling R18"},
        ),
    ] = 3


class Monster(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A monster card; `name` is null where none is known."""

    id: str
    name: str | None
    attack: int


class Operation(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing that a gambit does; `n` only where the op takes a number."""

    op: Op
    n: int | None = None


class Gambit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A gambit card: `effect` is for people, `ops` is what the rules do."""

    id: str
    kind: str
    effect: str
    ops: tuple[Operation, ...]

    def has(self, op: Op) -> bool:
        """Tell whether it does such a thing."""
        return any(item.op == op for item in self.ops)


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All cards of all sets, once each, as the game uses them."""

    source: str
    monsters: tuple[Monster, ...]
    wars: tuple[str, ...]
    gambits: tuple[Gambit, ...]


class Setup(msgspec.Struct, frozen=True):
    """What never changes in a game.

    `battle` and `gambits` hold every card by id, in the order of the data; a War card has no monster.
    """

    seats: tuple[str, ...]
    origin: Origin
    options: Options
    battle: dict[str, Monster | None]
    gambits: dict[str, Gambit]
    does: dict[str, frozenset[Op]]
    """The ops of each gambit, by its id."""
    no_cards: dict[str, tuple[str, ...]]
    """Each seat's face-up cards where there are none."""
    no_piles: dict[str, CardZone]
    """Each seat's pile where there is none."""


Phase = Literal[
    "dealing",
    "battle.flip",
    "war.lay",
    "war.rebuild",
    "war.gambit",
    "war.shuffle",
    "war.attack",
    "war.ruling",
    "day.shuffle",
    "over",
]


class Ruling(msgspec.Struct, frozen=True):
    """What the table typed in for a gambit of this War Sequence."""

    changes: dict[str, int]
    wins: str | None
    cancels: tuple[str, ...]


class State(ruleset.State, frozen=True):
    """Where every card is, as far as the record knows, and what comes next."""

    phase: Phase
    day: int
    """1 to `days`."""
    lay: int
    """Cards that each lays in this War Sequence: 2 or 4; 0 outside a War."""
    fighting: tuple[str, ...]
    """Who is in this War, and from the attack on who attacks."""
    decks: dict[str, CardZone]
    spoils: dict[str, CardZone]
    laid: dict[str, CardZone]
    """Face down on the Battlefield, by who laid them."""
    field: dict[str, tuple[str, ...]]
    """Face up on the Battlefield, by who turned them, in that order."""
    gambit_decks: dict[str, CardZone]
    gambits: dict[str, str]
    """Face up in this War Sequence."""
    gambit_discards: dict[str, tuple[str, ...]]
    shuffles: tuple[str, ...]
    """Battle Decks still to be shuffled before the attack."""
    rulings: dict[str, Ruling]
    """By whose gambit it is."""
    aside: dict[str, CardZone]
    """Battle cards of those who resigned."""
    out: tuple[str, ...]
    """Who has left the game, in the order of leaving."""
    setup: Setup = UNSET


def playing(state: State) -> tuple[str, ...]:
    """List the seats still in the game."""
    seats, out = state.setup.seats, state.out
    return tuple([seat for seat in seats if seat not in out]) if out else seats


def total(state: State, seat: str) -> int:
    """Count what a seat has won: Battle Deck and Spoils."""
    return state.decks[seat].size + state.spoils[seat].size


def power(state: State, card: str) -> int | None:
    """Give the printed Attack Power of a battle card; None for a War card."""
    monster = state.setup.battle[card]
    return None if monster is None else monster.attack
