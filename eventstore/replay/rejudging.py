"""Playing a whole history again by the rules, as if each event were recorded now."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from eventstore.errors import Unreadable
from eventstore.replay import stored_payloads
from eventstore.replay.stored_payloads import AgainstRules, CannotFollow
from games.core import fold
from games.core.events import Event, RecordClosed, RecordStarted
from games.core.ruleset import IllegalAction
from games.core.start import check_data

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eventstore.log.history import Runs
    from games.core.ruleset import Ruleset


class JudgedStep(NamedTuple):
    """A step that the rules accept."""

    step: int
    seq: int
    event: Event
    state: Any


def started(ruleset: Ruleset[Any], game: str, seq: int, payload: str) -> RecordStarted[Any, Any]:
    """Read a first event.

    Errors:  `Unreadable`.
    """
    event = stored_payloads.decode(ruleset, game, seq, payload)
    if not isinstance(event, RecordStarted):
        raise stored_payloads.WrongFields(
            game, seq, f"a game begins with record.started, not with {stored_payloads.kind(payload)}"
        )
    return event


def opens_as_text(ruleset: Ruleset[Any] | None, game: str, seq: int, payload: str) -> bool:
    """Tell whether a game cannot be played by the rules that are here, and need not be damaged for that.

    Its rules are not installed, or its first event has fields or options of other names: another version of
    the program wrote it. A value that does not fit is a fault.
    """
    if ruleset is None:
        return True
    try:
        started(ruleset, game, seq, payload)
    except stored_payloads.OtherNames:
        return True
    except Unreadable:
        return False
    return False


def decoded(ruleset: Ruleset[Any], game: str, payloads: Sequence[str]) -> list[Event]:
    """Read all raw events, from seq 1 on.

    Errors:  `Unreadable` for the first that cannot be read.
    """
    events = stored_payloads.decode_all(ruleset, stored_payloads.array_of(payloads))
    if events is None or len(events) != len(payloads):
        return [
            stored_payloads.decode(ruleset, game, seq, payload) for seq, payload in enumerate(payloads, 1)
        ]
    return events


def judged(ruleset: Ruleset[Any], game: str, payloads: Sequence[str], runs: Runs) -> Iterator[JudgedStep]:
    """The steps of a history with their states, up to the first that cannot stand.

    Errors:  `Unreadable`, `CannotFollow`, `AgainstRules`, behind the steps before it.
    """
    first = runs.seq_at(0)
    start = started(ruleset, game, first, payloads[first - 1])
    begun = set_up(ruleset, game, first, start)
    yield begun
    events = decoded(ruleset, game, payloads)
    yield from after_first(ruleset, game, begun, ((seq, events[seq - 1]) for seq in islice(runs, 1, None)))


def set_up(ruleset: Ruleset[Any], game: str, seq: int, start: RecordStarted[Any, Any]) -> JudgedStep:
    """Step 0.

    Errors:  `CannotFollow`.
    """
    try:
        check_data(ruleset, start)
        return JudgedStep(0, seq, start, ruleset.setup(start))
    except Exception as fault:
        raise CannotFollow(game, seq, fault) from fault


def after_first(
    ruleset: Ruleset[Any], game: str, begun: JudgedStep, events: Iterable[tuple[int, Event]]
) -> Iterator[JudgedStep]:
    """The steps after step 0, given by seq and event, up to the first that cannot stand.

    Errors:  `CannotFollow`, `AgainstRules`, after the steps before it.
    """
    start, state, closed = begun.event, begun.state, False
    if not isinstance(start, RecordStarted):
        raise TypeError(f"a game begins with record.started, not with {start!r}")
    for step, (seq, event) in enumerate(events, 1):
        try:
            fold.check(ruleset, state, event, seats=start.seats, closed=closed)
            state = fold.evolve(ruleset, state, event)
        except IllegalAction as refusal:
            raise AgainstRules(game, seq, refusal) from refusal
        except Exception as fault:
            raise CannotFollow(game, seq, fault) from fault
        closed = isinstance(event, RecordClosed)
        yield JudgedStep(step, seq, event, state)
