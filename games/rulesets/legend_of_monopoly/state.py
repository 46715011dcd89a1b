"""Options, board and card data, and the state; the state's field names are public."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from games.core import ruleset
from games.core.events import Origin
from games.core.ruleset import UNSET
from games.rulesets.legend_of_monopoly.events import DeckName

CHEST: Final = "chest"
"""Where a debt's `to` is the Treasure Chest."""
SPACES: Final = 40
START_MONEY: Final = 1500
MOST: Final = 10**9
"""No table has paid, played or missed so much: a ruling that says so is a slip of the hand."""
GIVEN: Final = 10**8
"""What the Treasure Chest has given or lent may come to so much, and no sum then comes to `MOST`."""
GO_PAY: Final = 200
TAX: Final = 200
FINE: Final = 50
COTTAGES: Final = 4
"""So many stand on a land at most; so many an inn takes."""
FAILURES: Final = 3
"""So many throws without a double a player has in the Underworld; so many doubles lead there."""

Token = Literal[
    "sword-of-truth",
    "confessors-hand",
    "wizard-fire-hand",
    "agiel",
    "horse",
    "kitten",
    "confessors-dagger",
    "gar",
    "nightwisp",
    "calthrop",
    "nygaax",
    "handcuffs",
    "chains",
    "scroll",
]
Coin = Literal["500", "100", "50", "20", "10", "5", "1"]
_COINS: Final[dict[Coin, int]] = {"500": 2, "100": 2, "50": 2, "20": 6, "10": 5, "5": 5, "1": 5}
Count = Annotated[int, msgspec.Meta(ge=0)]


def _reading(meaning: str, source: str) -> msgspec.Meta:
    return msgspec.Meta(description=meaning, extra={"source": source})


class Stock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many buildings the Treasure Chest has in all."""

    cottages: Count
    inns: Count


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who plays whom, and named readings; a default is for ever the behaviour before the option existed."""

    tokens: Annotated[
        dict[str, Token],
        _reading("Each seat's token, every one another.", "rulebook, Preparation; ruling R1"),
    ]
    treasurer: Annotated[
        str,
        _reading(
            "The seat of the Treasurer, or table: with five players or more the Treasurer may only watch.",
            "rulebook, Treasurer; ruling R30",
        ),
    ] = "p1"
    mother_confessor: Annotated[
        str | None,
        _reading("The seat of the Mother Confessor, who begins without a throw.", "rulebook, The Play"),
    ] = None
    madame_denna: Annotated[
        str | None, _reading("The seat that may build brothels.", "rulebook, Brothel; ruling R15")
    ] = None
    starting_money: Annotated[
        dict[Coin, Count],
        _reading("The coins that each player begins with, 1500 Rahl in all.", "rulebook, Preparation"),
    ] = msgspec.field(default_factory=lambda: dict(_COINS))
    win: Annotated[
        Literal["last-player", "wealthiest-after-rounds", "fellowship"],
        _reading(
            "Who wins: the last player not beaten, the wealthiest after so many rounds, or all that are left"
            " once every land is owned.",
            "ruling R2",
        ),
    ] = "last-player"
    rounds: Annotated[
        Annotated[int, msgspec.Meta(ge=1)] | None,
        _reading("How many rounds `wealthiest-after-rounds` takes; else null.", "ruling R2"),
    ] = None
    doubles: Annotated[
        Literal["extra-throw", "no-extra"],
        _reading(
            "A double gives a further throw, the third in one turn the Underworld; or none, and three in"
            " three turns lead there.",
            "ruling R5",
        ),
    ] = "extra-throw"
    shadow_water: Annotated[
        Literal["souvenir", "escape-once"],
        _reading(
            "A bottle of Shadow Water is a keepsake, or lets one out of the Underworld once.", "ruling R8"
        ),
    ] = "souvenir"
    scale: Annotated[
        Literal["per-land", "full-set-double"],
        _reading(
            "The charge of a land without buildings rises with each land of its part that the owner has, or"
            " doubles once they have them all.",
            "ruling R9",
        ),
    ] = "per-land"
    magic: Annotated[
        Literal["mandatory", "optional"],
        _reading("Whether a player on a magic space must draw.", "ruling R12"),
    ] = "mandatory"
    auction: Annotated[
        Literal["optional", "mandatory", "never"],
        _reading(
            "A declined land: the Treasurer may auction it, must, or cannot.",
            "rulebook, Buying; ruling R14",
        ),
    ] = "optional"
    stock: Annotated[
        Stock | None, _reading("How many cottages and inns there are; null for no end of them.", "ruling R21")
    ] = None
    loans: Annotated[
        Literal["treasurer", "none"],
        _reading("Whether the Treasurer may lend to a player in debt.", "rulebook; ruling R22"),
    ] = "treasurer"


