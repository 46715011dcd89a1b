"""Scene to SVG: keyed sprites over a ground, so that a page can move them and a file can hold them.

A drawing is plain markup without inline styles; `scene.css` beside this file gives it its colours.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2s
from typing import Any, Final

import msgspec

from games.core.scene import Box, Cell, Scene, Zone
from games.scene.card_art import outline
from games.scene.changes import Changes, compare, points_of, touched, whose
from games.scene.layout import CARD, Names, Spot, Thing, called, middle, room, things
from games.scene.looks import style
from games.scene.markup import escape, word
from games.scene.piece_art import written
from games.text.wording import put_names

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
    now = {thing.key: thing for thing in things(scene, names)}
    changes = Changes() if before is None else compare(scene, before, now, names, whose(event, tuple(names)))
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
        trails=(touched(scene, event, lines=not changes.trails) if before else "") + "".join(changes.trails),
        sprites=(*ghosts, *sprites),
        symbols=symbols,
    )


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


def _view(scene: Scene) -> str:
    width, height = scene.size
    if not scene.zones:
        return f"0 0 {written(width)} {written(height)}"
    above = 2 * LINE + 12 - min(zone.place.y for zone in scene.zones)
    top = max(above, 0)
    return f"-4 {written(-top)} {written(width + 8)} {written(height + top + 6)}"


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
    turn = f" rotate({written(spot.turn)})" if spot.turn else ""
    scale = f" scale({spot.scale:.3f})" if spot.scale != 1 else ""
    return f"translate({written(spot.x)} {written(spot.y)}){turn}{scale}"


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
    tone = f" tone-{word(cell.tone)}" if cell.tone else ""
    home = " home" if cell.start_of else ""
    x, y = cell.centre
    lines = [put_names(text, names) for text in (cell.label, *cell.lines) if text]
    alone = len(lines) == 1 and len(lines[0]) <= SHORT
    size = max(8.0, min(room(cell) * (0.66 if alone else 0.5), 24 if alone else 16))
    wide = 2 * min(abs(x - edge) for edge, _ in cell.points) - 4
    y = _between(cell, y, size * len(lines) / 2 + 2) if len(lines) > 1 else y
    texts = "".join(
        f'<text class="cell-label" font-size="{written(_fitting(line, size, wide))}" x="{written(x)}" '
        f'y="{written(y + size * (0.35 + number - (len(lines) - 1) / 2))}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    return f'<polygon class="cell{tone}{home}" points="{points_of(cell)}"/>{texts}'


def _between(cell: Cell, y: float, half: float) -> float:
    """Keep several lines inside their cell, where it is high enough for them."""
    low, high = min(edge for _, edge in cell.points) + half, max(edge for _, edge in cell.points) - half
    return min(max(y, low), high) if low <= high else (low + high) / 2


def _fitting(line: str, size: float, wide: float) -> float:
    """Shrink letters until a line fits between the sides of its cell."""
    return min(size, max(wide / (WIDEST * len(line)), 4)) if len(line) > SHORT else size


def _place(zone: Zone, names: Names) -> str:
    if zone.spread == "stack":
        x, y, _, scale = middle(zone.place)
        width, height = CARD[0] * scale, CARD[1] * scale
        box = Box(x - width / 2, y - height / 2, width, height)
    else:
        box = zone.place
    return (
        f'<rect class="place" x="{written(box.x)}" y="{written(box.y)}" width="{written(box.w)}" '
        f'height="{written(box.h)}" rx="8"/>'
        f"{_inside(zone, box, names) if zone.outline else _place_label(zone, box, names)}"
    )


def _inside(zone: Zone, box: Box, names: Names) -> str:
    """Show in a place what belongs there, and call it by its label; a card covers both."""
    scale = box.w / CARD[0]
    lines = _halves(put_names(zone.label, names))
    x, y = box.x + box.w / 2, box.y + box.h / 2
    texts = "".join(
        f'<text class="outline-label" font-size="{written(11 * scale)}" x="{written(x)}" '
        f'y="{written(y + (26 + 12 * (number - (len(lines) - 1) / 2)) * scale)}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    shape = f'<g class="outline" transform="{_transform(Spot(x, y - 12 * scale, scale=1.35 * scale))}">'
    return f"{shape}{outline(zone.outline)}</g>{texts}"


def _place_label(zone: Zone, box: Box, names: Names) -> str:
    """Write a place's label above it, on two lines where it is narrow; a wide one names its owner."""
    wide = box.w > WIDE
    text = called(zone, names) if wide else put_names(zone.label, names)
    lines = [text] if wide or len(text) * LETTER < box.w + 16 else _halves(text)
    x = written(box.x + box.w / 2)
    return "".join(
        f'<text class="place-label" x="{x}" y="{written(box.y - 7 - LINE * above)}">{escape(line)}</text>'
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
