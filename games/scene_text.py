"""A scene as plain text: counters in columns, zones with their cards, a board of cells as a letter grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from textwrap import wrap
from typing import Final

from games.scene import Card, Cell, Counter, Face, Piece, Scene, Value, Zone
from games.wording import put_names

WIDTH: Final = 80
NAME_ENDS: Final = " · "
"""Between the name of a card and its figure."""
_FIXED: Final = "\N{NO-BREAK SPACE}"
_NEAR: Final = 1e-6
"""Cells whose middles differ by less lie in one row, or in one column."""


def scene_text(scene: Scene, names: Mapping[str, str] | None = None, *, width: int = WIDTH) -> str:
    """Draw a scene in at most so many columns, without colours; the last line has no newline.

    A cell reads `A6:A`, its label and the marks of the pieces on it; an empty one is its label alone.
    """
    named = dict(names or {})
    parts = (
        wrap(put_names(scene.headline, named), width),
        list(_counters(scene.counters, named, width)),
        list(_board(scene, named, width)),
        list(_zones(scene.zones, named, width)),
    )
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts if part)


# --- counters ----------------------------------------------------------------------------------------


def _counters(counters: Sequence[Counter], names: Mapping[str, str], width: int) -> Iterator[str]:
    common = "   ".join(
        f"{put_names(item.label, names)} {_value(item.value)}" for item in counters if item.owner is None
    )
    yield from wrap(common, width)
    owners = tuple(dict.fromkeys(item.owner for item in counters if item.owner is not None))
    labels = tuple(dict.fromkeys(item.label for item in counters if item.owner is not None))
    held = {(item.label, item.owner): _value(item.value) for item in counters}
    heads = [names.get(owner, owner) for owner in owners]
    rows = [
        [put_names(label, names), *(held.get((label, owner), "") for owner in owners)] for label in labels
    ]
    if rows:
        yield from _table([["", *heads], *rows], width)


def _table(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Align columns, the first to the left, the others to the right; spell the rows out if too wide."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    if sum(widths) + 2 * (len(widths) - 1) <= width:
        for row in rows:
            cells = (text.rjust(wide) for text, wide in zip(row[1:], widths[1:], strict=True))
            yield "  ".join((row[0].ljust(widths[0]), *cells))
        return
    heads = rows[0][1:]
    for label, *values in rows[1:]:
        pairs = ", ".join(f"{head} {value}" for head, value in zip(heads, values, strict=True) if value)
        yield from wrap(f"{label}: {pairs}", width, subsequent_indent="  ")


def _value(value: Value) -> str:
    return "–" if value is None else str(value)


# --- zones -------------------------------------------------------------------------------------------


def _zones(zones: Sequence[Zone], names: Mapping[str, str], width: int) -> Iterator[str]:
    heads = {zone.key: f"{'  ' * (zone.owner is not None)}{put_names(zone.label, names)}" for zone in zones}
    head_width = max(map(len, heads.values()), default=0)
    size_width = max((len(str(zone.size)) for zone in zones), default=0)
    for owner in dict.fromkeys(zone.owner for zone in zones):
        if owner is not None:
            yield from wrap(names.get(owner, owner), width)
        for zone in zones:
            if zone.owner == owner:
                head = f"{heads[zone.key].ljust(head_width)}  {str(zone.size).rjust(size_width)}"
                yield from _hanging(head, _contents(zone), width)


def _hanging(head: str, items: Sequence[str], width: int) -> Iterator[str]:
    """Put items behind a head, wrapped between items only and lined up under the first."""
    text = ", ".join(items).replace(" ", _FIXED).replace(f",{_FIXED}", ", ")
    indent = " " * (len(head) + 2) if len(head) + 2 <= width // 2 else "    "
    first = f"{head}  ".replace(" ", _FIXED)
    for line in wrap(f"{first}{text}", width, subsequent_indent=indent, break_on_hyphens=False):
        yield line.replace(_FIXED, " ")


def _contents(zone: Zone) -> list[str]:
    if zone.spread == "none":
        return []
    if zone.spread == "stack":
        return [f"on top {card_name(zone.cards[0])}"] if zone.shown and zone.cards else []
    unseen = [f"{zone.unknown} unseen"] if zone.unknown else []
    return [*(card_name(card) for card in zone.cards), *unseen]


def card_name(card: Card) -> str:
    """Name a card as printed: its title, and its figure where the title does not say it."""
    return face_name(card.face)


def face_name(face: Face) -> str:
    """Name what is printed; the number behind `no.` tells cards apart and is never the figure.

    >>> face_name(Face("Amen no. 5", value="5")), face_name(Face("Trade 2", value="2"))
    ('Amen no. 5 · 5', 'Trade 2')
    """
    words = face.title.partition(" no. ")[0].split()
    said = face.title.startswith(face.value) or face.value in words
    return face.title if said else f"{face.title}{NAME_ENDS}{face.value}"


# --- boards ------------------------------------------------------------------------------------------


def _board(scene: Scene, names: Mapping[str, str], width: int) -> Iterator[str]:
    if not scene.cells:
        return
    tokens = _tokens(scene)
    grid = list(_grid(scene.cells, tokens, width))
    yield from grid or _list_of_cells(scene, names, width)
    signs = (
        ("*", "crowned", any(piece.crowned for piece in scene.pieces)),
        ("~", "dimmed", any(piece.dimmed for piece in scene.pieces)),
    )
    if any(used for _, _, used in signs):
        yield "   ".join(f"{sign} {word}" for sign, word, used in signs if used)


def _tokens(scene: Scene) -> dict[str, str]:
    marks: dict[str, list[str]] = {}
    for piece in scene.pieces:
        marks.setdefault(piece.cell, []).append(_mark(piece))
    return {
        cell.key: f"{cell.label}:{','.join(marks[cell.key])}" if cell.key in marks else cell.label
        for cell in scene.cells
    }


def _mark(piece: Piece) -> str:
    return f"{piece.mark}{'*' * piece.crowned}{'~' * piece.dimmed}"


def _grid(cells: Sequence[Cell], tokens: Mapping[str, str], width: int) -> Iterator[str]:
    """Put each cell where its middle lies; nothing where they overlap or are too many for the width.

    Cells of one horizontal strip share a row, so that triangles pointing up and down stand side by side.
    """
    middles = {cell.key: _middle(cell) for cell in cells}
    rows = _clusters(y for _, y in middles.values())
    placed: dict[int, list[tuple[float, str]]] = {}
    for key, (x, y) in sorted(middles.items(), key=lambda item: item[1][0]):
        placed.setdefault(rows[y], []).append((x, tokens[key]))
    left = min(x for x, _ in middles.values())
    longest = max(len(token) for token in tokens.values())
    steps = [after - before for row in placed.values() for (before, _), (after, _) in pairwise(row)]
    if min(steps, default=1.0) < _NEAR:
        return
    unit = (longest + 1) / min(steps, default=1.0)
    lines = [_line([(round((x - left) * unit), token) for x, token in placed[row]]) for row in sorted(placed)]
    if max(map(len, lines)) <= width:
        yield from lines


def _middle(cell: Cell) -> tuple[float, float]:
    if not cell.points:
        return cell.centre
    ys = [y for _, y in cell.points]
    xs = [x for x, _ in cell.points]
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def _clusters(values: Iterator[float]) -> dict[float, int]:
    number = -1
    last = float("-inf")
    found: dict[float, int] = {}
    for value in sorted(set(values)):
        number += value - last > _NEAR
        found[value] = number
        last = value
    return found


def _line(row: Sequence[tuple[int, str]]) -> str:
    line = ""
    for column, token in row:
        line = f"{line.ljust(column)}{token}"
    return line


def _list_of_cells(scene: Scene, names: Mapping[str, str], width: int) -> Iterator[str]:
    """Where the grid is too wide: only the cells that hold something, one a line."""
    for cell in scene.cells:
        on = [
            f"{put_names(piece.label, names)}{'*' * piece.crowned}{'~' * piece.dimmed}"
            for piece in scene.pieces
            if piece.cell == cell.key
        ]
        if on:
            yield from wrap(f"{cell.label}: {', '.join(on)}", width, subsequent_indent="  ")
