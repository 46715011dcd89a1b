"""Scene to SVG: keyed sprites over a ground, so that a page can move them and a file can hold them.

A drawing is plain markup without inline styles; `scene.css` beside this file gives it its colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from hashlib import blake2s
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from games.card_art import back, face, outline, stack
from games.markup import escape
from games.scene import Box, Card, Cell, Piece, Scene, Zone
from games.scene_text import card_name
from games.wording import put_names

CARD: Final = (63.0, 88.0)
"""Width and height of a card's symbol, which lies round its centre."""
CHIP: Final = 20.0
"""Inner radius of a piece's symbol."""
FAN: Final = 5.0
"""Degrees between two cards of a fan."""
FAN_MOST: Final = 24.0
"""Degrees between the outer cards of a fan."""
WIDE: Final = 180.0
"""A place wider than this has room for its owner's name."""
LETTER: Final = 10.0
"""About the width of a letter of a label."""
SHORT: Final = 3
"""A line of so few letters is written as large as the others of its cell."""
WIDEST: Final = 0.58
"""About the width of a letter of a cell's text, against its size."""
LINE: Final = 20.0
"""From one line of a label to the next."""
FREE: Final = 0.48
"""The part of a covered card's width that stays in sight."""
FREE_APART: Final = 0.9
"""The same where cards are kept to a width."""
TRAIL: Final = 6.0
"""Half the width of a trail at its end."""
GHOSTS: Final = 12
"""So many cards that only passed over the table are shown for one owner."""

Names = Mapping[str, str]


class Sprite(msgspec.Struct, frozen=True):
    """One thing in the picture: the same `key` is the same thing at every step."""

    key: str
    classes: str
    transform: str
    inner: str
    start: str = ""
    """The transform where it came from, for a thing that was not drawn before."""

    def markup(self) -> str:
        """Give the element, as page and file hold it."""
        return (
            f'<g data-k="{escape(self.key)}" class="{self.classes}" transform="{self.transform}">'
            f"{self.inner}</g>"
        )


class Drawing(msgspec.Struct, frozen=True):
    """A picture in parts: `ground` and `trails` are markup, `symbols` the definitions that sprites use."""

    view: str
    """The `viewBox`: the scene, with a margin for labels above the topmost places."""
    ground: str
    trails: str
    sprites: tuple[Sprite, ...]
    symbols: dict[str, str]


class Spot(NamedTuple):
    """A place in the picture: middle, degrees turned, size against the symbol's."""

    x: float
    y: float
    turn: float = 0
    scale: float = 1


class Thing(msgspec.Struct, frozen=True):
    """A piece, a card or a count, with its place, before it is known whether it moved."""

    key: str
    where: str
    spot: Spot
    symbol: str
    label: str
    sort: str
    text: str = ""
    drawn: bool = True


def draw(
    scene: Scene,
    before: Scene | None = None,
    *,
    names: Names | None = None,
    event: Any = None,
) -> Drawing:
    """Draw a scene; with the scene before, what moved is outlined and shows whence it came.

    `names` has every seat and is put in for `{p1}`.  `event`, as plain JSON values, says whose a card was
    that came from somewhere unseen, and which cells it names.
    """
    names = names or {}
    now = {thing.key: thing for thing in _things(scene, names)}
    changes = (
        _Changes() if before is None else _compare(scene, before, now, names, whose(event, tuple(names)))
    )
    symbols: dict[str, str] = {}
    sprites = [
        _sprite(thing, changes.classes.get(thing.key, ""), symbols, changes.starts.get(thing.key))
        for thing in now.values()
        if thing.drawn
    ]
    ghosts = [_sprite(thing, "ghost", symbols, changes.starts.get(thing.key)) for thing in changes.ghosts]
    return Drawing(
        view=_view(scene),
        ground=_ground(
            scene.cells, tuple(_without_cards(zone) for zone in scene.zones), tuple(names.items())
        ),
        trails=(_touched(scene, event, lines=not changes.trails) if before else "") + "".join(changes.trails),
        sprites=(*ghosts, *sprites),
        symbols=symbols,
    )


