"""A scene as plain text: counters in columns or a line a player, zones, boards as a letter grid or a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from textwrap import wrap
from typing import Final

from games.core.scene import Card, Cell, Counter, Face, Piece, Scene, Zone
from games.text.naming import card_name
from games.text.wording import put_names

WIDTH: Final = 80
_FIXED: Final = "\N{NO-BREAK SPACE}"
_NEAR: Final = 1e-6
"""Cells whose middles differ by less lie in one row, or in one column."""


def scene_text(scene: Scene, names: Mapping[str, str] | None = None, *, width: int = WIDTH) -> str:
    """Draw a scene in at most so many columns, without colours; the last line has no newline.

    A cell reads `A6:A`, its label and the marks of the pieces on it; an empty one is its label alone.
    Cells with names are listed in order, half of them beside the others where they fit: `24 B Valeria,
    2 cottages ← Ann` is space 24, marked B, with the token of Ann.
    """
    named = dict(names or {})
    parts = (
        wrap(put_names(scene.headline, named), width),
        list(_counters(shown_counters(scene), named, width)),
        list(_board(scene, named, width)),
        list(_zones(scene.zones, named, width)),
    )
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts if part)


# --- counters ----------------------------------------------------------------------------------------


def shown_counters(scene: Scene) -> tuple[Counter, ...]:
    """Give the counters that a board in text tells: none that is quiet now, or that its headline tells.

    >>> day, points = Counter("day", "Day", 2), Counter("points", "Points", 0, quiet=True)
    >>> shown_counters(Scene((1, 1), (day, points), headline="Day 2: War"))
    ()
    """
    quiet = {item.label for item in scene.counters if item.quiet}
    quiet -= {item.label for item in scene.counters if item.value}
    return tuple(
        item
        for item in scene.counters
        if item.label not in quiet and not _in_headline(item, scene.headline.casefold())
    )


def _in_headline(item: Counter, headline: str) -> bool:
    figure = f"{item.label} {item.value}".casefold()
    return item.owner is None and headline.startswith(figure) and not headline[len(figure) :][:1].isdigit()


def _counters(counters: Sequence[Counter], names: Mapping[str, str], width: int) -> Iterator[str]:
    common = "   ".join(
        f"{put_names(item.label, names)} {_value(item)}" for item in counters if item.owner is None
    )
    yield from wrap(common, width)
    owned = [item for item in counters if item.owner is not None]
    labels = dict.fromkeys(item.label for item in owned)
    owners = dict.fromkeys(item.owner or "" for item in owned)
    held = {(item.label, item.owner): _value(item) for item in owned}
    heads = ["", *(names.get(owner, owner) for owner in owners)]
    rows = [
        [put_names(label, names), *(held.get((label, owner), "") for owner in owners)] for label in labels
    ]
    table = list(_table([heads, *rows])) if rows else []
    fits = all(len(line) <= width for line in table)
    yield from table if fits else figure_lines(owned, names, width)


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Align columns, the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (text.rjust(wide) for text, wide in zip(row[1:], widths[1:], strict=True))
        yield "  ".join((row[0].ljust(widths[0]), *cells))


def figure_lines(counters: Sequence[Counter], names: Mapping[str, str], width: int = WIDTH) -> Iterator[str]:
    """Write counters down: those of nobody in one line, then each player's behind the name.

    >>> pair = Counter("a", "Zombies: pieces", 6, "p1"), Counter("b", "Zombies: pantry", 0, "p1")
    >>> list(figure_lines(pair, {"p1": "Ann"}))
    ['Ann  Zombies: pieces 6, pantry 0']
    """
    owners = list(dict.fromkeys(item.owner for item in counters if item.owner is not None))
    wide = max((len(names.get(owner, owner)) for owner in owners), default=0)
    for owner in (None, *owners):
        said = " · ".join(_figures([item for item in counters if item.owner == owner], names))
        lead = "" if owner is None else f"{names.get(owner, owner):{wide}}  "
        yield from (line.removesuffix(" ·") for line in _hanging(lead, said, width) if said)


def _figures(counters: Sequence[Counter], names: Mapping[str, str]) -> Iterator[str]:
    """Give the figures one by one, those whose labels begin with the same `group: ` as one.

    None is broken between lines, but for what is said in words: behind a comma.
    """
    groups: dict[str, list[str]] = {}
    for item in counters:
        if item.value or not item.quiet:
            group, colon, label = put_names(item.label, names).rpartition(": ")
            groups.setdefault(group + colon, []).append(f"{label} {_value(item)}")
    for group, figures in groups.items():
        if group:
            yield _kept(f"{group}{', '.join(figures)}")
        else:
            yield from (_kept(figure).replace(f",{_FIXED}", ", ") for figure in figures)


def _value(item: Counter) -> str:
    return item.said or ("–" if item.value is None else str(item.value))


# --- zones -------------------------------------------------------------------------------------------


def _zones(zones: Sequence[Zone], names: Mapping[str, str], width: int) -> Iterator[str]:
    """Write the places of nobody, then each player's; those without a card in one line."""
    shown = [zone for zone in zones if zone.size or zone.spread != "none"]
    owners = dict.fromkeys(zone.owner for zone in shown)
    # A player whose every place says whose it is needs no line of their own.
    headed = {owner for owner in owners if owner and not all(map(_names_owner, _of(shown, owner)))}
    heads = {zone.key: "  " * (zone.owner in headed) + put_names(zone.label, names) for zone in shown}
    margin = max((len(heads[zone.key]) for zone in shown if zone.size), default=0)
    size_width = max((len(str(zone.size)) for zone in shown), default=0)
    for owner in owners:
        if owner in headed:
            yield from wrap(names.get(owner, owner), width)
        mine = _of(shown, owner)
        for zone in (zone for zone in mine if zone.size):
            content = ", ".join(map(_kept, _contents(zone)))
            size = str(zone.size).rjust(size_width)
            yield from _hanging(f"{heads[zone.key].ljust(margin)}  {size}  ", content, width)
        empty = ", ".join(_kept(heads[zone.key].strip()) for zone in mine if not zone.size)
        if empty:
            yield from _hanging(f"{'  ' * (owner in headed)}no card: ", empty, width)


