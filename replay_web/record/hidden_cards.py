"""Which cards were recorded face down, and what each of them may have been."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from games.core import serialization
from games.core.events import kind_of
from games.core.serialization import Path, leaves
from games.text.naming import Naming, spoken
from replay_web.http import viewing
from replay_web.models import action_form
from replay_web.models.event_values import copied, dotted, put

if TYPE_CHECKING:
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from games.core.events import Event

EXAMPLES: Final = 20
"""Listed events that are looked at for what an event could have named."""


class Slot(NamedTuple):
    """A place of an event at which it names no card: a single one, or a list with some."""

    path: Path
    label: str
    many: int
    """Cards that are not named there."""
    payload: dict[str, Any]
    """The event with every such place spelt out."""
    first: Path
    """Where the next card named goes."""

    @property
    def name(self) -> str:
        """Write it for an address."""
        return dotted(self.path)


def can_name(game: Game) -> bool:
    """Tell whether the asker is offered to name cards: in a record of a real table that they see whole."""
    hides = game.ruleset is not None and game.ruleset.has_hidden_information
    return hides and game.origin == "table" and viewing.shows_all(game) and viewing.may_record(game)


def slots(position: Position, game: Game, later: Sequence[Position] = ()) -> tuple[Slot, ...]:
    """List the places of a step's event at which a card could be named, and of which no `later` step did."""
    payload = _spelt_out(position)
    if payload is None:
        return ()
    found = (_slot(payload, path, values, game) for path, values in _unseen(payload))
    return tuple(slot for slot in found if _is_open(position, slot, later))


def _is_open(position: Position, slot: Slot, later: Sequence[Position]) -> bool:
    """Tell whether a card can be named there: one that the rules take, unless a reveal has named them all."""
    cards = list(islice(_possible(position, slot, later), slot.many + 1))
    if len(cards) != slot.many:
        return bool(cards) or next(_possible(position, slot), None) is not None
    named = {value for one in later if one.event for _, value in leaves(serialization.event_to(one.event))}
    return not named.issuperset(cards)


def form_of(position: Position, slot: Slot, game: Game, later: Sequence[Position] = ()) -> action_form.Form:
    """Ask which card it was, of those that no `later` step rules out; the same front is one answer."""
    naming = Naming(position, game.names)
    groups: dict[bytes, list[str]] = {}
    for card in list(_possible(position, slot, later)) or _possible(position, slot):
        groups.setdefault(naming.like(card), []).append(card)
    marks = (
        action_form.Mark(naming.called(slot.first, cards[0]), msgspec.json.encode(cards).decode())
        for cards in groups.values()
    )
    first = dotted(slot.first)
    column = action_form.Column("one", first, "the card", tuple(marks), least=1, most=1)
    return action_form.Form(slot.label, msgspec.json.encode(slot.payload).decode(), (column,))


def _spelt_out(position: Position) -> dict[str, Any] | None:
    """Give the event with a null for each card that it does not name, also where it leaves them out."""
    rules, event = position.ruleset, position.event
    if (
        rules is None
        or event is None
        or position.before is None
        or not position.readable
        or not rules.has_hidden_information
    ):
        return None
    payload = _plain(event)
    naming = Naming(position, {})
    for example in _examples(position):
        made: dict[str, Any] = _with_nulls(payload, example, naming)
        if made != payload and action_form.accepted(position.ruleset, position.before, made):
            return made
    return payload if next(_unseen(payload), None) is not None else None


def _plain(event: Event) -> dict[str, Any]:
    return msgspec.json.decode(serialization.encode_event(event), type=dict[str, Any])


def _examples(position: Position) -> Iterator[dict[str, Any]]:
    """Give events of the same kind that name cards: one that a dealer would draw, and what is listed."""
    rules = position.ruleset
    if rules is None or position.event is None:
        return
    kind = kind_of(position.event)
    due = [item.seat for item in rules.pending(position.before) if kind in item.kinds]
    if due and rules.deal is not None:
        try:
            drawn = rules.deal(position.before, random.Random(0))  # noqa: S311 - only its shape is looked at
        except (LookupError, ValueError):
            drawn = None  # a dealer draws nothing where a player decides
        if drawn is not None and kind_of(drawn) == kind:
            yield serialization.event_to(drawn)
    for seat in due:
        listed = (item for item in rules.legal_actions(position.before, seat) if kind_of(item) == kind)
        yield from (serialization.event_to(item) for item in islice(listed, EXAMPLES))


def _with_nulls(mine: Any, example: Any, naming: Naming) -> Any:
    """Take from an example what this event leaves out, without its cards."""
    if isinstance(mine, dict) and isinstance(example, dict):
        new = {
            key: _with_nulls(None, value, naming)
            for key, value in example.items()
            if key not in mine and _has_card(value, naming)
        }
        return {key: _with_nulls(value, example.get(key), naming) for key, value in mine.items()} | new
    if mine is not None:
        return mine
    match example:
        case dict():
            return {key: _with_nulls(None, value, naming) for key, value in example.items()}
        case list():
            return [_with_nulls(None, value, naming) for value in example]
        case _:
            return None


def _has_card(value: Any, naming: Naming) -> bool:
    if isinstance(value, (dict, list)):
        return any(_has_card(item, naming) for item in (value.values() if isinstance(value, dict) else value))
    return naming.face(value) is not None


def _unseen(value: Any, path: Path = ()) -> Iterator[tuple[Path, list[Any] | None]]:
    """Find nulls, and lists with a null among them."""
    match value:
        case None:
            yield path, None
        case list() if None in value:
            yield path, value
        case dict() | list():
            for key, item in value.items() if isinstance(value, dict) else enumerate(value):
                yield from _unseen(item, (*path, key))


def _slot(payload: dict[str, Any], path: Path, values: list[Any] | None, game: Game) -> Slot:
    first = path if values is None else (*path, values.index(None))
    return Slot(path, _label(path, game), 1 if values is None else values.count(None), payload, first)


def _label(path: Path, game: Game) -> str:
    seat = next((game.names[str(step)] for step in path if str(step) in game.names), "")
    if seat:
        return seat
    said = [str(step + 1) if isinstance(step, int) else spoken(step) for step in path]
    return " ".join(said).capitalize()


def _possible(position: Position, slot: Slot, later: Sequence[Position] = ()) -> Iterator[str]:
    """Give the cards that the rules take there, and still take every `later` step after."""
    first = dotted(slot.first)
    for card in _cards(position):
        payload = copied(slot.payload)
        put(payload, first, card)
        if action_form.accepted(position.ruleset, position.before, payload) and _stand(
            position, payload, later
        ):
            yield card


def _stand(position: Position, payload: dict[str, Any], later: Sequence[Position]) -> bool:
    """Tell whether the next steps can still be, up to one that is about the record itself."""
    rules = position.ruleset
    if rules is None:
        return True
    event, state = serialization.event_from(rules, payload), position.before
    for one in later:
        state = rules.evolve[type(event)](state, event)
        if one.event is None or kind_of(one.event).startswith("record."):
            return True
        if not action_form.accepted(rules, state, serialization.event_to(one.event)):
            return False
        event = one.event
    return True


def _cards(position: Position) -> Iterator[str]:
    """Give every card of the game, in the order of its setup."""
    naming = Naming(position, {})
    setup = msgspec.to_builtins(getattr(position.before, "setup", None))
    found = dict.fromkeys(part for path, value in leaves(setup) for part in (*path, value))
    yield from (text for text in found if isinstance(text, str) and naming.face(text) is not None)
