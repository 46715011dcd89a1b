"""One line of text for any event: its caption, its short form, and the names of the seats in both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec

from games.core import serialization
from games.core.events import Claim, Event, RecordChecked, RecordClosed, RecordRuled, RecordStarted, kind_of
from games.core.fold import mismatches
from games.core.ruleset import CHANCE, TABLE, IllegalAction, Outcome, Ruleset, is_seat
from games.text.typed import split_seat
from games.words import joined

S = TypeVar("S")

_OWNED: Final = re.compile(r"(\{[a-z][a-z0-9]*\}): ")
_SEAT: Final = re.compile(r"\{([a-z][a-z0-9]*)\}")


def put_names(text: str, names: Mapping[str, str]) -> str:
    """Put display names where a text writes seats; a seat without a name stands as its key.

    >>> put_names("{p1} gives {p2} a card", {"p1": "Ann"})
    'Ann gives p2 a card'
    """
    return _SEAT.sub(lambda found: names.get(found[1], found[1]), text)


def with_rule(sentence: str, rule: str) -> str:
    """Name the rule behind a refusal, once, and end with one full stop.

    >>> with_rule("The pile is empty.", "R4"), with_rule("B3 is taken (moving rule)", "moving rule")
    ('The pile is empty (R4).', 'B3 is taken (moving rule).')
    """
    said = sentence.rstrip()
    if rule and rule not in said:
        said = f"{said.removesuffix('.')} ({rule})"
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def caption(ruleset: Ruleset[S], state: S, event: Event) -> str:
    """Say in one line what happens; `state` is the one before it; seats stand as `{p1}`."""
    match event:
        case RecordStarted():
            return f"A game of {ruleset.title} begins."
        case RecordRuled():
            return _ruled(event)
        case RecordChecked():
            return _checked(ruleset, state, event)
        case RecordClosed():
            return _closed(event)
        case _ if type(event) in ruleset.evolve:
            return ruleset.describe(state, event)
        case _:
            return kind_of(event)


def label(ruleset: Ruleset[S], state: S, event: Event) -> str:
    """Say an event as a command on a button; `state` is the one before it; seats stand as `{p1}`.

    Shape:   one line without a full stop, and without the player whose button it is.
    """
    if isinstance(event, RecordClosed):
        return _CLOSINGS[event.how].format(f"{{{event.seat}}}")
    if ruleset.label is not None and type(event) in ruleset.evolve:
        return ruleset.label(state, event)
    return caption(ruleset, state, event)


_CLOSINGS: Final = {
    "abandoned": "Abandon the game",
    "agreed": "Agree to stop without a winner",
    "conceded": "Concede for {}",
}


def heading(ruleset: Ruleset[Any], kind: str) -> str:
    """Call what can be done: the ruleset's words for a kind of event, else the kind itself."""
    event = next((event for event in ruleset.headings if kind_of(event) == kind), None)
    return ruleset.headings[event] if event is not None else kind.replace("_", " ").capitalize()


