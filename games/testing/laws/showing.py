"""What is shown and typed: scenes, captions and short forms."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from games.core import serialization
from games.core.events import Event
from games.core.ruleset import CHANCE, EVERYTHING, TABLE, IllegalAction
from games.core.scene import Scene
from games.scene.text import WIDTH, scene_text
from games.testing.laws.law import AnyRuleset
from games.testing.laws.playing import some_offered
from games.testing.laws.walking import Moment
from games.text import wording

TYPED: Final = 2
"""At every second step that is judged, what is offered is typed too."""


def scene_drawn(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    """Look at the scene, its text, the fronts, the caption, and why something is due."""
    scene = ruleset.scene(moment.seen.after)
    seats = moment.game.started.seats
    yield from _scene_faults(scene, seats)
    for card in (card for zone in scene.zones for card in zone.cards):
        if ruleset.face(moment.seen.after, card.key) not in {None, card.face}:
            yield f"the card {card.key} lies there with another front than `face` shows"
    widest = max(map(len, scene_text(scene).split("\n")))
    if widest > WIDTH:
        yield f"the scene as text is {widest} columns wide"
    if moment.step:
        yield from _line_faults("the caption", ruleset.describe(moment.seen.before, moment.seen.event), seats)
    for due in ruleset.pending(moment.seen.after):
        if due.why:
            yield from _line_faults("the reason of a pending decision", due.why, seats)


def _scene_faults(scene: Scene, seats: Sequence[str]) -> Iterator[str]:
    keys = [key for key, _ in scene.values()]
    yield from (
        f"two places have the key {key!r}" for key in sorted({key for key in keys if keys.count(key) > 1})
    )
    for key, value in scene.values():
        if value is not None and type(value) not in {int, str}:
            yield f"{key} has the value {value!r}; a number, a text or null is right"
    pieces = [piece.key for piece in scene.pieces]
    if len(set(pieces)) != len(pieces):
        yield "two pieces have the same key"
    cells = {cell.key for cell in scene.cells}
    yield from (
        f"{piece.key} stands on {piece.cell!r}, which is no cell"
        for piece in scene.pieces
        if piece.cell not in cells
    )
    for zone in scene.zones:
        if zone.unknown < 0:
            yield f"{zone.key} has {zone.unknown} unknown cards"
        if not set(zone.seen_by) <= {TABLE, *seats}:
            yield f"{zone.key} is seen by {zone.seen_by}; seats or the table are right"
    owners = {zone.owner for zone in scene.zones} | {item.owner for item in scene.counters}
    if not owners <= {None, *seats, TABLE, CHANCE}:
        yield f"owners are {sorted(map(str, owners))}, which are not all seats"
    if msgspec.json.decode(msgspec.json.encode(scene), type=Scene) != scene:
        yield "the scene is another after writing it as JSON"


def _line_faults(what: str, line: str, seats: Sequence[str]) -> Iterator[str]:
    if not line.strip() or "\n" in line:
        yield f"{what} is {line!r}, not one line"
    wrong = [word for word in re.findall(r"\{(.*?)\}", line) if word not in {*seats, TABLE, CHANCE}]
    if wrong:
        yield f"{what} is {line!r}; in braces stand seats only, not {wrong[0]!r}"


def notation(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    """Type what happened, and now and then what is offered."""
    if ruleset.notation is None:
        return
    if moment.step:
        yield from _typed_faults(ruleset, moment.seen.before, moment.seen.event)
    if moment.viewer == EVERYTHING and moment.step % TYPED == 0:
        rng = random.Random(moment.step)  # noqa: S311 - to be repeated, not to be secret
        for event in some_offered(ruleset, moment.seen.after, rng):
            yield from _typed_faults(ruleset, moment.seen.after, event)


def _typed_faults(ruleset: AnyRuleset, state: Any, event: Event) -> Iterator[str]:
    text = wording.write(ruleset, state, event)
    try:
        again = wording.read(ruleset, state, text)
    except IllegalAction as refusal:
        yield f"{text!r} is written, but not read back: {refusal}"
        return
    if again != (event,):
        yield f"{text!r} is written for {serialization.encode_event(event)}, but read as {again}"
