"""`evolve`, the wire and the invariants: what folding gives, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator

from games.core import fold, serialization
from games.core.events import kind_of
from games.core.ruleset import BrokenInvariant
from games.testing.laws.law import AnyRuleset
from games.testing.laws.walking import Moment, as_written


def evolve(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    """Hold `evolve` to leaving its arguments alone and giving the same twice."""
    if not moment.step:
        return
    before, event = moment.written
    if as_written(moment.seen.before) != before:
        yield f"{kind_of(moment.seen.event)} changes the state that it is given"
    if as_written(moment.seen.event) != event:
        yield f"{kind_of(moment.seen.event)} changes the event that it is given"
    again = fold.evolve(ruleset, moment.seen.before, moment.seen.event)
    if as_written(again) != as_written(moment.seen.after):
        yield f"{kind_of(moment.seen.event)} gives another state the second time"


def wire_kept(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    """Write and read the event and the state behind it."""
    text = serialization.encode_event(moment.seen.event)
    again = serialization.decode_event(ruleset, text)
    if again != moment.seen.event:
        yield f"{text} reads back as {again}"
    elif serialization.encode_event(again) != text:
        yield f"{text} is written back as {serialization.encode_event(again)}"
    frozen = serialization.freeze(moment.seen.after)
    thawed = serialization.thaw(ruleset, frozen, moment.seen.after.setup)
    if thawed != moment.seen.after:
        yield f"the state is another after freezing: {frozen.decode()}"
    elif serialization.freeze(thawed) != frozen:
        yield "the state freezes to other bytes the second time"
    if moment.step == 0:
        yield from _same_kinds(ruleset)


def _same_kinds(ruleset: AnyRuleset) -> Iterator[str]:
    for kind, count in (
        (kind, serialization.known_kinds(ruleset).count(kind)) for kind in serialization.known_kinds(ruleset)
    ):
        if count > 1 or kind != kind.lower() or not kind.replace("_", "").isalnum():
            yield f"the kind {kind!r} is not one of its own in snake_case"


def invariants(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    """Ask the conservation laws."""
    try:
        ruleset.invariants(moment.seen.after)
    except BrokenInvariant as broken:
        yield f"after {kind_of(moment.seen.event)}, {broken}"
