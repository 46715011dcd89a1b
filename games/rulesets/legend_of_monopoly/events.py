"""The facts of a game: throws, purchases, bids, charges, buildings, debts, deals, cards."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from games.core.events import Event

Die = Annotated[int, msgspec.Meta(ge=1, le=6)]
Dice = tuple[Die, Die]
Pos = Annotated[int, msgspec.Meta(ge=0, le=39)]
Rahl = Annotated[int, msgspec.Meta(ge=0)]
MISSED: Final = 99
"""A card has no more turns missed."""
DeckName = Literal["additive", "subtractive"]


class StartRolled(Event, frozen=True, tag="start_rolled"):
    """A player throws for who begins."""

    player: str
    dice: Dice


class DiceRolled(Event, frozen=True, tag="dice_rolled"):
    """The player on turn throws; where the token goes follows from it."""

    player: str
    dice: Dice


class LandBought(Event, frozen=True, tag="land_bought"):
    """The player on turn buys the land that the token stands on."""

    player: str
    land: Pos


class LandDeclined(Event, frozen=True, tag="land_declined"):
    """The player on turn leaves the land to the Treasure Chest."""

    player: str
    land: Pos


class AuctionOpened(Event, frozen=True, tag="auction_opened"):
    """The Treasurer puts a land up that was just declined."""

    land: Pos


class BidPlaced(Event, frozen=True, tag="bid_placed"):
    """Somebody bids for the land that is up."""

    player: str
    amount: Rahl


class AuctionClosed(Event, frozen=True, tag="auction_closed"):
    """The Treasurer lets the hammer fall; without a bid winner and amount are left out."""

    land: Pos
    winner: str | None = None
    amount: Rahl | None = None


class ChargeClaimed(Event, frozen=True, tag="charge_claimed"):
    """The owner of a land asks for the charge that a visitor owes."""

    owner: str
    from_: str = msgspec.field(name="from")
    land: Pos


class MagicDrawn(Event, frozen=True, tag="magic_drawn"):
    """The top card of a magic deck is read out; its effect follows from it."""

    player: str
    deck: DeckName
    card: str


class MagicDeclined(Event, frozen=True, tag="magic_declined"):
    """A player does not draw (option `magic`)."""

    player: str
    deck: DeckName


class LandMoved(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A land that changes hands; without `to` it goes to the Treasure Chest."""

    land: Pos
    to: str | None = None


class CardEffectEntered(Event, frozen=True, tag="card_effect_entered", kw_only=True):
    """What a card did to the player who drew it, typed in because only its print says so (effect `manual`).

    `money` is what each gets from the Treasure Chest, or pays to it where it is below 0; `to` a space that
    the token goes to; `held` tells that it is held in the Underworld; `skip` counts turns to miss.
    """

    player: str
    money: dict[str, int]
    to: Pos | None = None
    passes_go: bool
    held: bool | None = None
    skip: Annotated[int, msgspec.Meta(ge=0, le=MISSED)]
    lands: tuple[LandMoved, ...]
    reason: str


class ShadowWaterTaken(Event, frozen=True, tag="shadow_water_taken"):
    """A visitor of the Underworld takes a bottle of Shadow Water."""

    player: str


class ShadowWaterUsed(Event, frozen=True, tag="shadow_water_used"):
    """A bottle of Shadow Water lets a player out of the Underworld (option `shadow_water`)."""

    player: str


class FinePaid(Event, frozen=True, tag="fine_paid"):
    """A player pays the fine and is free of the Underworld before the throw."""

    player: str


class ReturnCardUsed(Event, frozen=True, tag="return_card_used"):
    """A player gives a card back and is free of the Underworld before the throw."""

    player: str
    card: str


class CottageBuilt(Event, frozen=True, tag="cottage_built"):
    """A cottage is bought for a land."""

    player: str
    land: Pos


class CottageSold(Event, frozen=True, tag="cottage_sold"):
    """A cottage goes back to the Treasure Chest for half its price."""

    player: str
    land: Pos


class InnBuilt(Event, frozen=True, tag="inn_built"):
    """Four cottages give way to an inn."""

    player: str
    land: Pos


class InnSold(Event, frozen=True, tag="inn_sold"):
    """An inn goes back for half its price."""

    player: str
    land: Pos


class BrothelBuilt(Event, frozen=True, tag="brothel_built"):
    """Madame Denna's privilege: as good as an inn, on any land that this player owns."""

    player: str
    land: Pos


class BrothelSold(Event, frozen=True, tag="brothel_sold"):
    """A brothel goes back for half of what an inn and four cottages cost."""

    player: str
    land: Pos


class LandIndebted(Event, frozen=True, tag="land_indebted"):
    """A land without buildings is given to the Treasure Chest for money; it brings no charges."""

    player: str
    land: Pos


class LandRedeemed(Event, frozen=True, tag="land_redeemed"):
    """An indebted land is bought back, with a fee."""

    player: str
    land: Pos


class Goods(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One side of a deal: money, lands, cards that let one out of the Underworld."""

    rahl: Rahl
    lands: tuple[Pos, ...]
    cards: tuple[str, ...]


class DealMade(Event, frozen=True, tag="deal_made"):
    """Two players agree: `from` gives one thing and gets another."""

    from_: str = msgspec.field(name="from")
    to: str
    give: Goods
    get: Goods


class LoanGranted(Event, frozen=True, tag="loan_granted"):
    """The Treasurer lends a player in debt money from the Treasure Chest."""

    player: str
    amount: Rahl


class LoanRepaid(Event, frozen=True, tag="loan_repaid"):
    """A player pays back what the Treasure Chest lent."""

    player: str
    amount: Rahl


class DebtSettled(Event, frozen=True, tag="debt_settled"):
    """A player pays all that is owed at once."""

    player: str


class BattleLost(Event, frozen=True, tag="battle_lost"):
    """A player owes more than can be raised and has lost the battle against the Keeper."""

    player: str


class PlayerResigned(Event, frozen=True, tag="player_resigned"):
    """One of three or more leaves; everything goes to the Treasure Chest."""

    player: str


class TurnEnded(Event, frozen=True, tag="turn_ended"):
    """The turn passes to the left."""

    player: str


EVENTS: Final[tuple[type[Event], ...]] = (
    StartRolled,
    DiceRolled,
    LandBought,
    LandDeclined,
    AuctionOpened,
    BidPlaced,
    AuctionClosed,
    ChargeClaimed,
    MagicDrawn,
    MagicDeclined,
    CardEffectEntered,
    ShadowWaterTaken,
    ShadowWaterUsed,
    FinePaid,
    ReturnCardUsed,
    CottageBuilt,
    CottageSold,
    InnBuilt,
    InnSold,
    BrothelBuilt,
    BrothelSold,
    LandIndebted,
    LandRedeemed,
    DealMade,
    LoanGranted,
    LoanRepaid,
    DebtSettled,
    BattleLost,
    PlayerResigned,
    TurnEnded,
)
