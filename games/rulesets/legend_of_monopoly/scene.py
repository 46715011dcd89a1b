"""The board as it is drawn: 40 spaces round a square, with tokens, and marks of owners and houses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from games.core.scene import NOBODY, PUBLIC, Box, Card, Cell, Counter, Face, Piece, Point, Scene, Tone, Zone
from games.rulesets.legend_of_monopoly.actions import due_text, musts
from games.rulesets.legend_of_monopoly.estate import (
    built_on,
    by_owner,
    cottages_standing,
    inns_standing,
    wealth,
)
from games.rulesets.legend_of_monopoly.scoring import outcome
from games.rulesets.legend_of_monopoly.state import (
    FAILURES,
    SPACES,
    Holding,
    Land,
    Space,
    State,
    TaxSpace,
    Underworld,
    space_of,
)
from games.rulesets.legend_of_monopoly.wording import card_title, effect_text
from games.words import counted

CORNER: Final = 128.0
"""Side of a corner, and how far every space reaches inwards."""
ACROSS: Final = 60.0
"""Width of a space along its side."""
SIDE: Final = 2 * CORNER + 9 * ACROSS
TEXT: Final = 27.0
"""From the outer edge to the middle of what is written on a space."""
STRIP: Final = 71.0
"""From the outer edge to the marks of owner and houses."""
TOKENS: Final = 106.0
"""From the outer edge to the tokens."""
MARK: Final = 13.0
"""Half the width of a mark."""
TOKEN: Final = 19.0
"""Half the width of a token that stands alone."""
ROOM_PART: Final = 0.9
"""The part of a cell's room that a piece of size 1 fills."""
LETTERS: Final = "ABCDEFGHIJKLMN"
TONES: Final = 6
PARTS: Final = 10
QUARTER: Final = SPACES // 4
CORNER_TEXT: Final = 34.0
"""From the upper or lower edge of a corner to the middle of what is written there."""
CORNER_TOKENS: Final = 95.0
"""From the upper or lower edge of a corner to its tokens."""
LONG_LINE: Final = 9
"""Letters that stand beside one another on a space."""


# --- the board ---------------------------------------------------------------------------------------


class Frame(NamedTuple):
    """Where a space lies: corner of its box, its size, and the way inwards."""

    x: float
    y: float
    w: float
    h: float
    inward: Point

    @property
    def outer(self) -> Point:
        """Give the middle of the outer edge; of a corner, the middle of both its outer edges."""
        dx, dy = self.inward
        return (
            self.x + (self.w / 2 if dx == 0 else 0 if dx > 0 else self.w),
            self.y + (self.h / 2 if dy == 0 else 0 if dy > 0 else self.h),
        )


@cache
def frame(pos: int) -> Frame:
    """Lay GO at the bottom right and go round clockwise."""
    side, step = divmod(pos, QUARTER)
    far = SIDE - CORNER
    along = CORNER + (9 - step) * ACROSS if step else far
    back = CORNER + (step - 1) * ACROSS if step else 0.0
    wide = ACROSS if step else CORNER
    across = 0.0 if step else 1.0
    return (
        Frame(along, far, wide, CORNER, (-across, -1.0)),
        Frame(0.0, along, CORNER, wide, (1.0, -across)),
        Frame(back, 0.0, wide, CORNER, (across, 1.0)),
        Frame(far, back, CORNER, wide, (-1.0, across)),
    )[side]


@lru_cache(maxsize=1024)
def _at(pos: int, inwards: float, along: float = 0.0) -> Point:
    """Give a point of a space: so far from the outer edge, so far from its middle line."""
    here = frame(pos)
    x, y = here.outer
    dx, dy = here.inward
    if dx and dy:
        return x + dx * inwards + along, y + dy * inwards
    return x + dx * inwards + abs(dy) * along, y + dy * inwards + abs(dx) * along


@cache
def _centre(pos: int) -> Point:
    """Give the middle of what is written on a space; on a corner, above or below its tokens."""
    if pos % QUARTER:
        return _at(pos, TEXT)
    here = frame(pos)
    return here.x + here.w / 2, here.outer[1] + here.inward[1] * CORNER_TEXT