def _ruled(event: RecordRuled) -> str:
    """Say what was ruled and why; the places only where no move says it."""
    if event.says is None:
        places = ", ".join(_place(change.at) for change in event.changes)
        return f"Ruling: {event.reason} ({places})"
    return f"Ruling: {_sentence(event.says)} {_sentence(event.reason[:1].upper() + event.reason[1:])}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _place(pointer: str) -> str:
    """Say where in the state a JSON pointer leads.

    >>> _place("/trade_discard"), _place("/cash/p1")
    ('trade discard', 'cash {p1}')
    """
    parts = (part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
    return " ".join(f"{{{part}}}" if is_seat(part) else part.replace("_", " ") for part in parts)


def _checked(ruleset: Ruleset[S], state: S, event: RecordChecked) -> str:
    scene = ruleset.scene(state)
    labels, wrong = dict(scene.labels()), mismatches(scene, event.claims)

    def is_(claim: Claim) -> str:
        label = labels.get(claim.at, claim.at)
        owner = _OWNED.match(label)  # whose it is stands behind, so that one colon is enough
        said = f"{label[owner.end() :]} ({owner[1]})" if owner else label
        return f"{said.replace(': ', ', ')} is {_text(claim.value)}"

    if wrong:
        said = "; ".join(f"{is_(claim)}, the record has {_text(has)}" for claim, has in wrong)
        return f"Table check: {said}."
    return f"Table check: {', '.join(map(is_, event.claims)) or 'nothing named'}, as recorded."


def _text(value: int | str | None) -> str:
    return "nothing" if value is None else str(value)


def drifted(since: int | None, step: int) -> str:
    """Say among which steps the record left the table; in front stands when last it held.

    Since:   the step of the last check that held; None where none did.  Step: of the one that does not.

    >>> drifted(None, 9), drifted(7, 9)
    (': it went wrong between steps 1 and 8.', ': it went wrong at step 8.')
    >>> drifted(8, 9).partition(":")[0]
    ', and nothing was recorded since'
    """
    first, last = (since or 0) + 1, step - 1
    if first < last:
        return f": it went wrong between steps {first} and {last}."
    if first == last:
        return f": it went wrong at step {last}."
    why = "one of the two was counted wrongly, or something was moved on the table"
    return f", and nothing was recorded since: {why}."


def _closed(event: RecordClosed) -> str:
    said = {
        "abandoned": "The game is abandoned",
        "agreed": "All agree to stop without a winner",
        "conceded": f"{{{event.seat}}} concedes",
    }[event.how]
    return f"{said}: {event.reason}" if event.reason else f"{said}."


def due_text(seat: str, why: str, names: Mapping[str, str]) -> tuple[str, str]:
    """Say who must decide, and what: `why` has names in it.

    What is thrown or dealt is nobody's doing, what all do at once is no single player's.

    >>> ann = {"p1": "Ann"}
    >>> due_text("p1", "may buy Valeria", ann), due_text("p1", "Ann draws", ann)
    (('Ann', ' may buy Valeria'), ('Ann', ' draws'))
    >>> due_text("p1", "Mummies (D) to move", ann), due_text("chance", "the winner draws", ann)
    (('Ann', ': Mummies (D) to move'), ('', 'The winner draws'))
    >>> due_text("table", "both play a card at once", ann)
    ('', 'Both play a card at once')
    """
    if seat in (CHANCE, TABLE):
        return "", f"{why[:1].upper()}{why[1:]}"
    name = names.get(seat, seat)
    # Many a reason begins with the name, and many with what the player does.
    rest = why.removeprefix(f"{name} ")
    return name, f"{'' if rest[:1].islower() else ':'} {rest}"


_STOPPED: Final = {"agreed": "stopped by agreement", "abandoned": "abandoned", "draw": "a draw"}


def ending(outcome: Outcome, names: Mapping[str, str], ruleset: Ruleset[Any] | None = None) -> str:
    """Say how a game ended: who won and how, and the scores; in the words of its rules, where they have any.

    >>> ending(Outcome("most-cards", ("p1",), {"p1": 30, "p2": 22}), {"p1": "Ann", "p2": "Bo"})
    'Ann wins (most cards): Ann 30, Bo 22.'
    >>> ending(Outcome("agreed", (), {}), {}), ending(Outcome("max-rounds", (), {}), {})
    ('Stopped by agreement, nobody wins.', 'A draw (max rounds), nobody wins.')
    """
    reason = reason_said(outcome.reason, ruleset)
    said = ending_short(outcome, names)
    how = "by concession" if outcome.reason == "conceded" else f"({reason})"
    if outcome.winners:
        head = f"{said} {how}"
    else:
        why = "" if outcome.reason in _STOPPED else f" {how}"
        head = f"{said[0].upper()}{said[1:]}{why}, nobody wins"
    scores = ", ".join(f"{names.get(seat, seat)} {score}" for seat, score in outcome.scores.items())
    return f"{head}: {scores}." if scores else f"{head}."


def reason_said(reason: str, ruleset: Ruleset[Any] | None = None) -> str:
    """Say why a game ended: in the words of its rules, where they have any.

    >>> reason_said("most-cards"), reason_said("agreed")
    ('most cards', 'stopped by agreement')
    """
    words = (ruleset.reasons if ruleset else {}).get(reason)
    return words or _STOPPED.get(reason) or reason.replace("-", " ")


def ending_short(outcome: Outcome, names: Mapping[str, str]) -> str:
    """Say who won; where nobody did, whether it was a draw.

    >>> ending_short(Outcome("fellowship", ("p1", "p2", "p3"), {}), {"p1": "Ann", "p2": "Bo"})
    'Ann, Bo and p3 win'
    """
    if not outcome.winners:
        return _STOPPED.get(outcome.reason, "a draw")
    winners = joined(names.get(seat, seat) for seat in outcome.winners)
    return f"{winners} {'wins' if len(outcome.winners) == 1 else 'win'}"


def write(ruleset: Ruleset[S], state: S, event: Event) -> str:
    """Give what a person would type for this event: the ruleset's short form, else its JSON."""
    if ruleset.notation is not None and type(event) in ruleset.evolve:
        return ruleset.notation.write(state, event)
    return serialization.encode_event(event)


def read(ruleset: Ruleset[S], state: S, text: str) -> tuple[Event, ...]:
    """Read one move: JSON of one event, else the ruleset's short form, which may be several events.

    Errors: `IllegalAction` `not-understood`.
    """
    seat, typed = split_seat(text)
    if typed.startswith("{") and seat is not None:
        why = f"JSON says itself who acts: leave out the {seat} in front of it."
        raise IllegalAction("not-understood", why)
    if typed.startswith("{"):
        return (_from_json(ruleset, typed),)
    if ruleset.notation is None:
        raise IllegalAction(
            "not-understood", f"{ruleset.title} has no short forms; type an event as its JSON, not {text!r}."
        )
    return ruleset.notation.read(state, text.strip())


def _from_json(ruleset: Ruleset[Any], typed: str) -> Event:
    try:
        event: Event = serialization.event_from(ruleset, serialization.read_json(typed))
    except msgspec.DecodeError as error:
        raise IllegalAction("not-understood", f"This JSON is no event of {ruleset.title}: {error}.") from None
    return event


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
