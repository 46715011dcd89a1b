"""What a seat may record by itself: what it is to decide now, as it is offered to it, by what it knows.

The one rule for who is shown a single seat's view of a game that hides something.

- They decide for that seat alone: what is pending for it, of the list and the forms that it is offered; that
  it concedes; and what it counted on the table.  Never what chance brings or all turn at once, never for
  another seat, never a ruling.
- A card is named only where their own view shows it.  Elsewhere it stays a card not seen: one that may lie in
  another place would be taken or refused by what is hidden, and so tell it.
- All of this is judged by their view, and so is every event behind the first, as if nothing hidden had come
  to light in between.  Whatever lies hidden, what they send has the same answer.
- They take back, and bring back, only what their own key entered (see
  `eventstore/recording/commands/returns.py`); a dealt card stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final, NoReturn, TypeVar

from msgspec.structs import replace as changed

from games.core import fold, serialization
from games.core.choices import fits
from games.core.events import Event, RecordChecked, RecordClosed, kind_of
from games.core.ruleset import Amount, Ask, Choice, IllegalAction, OneOf, Pending, Ruleset
from games.core.serialization import leaves

S = TypeVar("S")

NOT_YOURS: Final = "not-yours"
_LEGAL: Final = 50
"""Possible events that a refusal names at most."""


def check(
    ruleset: Ruleset[S], seen: S, event: Event, seat: str, *, seats: tuple[str, ...], closed: bool
) -> None:
    """Judge what a seat sends by its own view.

    Errors:  `IllegalAction`: `not-yours`, else what the rules say of the event in this view.
    """
    if seat not in seats:
        raise IllegalAction(NOT_YOURS, "This key is of no seat in this game: it records nothing here.")
    match event:
        case RecordChecked():
            fold.check(ruleset, seen, event, seats=seats, closed=closed)
        case RecordClosed(how="conceded", seat=who) if who == seat:
            fold.check(ruleset, seen, event, seats=seats, closed=closed)
        case _ if type(event) in ruleset.evolve:
            _check_move(ruleset, seen, event, seat, seats=seats, closed=closed)
        case _:
            _refuse(seat)


def _check_move(
    ruleset: Ruleset[S], seen: S, event: Event, seat: str, *, seats: tuple[str, ...], closed: bool
) -> None:
    due = fold.pending(ruleset, seen, closed=closed)
    whose = {item.seat for item in due if kind_of(event) in item.kinds}
    if whose and seat not in whose:
        _refuse(seat)
    mine = within(ruleset, seat)
    try:
        fold.check(ruleset, seen, event, seats=seats, closed=closed)
    except IllegalAction as refusal:
        legal = islice(mine.legal_actions(seen, seat), _LEGAL) if whose else ()
        raise IllegalAction(refusal.code, refusal.sentence, refusal.rule, legal) from None
    sent = _unordered(serialization.event_to(event))
    if any(sent == _unordered(serialization.event_to(offer)) for offer in mine.legal_actions(seen, seat)):
        return  # in this order the rules took it just now
    if not any(fits(choice, event) for choice in mine.open_choices(seen, seat)):
        _refuse(seat)


def _unordered(value: Any) -> Any:
    """Give what is equal for the same things in another order."""
    if isinstance(value, dict):
        return {key: _unordered(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return sorted(map(_unordered, value), key=repr)
    return value


def _refuse(seat: str) -> NoReturn:
    raise IllegalAction(
        NOT_YOURS,
        f"With this key you record what {{{seat}}} decides, as it is offered, and nothing else of this game.",
    )


def within(ruleset: Ruleset[S], seat: str) -> Ruleset[S]:
    """The same rules, offering what this seat may record by itself and nothing else."""

    def pending(seen: S) -> tuple[Pending, ...]:
        return tuple(item for item in ruleset.pending(seen) if item.seat == seat)

    def legal_actions(seen: S, who: str) -> Iterator[Event]:
        kinds = _kinds(ruleset, seen, seat)
        if who != seat or not kinds:
            return
        known = _known_to(ruleset, seen, seat)
        for event in ruleset.legal_actions(seen, seat):
            if kind_of(event) in kinds and known(serialization.event_to(event)):
                yield event

    def open_choices(seen: S, who: str) -> Iterator[Choice]:
        kinds = _kinds(ruleset, seen, seat)
        if who != seat or not kinds:
            return
        known = _known_to(ruleset, seen, seat)
        for choice in ruleset.open_choices(seen, seat):
            asks = tuple(_asked(ask, known) for ask in choice.asks)
            if choice.kind in kinds and known(choice.fixed) and all(map(_can_be_answered, asks)):
                yield changed(choice, asks=asks)

    return replace(ruleset, pending=pending, legal_actions=legal_actions, open_choices=open_choices)


def _kinds(ruleset: Ruleset[S], seen: S, seat: str) -> set[str]:
    return {kind for item in ruleset.pending(seen) if item.seat == seat for kind in item.kinds}


def _known_to(ruleset: Ruleset[S], seen: S, seat: str) -> Callable[[Any], bool]:
    """Tell of a value whether each card in it lies where this seat may look."""
    zones = ruleset.scene(seen).zones
    cards = {card.key for zone in zones for card in zone.cards}
    shown = {card.key for zone in zones if zone.visible_to(seat) for card in zone.cards}

    def known(value: Any) -> bool:
        return all(
            text in shown or (text not in cards and ruleset.face(seen, text) is None)
            for _, text in leaves(value)
            if isinstance(text, str)
        )

    return known


def _asked(ask: Ask, known: Callable[[Any], bool]) -> Ask:
    if isinstance(ask, Amount):
        return ask
    values = tuple(value for value in ask.values if known(value))
    if isinstance(ask, OneOf):
        return changed(ask, values=values)
    return changed(ask, values=values, most=min(ask.most, len(values)))


def _can_be_answered(ask: Ask) -> bool:
    if isinstance(ask, Amount):
        return True
    return bool(ask.values) if isinstance(ask, OneOf) else len(ask.values) >= ask.least