# --- data --------------------------------------------------------------------------------------------


class Go(msgspec.Struct, frozen=True, tag_field="type", tag="go", forbid_unknown_fields=True):
    """The corner where all begin."""

    pos: int
    name: str


class Land(msgspec.Struct, frozen=True, tag_field="type", tag="land", forbid_unknown_fields=True):
    """A land and what is printed on its card, in Rahl.

    `unimproved` is the charge with 1, 2 … lands of the part, `cottages` with 1 to 4 cottages.  A part
    without cottages has no building prices.
    """

    pos: int
    name: str
    part: str
    price: int
    debt: int
    fee: int
    cottage: int | None
    inn: int | None
    unimproved: tuple[int, ...]
    cottages: tuple[int, ...]
    inn_charge: int | None


class MagicSpace(msgspec.Struct, frozen=True, tag_field="type", tag="magic", forbid_unknown_fields=True):
    """A space where a card is drawn."""

    pos: int
    name: str
    deck: DeckName


class TaxSpace(msgspec.Struct, frozen=True, tag_field="type", tag="tax", forbid_unknown_fields=True):
    """A space where the Treasure Chest takes money."""

    pos: int
    name: str
    amount: int


class Underworld(msgspec.Struct, frozen=True, tag_field="type", tag="underworld", forbid_unknown_fields=True):
    """Where players are held, and visitors find Shadow Water."""

    pos: int
    name: str


class Rest(msgspec.Struct, frozen=True, tag_field="type", tag="rest", forbid_unknown_fields=True):
    """A resting place, and nothing else."""

    pos: int
    name: str


class GoToUnderworld(
    msgspec.Struct, frozen=True, tag_field="type", tag="go-to-underworld", forbid_unknown_fields=True
):
    """A space that sends a token to the Underworld."""

    pos: int
    name: str


Space = Go | Land | MagicSpace | TaxSpace | Underworld | Rest | GoToUnderworld

Effect = Literal[
    "collect",
    "pay",
    "collect-from-each",
    "pay-each",
    "repairs",
    "advance",
    "move",
    "keep-return",
    "underworld",
    "manual",
]


