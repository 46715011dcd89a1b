"""Variations: games of their own that begin as another one's effective history up to a step."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from eventstore.errors import TabletapeError
from eventstore.library import details
from eventstore.log.ids import is_game_id
from eventstore.log.rows import NewEvent
from eventstore.replay import folding
from games.core.events import Parent, RecordRuled, RecordStarted, kind_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from eventstore.library.about import About
    from eventstore.log.contract import EventLog
    from eventstore.log.rows import StoredEvent
    from eventstore.replay.game import Moment, Tape
    from eventstore.replay.replayer import Replayer

_STARTED: Final = kind_of(RecordStarted)
_RULED: Final = kind_of(RecordRuled)
_BRANCHED: Final = "UPDATE catalogue SET parent = ? WHERE game = (SELECT game FROM games WHERE id = ?)"

OF: Final = "parent > ? AND parent < ?"
"""The variations of a game in the catalogue, see `bounds`."""
_VARIATIONS: Final = (
    f"SELECT id, parent, title FROM catalogue JOIN games USING (game) WHERE {OF} AND hidden = 0 ORDER BY game"  # noqa: S608 - constants
)


class Variation(msgspec.Struct, frozen=True):
    """A game that leaves another one."""

    game: str
    parent: Parent
    title: str | None


def rows(log: EventLog, tape: Tape, parent: Parent) -> tuple[NewEvent, ...]:
    """The first events of a variation, stamped as they were; the first one names the parent.

    Left out: what a ruling stands `instead_of`, which has no number in this record.
    Errors:  `Unreadable` for a row that is gone.
    """
    spans = tape.runs.stretch(0, parent.step)
    found = [row for low, high in spans for row in log.events(tape.game, low, high)]
    if len(found) <= parent.step:
        there = {row.seq for row in found}
        raise folding.gone(tape.game, next(seq for seq in tape.runs if seq not in there))
    return tuple(NewEvent(row.kind, _payload(row, parent), row.by, row.recorded_at) for row in found)


def _payload(row: StoredEvent, parent: Parent) -> str:
    """The same JSON object, all that stays as it was written."""
    if row.kind not in {_STARTED, _RULED}:
        return row.payload
    said = msgspec.json.decode(row.payload, type=dict[str, msgspec.Raw])
    if row.kind == _STARTED:
        said["parent"] = msgspec.Raw(msgspec.json.encode(parent))
    said.pop("instead_of", None)
    return msgspec.json.encode(said).decode()


def about(parent: About, step: int, title: str | None) -> About:
    """What is known of a variation that nobody said anything else of: all that is known of its parent."""
    behind = f"from step {step}"
    name = (parent.title or "What if")[: details.TITLE - len(behind) - 2]
    return replace(parent, title=title or f"{name}, {behind}")


def enter(connection: sqlite3.Connection, game: str, parent: Parent) -> None:
    """Keep whose variation a new game is in the transaction that makes it: its parent's pages ask at once."""
    connection.execute(_BRANCHED, (msgspec.json.encode(parent).decode(), game))


def bounds(game: str) -> tuple[str, str]:
    """Between what the catalogue keeps of the parents of this game's variations: found by an index.

    >>> bounds("k7m2")
    ('{"game":"k7m2",', '{"game":"k7m2"-')
    """
    return f'{{"game":"{game}",', f'{{"game":"{game}"-'


def of(connection: sqlite3.Connection, game: str) -> list[Variation]:
    """The variations of a game that are not hidden, in the order of their creation."""
    return [
        Variation(name, parent, title)
        for name, text, title in connection.execute(_VARIATIONS, bounds(game)).fetchall()
        if isinstance(name, str) and is_game_id(name) and (parent := _kept(text)) is not None
    ]


def _kept(text: str) -> Parent | None:
    """A parent as the catalogue keeps it; None where that is damaged."""
    try:
        return msgspec.json.decode(text, type=Parent)
    except msgspec.MsgspecError:
        return None


def by_step(tape: Tape, variations: Iterable[Variation]) -> dict[int | None, list[Variation]]:
    """Variations of a game by the step behind which they leave it, as it stands now; see `leaves_at`."""
    found: dict[int | None, list[Variation]] = {}
    for one in variations:
        found.setdefault(leaves_at(tape, one.parent), []).append(one)
    return found


def left_at(tape: Tape) -> int | None:
    """The step of a variation behind which it goes its own way, as it stands now; None where that is gone."""
    if tape.parent is None or not 0 <= tape.parent.step < tape.head.seq:
        return None
    return tape.history.where(tape.parent.step + 1, tape.head.seq)


def first_move(replayer: Replayer, variation: str, viewer: str) -> Moment | None:
    """The first step that a variation has of its own; None where there is none, or none can be read."""
    with suppress(TabletapeError):  # what is damaged, or was never this game's, hides nothing else
        tape = replayer.tape(variation, viewer)
        behind = left_at(tape)
        if behind is not None and behind < tape.steps:
            return replayer.at(variation, behind + 1, viewer)
    return None


def leaves_at(tape: Tape, parent: Parent) -> int | None:
    """The step of the parent, as it stands now, behind which a variation goes its own way.

    None where that step was undone or taken out, or never was there.
    """
    if not 1 <= parent.head <= tape.head.seq:
        return None
    then = tape.history.at(parent.head)
    if not 0 <= parent.step < len(then):
        return None
    return tape.history.where(then.seq_at(parent.step), tape.head.seq)
