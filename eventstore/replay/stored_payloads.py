"""Stored payloads to events of a ruleset; whatever does not fit is named by game and seq."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec

from eventstore.errors import Unreadable
from eventstore.log.chain import kind_in
from eventstore.log.contract import REWRITING
from eventstore.log.history import History
from games.core import events, serialization
from games.core.events import Parent
from games.core.ruleset import EVERYTHING, IllegalAction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventstore.log.history import Runs
    from games.core.events import Event
    from games.core.ruleset import Ruleset

RECORD_KINDS = events.RECORD_KINDS


class BadJson(Unreadable):
    """The payload is no JSON object with a kind."""

    code = "bad-json"


class UnknownKind(Unreadable):
    """This version of the ruleset has no event of that kind."""

    code = "unknown-kind"


class WrongFields(Unreadable):
    """A field is missing, unknown or of another type."""

    code = "wrong-fields"


class OtherNames(WrongFields):
    """Names differ: a field or option is unknown here or missing. A program with other options wrote it."""


class CannotFollow(Unreadable):
    """The event can be read, and the rules cannot apply it to the state before it."""

    code = "cannot-follow"

    def __init__(self, game: str, seq: int, fault: Exception) -> None:
        super().__init__(game, seq, f"the rules cannot follow it ({type(fault).__name__}: {fault})")
        if isinstance(fault, IllegalAction):
            self.args = (f"From event {seq} of game {game} the rules cannot go on: {fault.sentence}",)


class AgainstRules(Unreadable):
    """The event can be read, and the rules do not allow it after what was before it."""

    code = "against-the-rules"

    def __init__(self, game: str, seq: int, refusal: IllegalAction) -> None:
        super().__init__(game, seq, refusal.sentence)
        self.args = (f"Event {seq} of game {game} is against the rules: {refusal.sentence}",)
        self.refusal = refusal


Version = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
"""Of a ruleset."""


class StartedHeader(msgspec.Struct, frozen=True):
    """What every version of every ruleset writes into its first event."""

    ruleset: str
    version: Version
    seats: tuple[str, ...]
    origin: str = "table"
    seen_as: str = EVERYTHING
    parent: Parent | None = None


_named = msgspec.json.Decoder(StartedHeader)
_OTHER_NAMES: Final = re.compile(r"Object (?:contains unknown|missing required) field `")
"""How msgspec begins to say so."""


def named(game: str, seq: int, payload: str) -> StartedHeader:
    """Read as much of a first event as can be read without its ruleset.

    Errors:  `BadJson`, `WrongFields`.
    """
    try:
        return _named.decode(payload)
    except msgspec.ValidationError as fault:
        raise WrongFields(game, seq, f"it begins no game ({fault})") from fault
    except (msgspec.DecodeError, UnicodeEncodeError) as fault:
        raise BadJson(game, seq, f"it is no JSON object ({fault})") from fault


def effective(payloads: Sequence[str]) -> Runs:
    """The history that these payloads, from seq 1 on, come to.

    Errors:  `BadHistory`.
    """
    kinds = ((seq, kind(payload), payload) for seq, payload in enumerate(payloads, 1))
    return History.build([(seq, text) for seq, found, text in kinds if found in REWRITING]).at(len(payloads))


def kind(payload: str) -> str:
    """The kind that a payload names; empty where it names none."""
    return kind_in(payload) or ""


def decode(ruleset: Ruleset[Any], game: str, seq: int, payload: str) -> Event:
    """Read one stored event.

    Errors:  `BadJson`, `UnknownKind`, `WrongFields`, each with the game and the seq.
    """
    try:
        event: Event = serialization.decode_event(ruleset, payload)
    except Exception as fault:  # an upcast is a stranger's code and may raise anything
        raise _refusal(ruleset, game, seq, payload, fault) from fault
    return event


def decode_all(ruleset: Ruleset[Any], payloads: bytes) -> list[Event] | None:
    """Read a JSON array of payloads in one pass; None when one of them does not fit: `decode` says which."""
    try:
        return serialization.decode_events(ruleset, payloads)
    except Exception:  # noqa: BLE001 - as above
        return None


def _refusal(
    ruleset: Ruleset[Any], game: str, seq: int, payload: str, fault: Exception
) -> BadJson | UnknownKind | WrongFields:
    found = kind_in(payload)
    if found is None:
        return BadJson(game, seq, f"it is no JSON object with a kind ({fault})")
    if found not in (*serialization.known_kinds(ruleset), *ruleset.upcasts, *RECORD_KINDS):
        known = f"{ruleset.id} {ruleset.version}"
        return UnknownKind(game, seq, f"{known} has no event of kind {found!r}")
    why = str(fault) if isinstance(fault, msgspec.MsgspecError) else f"{type(fault).__name__}: {fault}"
    wrong = OtherNames if _OTHER_NAMES.match(why) else WrongFields
    return wrong(game, seq, f"as {found} it does not fit ({why})")


def array_of(payloads: Sequence[str]) -> bytes:
    """Join payloads to the text of one JSON array."""
    return f"[{','.join(payloads)}]".encode()
