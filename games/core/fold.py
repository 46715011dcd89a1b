"""Folding events into states: for everything, or as one viewer may know them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any, Final, TypeVar

import msgspec

from games.core import ruling_checks, serialization
from games.core.events import (
    Change,
    Claim,
    Event,
    RecordChecked,
    RecordClosed,
    RecordEvent,
    RecordRuled,
    RecordStarted,
    kind_of,
)
from games.core.ruleset import (
    EVERYTHING,
    TABLE,
    BrokenInvariant,
    DeadEnd,
    IllegalAction,
    Outcome,
    Pending,
    Ruleset,
)
from games.core.scene import Scene

S = TypeVar("S")

_INDEX: Final = re.compile("[1-9][0-9]*")


def evolve(ruleset: Ruleset[S], state: S, event: Event) -> S:
    """Apply one checked event other than `record.started`; the argument is left alone."""
    function = ruleset.evolve.get(type(event))
    if function is not None:
        return function(state, event)
    return _evolve_record(ruleset, state, event)


def _evolve_record(ruleset: Ruleset[S], state: S, event: Event) -> S:
    match event:
        case RecordRuled():
            return apply_ruling(ruleset, state, event)
        case RecordStarted():
            return ruleset.setup(event)
        case RecordEvent(rewrites=False):
            return state
        case _:
            raise TypeError(f"{kind_of(event)} rewrites the history; it is never folded")


def fold(ruleset: Ruleset[S], state: S, events: Iterable[Event]) -> S:
    """Apply checked events in order."""
    table = ruleset.evolve
    for event in events:
        function = table.get(type(event))
        state = function(state, event) if function is not None else _evolve_record(ruleset, state, event)
    return state


def states(ruleset: Ruleset[S], started: RecordStarted[Any, Any], events: Iterable[Event]) -> Iterator[S]:
    """Give the state at step 0, then after each event."""
    state = ruleset.setup(started)
    yield state
    for event in events:
        state = evolve(ruleset, state, event)
        yield state


def observe(ruleset: Ruleset[S], state: S, event: Event, viewer: str, seen: S) -> Event:
    """Give one event as `viewer` may know it.

    `state` is the full state before it, `seen` the viewer's: what their told log folds to.
    """
    if viewer == EVERYTHING or not ruleset.has_hidden_information:
        return event
    if isinstance(event, RecordRuled):
        return _observe_ruling(ruleset, state, event, viewer, seen)
    return ruleset.redact(state, event, viewer)


def _observe_ruling(ruleset: Ruleset[S], state: S, ruled: RecordRuled, viewer: str, seen: S) -> RecordRuled:
    """Say what a ruling did to the table as the viewer knows it.

    What they know depends on what they saw, so `was` comes from their own state.  Each place that the ruling
    touches, a pile as a whole, is from then on what they can look at there: forgetting is always true.  Where
    that does not fit what they know of other places, they are told the whole table as they can look at it.
    """
    before = serialization.plain_state(seen)
    after = serialization.plain_state(seen)
    now = serialization.plain_state(ruleset.hide(apply_ruling(ruleset, state, ruled), viewer))
    for change in ruled.changes:
        field, *below = change.at.split("/")[1:]
        if below and isinstance(after[field], dict) and isinstance(now[field], dict):
            key = _unescaped(below[0])
            after[field][key] = now[field][key]
        else:
            after[field] = now[field]
    observed = msgspec.structs.replace(ruled, changes=tuple(difference(before, after)))
    try:
        ruleset.invariants(apply_ruling(ruleset, seen, observed))
    except Exception:  # noqa: BLE001 - a law may trip over what it says is wrong
        return msgspec.structs.replace(ruled, changes=tuple(difference(before, now)))
    return observed


def observe_start(started: RecordStarted[Any, Any], viewer: str) -> RecordStarted[Any, Any]:
    """Give the first event of a viewer's log: what they see is what their record can have seen.

    A record that was itself seen by one seat stays that seat's for `everything`.
    """
    if viewer == EVERYTHING:
        return started
    return msgspec.structs.replace(started, seen_as=viewer)


def observed(
    ruleset: Ruleset[S], started: RecordStarted[Any, Any], events: Iterable[Event], viewer: str
) -> Iterator[Event]:
    """Give the events after `record.started` as one viewer may know them: never fewer, never later."""
    if viewer == EVERYTHING or not ruleset.has_hidden_information:
        yield from events
        return
    state, seen = ruleset.setup(started), ruleset.setup(observe_start(started, viewer))
    for event in events:
        as_observed = observe(ruleset, state, event, viewer, seen)
        yield as_observed
        state, seen = evolve(ruleset, state, event), evolve(ruleset, seen, as_observed)


def viewers(started: RecordStarted[Any, Any]) -> tuple[str, ...]:
    """List everybody who can look at a game: everything, the table, each seat."""
    return (EVERYTHING, TABLE, *started.seats)


def pending(ruleset: Ruleset[S], state: S, *, closed: bool = False) -> tuple[Pending, ...]:
    """Say who must or may decide what now; nothing once the record is closed."""
    return () if closed else ruleset.pending(state)


def outcome(
    ruleset: Ruleset[S], state: S, seats: tuple[str, ...], closing: RecordClosed | None
) -> Outcome | None:
    """Say how the game ended, by its rules or by `record.closed`."""
    by_rules = ruleset.outcome(state)
    if closing is None or by_rules is not None:
        return by_rules
    scores = ruleset.scores(state)
    match closing.how:
        case "conceded":
            return Outcome("conceded", tuple(seat for seat in seats if seat != closing.seat), scores)
        case how:
            return Outcome(how, (), scores)


def check(ruleset: Ruleset[S], state: S, event: Event, *, seats: tuple[str, ...], closed: bool) -> None:
    """Judge one event before it is recorded.

    Errors: `IllegalAction`, from the core for record events and a closed record, else the ruleset's own.
    """
    if closed:
        raise IllegalAction("record-closed", "This record is closed; undo the closing to go on.")
    match event:
        case RecordRuled():
            check_ruling(ruleset, state, event, seats)
        case RecordChecked():
            _check_claims(ruleset, state, event)
        case RecordClosed():
            _check_closing(ruleset, state, event, seats)
        case RecordStarted():
            raise IllegalAction("already-started", "A game starts once; record.started is its first event.")
        case _ if type(event) in ruleset.evolve:
            ruleset.check(state, event)
        case RecordEvent(rewrites=False):
            pass
        case _:
            raise IllegalAction(
                "rewrites-history", f"{kind_of(event)} is written by undo, redo and amend only."
            )


def _check_closing(ruleset: Ruleset[S], state: S, event: RecordClosed, seats: tuple[str, ...]) -> None:
    if ruleset.outcome(state) is not None:
        raise IllegalAction("game-over", "The game is over by its rules; there is nothing to close.")
    if event.how == "conceded" and event.seat not in seats:
        names = ", ".join(seats)
        raise IllegalAction("unknown-seat", f"A concession names the seat that concedes: one of {names}.")
    if event.how != "conceded" and event.seat is not None:
        raise IllegalAction(
            "unexpected-seat", f"Only a concession names a seat; leave it out for {event.how!r}."
        )


def _check_claims(ruleset: Ruleset[S], state: S, event: RecordChecked) -> None:
    known = dict(ruleset.scene(state).values())
    for claim in event.claims:
        if claim.at not in known:
            some = ", ".join(list(known)[:12])
            raise IllegalAction("unknown-claim", f"{claim.at!r} cannot be checked here; there are {some} …")


def mismatches(scene: Scene, claims: Iterable[Claim]) -> list[tuple[Claim, int | str | None]]:
    """List the claims of a table check that the record does not bear out, each with the record's value."""
    known = dict(scene.values())
    return [(claim, known.get(claim.at)) for claim in claims if known.get(claim.at) != claim.value]


