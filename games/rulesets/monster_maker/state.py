"""Options, card data, and the state; the state's field names are public."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal

import msgspec

from games.core import ruleset
from games.core.ruleset import UNSET
from games.kit.cards import CardZone, Deck, places
from games.kit.seats import in_turn_after

PIECES: Final = 6
"""So many pieces each player holds at the end of every action."""

Kind = Literal["trade-1", "trade-2", "garbage-trade"]
TRADE_1: Final = "trade-1"
TRADE_2: Final = "trade-2"
GARBAGE_TRADE: Final = "garbage-trade"


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Named readings of the rulebook; a default is for ever the behaviour before the option existed."""

    off_turn: Annotated[
        Literal["counts", "wait"],
        msgspec.Meta(
            description="A monster that another player's trade completes: it wins at once,"
            " or it must still be complete when its owner's turn begins.",
            extra={"source": "ruling R2"},
        ),
    ] = "counts"
    trades_per_turn: Annotated[
        Literal["one-action", "any"],
        msgspec.Meta(
            description="A turn is one draw, one look at the garbage or one trade,"
            " or any number of trades beside at most one draw or garbage action.",
            extra={"source": "ruling R4"},
        ),
    ] = "one-action"
    trade2: Annotated[
        Literal["two", "up-to"],
        msgspec.Meta(
            description="A Trade 2 card makes exactly two exchanges, or one or two.",
            extra={"source": "ruling R7"},
        ),
    ] = "two"
    monsters: Annotated[
        Literal["drawn", "chosen"],
        msgspec.Meta(
            description="Monsters cards are drawn from a shuffled pile, or each player takes one, in order.",
            extra={"source": "rulebook, Setup 1; ruling R17"},
        ),
    ] = "drawn"
    dealer: Annotated[
        str,
        msgspec.Meta(
            pattern="^p[1-5]$",
            description="The seat that dealt the cards; nothing depends on it.",
            extra={"source": "ruling R16"},
        ),
    ] = "p1"


class Monster(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A monster that somebody may have to make."""

    id: str
    name: str


class Piece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A Monster Piece card: a part of one monster; there may be several like it."""

    id: str
    monster: str
    part: str


class Trade(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A Trade card."""

    id: str
    kind: Kind


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All cards, once each, as the game uses them."""

    source: str
    monsters: tuple[Monster, ...]
    pieces: tuple[Piece, ...]
    trades: tuple[Trade, ...]


class Setup(msgspec.Struct, frozen=True):
    """What never changes in a game: cards by id, in the order of the data."""

    seats: tuple[str, ...]
    options: Options
    monsters: dict[str, str]
    """Their printed names."""
    pieces: dict[str, Piece]
    trades: dict[str, Kind]
    parts: dict[str, tuple[str, ...]]
    """The different parts of each monster."""


Phase = Literal["monsters", "deal", "bonus", "turn", "drawn", "garbage", "over"]


class State(ruleset.State, frozen=True):
    """Where every card is, and who does what next."""

    phase: Phase
    """`drawn`: a drawn card waits; `garbage`: the Garbage Pile is open."""
    turn: str | None
    """The seat on turn; null until the first turn begins."""
    drew: bool
    """This turn's draw or garbage action is done."""
    acted: bool
    """Any action of this turn is done; differs from `drew` only with `trades_per_turn` `any`."""
    monsters: dict[str, str]
    """The monster that each seat has to make."""
    pieces: dict[str, tuple[str, ...]]
    trades: dict[str, tuple[str, ...]]
    drawn: str | None
    draw: tuple[CardZone, ...]
    """Layers of the Draw Pile, top first, each shuffled in itself."""
    garbage: tuple[str, ...]
    """Top first."""
    trade_discard: tuple[str, ...]
    """Top first."""
    out: tuple[str, ...]
    """Who resigned, in that order."""
    setup: Setup = UNSET


def playing(state: State) -> tuple[str, ...]:
    """List the seats still in the game."""
    return tuple(seat for seat in state.setup.seats if seat not in state.out)


def others(state: State, seat: str) -> Iterator[str]:
    """Give those whom a seat can trade with, in turn order."""
    return (other for other in in_turn_after(state.setup.seats, seat) if other not in state.out)


def matched(state: State, seat: str) -> tuple[str, ...]:
    """List the different parts of their own monster that a seat holds, in the order of the data."""
    monster = state.monsters.get(seat)
    cards = (state.setup.pieces[card] for card in state.pieces[seat])
    held = {piece.part for piece in cards if piece.monster == monster}
    return tuple(part for part in state.setup.parts.get(monster or "", ()) if part in held)


def complete(state: State, seat: str) -> bool:
    """Tell whether a seat holds every different part of its monster."""
    monster = state.monsters.get(seat)
    return monster is not None and len(matched(state, seat)) == len(state.setup.parts[monster])


def trade_kind(state: State, card: str) -> Kind | None:
    """Give the kind of a trade card; None for a piece."""
    return state.setup.trades.get(card)


def left_in_draw_pile(state: State) -> int:
    """Count the Draw Pile."""
    return sum(layer.size for layer in state.draw)


def all_cards(state: State) -> tuple[str, ...]:
    """List every Parts card, in the order of the data."""
    return (*state.setup.pieces, *state.setup.trades)


def parts_cards(state: State) -> Deck:
    """Say where the record knows each Parts card to lie; the top of the Draw Pile is one place, `draw`."""
    known: dict[str, tuple[str, ...]] = {}
    called: dict[str, str] = {}
    for seat in state.setup.seats:
        known[f"pieces.{seat}"], called[f"pieces.{seat}"] = state.pieces[seat], f"{{{seat}}}'s pieces"
        known[f"trades.{seat}"], called[f"trades.{seat}"] = state.trades[seat], f"{{{seat}}}'s trade cards"
    for number, layer in enumerate(state.draw):
        key = f"draw.{number}" if number else "draw"
        known[key] = layer.known
        called[key] = "the lower part of the Draw Pile" if number else "the Draw Pile"
    known["garbage"], called["garbage"] = state.garbage, "the Garbage Pile"
    known["trade_discard"], called["trade_discard"] = state.trade_discard, "the Trade Discard"
    if state.drawn is not None:
        known["drawn"], called["drawn"] = (state.drawn,), f"{{{state.turn}}}'s hand, just drawn"
    return Deck("Parts card", frozenset(all_cards(state)), places(known), called)


def loose_cards(state: State) -> tuple[str, ...]:
    """List the cards that are not known to lie anywhere, so are in the first Draw Pile, in order."""
    where = parts_cards(state).where
    return tuple(card for card in all_cards(state) if card not in where)


def without(cards: tuple[str, ...], gone: str) -> tuple[str, ...]:
    """Take one card away."""
    return tuple(card for card in cards if card != gone)


def piece_name(state: State, card: str) -> str:
    """Call a card as it is printed: `Petey left arm`, `Trade 1`."""
    piece = state.setup.pieces.get(card)
    if piece is None:
        return TITLES[state.setup.trades[card]]
    return f"{state.setup.monsters[piece.monster]} {piece.part.replace('-', ' ')}"


TITLES: Final[dict[str, str]] = {
    TRADE_1: "Trade 1",
    TRADE_2: "Trade 2",
    GARBAGE_TRADE: "Garbage Trade",
}
