"""The table: everybody's monster put together part by part, what else they hold, and the piles between."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from games.core.scene import NOBODY, PUBLIC, Box, Card, Counter, Face, Scene, Zone
from games.rulesets.monster_maker.scoring import REASONS, outcome
from games.rulesets.monster_maker.state import (
    GARBAGE_TRADE,
    TITLES,
    Kind,
    Piece,
    State,
    left_in_draw_pile,
    matched,
    piece_name,
)

BODY: Final = ("head", "left-arm", "body", "right-arm", "left-leg", "right-leg")
"""The parts that have a shape and a place of their own, from top to bottom."""
_SHARE: Final = 88 / 63
"""Height of a card to its width."""
MONSTER: Final = "monster-"
"""What the key of a Monsters card on the table begins with."""
_PAIR: Final = 2
_FOUR: Final = 4


def scene(state: State) -> Scene:
    """Draw the table as everybody sees it; only the Draw Pile lies face down."""
    plan = _PLANS[len(state.setup.seats)]
    zones = [*_piles(state, plan)]
    for seat, corner in zip(state.setup.seats, plan.corners, strict=True):
        zones.extend(_seat_zones(state, seat, plan.block, corner))
    return Scene(
        size=plan.size,
        counters=tuple(_counters(state)),
        zones=tuple(zones),
        turn=None if state.phase == "over" else state.turn,
        headline=_headline(state),
    )


def _counters(state: State) -> Iterator[Counter]:
    for seat in state.setup.seats:
        yield Counter(f"matched.{seat}", "parts of the monster", len(matched(state, seat)), seat)
        yield Counter(f"pieces.{seat}", "pieces held", len(state.pieces[seat]), seat)


def _headline(state: State) -> str:
    ended = outcome(state)
    if ended is not None:
        return f"{{{ended.winners[0]}}} wins ({REASONS[ended.reason]})"
    return _HEADLINES[state.phase].format(seat=f"{{{state.turn}}}", drawn=_drawn_name(state))


def _drawn_name(state: State) -> str:
    return "" if state.drawn is None else piece_name(state, state.drawn)


_HEADLINES: Final = {
    "monsters": "Everybody gets a monster",
    "deal": "Parts are dealt",
    "bonus": "Bonus cards are dealt",
    "turn": "{seat} is on turn",
    "drawn": "{seat} has drawn {drawn}",
    "garbage": "{seat} looks through the Garbage Pile",
}


# --- cards ------------------------------------------------------------------------------------------------


def _cards(state: State, cards: tuple[str, ...]) -> tuple[Card, ...]:
    return tuple(Card(card, _face(state, card)) for card in cards)


def face(state: State, card: str) -> Face | None:
    """Show a card's front, wherever it lies; a monster's by its id or as it lies on the table."""
    monster = card.removeprefix(MONSTER)
    if monster in state.setup.monsters:
        return _monster_card(state, monster).face
    known = card in state.setup.pieces or card in state.setup.trades
    return _face(state, card) if known else None


def _face(state: State, card: str) -> Face:
    piece = state.setup.pieces.get(card)
    return _trade_face(state.setup.trades[card]) if piece is None else _piece_face(piece, _names(state))


def _names(state: State) -> tuple[tuple[str, str], ...]:
    return tuple(state.setup.monsters.items())


@lru_cache(maxsize=512)
def _piece_face(piece: Piece, names: tuple[tuple[str, str], ...]) -> Face:
    shape = piece.part if piece.part in BODY else "body"
    title = f"{dict(names)[piece.monster]} {piece.part.replace('-', ' ')}"
    return _monster_face(title, shape, piece.monster, names)


@lru_cache(maxsize=64)
def _monster_face(title: str, shape: str, monster: str, names: tuple[tuple[str, str], ...]) -> Face:
    """Show a part of a monster, or the whole: in its colour, with as much of its name as tells it apart."""
    called = dict(names)
    name, tone = called.pop(monster), [key for key, _ in names].index(monster)
    begun = (name[:length] for length in range(1, len(name)))
    mark = next((text for text in begun if not any(o.startswith(text) for o in called.values())), name)
    return Face(title, mark=mark, icon=f"{shape}/{monster}", tone=str(tone))


@cache
def _trade_face(kind: Kind) -> Face:
    if kind == GARBAGE_TRADE:
        return Face(TITLES[kind], icon="garbage", tone="gambit")
    return Face(TITLES[kind], value=kind[-1], icon="turncoat", tone="gambit")


def _monster_card(state: State, monster: str) -> Card:
    front = _monster_face(state.setup.monsters[monster], "whole", monster, _names(state))
    return Card(MONSTER + monster, front)


# --- where everything lies --------------------------------------------------------------------------------


class Block(NamedTuple):
    """A seat's part of the table: its cards' width, where the figure begins, the boxes beside or below it."""

    card: float
    left: float
    loose: Box
    trades: Box


class Plan(NamedTuple):
    """How the table is laid out for so many players."""

    size: tuple[float, float]
    block: Block
    corners: tuple[tuple[float, float], ...]
    """Top left corner of each seat's block, clockwise from the bottom left."""
    piles: dict[str, Box]
    open_garbage: Box
    """Where the Garbage Pile is spread out while somebody looks through it."""