# --- rulings: typed patches of the state -------------------------------------------------------------


def check_ruling(
    ruleset: Ruleset[S], state: S, ruled: RecordRuled, seats: tuple[str, ...], *, ahead: bool = True
) -> None:
    """Judge a ruling before it is recorded: what comes of it is seen by everybody and is played on.

    Ahead:  off, it is shown and not played on.
    Errors: those of `apply_ruling`; `ruling-does-not-fit` (another value stands there),
            `ruling-breaks-the-count` (the invariants do not hold after it), `rules-cannot-go-on` (a scene, a
            decision or an offer cannot be made of it, or of what is one step further).
    """
    for change, there in zip(ruled.changes, fitted(state, ruled.changes), strict=True):
        if _text(there.was) != _text(change.was):
            raise IllegalAction(
                "ruling-does-not-fit", f"{change.at} holds {_text(there.was)}, not {_text(change.was)}."
            )
        if not serialization.is_small(change.now):
            raise IllegalAction(
                "ruling-mistyped",
                f"The ruling does not fit the state: {change.at} gets a number of more than"
                f" {serialization.DIGITS} digits.",
            )
    after = apply_ruling(ruleset, state, ruled)
    try:
        ruleset.invariants(after)
        if ahead:
            ruling_checks.ask_ahead(ruleset, after, seats)
        else:
            ruling_checks.ask(ruleset, after)
    except BrokenInvariant as error:
        raise IllegalAction("ruling-breaks-the-count", f"After this ruling {error}.") from None
    except DeadEnd as end:
        raise IllegalAction("rules-cannot-go-on", f"After this ruling {end}.") from None
    except Exception as fault:  # rules may raise anything on a state that they never come to themselves
        why = f"{type(fault).__name__}: {fault}".removesuffix(".")
        raise IllegalAction(
            "rules-cannot-go-on", f"After this ruling the rules cannot go on from here: {why}."
        ) from fault


