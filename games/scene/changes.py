"""What the last event changed in a picture: what moved, whence, and what only passed over the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

import msgspec

from games.core.scene import Cell, Scene, Zone
from games.scene.card_art import face
from games.scene.layout import Names, Spot, Thing, middle, places, things
from games.scene.piece_art import turned, written
from games.text.naming import card_name

TRAIL: Final = 6.0
"""Half the width of a trail at its end."""
GHOSTS: Final = 12
"""So many cards that only passed over the table are shown for one owner."""


class Changes(msgspec.Struct):
    """What is to be marked, whence it came, the lines there, and what only passed."""

    classes: dict[str, str] = msgspec.field(default_factory=dict)
    starts: dict[str, Spot] = msgspec.field(default_factory=dict)
    trails: list[str] = msgspec.field(default_factory=list)
    ghosts: list[Thing] = msgspec.field(default_factory=list)


def compare(
    scene: Scene, before: Scene, now: dict[str, Thing], names: Names, played: Mapping[str, str]
) -> Changes:
    """Compare a scene with the one before."""
    then = {thing.key: thing for thing in things(before, names)}
    changes = Changes()
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


def _mark(changes: Changes, thing: Thing, old: Thing | None, source: Zone | None) -> None:
    """Outline what moved, came or turned over, with a line from where."""
    if old is not None and old.where == thing.where:
        if old.drawn and old.symbol != thing.symbol:
            changes.classes[thing.key] = "moved"
        return
    changes.classes[thing.key] = "moved"
    start = old.spot if old is not None else middle(source.place) if source is not None else None
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
            yield msgspec.structs.replace(thing, symbol=turned(thing.symbol), label=f"{thing.label}: taken")


def _passing(  # noqa: PLR0917 - what happened takes this much to tell
    scene: Scene,
    now: dict[str, Thing],
    then: dict[str, Thing],
    played: Mapping[str, str],
    changes: Changes,
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
        table = _open_place(scene, owner, faces[key][1].back) if owner else None
        if table is not None and (lay_open is None or lay_open.key == table.key):
            groups.setdefault(table.key, []).append(key)
    for place, keys in groups.items():
        table = zones[place]
        kept = sorted(keys, key=lambda key: order.get(key, len(order)))[-GHOSTS:]
        for key, spot in zip(kept, places(zones[place].place, len(kept), fan=False), strict=True):
            card, target = faces[key]
            changes.trails.append(_trail(spot, middle(target.place)))
            source = next((zone for zone in shrunk if zone.owner == table.owner), None)
            if source is not None and not (key in then and then[key].drawn):
                changes.starts[key] = middle(source.place)
            yield Thing(key, place, spot, face(card.face), f"{card_name(card)}: taken", "card")


def _open_place(scene: Scene, owner: str | None, back: str) -> Zone | None:
    """Find the place, the widest empty one, where this owner's cards are laid open."""
    places = [zone for zone in scene.zones if zone.shown and zone.spread in {"row", "fan"} and not zone.size]
    same = [zone for zone in places if zone.back == back] or places
    own = [zone for zone in same if zone.owner == owner]
    shared = [zone for zone in same if zone.owner is None]
    return max(own or shared, key=lambda zone: zone.place.w, default=None)


def _trail(start: Spot, end: Spot) -> str:
    """Draw a wedge that grows from a point at the start to full width at the end."""
    across, down = end.x - start.x, end.y - start.y
    length = (across**2 + down**2) ** 0.5
    if length < 1:
        return ""
    nx, ny = -down / length * TRAIL, across / length * TRAIL
    corners = (start.x, start.y, end.x + nx, end.y + ny, end.x - nx, end.y - ny)
    points = " ".join(written(value) for value in corners)
    return f'<polygon class="trail" points="{points}"/>'


def touched(scene: Scene, event: Any, *, lines: bool) -> str:
    """Outline the cells that an event names; where nothing else shows a way, a line leads along them."""
    by_name = {name: cell for cell in scene.cells for name in (cell.key, cell.label)}
    named = [by_name[value] for value in _texts(event) if value in by_name]
    outlines = "".join(f'<polygon class="touched" points="{points_of(cell)}"/>' for cell in named)
    way = pairwise(Spot(*cell.centre) for cell in named) if lines else ()
    return outlines + "".join(_trail(start, end) for start, end in way)


def _texts(event: Any) -> list[str]:
    return [value for value in event.values() if isinstance(value, str)] if isinstance(event, dict) else []


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


def points_of(cell: Cell) -> str:
    """Write the corners of a cell."""
    return " ".join(f"{written(x)},{written(y)}" for x, y in cell.points)