_GAP: Final = 8.0


def _card_box(x: float, y: float, width: float) -> Box:
    return Box(x, y, width, width * _SHARE)


def _body_places(width: float) -> tuple[Box, ...]:
    """Place six parts like a figure: head over body, an arm on each side, two legs; as `BODY` has them."""
    across, down = width + _GAP, width * _SHARE + _GAP
    spots = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (0.5, 2.0), (1.5, 2.0))
    return tuple(_card_box(column * across, row * down, width) for column, row in spots)


def _moved(box: Box, x: float, y: float) -> Box:
    return Box(box.x + x, box.y + y, box.w, box.h)


# Three to five sit round two columns of blocks: the figure on the left, the rest beside it.
_SMALL: Final = Block(82.0, 10.0, Box(286.0, 0.0, 199.0, 230.0), Box(286.0, 259.0, 199.0, 100.0))
_HIGH: Final = 410.0
"""From one block to the next one below."""
_TOP: Final = 34.0
_LEFT, _RIGHT = 8.0, 508.0
_WIDE: Final = 1000.0
# Two sit side by side, with larger cards: the rest lies below the figure.
_LARGE: Final = Block(130.0, 39.0, Box(0.0, 592.0, 305.0, 128.0), Box(320.0, 592.0, 165.0, 128.0))


def _corner_piles(x: float, y: float) -> tuple[dict[str, Box], Box]:
    """Put the piles into a free block: three above, the Garbage Pile below with room to be spread out."""
    boxes = {
        "draw": _card_box(x + 40, y, 104),
        "drawn": _card_box(x + 190, y, 104),
        "trade_discard": _card_box(x + 340, y, 104),
        "garbage": _card_box(x + 190, y + 192, 104),
    }
    return boxes, Box(x, y + 187, 485, 155)


def _strip_piles(y: float) -> tuple[dict[str, Box], Box]:
    """Put the piles into a strip across the table."""
    boxes = {
        "draw": _card_box(130, y, 100),
        "drawn": _card_box(260, y, 100),
        "garbage": _card_box(510, y, 100),
        "trade_discard": _card_box(770, y, 100),
    }
    return boxes, Box(385, y, 360, 100 * _SHARE)


def _plan(players: int) -> Plan:
    if players == _PAIR:
        return Plan((_WIDE, 945.0), _LARGE, ((_LEFT, 220.0), (_RIGHT, 220.0)), *_strip_piles(_TOP))
    if players == _FOUR:
        low = _TOP + _HIGH + 175
        corners = ((_LEFT, low), (_LEFT, _TOP), (_RIGHT, _TOP), (_RIGHT, low))
        return Plan((_WIDE, low + _HIGH - 30), _SMALL, corners, *_strip_piles(_TOP + _HIGH))
    last = (players - 1) // 2
    low = _TOP + last * _HIGH
    left = tuple((_LEFT, low - row * _HIGH) for row in range(last + 1))
    right = tuple((_RIGHT, _TOP + row * _HIGH) for row in range(last))
    return Plan((_WIDE, low + _HIGH - 30), _SMALL, (*left, *right), *_corner_piles(_RIGHT, low))