def apply_ruling(ruleset: Ruleset[S], state: S, ruled: RecordRuled) -> S:
    """Patch the state as the table agreed; whether it might was judged when it was recorded.

    Errors: `no-such-place`, `ruling-mistyped`.
    """
    plain = serialization.plain_state(state)
    for change in ruled.changes:
        box, key = _find(plain, change)
        box[key] = deepcopy(change.now)  # a later change may go into it, and the event stays as it is
    try:
        bare = msgspec.convert(plain, ruleset.state)
    except msgspec.ValidationError as error:
        raise IllegalAction("ruling-mistyped", f"The ruling does not fit the state: {error}.") from None
    setup = state.setup  # type: ignore[attr-defined]  # every ruleset's state has it: Ruleset checks
    patched: S = msgspec.structs.replace(bare, setup=setup)  # type: ignore[type-var]
    return patched


def fitted(state: Any, changes: Iterable[Change]) -> tuple[Change, ...]:
    """Give the same changes, each from the value that stands there now.

    Errors: `no-such-place`.
    """
    plain = serialization.plain_state(state)
    found = []
    for change in changes:
        box, key = _find(plain, change)
        found.append(Change(change.at, deepcopy(box[key]), change.now))
        box[key] = deepcopy(change.now)
    return tuple(found)


def _find(plain: Any, change: Change) -> tuple[Any, Any]:
    steps = [_unescaped(step) for step in change.at.split("/")]
    if steps[0] == "" and len(steps) > 1:
        try:
            return _walk(plain, steps[1:])
        except (KeyError, IndexError, ValueError, TypeError):
            pass
    raise IllegalAction(
        "no-such-place", f"{change.at!r} is no place in the state; the first steps are /{', /'.join(plain)}."
    )


def _walk(box: Any, steps: list[str]) -> tuple[Any, Any]:
    for step in steps[:-1]:
        box = box[_key(box, step)]
    key = _key(box, steps[-1])
    _ = box[key]
    return box, key


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _key(box: Any, step: str) -> int | str:
    if not isinstance(box, list):
        return step
    if step != "0" and not _INDEX.fullmatch(step):
        raise ValueError(step)
    return int(step)


def difference(was: Any, now: Any, at: str = "") -> Iterator[Change]:
    """List the places in which two plain states differ, as the changes of a ruling."""
    if isinstance(was, Mapping) and isinstance(now, Mapping) and was.keys() == now.keys():
        for key in was:
            step = str(key).replace("~", "~0").replace("/", "~1")
            yield from difference(was[key], now[key], f"{at}/{step}")
    elif _text(was) != _text(now):
        yield Change(at, was, now)


def _text(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()
