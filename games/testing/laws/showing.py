"""What is shown and typed: scenes, captions and short forms."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import msgspec

from games.core import serialization
from games.core.events import Event, kind_of
from games.core.ruleset import CHANCE, EVERYTHING, TABLE, IllegalAction
from games.core.scene import Scene
from games.scene.text import WIDTH, scene_text
from games.testing.laws.law import AnyRuleset
from games.testing.laws.playing import some_offered
from games.testing.laws.walking import ObservedStep
from games.text import wording
from games.text.naming import Naming

TYPED: Final = 2
"""At every second step that is judged, what is offered is typed too."""


def scene_drawn(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Look at the scene, its text, the fronts, the caption, and why something is due."""
    scene = ruleset.scene(position.seen.after)
    seats = position.game.started.seats
    yield from _scene_faults(scene, seats)
    for card in (card for zone in scene.zones for card in zone.cards):
        if ruleset.face(position.seen.after, card.key) not in {None, card.face}:
            yield f"the card {card.key} lies there with another front than `face` shows"
    widest = max(map(len, scene_text(scene).split("\n")))
    if widest > WIDTH:
        yield f"the scene as text is {widest} columns wide"
    if position.step:
        yield from _line_faults(
            "the caption", ruleset.describe(position.seen.before, position.seen.event), seats
        )
    for due in ruleset.pending(position.seen.after):
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


LABELLED: Final = 200
"""So many of what a seat is offered at one step get a label."""
_NOT_SAID: Final = re.compile(r"\bNone\b|\bnull\b|\b_|_\b|\w_\w|[\[\]\"]|\{\W|(?<!\{)\bp[1-9][0-9]?\b")
"""What no button says: a value that is missing, a word of the record, JSON, a seat without its braces."""


class _Offer(msgspec.Struct, frozen=True):
    """What `Naming` looks at: the rules, a state and its scene."""

    ruleset: Any
    state: Any

    def scene(self) -> Scene:
        drawn: Scene = self.ruleset.scene(self.state)
        return drawn


def labels(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Look at the labels of what happened and of what is offered; hold those of one seat apart."""
    seats = position.game.started.seats
    if position.step:
        said = wording.label(ruleset, position.seen.before, position.seen.event)
        yield from _label_faults(said, position.seen.event, seats)
    state = position.seen.after
    naming = Naming(_Offer(ruleset, state), {})
    for seat, kinds in _due_kinds(ruleset, state).items():
        found: dict[str, bytes] = {}
        listed = (event for event in ruleset.legal_actions(state, seat) if kind_of(event) in kinds)
        for event in islice(listed, LABELLED):
            said = wording.label(ruleset, state, event)
            yield from _label_faults(said, event, seats)
            like = naming.like(serialization.event_to(event))
            if found.setdefault(said, like) != like:
                one = serialization.encode_event(event)
                yield f"two moves of {seat} have the label {said!r}, one is {one}"


def _due_kinds(ruleset: AnyRuleset, state: Any) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for due in ruleset.pending(state):
        found.setdefault(due.seat, set()).update(due.kinds)
    return found


def _label_faults(said: str, event: Event, seats: Sequence[str]) -> Iterator[str]:
    yield from _line_faults("the label", said, seats)
    wrong = _NOT_SAID.search(said)
    if wrong is not None:
        yield f"the label of {kind_of(event)} is {said!r}, with {wrong[0]!r} in it"


def turns(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Look at the round and at whose turn it is: total, public, and in order."""
    number, seat = ruleset.round(position.seen.after), ruleset.turn(position.seen.after)
    if number is not None and (type(number) is not int or number < 1):
        yield f"the round is {number!r}; a number from 1 or None is right"
    if seat is not None and seat not in position.game.started.seats:
        yield f"the turn is {seat!r}'s, which is no seat of this game"
    if seat is not None and ruleset.outcome(position.seen.after) is not None:
        yield f"the game is over, and it is the turn of {seat}"
    full = ruleset.round(position.full.after), ruleset.turn(position.full.after)
    if (number, seat) != full:
        yield f"round and turn are {number} and {seat}, but {full[0]} and {full[1]} in full"
    before = ruleset.round(position.seen.before)
    if number is not None and before is not None and number < before:
        yield f"the round goes back from {before} to {number}"


def notation(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Type what happened, and now and then what is offered."""
    if ruleset.notation is None:
        return
    if position.step:
        yield from _typed_faults(ruleset, position.seen.before, position.seen.event)
    if position.viewer == EVERYTHING and position.step % TYPED == 0:
        rng = random.Random(position.step)  # noqa: S311 - to be repeated, not to be secret
        for event in some_offered(ruleset, position.seen.after, rng):
            yield from _typed_faults(ruleset, position.seen.after, event)


def _typed_faults(ruleset: AnyRuleset, state: Any, event: Event) -> Iterator[str]:
    text = wording.write(ruleset, state, event)
    try:
        again = wording.read(ruleset, state, text)
    except IllegalAction as refusal:
        yield f"{text!r} is written, but not read back: {refusal}"
        return
    if again != (event,):
        yield f"{text!r} is written for {serialization.encode_event(event)}, but read as {again}"