class MagicCard(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A magic card: `value` is a sum, a space, steps, or for repairs the pair per cottage and per inn."""

    id: str
    effect: Effect
    value: int | tuple[int, int] | None
    title: str | None = None


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The board and both decks, as the game uses them."""

    source: str
    spaces: tuple[Space, ...]
    magic: dict[DeckName, tuple[MagicCard, ...]]


class Setup(msgspec.Struct, frozen=True):
    """What never changes in a game; lands are named by their number as text, in the order of the board."""

    seats: tuple[str, ...]
    origin: Origin
    options: Options
    spaces: tuple[Space, ...]
    lands: dict[str, Land]
    parts: dict[str, tuple[str, ...]]
    magic: dict[str, MagicCard]
    decks: dict[str, tuple[str, ...]]
    deck_of: dict[str, DeckName]
    underworld: int


# --- state -------------------------------------------------------------------------------------------

Phase = Literal[
    "start",
    "turn.pre",
    "decide.buy",
    "auction",
    "decide.magic",
    "magic.draw",
    "card.effect",
    "turn.post",
    "over",
]
House = Literal["inn", "brothel"]


class Holding(msgspec.Struct, frozen=True):
    """A land that somebody owns."""

    owner: str
    cottages: Annotated[int, msgspec.Meta(ge=0, le=COTTAGES)]
    house: House | None
    indebted: bool


class Deck(msgspec.Struct, frozen=True):
    """A magic deck: known and unknown cards in no known order, and beneath them `under`, the next first."""

    known: tuple[str, ...]
    unknown: Count
    under: tuple[str, ...]

    @property
    def size(self) -> int:
        """Count the cards."""
        return len(self.known) + self.unknown + len(self.under)


class Drawn(msgspec.Struct, frozen=True):
    """A card whose effect is still to be typed in."""

    deck: DeckName
    card: str


class Charge(msgspec.Struct, frozen=True):
    """What a visitor owes if the owner asks before the next throw."""

    owner: str
    from_: str = msgspec.field(name="from")
    land: int
    amount: Count


class Auction(msgspec.Struct, frozen=True):
    """The land that is up, and the highest bid."""

    land: int
    bidder: str | None
    amount: Count


class Debt(msgspec.Struct, frozen=True):
    """What a player could not pay at once; `to` is a seat or `chest`."""

    from_: str = msgspec.field(name="from")
    to: str
    amount: Annotated[int, msgspec.Meta(ge=1)]


class State(ruleset.State, frozen=True):
    """Where the game stands.  Maps by seat hold the players who are not beaten."""

    phase: Phase
    turn: str | None
    first: str | None
    """Who began: a round ends where the turn comes past this seat."""
    round: Annotated[int, msgspec.Meta(ge=1)]
    doubles: Annotated[int, msgspec.Meta(ge=0, le=FAILURES)]
    """Thrown in this turn."""
    streak: dict[str, Count]
    """Turns in succession with a double; counted only with `doubles` `no-extra`."""
    again: bool
    """A further throw is due in this turn."""
    contenders: tuple[str, ...]
    """Who throws for the start."""
    rolls: dict[str, tuple[int, int]]
    space: dict[str, Annotated[int, msgspec.Meta(ge=0, lt=SPACES)]]
    held: dict[str, Annotated[int, msgspec.Meta(ge=0, le=FAILURES)]]
    """Who is held in the Underworld, and the throws without a double there."""
    water_open: bool
    """The player on turn may take a bottle of Shadow Water."""
    cash: dict[str, Count]
    chest: int
    """What the Treasure Chest has taken in, less what it has given out, since the start."""
    loans: dict[str, Count]
    water: dict[str, Count]
    cards: dict[str, tuple[str, ...]]
    """Cards kept that let one out of the Underworld."""
    skip: dict[str, Count]
    """Turns to miss."""
    lands: dict[str, Holding]
    """Owned lands, by number."""
    decks: dict[DeckName, Deck]
    drawn: Drawn | None
    charge: Charge | None
    leave: int | None
    """The land that the Treasurer may put up now."""
    auction: Auction | None
    debts: tuple[Debt, ...]
    move_due: int | None
    """The throw to be moved once the fine is paid."""
    out: tuple[str, ...]
    """Who is beaten or has resigned, in that order."""
    setup: Setup = UNSET


def living(state: State) -> tuple[str, ...]:
    """List the seats still in the game, in order round the table."""
    out = state.out
    return tuple(seat for seat in state.setup.seats if seat not in out) if out else state.setup.seats


def owed_by(state: State, seat: str) -> int:
    """Add up what a player owes."""
    return sum(debt.amount for debt in state.debts if debt.from_ == seat)


def debtors(state: State) -> tuple[str, ...]:
    """List who owes something, in order round the table."""
    if not state.debts:
        return ()
    owing = {debt.from_ for debt in state.debts}
    return tuple(seat for seat in state.setup.seats if seat in owing)


def space_of(state: State, seat: str) -> Space:
    """Give the space on which a token stands."""
    return state.setup.spaces[state.space[seat]]


def name_of(state: State, pos: int) -> str:
    """Call a space by its name."""
    return state.setup.spaces[pos].name