_PLANS: Final = {players: _plan(players) for players in (2, 3, 4, 5)}
_PILES: Final = {
    "draw": "Draw Pile",
    "drawn": "just drawn",
    "garbage": "Garbage Pile",
    "trade_discard": "Trade Discard",
}


def _piles(state: State, plan: Plan) -> Iterator[Zone]:
    lying = {
        "draw": tuple(card for layer in state.draw for card in layer.known),
        "drawn": () if state.drawn is None else (state.drawn,),
        "garbage": state.garbage,
        "trade_discard": state.trade_discard,
    }
    for key, label in _PILES.items():
        opened = key == "garbage" and state.phase == "garbage"
        face_down = key == "draw"
        yield Zone(
            key=key,
            label=label,
            seen_by=NOBODY if face_down else PUBLIC,
            cards=_cards(state, lying[key]),
            unknown=left_in_draw_pile(state) - len(lying[key]) if face_down else 0,
            place=plan.open_garbage if opened else plan.piles[key],
            spread="row" if opened else "stack",
            shown=not face_down,
            back="monster",
        )


def _seat_zones(state: State, seat: str, block: Block, corner: tuple[float, float]) -> Iterator[Zone]:
    monster = state.monsters.get(seat)
    figure = corner[0] + block.left, corner[1]
    label = f"{{{seat}}} (out)" if seat in state.out else f"{{{seat}}} makes"
    own = () if monster is None else (_monster_card(state, monster),)
    yield _open(f"monster.{seat}", label, seat, own, _moved(_card_box(0, 0, block.card), *figure))
    fitted = _fitted(state, seat)
    for part, place in _figure(state, seat, block.card):
        cards = _cards(state, (fitted[part],)) if part in fitted else ()
        yield _open(
            f"part.{seat}.{part}", part.replace("-", " "), seat, cards, _moved(place, *figure), outline=part
        )
    loose = tuple(card for card in state.pieces[seat] if card not in fitted.values())
    for key, label, held, box in (
        ("loose", "loose", loose, block.loose),
        ("trades", "trades", state.trades[seat], block.trades),
    ):
        yield _open(
            f"{key}.{seat}", label, seat, _cards(state, held), _moved(box, *corner), widest=block.card
        )


def _open(
    key: str,
    label: str,
    seat: str,
    cards: tuple[Card, ...],
    place: Box,
    *,
    widest: float = 0,
    outline: str = "",
) -> Zone:
    return Zone(
        key=key,
        label=label,
        seen_by=PUBLIC,
        cards=cards,
        unknown=0,
        place=place,
        owner=seat,
        spread="row" if widest else "stack",
        shown=True,
        back="monster",
        outline=outline,
        widest=widest,
    )


def _fitted(state: State, seat: str) -> dict[str, str]:
    """Choose for each part of their monster that a seat holds the first card of it."""
    fitted: dict[str, str] = {}
    for card in state.pieces[seat]:
        piece = state.setup.pieces[card]
        if piece.monster == state.monsters.get(seat):
            fitted.setdefault(piece.part, card)
    return fitted


def _figure(state: State, seat: str, width: float) -> Iterator[tuple[str, Box]]:
    """Give each part of a seat's monster its place; parts of another name take what is left."""
    parts = state.setup.parts[state.monsters.get(seat, next(iter(state.setup.parts)))]
    places = dict(zip(BODY, _body_places(width), strict=True))
    free = [place for part, place in places.items() if part not in parts]
    for part in parts:
        yield part, places[part] if part in places else free.pop(0)