def whose(payload: Any, seats: tuple[str, ...]) -> dict[str, str]:
    """Read from an event's plain JSON which seat each text belongs to: beneath its key, or beside `player`.

    >>> whose({"kind": "flipped", "cards": {"p1": "w1", "p2": ["m07a"]}}, ("p1", "p2"))
    {'w1': 'p1', 'm07a': 'p2'}
    >>> whose({"player": "p2", "card": "m07a"}, ("p1", "p2"))["m07a"]
    'p2'
    """
    found: dict[str, str] = {}

    def walk(value: Any, seat: str | None) -> None:
        if isinstance(value, dict):
            acting = value.get("player")
            seat = acting if isinstance(acting, str) and acting in seats else seat
            for key, item in value.items():
                walk(item, key if key in seats else seat)
        elif isinstance(value, list):
            for item in value:
                walk(item, seat)
        elif isinstance(value, str) and seat is not None:
            found[value] = seat

    walk(payload, None)
    return found


def standalone(drawing: Drawing, title: str) -> str:
    """Give the whole picture as one SVG file with its colours inside."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="scene" viewBox="{drawing.view}" role="img">'
        f"<title>{escape(title)}</title><style>{style()}</style>{body(drawing)}</svg>\n"
    )


def body(drawing: Drawing) -> str:
    """Give what stands inside the `svg` element: definitions, ground, trails, sprites."""
    return (
        f"<defs>{''.join(drawing.symbols.values())}</defs>"
        f'<g class="ground">{drawing.ground}</g><g class="trails">{drawing.trails}</g>'
        f'<g class="sprites">{"".join(sprite.markup() for sprite in drawing.sprites)}</g>'
    )


@cache
def style() -> str:
    """Give the style sheet of every picture."""
    return (Path(__file__).parent / "scene.css").read_text(encoding="utf-8")


def _view(scene: Scene) -> str:
    width, height = scene.size
    if not scene.zones:
        return f"0 0 {_number(width)} {_number(height)}"
    above = 2 * LINE + 12 - min(zone.place.y for zone in scene.zones)
    top = max(above, 0)
    return f"-4 {_number(-top)} {_number(width + 8)} {_number(height + top + 6)}"


# --- things: where everything lies -------------------------------------------------------------------


def _things(scene: Scene, names: Names) -> Iterator[Thing]:
    cells = {cell.key: cell for cell in scene.cells}
    for piece in sorted(scene.pieces, key=lambda item: item.key):
        if piece.cell in cells:
            yield _piece(piece, cells[piece.cell], names)
    for zone in scene.zones:
        yield from _zone(zone, names)


def _piece(piece: Piece, cell: Cell, names: Names) -> Thing:
    radius = _room(cell) * 0.9 * piece.size
    x, y = cell.centre
    return Thing(
        key=f"piece:{piece.key}",
        where=cell.key,
        spot=Spot(x + piece.dx * radius, y + piece.dy * radius, scale=radius / CHIP),
        symbol=_chip(piece.shape, piece.tone, piece.mark, crowned=piece.crowned, dimmed=piece.dimmed),
        label=put_names(piece.label, names),
        sort="piece",
    )


@lru_cache(maxsize=512)
def _room(cell: Cell) -> float:
    """Give the distance from a cell's centre to its nearest edge."""
    cx, cy = cell.centre
    edges = zip(cell.points, (*cell.points[1:], *cell.points[:1]), strict=True)
    return min(
        abs((x2 - x1) * (y1 - cy) - (x1 - cx) * (y2 - y1)) / (((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1)
        for (x1, y1), (x2, y2) in edges
    )


def _zone(zone: Zone, names: Names) -> Iterator[Thing]:
    label = _label(zone, names)
    return _spread(zone, label) if zone.spread in {"row", "fan"} else _stack(zone, label)


def _label(zone: Zone, names: Names) -> str:
    """Call a place by its owner too, where the label does not."""
    label = put_names(zone.label, names)
    return (
        label
        if zone.owner is None or zone.label != label
        else f"{names.get(zone.owner, zone.owner)}: {label}"
    )


def _stack(zone: Zone, label: str) -> Iterator[Thing]:
    """Lay a stack: its pile, its top card where that is shown, how many; what lies inside is only placed."""
    spot = _middle(zone.place)
    seen = zone.spread == "stack"
    top = zone.cards[0] if zone.shown and zone.cards else None
    if zone.size and seen:
        said = f"{label}: {cards(zone.size)}"
        yield Thing(f"pile:{zone.key}", zone.key, spot, stack(zone.back, zone.size), said, "pile")
    for card in reversed(zone.cards):
        yield _card(card, zone, spot, label, drawn=seen and card is top)
    if seen and zone.size > (top is not None):
        corner = Spot(spot.x + CARD[0] * spot.scale / 2 - 10, spot.y - CARD[1] * spot.scale / 2 + 8)
        yield Thing(f"tally:{zone.key}", zone.key, corner, _TALLY, "", "tally", text=str(zone.size))


def _spread(zone: Zone, label: str) -> Iterator[Thing]:
    spots = list(_places(zone.place, zone.size, fan=zone.spread == "fan", widest=zone.widest))
    for card, spot in zip(zone.cards, spots, strict=False):
        yield _card(card, zone, spot, label, drawn=True)
    for number, spot in enumerate(spots[len(zone.cards) :]):
        said = f"{label}: a card face down"
        yield Thing(f"back:{zone.key}:{number}", zone.key, spot, back(zone.back), said, "card")


def _card(card: Card, zone: Zone, spot: Spot, label: str, *, drawn: bool) -> Thing:
    said = f"{label}: {card_name(card)}{'' if zone.shown else ', face down'}"
    symbol = face(card.face) if zone.shown else back(zone.back)
    return Thing(f"card:{card.key}", zone.key, spot, symbol, said, "card", drawn=drawn)


def _middle(place: Box) -> Spot:
    scale = min(place.w / CARD[0], place.h / CARD[1])
    return Spot(place.x + place.w / 2, place.y + place.h / 2, scale=scale)


def _places(place: Box, count: int, *, fan: bool, widest: float = 0) -> Iterator[Spot]:
    """Give the spots of so many cards side by side: overlapping, smaller and in rows where room is short.

    Of a covered card enough stays free to read its figure.
    """
    fits = {rows: _width(place, -(-count // rows), rows, widest) for rows in (1, 2, 3)}
    rows = max(fits, key=lambda number: (fits[number], -number))
    width, scale = fits[rows], fits[rows] / CARD[0]
    lines = [
        range(start, min(start + -(-count // rows), count))
        for start in range(0, count, -(-count // rows) or 1)
    ]
    spread = min(FAN, FAN_MOST / max(count - 1, 1)) if fan and rows == 1 else 0
    for row, line in enumerate(lines):
        step = min(width * 1.08, (place.w - width) / (len(line) - 1)) if len(line) > 1 else 0
        middle = place.y + place.h * (row + 0.5) / len(lines)
        for number in range(len(line)):
            off = number - (len(line) - 1) / 2
            dip = off**2 * spread * scale / 6
            yield Spot(place.x + place.w / 2 + off * step, middle + dip, off * spread, scale)


def _width(place: Box, across: int, rows: int, widest: float = 0) -> float:
    """Give the widest card of which so many fit across, in so many rows."""
    high = (place.h - 4 * (rows - 1)) / rows * CARD[0] / CARD[1]
    free = FREE_APART if widest else FREE
    return max(min(high, place.w / (1 + free * max(across - 1, 0)), widest or high), 1)


# --- what the last event changed ---------------------------------------------------------------------


class _Changes(msgspec.Struct):
    classes: dict[str, str] = msgspec.field(default_factory=dict)
    starts: dict[str, Spot] = msgspec.field(default_factory=dict)
    trails: list[str] = msgspec.field(default_factory=list)
    ghosts: list[Thing] = msgspec.field(default_factory=list)


def _compare(
    scene: Scene, before: Scene, now: dict[str, Thing], names: Names, played: Mapping[str, str]
) -> _Changes:
    then = {thing.key: thing for thing in _things(before, names)}
    changes = _Changes()
    shrunk = _shrunk(scene, before)
    for key, thing in now.items():
        old = then.get(key)
        if thing.sort == "tally":
            if old is None or old.text != thing.text:
                changes.classes[key] = "changed"
        elif thing.drawn and thing.sort != "pile":
            _mark(changes, thing, old, _source(scene, thing, shrunk))
    changes.ghosts.extend(_captured(then, now))
    changes.ghosts.extend(_passing(scene, now, then, played, changes, shrunk))
    return changes


def _mark(changes: _Changes, thing: Thing, old: Thing | None, source: Zone | None) -> None:
    """Outline what moved, came or turned over, with a line from where."""
    if old is not None and old.where == thing.where:
        if old.drawn and old.symbol != thing.symbol:
            changes.classes[thing.key] = "moved"
        return
    changes.classes[thing.key] = "moved"
    start = old.spot if old is not None else _middle(source.place) if source is not None else None
    if start is not None:
        changes.trails.append(_trail(start, thing.spot))
        if old is None or not old.drawn:
            changes.starts[thing.key] = start


def _shrunk(scene: Scene, before: Scene) -> list[Zone]:
    """List the places that hold fewer cards now, stacks first."""
    sizes = {zone.key: zone.size for zone in scene.zones}
    found = [zone for zone in before.zones if zone.size > sizes.get(zone.key, 0)]
    return sorted(found, key=lambda zone: zone.spread != "stack")


def _source(scene: Scene, thing: Thing, shrunk: list[Zone]) -> Zone | None:
    """Guess the place that a card came from: of the same owner, with the same back, and smaller now."""
    home = next((zone for zone in scene.zones if zone.key == thing.where), None)
    if home is None:
        return None
    fitting = [zone for zone in shrunk if zone.back == home.back and zone.key != home.key]
    own = [zone for zone in fitting if zone.owner == home.owner]
    return next(iter(own or fitting), None)


def _captured(then: dict[str, Thing], now: dict[str, Thing]) -> Iterator[Thing]:
    for key, thing in then.items():
        if thing.sort == "piece" and key not in now:
            yield msgspec.structs.replace(thing, symbol=_turned(thing.symbol), label=f"{thing.label}: taken")


def _passing(  # noqa: PLR0917 - what happened takes this much to tell
    scene: Scene,
    now: dict[str, Thing],
    then: dict[str, Thing],
    played: Mapping[str, str],
    changes: _Changes,
    shrunk: list[Zone],
) -> Iterator[Thing]:
    """Show cards that only passed over the table: they came into a stack, and everybody saw them.

    Each lies in the empty open place of whoever played it, with a line to the stack that took it.
    """
    faces = {f"card:{card.key}": (card, zone) for zone in scene.zones for card in zone.cards}
    zones = {zone.key: zone for zone in scene.zones}
    groups: dict[str, list[str]] = {}
    order = {key: number for number, key in enumerate(then)}
    for key, thing in now.items():
        old = then.get(key)
        if thing.drawn or (old is not None and old.where == thing.where):
            continue
        lay_open = zones.get(old.where) if old is not None and old.drawn else None
        owner = played.get(key.removeprefix("card:")) or (lay_open.owner if lay_open else None)
        table = _open_place(scene, owner, faces[key][0]) if owner else None
        if table is not None and (lay_open is None or lay_open.key == table.key):
            groups.setdefault(table.key, []).append(key)
    for place, keys in groups.items():
        table = zones[place]
        kept = sorted(keys, key=lambda key: order.get(key, len(order)))[-GHOSTS:]
        for key, spot in zip(kept, _places(zones[place].place, len(kept), fan=False), strict=True):
            card, target = faces[key]
            changes.trails.append(_trail(spot, _middle(target.place)))
            source = next((zone for zone in shrunk if zone.owner == table.owner), None)
            if source is not None and not (key in then and then[key].drawn):
                changes.starts[key] = _middle(source.place)
            yield Thing(key, place, spot, face(card.face), f"{card_name(card)}: taken", "card")


def _open_place(scene: Scene, owner: str | None, card: Card) -> Zone | None:
    """Find the place, the widest empty one, where this owner's cards are laid open."""
    places = [zone for zone in scene.zones if zone.shown and zone.spread in {"row", "fan"} and not zone.size]
    same = [zone for zone in places if zone.back == _family(card)] or places
    own = [zone for zone in same if zone.owner == owner]
    shared = [zone for zone in same if zone.owner is None]
    return max(own or shared, key=lambda zone: zone.place.w, default=None)


def _family(card: Card) -> str:
    return "gambit" if card.face.tone == "gambit" else "monster"


def _trail(start: Spot, end: Spot) -> str:
    """Draw a wedge that grows from a point at the start to full width at the end."""
    across, down = end.x - start.x, end.y - start.y
    length = (across**2 + down**2) ** 0.5
    if length < 1:
        return ""
    nx, ny = -down / length * TRAIL, across / length * TRAIL
    corners = (start.x, start.y, end.x + nx, end.y + ny, end.x - nx, end.y - ny)
    points = " ".join(_number(value) for value in corners)
    return f'<polygon class="trail" points="{points}"/>'


def _touched(scene: Scene, event: Any, *, lines: bool) -> str:
    """Outline the cells that an event names; where nothing else shows a way, a line leads along them."""
    by_name = {name: cell for cell in scene.cells for name in (cell.key, cell.label)}
    named = [by_name[value] for value in _texts(event) if value in by_name]
    outlines = "".join(f'<polygon class="touched" points="{_points(cell)}"/>' for cell in named)
    way = pairwise(Spot(*cell.centre) for cell in named) if lines else ()
    return outlines + "".join(_trail(start, end) for start, end in way)


def _texts(event: Any) -> list[str]:
    return [value for value in event.values() if isinstance(value, str)] if isinstance(event, dict) else []


# --- markup ------------------------------------------------------------------------------------------

_TALLY: Final = '<rect class="tally" x="-19" y="-12" width="38" height="24" rx="12"/>'


def _sprite(thing: Thing, change: str, symbols: dict[str, str], start: Spot | None = None) -> Sprite:
    name = symbol_id(thing.symbol)
    symbols.setdefault(name, f'<g id="{name}">{thing.symbol}</g>')
    text = f'<text class="count" y="6">{escape(thing.text)}</text>' if thing.text else ""
    title = f"<title>{escape(thing.label)}</title>" if thing.label else ""
    return Sprite(
        key=thing.key,
        classes=f"sprite {thing.sort}{f' {change}' if change else ''}",
        transform=_transform(thing.spot),
        inner=f'{title}<use href="#{name}"/>{text}',
        start=_transform(start) if start else "",
    )


def _transform(spot: Spot) -> str:
    turn = f" rotate({_number(spot.turn)})" if spot.turn else ""
    scale = f" scale({spot.scale:.3f})" if spot.scale != 1 else ""
    return f"translate({_number(spot.x)} {_number(spot.y)}){turn}{scale}"


@lru_cache(maxsize=4096)
def symbol_id(markup: str) -> str:
    """Name a symbol after what is drawn, so that equal looks share one definition."""
    return f"s{blake2s(markup.encode(), digest_size=6).hexdigest()}"


def _without_cards(zone: Zone) -> Zone:
    return msgspec.structs.replace(zone, cards=(), unknown=0, seen_by=())


@lru_cache(maxsize=256)
def _ground(cells: tuple[Cell, ...], zones: tuple[Zone, ...], names: tuple[tuple[str, str], ...]) -> str:
    """Draw what lies still: the cells of the board and the places for cards."""
    put = dict(names)
    parts = [_cell(cell, put) for cell in cells]
    parts.extend(_place(zone, put) for zone in zones if zone.spread != "none")
    return "".join(parts)


def _cell(cell: Cell, names: Names) -> str:
    tone = f" tone-{_word(cell.tone)}" if cell.tone else ""
    home = " home" if cell.start_of else ""
    x, y = cell.centre
    lines = [put_names(text, names) for text in (cell.label, *cell.lines) if text]
    alone = len(lines) == 1 and len(lines[0]) <= SHORT
    size = max(8.0, min(_room(cell) * (0.66 if alone else 0.5), 24 if alone else 16))
    wide = 2 * min(abs(x - edge) for edge, _ in cell.points) - 4
    y = _between(cell, y, size * len(lines) / 2 + 2) if len(lines) > 1 else y
    texts = "".join(
        f'<text class="cell-label" font-size="{_number(_fitting(line, size, wide))}" x="{_number(x)}" '
        f'y="{_number(y + size * (0.35 + number - (len(lines) - 1) / 2))}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return f'<polygon class="cell{tone}{home}" points="{_points(cell)}"/>{texts}'


def _between(cell: Cell, y: float, half: float) -> float:
    """Keep several lines inside their cell, where it is high enough for them."""
    low, high = min(edge for _, edge in cell.points) + half, max(edge for _, edge in cell.points) - half
    return min(max(y, low), high) if low <= high else (low + high) / 2


def _fitting(line: str, size: float, wide: float) -> float:
    """Shrink letters until a line fits between the sides of its cell."""
    return min(size, max(wide / (WIDEST * len(line)), 4)) if len(line) > SHORT else size


def _points(cell: Cell) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in cell.points)


def _place(zone: Zone, names: Names) -> str:
    if zone.spread == "stack":
        x, y, _, scale = _middle(zone.place)
        width, height = CARD[0] * scale, CARD[1] * scale
        box = Box(x - width / 2, y - height / 2, width, height)
    else:
        box = zone.place
    return (
        f'<rect class="place" x="{_number(box.x)}" y="{_number(box.y)}" width="{_number(box.w)}" '
        f'height="{_number(box.h)}" rx="8"/>'
        f"{_inside(zone, box, names) if zone.outline else _place_label(zone, box, names)}"
    )


def _inside(zone: Zone, box: Box, names: Names) -> str:
    """Show in a place what belongs there, and call it by its label; a card covers both."""
    scale = box.w / CARD[0]
    lines = _halves(put_names(zone.label, names))
    x, y = box.x + box.w / 2, box.y + box.h / 2
    texts = "".join(
        f'<text class="outline-label" font-size="{_number(11 * scale)}" x="{_number(x)}" '
        f'y="{_number(y + (26 + 12 * (number - (len(lines) - 1) / 2)) * scale)}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    shape = f'<g class="outline" transform="{_transform(Spot(x, y - 12 * scale, scale=1.35 * scale))}">'
    return f"{shape}{outline(zone.outline)}</g>{texts}"


def _place_label(zone: Zone, box: Box, names: Names) -> str:
    """Write a place's label above it, on two lines where it is narrow; a wide one names its owner."""
    wide = box.w > WIDE
    text = _label(zone, names) if wide else put_names(zone.label, names)
    lines = [text] if wide or len(text) * LETTER < box.w + 16 else _halves(text)
    x = _number(box.x + box.w / 2)
    return "".join(
        f'<text class="place-label" x="{x}" y="{_number(box.y - 7 - LINE * above)}">{escape(line)}</text>'
        for above, line in enumerate(reversed(lines))
    )


def _halves(text: str) -> list[str]:
    """Break a label at the space nearest its middle.

    >>> _halves("discarded gambits")
    ['discarded', 'gambits']
    """
    spaces = [place for place, letter in enumerate(text) if letter == " "]
    if not spaces:
        return [text]
    middle = min(spaces, key=lambda place: abs(place - len(text) / 2))
    return [text[:middle], text[middle + 1 :]]


# Flat-topped, so that it sits snugly in a triangle that stands on a side.
_SHAPES: Final[dict[str, str]] = {
    "hexagon": '<polygon class="body" points="23,0 11.5,20 -11.5,20 -23,0 -11.5,-20 11.5,-20"/>'
    '<polygon class="ring" points="18.4,0 9.2,16 -9.2,16 -18.4,0 -9.2,-16 9.2,-16"/>',
    "circle": '<circle class="body" r="20"/><circle class="ring" r="16"/>',
    "square": '<rect class="body" x="-18" y="-18" width="36" height="36" rx="4"/>'
    '<rect class="ring" x="-14" y="-14" width="28" height="28" rx="3"/>',
    "house": '<polygon class="body" points="0,-20 19,-4 19,18 -19,18 -19,-4"/>',
    "token": '<path class="body" d="M0-20a11 11 0 0 1 7 19l10 19h-34l10-19a11 11 0 0 1 7-19z"/>',
}
_CROWN: Final = '<path class="crown" d="M-9-8.5l-1.6-7.5 5.3 3.4L0-18.5l5.3 5.9 5.3-3.4L9-8.5z"/>'


@lru_cache(maxsize=512)
def _chip(shape: str, tone: str, mark: str, *, crowned: bool, dimmed: bool) -> str:
    classes = f"tt-chip tone-{_word(tone)}{' crowned' if crowned else ''}{' dimmed' if dimmed else ''}"
    size = 17 if len(mark) <= 1 else 13 if len(mark) <= 2 else 9  # noqa: PLR2004 - letters that fit a chip
    ice = '<path class="ice" d="M0-19V19M-16.5-9.5L16.5 9.5M-16.5 9.5L16.5-9.5"/>' if dimmed else ""
    return (
        f'<g class="{classes}">{_SHAPES[shape]}{ice}{_CROWN if crowned else ""}'
        f'<text class="mark" font-size="{size}" y="{_number(size * 0.36 + 4 * crowned)}">'
        f"{escape(mark)}</text></g>"
    )


def _turned(symbol: str) -> str:
    return f'<g class="turned">{symbol}<path class="cross" d="M-12-12L12 12M12-12L-12 12"/></g>'


def cards(count: int) -> str:
    """Say a number of cards.

    >>> cards(1), cards(26)
    ('1 card', '26 cards')
    """
    return "1 card" if count == 1 else f"{count} cards"


def _word(text: str) -> str:
    """Keep what may stand in a class name."""
    return "".join(letter for letter in text.lower() if letter.isalnum() and letter.isascii()) or "none"


def _number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