@cache
def _room(pos: int) -> float:
    here, (x, y) = frame(pos), _centre(pos)
    return min(x - here.x, here.x + here.w - x, y - here.y, here.y + here.h - y)


@lru_cache(maxsize=32)
def _cells(spaces: tuple[Space, ...]) -> tuple[Cell, ...]:
    parts = list(dict.fromkeys(space.part for space in spaces if isinstance(space, Land)))
    return tuple(_cell(space, parts) for space in spaces)


def _cell(space: Space, parts: list[str]) -> Cell:
    here = frame(space.pos)
    right, bottom = here.x + here.w, here.y + here.h
    part = space.part if isinstance(space, Land) else ""
    return Cell(
        key=f"cell.{space.pos}",
        label=str(space.pos),
        points=((here.x, here.y), (right, here.y), (right, bottom), (here.x, bottom)),
        centre=_centre(space.pos),
        tone=f"part{parts.index(part) % PARTS}" if part else "",
        start_of=part,
        lines=(*_halves(space.name), *_price(space)),
        name=space.name,
    )


def _price(space: Space) -> tuple[str, ...]:
    match space:
        case Land(price=price):
            return (str(price),)
        case TaxSpace(amount=amount):
            return (f"−{amount}",)
        case _:
            return ()


def _halves(name: str) -> tuple[str, ...]:
    """Break a name into two lines where it is long.

    >>> _halves("Mud People Village"), _halves("Galea")
    (('Mud People', 'Village'), ('Galea',))
    """
    spaces = [place for place, letter in enumerate(name) if letter == " "]
    if len(name) <= LONG_LINE or not spaces:
        return (name,)
    middle = min(spaces, key=lambda place: max(place, len(name) - place))
    return name[:middle], name[middle + 1 :]


# --- pieces ------------------------------------------------------------------------------------------


def _piece(key: str, pos: int, spot: Point, radius: float, look: Piece) -> Piece:
    """Put a piece with its middle on a spot of the scene, so large."""
    x, y = _centre(pos)
    return Piece(
        key=key,
        cell=f"cell.{pos}",
        mark=look.mark,
        label=look.label,
        tone=look.tone,
        shape=look.shape,
        dimmed=look.dimmed,
        dx=(spot[0] - x) / radius,
        dy=(spot[1] - y) / radius,
        size=radius / (_room(pos) * ROOM_PART),
    )


def letter_of(state: State, seat: str) -> str:
    """Give a player's letter, which marks token, lands and figures."""
    return LETTERS[state.setup.seats.index(seat)]


def _tone(state: State, seat: str) -> str:
    return str(state.setup.seats.index(seat) % TONES)


def token_name(state: State, seat: str) -> str:
    """Call a token as the rulebook does: Confessor's Hand, Sword of Truth."""
    name = state.setup.options.tokens[seat].replace("confessors", "confessor's").replace("-", " ")
    return " ".join(word if word == "of" else word[:1].upper() + word[1:] for word in name.split())


def _pieces(state: State) -> Iterator[Piece]:
    on: dict[int, list[str]] = {}
    for seat in state.setup.seats:
        if seat in state.space:
            on.setdefault(state.space[seat], []).append(seat)
    for pos, seats in on.items():
        yield from _tokens(state, pos, seats)
    for key, land in state.setup.lands.items():
        holding = state.lands.get(key)
        if holding is not None:
            yield from _marks(land.pos, holding, letter_of(state, holding.owner))


def _tokens(state: State, pos: int, seats: list[str]) -> Iterator[Piece]:
    """Stand tokens side by side, smaller and in rows where they are many."""
    for seat, (spot, radius) in zip(seats, _spots(pos, len(seats)), strict=True):
        held = ", held" if seat in state.held else ""
        said = f"{{{seat}}}, {token_name(state, seat)}{held}"
        look = Piece("", "", letter_of(state, seat), said, _tone(state, seat), "token", dimmed=bool(held))
        yield _piece(f"token.{seat}", pos, spot, radius, look)


