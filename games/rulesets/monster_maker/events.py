"""The facts of a game: what was dealt and drawn, what was kept, thrown away and traded; all of it face up."""

from __future__ import annotations

from typing import Final

import msgspec

from games.core.events import Event


class MonsterDrawn(Event, frozen=True, tag="monster_drawn"):
    """A seat gets the monster that it has to make; with `monsters` `chosen` it takes one."""

    player: str
    monster: str


class PartsDealt(Event, frozen=True, tag="parts_dealt"):
    """Six Parts cards are dealt face up to a seat."""

    player: str
    cards: tuple[str, ...]


class BonusDealt(Event, frozen=True, tag="bonus_dealt"):
    """A seat that was dealt trade cards gets more Parts cards, up to its sixth piece, which comes last."""

    player: str
    cards: tuple[str, ...]


class PartDrawn(Event, frozen=True, tag="part_drawn"):
    """The seat on turn chose to draw: this is what lay on top of the Draw Pile."""

    player: str
    card: str


class PieceKept(Event, frozen=True, tag="piece_kept"):
    """The piece just drawn is kept and another one thrown on the Garbage Pile."""

    player: str
    discard: str


class PieceDiscarded(Event, frozen=True, tag="piece_discarded"):
    """The piece just drawn is thrown on the Garbage Pile."""

    player: str


class TradeSaved(Event, frozen=True, tag="trade_saved"):
    """The trade card just drawn is kept for another turn."""

    player: str


class GarbageTaken(Event, frozen=True, tag="garbage_taken"):
    """The top of the Garbage Pile is taken and another piece thrown on it."""

    player: str
    discard: str


class Exchange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One piece of another seat (`take`, from `with`) for one's own (`give`)."""

    with_: str = msgspec.field(name="with")
    take: str
    give: str


class TradePlayed(Event, frozen=True, tag="trade_played"):
    """A Trade 1 or Trade 2 card, held or just drawn, with the exchanges that it allows."""

    player: str
    trade: str
    exchanges: tuple[Exchange, ...]


class GarbageTradePlayed(Event, frozen=True, tag="garbage_trade_played"):
    """A Garbage Trade card, held or just drawn: the whole Garbage Pile may now be looked through."""

    player: str
    trade: str


class GarbagePicked(Event, frozen=True, tag="garbage_picked"):
    """One piece is taken from anywhere in the open Garbage Pile, and one goes on top of it."""

    player: str
    take: str
    discard: str


class DrawPileRebuilt(Event, frozen=True, tag="draw_pile_rebuilt"):
    """The Draw Pile was empty: so many pieces of the Garbage Pile, all but its top, make a new one."""

    count: int


class TurnEnded(Event, frozen=True, tag="turn_ended"):
    """The seat on turn is done (option `trades_per_turn` `any`)."""

    player: str


class PlayerResigned(Event, frozen=True, tag="player_resigned"):
    """One of three or more leaves; pieces go under the Draw Pile, trade cards to the Trade Discard."""

    player: str


EVENTS: Final[tuple[type[Event], ...]] = (
    MonsterDrawn,
    PartsDealt,
    BonusDealt,
    PartDrawn,
    PieceKept,
    PieceDiscarded,
    TradeSaved,
    GarbageTaken,
    TradePlayed,
    GarbageTradePlayed,
    GarbagePicked,
    DrawPileRebuilt,
    TurnEnded,
    PlayerResigned,
)
