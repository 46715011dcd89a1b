"""`evolve`, the serialization and the invariants: what folding gives, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator

from games.core import fold, serialization
from games.core.events import kind_of
from games.core.ruleset import BrokenInvariant
from games.testing.laws.law import AnyRuleset
from games.testing.laws.walking import ObservedStep, as_written


def evolve(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Hold `evolve` to leaving its arguments alone and giving the same twice."""
    if not position.step:
        return
    before, event = position.written
    if as_written(position.seen.before) != before:
        yield f"{kind_of(position.seen.event)} changes the state that it is given"
    if as_written(position.seen.event) != event:
        yield f"{kind_of(position.seen.event)} changes the event that it is given"
    again = fold.evolve(ruleset, position.seen.before, position.seen.event)
    if as_written(again) != as_written(position.seen.after):
        yield f"{kind_of(position.seen.event)} gives another state the second time"


def wire_kept(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Write and read the event and the state behind it."""
    text = serialization.encode_event(position.seen.event)
    again = serialization.decode_event(ruleset, text)
    if again != position.seen.event:
        yield f"{text} reads back as {again}"
    elif serialization.encode_event(again) != text:
        yield f"{text} is written back as {serialization.encode_event(again)}"
    frozen = serialization.freeze(position.seen.after)
    thawed = serialization.thaw(ruleset, frozen, position.seen.after.setup)
    if thawed != position.seen.after:
        yield f"the state is another after freezing: {frozen.decode()}"
    elif serialization.freeze(thawed) != frozen:
        yield "the state freezes to other bytes the second time"
    if position.step == 0:
        yield from _same_kinds(ruleset)


def _same_kinds(ruleset: AnyRuleset) -> Iterator[str]:
    for kind, count in (
        (kind, serialization.known_kinds(ruleset).count(kind)) for kind in serialization.known_kinds(ruleset)
    ):
        if count > 1 or kind != kind.lower() or not kind.replace("_", "").isalnum():
            yield f"the kind {kind!r} is not one of its own in snake_case"


def invariants(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Ask the conservation laws."""
    try:
        ruleset.invariants(position.seen.after)
    except BrokenInvariant as broken:
        yield f"after {kind_of(position.seen.event)}, {broken}"
