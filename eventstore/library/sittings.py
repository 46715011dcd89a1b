"""The sittings of a game: where the record was left for hours and taken up again."""

from __future__ import annotations

import json
from bisect import bisect_right
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eventstore.log.contract import EventLog
    from eventstore.replay.game import Game

HOURS: Final = 4
"""A pause that is longer ends a sitting."""
_ORDINALS: Final = (
    *("First", "Second", "Third", "Fourth", "Fifth", "Sixth"),
    *("Seventh", "Eighth", "Ninth", "Tenth", "Eleventh", "Twelfth"),
)


class Sitting(msgspec.Struct, frozen=True):
    """A stretch of the record without a long pause; those of which no step is left are not counted."""

    step: int
    """Its first step."""
    number: int
    """From 1."""
    day: str
    """When it began, in the game's own time zone."""
    late: bool
    """It was entered after the day of play."""

    def label(self) -> str:
        """Call it by its number and day.

        >>> Sitting(12, 2, "2026-09-15", late=False).label(), Sitting(40, 21, "2026-10-01", late=True).label()
        ('Second sitting, 2026-09-15', '21st sitting, entered 2026-10-01')
        """
        return f"{_ordinal(self.number)} sitting, {'entered ' if self.late else ''}{self.day}"


def sittings(game: Game) -> tuple[Sitting, ...]:
    """The sittings of a game as it stands, by step.

    Day:     in the time zone that its details name; where they name none, in that of this machine.
    Late:    the record was begun after the day of play: what its pauses show are sittings of typing.
    Left:    an event put by an amendment belongs to where it stands, whenever that was corrected.
    Cost:    one pass over the stamps of the events.
    """
    log, typed = game.replay.log, game.details
    stamps = log.stamps(game.id, game.head)
    if not stamps:
        return ()
    begins = [0, *(place for place, pause in enumerate(pauses(stamps), 1) if (pause or 0) > HOURS * 60)]
    rows = [stamps[place] for place in begins]
    days = [_day(stamp, typed.time_zone) for _, stamp in rows]
    late = typed.played_on is not None and days[0] > typed.played_on
    found = _first_steps(game, [seq for seq, _ in rows], list(_put(log, game)))
    return tuple(Sitting(step, number, days[which], late) for number, (step, which) in enumerate(found, 1))


def pauses(stamps: Iterable[tuple[int, str]]) -> Iterator[float | None]:
    """The minutes between each event and the next; None where one of their times cannot be read.

    >>> list(pauses([(1, "2026-09-14T18:00:00.000000Z"), (2, "2026-09-14T18:01:30.000000Z"), (3, "?")]))
    [1.5, None]
    """
    for before, after in pairwise(map(_time_of, (stamp for _, stamp in stamps))):
        yield None if before is None or after is None else (after - before).total_seconds() / 60


def _time_of(stamp: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return None if found.tzinfo is None else found


def _first_steps(
    game: Game, begins: Sequence[int], put: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Give the first step of each sitting that has one, and which of all it is."""
    yield 0, 0
    step, latest = 0, 0
    for first, last in game.runs.spans:
        inside = {first, *(seq for seq in (*begins, *(end + 1 for _, end in put)) if first <= seq <= last)}
        for seq in sorted(inside):
            which = bisect_right(begins, seq) - 1
            if which > latest and not any(low <= seq <= high for low, high in put):
                latest = which
                yield step + seq - first, which
        step += last - first + 1


def _put(log: EventLog, game: Game) -> Iterator[tuple[int, int]]:
    """Give the stretches of rows that amendments put."""
    for seq, payload in log.rewrites(game.id):
        row = json.loads(payload) if '"record.amended"' in payload else {}
        count = sum(edit.get("put", 0) for edit in row.get("edits", ()))
        if count:
            yield seq + 1, seq + count


def _day(stamp: str, time_zone: str | None) -> str:
    try:
        there: tzinfo | None = ZoneInfo(time_zone) if time_zone else None
        return datetime.fromisoformat(stamp).astimezone(there).date().isoformat()
    except (ValueError, OverflowError, OSError, KeyError):
        # A stamp that was damaged, or a zone that this machine does not know, keeps nobody from the game.
        return stamp[:10]


def _ordinal(number: int) -> str:
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    last = 0 if number % 100 in {11, 12, 13} else number % 10
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th') }"