@lru_cache(maxsize=1024)
def _spots(pos: int, count: int) -> tuple[tuple[Point, float], ...]:
    """Give the places of so many tokens on a space and their size, in as many rows as makes them largest."""
    corner = pos % QUARTER == 0
    wide, deep = (CORNER - 4, CORNER / 2 - 4) if corner else (ACROSS - 2, 2 * TOKEN + 2)
    fits = {rows: min(TOKEN, wide / 2 / -(-count // rows), deep / 2 / rows) for rows in range(1, 6)}
    rows = max(fits, key=lambda number: (fits[number], -number))
    columns, radius = -(-count // rows), fits[rows]
    spots = []
    for number in range(count):
        row, column = divmod(number, columns)
        along = (column - (columns - 1) / 2) * 2 * radius
        down = (row - (rows - 1) / 2) * 2 * radius
        spots.append((_on_corner(pos, along, down) if corner else _at(pos, TOKENS + down, along), radius))
    return tuple(spots)


def _on_corner(pos: int, along: float, down: float) -> Point:
    here = frame(pos)
    x, y = here.x + here.w / 2, here.outer[1] + here.inward[1] * CORNER_TOKENS
    return x + along, y + down


@lru_cache(maxsize=4096)
def _marks(pos: int, holding: Holding, letter: str) -> tuple[Piece, ...]:
    """Mark a land with its owner's letter, and with a house where something is built."""
    tone, seat = str(LETTERS.index(letter) % TONES), holding.owner
    said = f"{{{seat}}}'s{', indebted' if holding.indebted else ''}"
    look = Piece("", "", letter, said, tone, "square", dimmed=holding.indebted)
    owner = _piece(f"owner.{pos}", pos, _at(pos, STRIP, -MARK - 1), MARK, look)
    if not built_on(holding):
        return (owner,)
    what = (f"an {holding.house}" if holding.house == "inn" else holding.house) or counted(
        holding.cottages, "cottage"
    )
    built = holding.house[:2].title() if holding.house else str(holding.cottages)
    look = Piece("", "", built, what, tone, "house")
    return owner, _piece(f"house.{pos}", pos, _at(pos, STRIP, MARK + 1), MARK, look)


# --- cards and figures -------------------------------------------------------------------------------


PARTS_TONES: Final = {
    "part0": Tone("#8d5a2b", "#8d5a2b"),
    "part1": Tone("#8a8378", "#8a8378"),
    "part2": Tone("#4fb3e0", "#4fb3e0"),
    "part3": Tone("#d05a9e", "#d05a9e"),
    "part4": Tone("#3fae9e", "#3fae9e"),
    "part5": Tone("#e8892b", "#e8892b"),
    "part6": Tone("#d23b3b", "#d23b3b"),
    "part7": Tone("#e0c21f", "#e0c21f"),
    "part8": Tone("#3f9a4b", "#3f9a4b"),
    "part9": Tone("#4a55b8", "#4a55b8"),
}
"""Parts of the kingdom, round the board."""


def face(state: State, card: str) -> Face | None:
    """Show a Magic Card's front, wherever it lies."""
    return _card(state, card).face if card in state.setup.magic else None


def _card(state: State, card: str) -> Card:
    magic = state.setup.magic[card]
    title = card_title(state, card)
    return Card(card, Face(title=title, lines=(effect_text(state, magic),), tone="gambit"))


_DECKS: Final = (("additive", "Additive Magic", 0.3), ("subtractive", "Subtractive Magic", 0.7))


def _zones(state: State) -> Iterator[Zone]:
    for name, label, share in _DECKS:
        deck = state.decks[name]  # type: ignore[index]  # the two decks there are
        yield Zone(
            key=f"deck.{name}",
            label=label,
            seen_by=NOBODY,
            cards=tuple(_card(state, card) for card in (*deck.known, *deck.under)),
            unknown=deck.unknown,
            place=Box(SIDE * share - 50, SIDE / 2 - 150, 100, 140),
            back="monster" if name == "additive" else "gambit",
        )
    drawn = () if state.drawn is None else (_card(state, state.drawn.card),)
    yield Zone(
        key="drawn",
        label="Drawn card",
        seen_by=PUBLIC,
        cards=drawn,
        unknown=0,
        place=Box(SIDE / 2 - 50, SIDE / 2 - 10, 100, 140),
        spread="row",
        shown=True,
        back="monster",
    )
    yield from _kept(state)


def _kept(state: State) -> Iterator[Zone]:
    """Lay kept cards in a row below the decks; who keeps none has a place that is not drawn."""
    keepers = [seat for seat in state.setup.seats if state.cards.get(seat)]
    for seat in state.setup.seats:
        cards = state.cards.get(seat, ())
        place = keepers.index(seat) if cards else 0
        yield Zone(
            key=f"cards.{seat}",
            label=f"Kept by {{{seat}}}",
            seen_by=PUBLIC,
            cards=tuple(_card(state, card) for card in cards),
            unknown=0,
            place=Box(CORNER + 20 + place * 160, SIDE - CORNER - 130, 130, 110),
            owner=seat,
            spread="row" if cards else "none",
            shown=True,
            back="monster",
        )


def _counters(state: State) -> Iterator[Counter]:
    yield Counter("round", "Round", state.round)
    yield Counter("cottages", "Cottages standing", cottages_standing(state))
    yield Counter("inns", "Inns standing", inns_standing(state))
    for seat, own in by_owner(state).items():
        yield from _of_player(state, seat, own)


def _of_player(state: State, seat: str, own: list[tuple[Land, Holding]]) -> Iterator[Counter]:
    tone = _tone(state, seat)
    token = f"{letter_of(state, seat)} {token_name(state, seat)}"
    yield Counter(f"token.{seat}", "Token", token, seat, tone)
    yield Counter(f"cash.{seat}", "Cash", state.cash.get(seat, 0), seat)
    yield Counter(f"wealth.{seat}", "Wealth", wealth(state, seat, own), seat)
    yield Counter(f"space.{seat}", "Space", state.space.get(seat), seat, said=_space_text(state, seat))
    yield Counter(f"loan.{seat}", "Loan", state.loans.get(seat, 0), seat, quiet=True)
    yield Counter(f"water.{seat}", "Shadow Water", state.water.get(seat, 0), seat, quiet=True)
    yield Counter(f"lands.{seat}", "Lands", len(own), seat, said=_lands_text(own))


def _space_text(state: State, seat: str) -> str:
    """Name the space of a token; in the Underworld, whether its player is held there."""
    if seat not in state.space:
        return "out of the game"
    space = space_of(state, seat)
    said = f"{space.pos} {space.name}"
    if not isinstance(space, Underworld):
        return said
    return f"{said}, {_held_text(state.held[seat])}" if seat in state.held else f"{said}, visiting"


def _held_text(failures: int) -> str:
    return f"held, {failures} of {FAILURES} throws without a double" if failures else "held"


def _lands_text(own: list[tuple[Land, Holding]]) -> str:
    names = (f"{land.name} (indebted)" if holding.indebted else land.name for land, holding in own)
    return f"{len(own)}: {', '.join(names)}" if own else ""


# --- the whole ---------------------------------------------------------------------------------------


def scene(state: State) -> Scene:
    """Draw the position; a table check names counters and zones."""
    return Scene(
        size=(SIDE, SIDE),
        counters=tuple(_counters(state)),
        zones=tuple(_zones(state)),
        cells=_cells(state.setup.spaces),
        pieces=tuple(_pieces(state)),
        turn=None if state.phase == "over" else state.turn,
        headline=_headline(state),
        dimmed="held",
    )


_ENDS: Final = {
    "last-player": "{%s} has defeated the Keeper",
    "wealthiest-after-rounds": "{%s} is the wealthiest",
    "fellowship": "The fellowship owns every land",
    "draw": "The wealth is shared: a draw",
}


def _headline(state: State) -> str:
    over = outcome(state)
    if over is not None:
        text = _ENDS[over.reason]
        return text % over.winners[0] if "%s" in text else text
    charge = state.charge
    claim = [f"{{{charge.owner}}} may claim {charge.amount} Rahl from {{{charge.from_}}}"] if charge else []
    return f"Round {state.round}: {'; '.join((*map(due_text, musts(state)), *claim))}"
