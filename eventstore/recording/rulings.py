"""Rulings made from events that the rules refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games.core import fold, serialization
from games.core.events import Change, Event, RecordRuled
from games.core.ruleset import TABLE, IllegalAction
from games.text import wording

if TYPE_CHECKING:
    from games.core.ruleset import Ruleset


def instead(
    ruleset: Ruleset[Any],
    state: Any,
    event: Event,
    reason: str,
    *,
    seats: tuple[str, ...],
    instead_of: int | None = None,
    ahead: bool = True,
) -> RecordRuled | None:
    """The ruling that does what an event would have done; None where the rules cannot follow it.

    Follow:  `evolve` takes it, the invariants hold after it, and what comes out can be shown and played on.
    Rulings: one that no longer fits is made for what stands there now.
    Ahead:   off, it is shown and not played on: so is said of many at once what may be kept.
    Never:   a table check, a closing or a first event, which do nothing that a ruling could do.
    """
    if not isinstance(event, RecordRuled) and type(event) not in ruleset.evolve:
        return None
    try:
        ruled = RecordRuled(reason, _changes(ruleset, state, event), instead_of, said(ruleset, state, event))
        fold.check_ruling(ruleset, state, ruled, seats, ahead=ahead)
    except Exception:  # noqa: BLE001 - `evolve` is total on checked events only: here it may raise anything
        return None
    return ruled


def why_not(ruleset: Ruleset[Any], state: Any, event: Event, *, seats: tuple[str, ...]) -> str:
    """What would be wrong with the ruling that `instead` cannot make; empty where the rules have no words."""
    try:
        fold.check_ruling(ruleset, state, RecordRuled("?", _changes(ruleset, state, event)), seats)
    except IllegalAction as error:
        return "" if isinstance(error.__cause__, Exception) else error.sentence
    except Exception:  # noqa: BLE001 - as above
        return ""
    return ""


def openly(event: Event) -> str:
    """The reason of a ruling for which nobody gave one."""
    return event.reason if isinstance(event, RecordRuled) else "kept as played"


def said(ruleset: Ruleset[Any], state: Any, event: Event) -> str | None:
    """The sentence of what is ruled, as everybody at the table could see it; None where there is none."""
    if isinstance(event, RecordRuled):
        return event.says
    try:
        told = ruleset.redact(state, event, TABLE)
        return wording.caption(ruleset, ruleset.hide(state, TABLE), told)
    except Exception:  # noqa: BLE001 - as above: the event does not belong into this state
        return None


def _changes(ruleset: Ruleset[Any], state: Any, event: Event) -> tuple[Change, ...]:
    if isinstance(event, RecordRuled):
        return fold.fitted(state, event.changes)
    after = fold.evolve(ruleset, state, event)
    return tuple(fold.difference(serialization.plain_state(state), serialization.plain_state(after)))