def _of(zones: Sequence[Zone], owner: str | None) -> list[Zone]:
    return [zone for zone in zones if zone.owner == owner]


def _names_owner(zone: Zone) -> bool:
    return f"{{{zone.owner}}}" in zone.label


def _hanging(head: str, text: str, width: int) -> Iterator[str]:
    """Put a text behind a head, wrapped and lined up under its beginning; what is `_kept` is not broken."""
    indent = " " * len(head) if len(head) <= width // 2 else "    "
    for line in wrap(f"{_kept(head)}{text}", width, subsequent_indent=indent, break_on_hyphens=False):
        yield line.replace(_FIXED, " ")


def _kept(text: str) -> str:
    """Keep a text from being broken between lines, until its spaces are put back."""
    return text.replace(" ", _FIXED)


def _contents(zone: Zone) -> list[str]:
    if zone.spread == "none":
        return []
    if zone.spread == "stack":
        on_top = "" if zone.size == 1 else "on top "
        return [f"{on_top}{card_name(card)}" for card in zone.cards[:1] if zone.shown]
    unseen = [f"{zone.unknown} unseen"] if zone.unknown else []
    return [*map(_card_text, zone.cards), *unseen]


def _card_text(card: Card) -> str:
    does = face_says(card.face)
    return f"{card_name(card)} ({does})" if does else card_name(card)


def face_says(face: Face | None) -> str:
    """Say what a card does that is known by its small print: one without a figure.

    >>> face_says(Face("sub-01", lines=("pay 150",))), face_says(Face("Awa", "7", lines=("Awa",)))
    ('pay 150', '')
    """
    return "; ".join(face.lines) if face is not None and not face.value else ""


# --- boards ------------------------------------------------------------------------------------------


def _board(scene: Scene, names: Mapping[str, str], width: int) -> Iterator[str]:
    if not scene.cells:
        return
    if any(cell.name for cell in scene.cells):
        yield from _columns(scene, names, width)
        return
    tokens = _tokens(scene)
    grid = list(_grid(scene.cells, tokens, width))
    yield from grid or _list_of_cells(scene, names, width)
    signs = (
        ("*", scene.crowned, any(piece.crowned for piece in scene.pieces)),
        ("~", scene.dimmed, any(piece.dimmed for piece in scene.pieces)),
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


# --- boards whose spaces have names ------------------------------------------------------------------

_GAP: Final = 2


def _columns(scene: Scene, names: Mapping[str, str], width: int) -> Iterator[str]:
    """List all cells in order, the second half beside the first where there is room."""
    half = (len(scene.cells) + 1) // 2
    wide = (width - _GAP) // 2
    if wide < _NARROWEST:
        yield from _column(scene, scene.cells, names, width)
        return
    left, right = (
        list(_column(scene, part, names, wide)) for part in (scene.cells[:half], scene.cells[half:])
    )
    for one, other in zip_longest(left, right, fillvalue=""):
        yield f"{one.ljust(wide + _GAP)}{other}"


_NARROWEST: Final = 36
"""A column with fewer letters would break most of its lines."""


def _column(scene: Scene, cells: Sequence[Cell], names: Mapping[str, str], width: int) -> Iterator[str]:
    label_width = max((len(cell.label) for cell in scene.cells), default=0)
    owner_width = max((len(piece.mark) for piece in scene.pieces if piece.shape == "square"), default=1)
    for cell in cells:
        on = [piece for piece in scene.pieces if piece.cell == cell.key]
        owners = ",".join(piece.mark for piece in on if piece.shape == "square")
        head = f"{cell.label.rjust(label_width)} {owners.ljust(owner_width)} "
        yield from _hanging(head, _cell_text(cell, on, names, scene.dimmed), width)


def _cell_text(cell: Cell, on: Sequence[Piece], names: Mapping[str, str], dimmed: str) -> str:
    """Name a cell, what is built there, how it stands, and whose tokens are there."""
    how = [piece.label if piece.shape == "house" else piece.label.partition(", ")[2] for piece in on]
    states = [text for piece, text in zip(on, how, strict=True) if piece.shape != "token" and text]
    said = ", ".join(map(_kept, (cell.name, *states)))
    tokens = [
        put_names(piece.label.partition(", ")[0], names) + f" ({dimmed})" * piece.dimmed
        for piece in on
        if piece.shape == "token"
    ]
    return f"{said} {_kept('← ' + ', '.join(tokens))}" if tokens else said
