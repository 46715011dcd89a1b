"""Who won how often, how long games are and how they end: counted from the catalogue."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, date, datetime, tzinfo
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from eventstore.files import csv_text
from eventstore.library.sittings import HOURS, pauses
from eventstore.log.names import folded
from eventstore.replay.seat_names import default_name, told_apart
from games.core.ruleset import EVERYTHING
from games.text.wording import reason_said
from games.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eventstore.library.catalogue import Entry
    from eventstore.log.rows import StoredEvent
    from eventstore.store import Store
    from games.core.registry import Registry

COLUMNS: Final = (
    *("game", "ruleset", "played_on", "seat", "name", "score", "won", "steps", "reason", "draw"),
)
"""Of the table with a row for each game and seat."""
EXPLAINED: Final = (
    "Share: of its finished games, how many were won. Even: how many a seat would have won if all seats of"
    " each game won as often."
)
ENDED: Final = ("over", "closed")
ABANDONED: Final = "abandoned"
AGREED: Final = "agreed"
"""Stopped by the table: nobody has won, and it is no draw either."""
_ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth", "thirteenth", "fourteenth"),
)
_SHORTEST: Final = 1.0
"""Minutes; a record that took less was not made while people played."""


class Length(msgspec.Struct, frozen=True):
    """How many steps finished games have."""

    median: float
    longest: int
    game: str
    """The longest."""
    title: str
    """What that one is called: its title, else who played it."""


class Minutes(msgspec.Struct, frozen=True):
    """How long people played, pauses of hours left out; of finished games that were recorded meanwhile."""

    median: float
    longest: float
    games: int


class Ending(msgspec.Struct, frozen=True):
    """How many games ended so."""

    reason: str
    words: str
    games: int


class PlayerStatistics(msgspec.Struct, frozen=True):
    """A player's finished games; of one game, two seats of one name are two."""

    name: str
    games: int
    wins: int
    share: float
    mean_score: float | None
    """Of the games that have scores."""


class SeatStatistics(msgspec.Struct, frozen=True):
    """A seat's finished games."""

    seat: str
    games: int
    wins: int
    share: float
    even: float
    """How many it would have won if every seat of each game won as often."""


class RulesetStatistics(msgspec.Struct, frozen=True):
    """The games of one ruleset. Wins, lengths and endings are of finished games: not of abandoned ones."""

    ruleset: str
    title: str
    games: int
    """All: finished, playing, abandoned and text-only."""
    finished: int
    playing: int
    abandoned: int
    text_only: int
    """Those that cannot be read here."""
    restricted: int
    """Those, also counted above, that were recorded as the table or one seat saw them."""
    first: str
    last: str
    length: Length | None
    minutes: Minutes | None
    endings: tuple[Ending, ...]
    players: tuple[PlayerStatistics, ...]
    seats: tuple[SeatStatistics, ...]


class Statistics(msgspec.Struct, frozen=True):
    """Everything that was counted."""

    games: int
    rulesets: tuple[RulesetStatistics, ...]
    left_out: tuple[str, ...] = ()
    """Games that are not counted, for their record is damaged where it is looked at."""


def chosen(
    store: Store,
    *,
    ruleset: str | None = None,
    player: str | None = None,
    since: str | None = None,
    origin: str | None = None,
    hidden: bool = False,
    variations: bool = False,
) -> list[Entry]:
    """The games to count, the one played last first; chosen as `Catalogue.list` does.

    since:   the first day of play that counts, as `2026-09-14`.
    """
    found = store.catalogue.list(
        ruleset=ruleset, player=player, origin=origin, hidden=hidden, variations=variations, marks=False
    )
    return [entry for entry in found if day(entry) >= (since or "")]


def called(entry: Entry) -> str:
    """What a game is called: its title, else who played it."""
    names = told_apart({seat.seat: seat.name for seat in entry.seats})
    return entry.title or " – ".join(names.values()) or entry.game


def day(entry: Entry) -> str:
    """When it was played, as lists have it."""
    return entry.played_on or entry.created_at[:10]


def statistics(store: Store, entries: Sequence[Entry]) -> Statistics:
    """Count these games.

    Cost:    10,000 games take about a second; nothing is folded.
    """
    measured = {entry.game: _measured(store, entry) for entry in entries}
    damaged = {game for game, found in measured.items() if found is None}
    entries = [entry for entry in entries if entry.game not in damaged]
    known = {game: found for game, found in measured.items() if found is not None}
    restricted = {game for game, found in known.items() if found.seen_as != EVERYTHING}
    minutes = {game: found.minutes for game, found in known.items() if found.minutes is not None}
    by_ruleset = defaultdict(list)
    for entry in entries:
        by_ruleset[entry.ruleset].append(entry)
    found = [
        _of_ruleset(name, games, restricted, minutes, store.registry) for name, games in by_ruleset.items()
    ]
    order = sorted(found, key=lambda item: (-item.games, item.title))
    return Statistics(len(entries), tuple(order), tuple(sorted(damaged)))


def said(found: RulesetStatistics) -> Iterator[str]:
    """Say in a few lines how many games there are, when they were played and how long they are."""
    states = (
        (found.finished, "finished"),
        (found.playing, "playing"),
        (found.abandoned, "abandoned"),
        (found.text_only, "text only"),
    )
    parts = ", ".join(f"{count:,} {state}" for count, state in states if count)
    days = found.first if found.first == found.last else f"{found.first} to {found.last}"
    yield f"{counted(found.games, 'game')}: {parts}; {days}"
    if found.restricted:
        yield f"{found.restricted:,} of them recorded as the table or one player saw them"
    if found.length:
        steps = found.length
        yield f"steps: median {number(steps.median)}, longest {steps.longest:,}"
    if found.minutes:
        middle, longest = time(found.minutes.median), time(found.minutes.longest)
        yield f"time: median {middle}, longest {longest} ({counted(found.minutes.games, 'game')} timed)"


def number(number: float) -> str:
    """Write a number without the nought behind its point.

    >>> number(3.0), number(1234.5)
    ('3', '1,234.5')
    """
    return f"{number:,.0f}" if number == int(number) else f"{number:,}"


def seat_said(seat: str) -> str:
    """Say a seat in words.

    >>> seat_said("p1"), seat_said("p14"), seat_said("p22")
    ('first (p1)', 'fourteenth (p14)', 'p22')
    """
    number = seat.removeprefix("p")
    known = number.isdecimal() and 0 < int(number) <= len(_ORDINALS)
    return f"{_ORDINALS[int(number) - 1]} ({seat})" if known else seat


def time(minutes: float) -> str:
    """Write how long something took.

    >>> time(47.6), time(125)
    ('48 min', '2 h 05 min')
    """
    hours, rest = divmod(round(minutes), 60)
    return f"{hours} h {rest:02} min" if hours else f"{rest} min"


def export_csv(entries: Iterable[Entry]) -> Iterator[str]:
    """Give a row for each game and seat, line by line; as `exchange.csv` where cells are concerned.

    Cells:   `won` and `draw` are 1 or 0, and empty where the game is not finished; in a draw, and where the
             table agreed to stop, nobody won.
    """
    return csv_text.lines(COLUMNS, (row for entry in entries for row in _rows(entry)))


def _rows(entry: Entry) -> Iterator[tuple[Any, ...]]:
    result, ended = entry.result, _finished(entry)
    for seat in entry.seats:
        score = result.scores.get(seat.seat, "") if result else ""
        won = int(seat.seat in result.winners) if result and ended else ""
        draw = int(not result.winners and result.reason != AGREED) if result and ended else ""
        reason = result.reason if result else ""
        name = _name(seat.seat, seat.name) or ""
        yield entry.game, entry.ruleset, day(entry), seat.seat, name, score, won, entry.steps, reason, draw


def _finished(entry: Entry) -> bool:
    """It has a result that says something about who plays well."""
    return entry.status in ENDED and entry.result is not None and entry.result.reason != ABANDONED


def _name(seat: str, name: str) -> str | None:
    """What was typed; none for a seat that nobody named."""
    return None if name == default_name(seat) else name


def _of_ruleset(
    name: str, entries: Sequence[Entry], restricted: set[str], minutes: dict[str, float], registry: Registry
) -> RulesetStatistics:
    rules = registry.newest().get(name)
    finished = [entry for entry in entries if _finished(entry)]
    states = Counter(_state(entry) for entry in entries)
    days = sorted(map(day, entries))
    reasons = Counter(entry.result.reason for entry in entries if entry.result and entry.status in ENDED)
    played = [minutes[entry.game] for entry in finished if entry.game in minutes]
    return RulesetStatistics(
        ruleset=name,
        title=rules.title if rules else name,
        games=len(entries),
        finished=len(finished),
        playing=states["playing"],
        abandoned=states[ABANDONED],
        text_only=states["text-only"],
        restricted=sum(entry.game in restricted for entry in entries),
        first=days[0],
        last=days[-1],
        length=_length(finished),
        minutes=Minutes(round(median(played), 1), round(max(played), 1), len(played)) if played else None,
        endings=tuple(
            Ending(reason, reason_said(reason, rules), count)
            for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        ),
        players=_players(finished),
        seats=_seats(finished),
    )


def _state(entry: Entry) -> str:
    if entry.status not in ENDED:
        return entry.status
    return "finished" if _finished(entry) else ABANDONED


def _length(finished: Sequence[Entry]) -> Length | None:
    if not finished:
        return None
    longest = max(finished, key=lambda entry: entry.steps)
    return Length(median(entry.steps for entry in finished), longest.steps, longest.game, called(longest))


def _players(finished: Iterable[Entry]) -> tuple[PlayerStatistics, ...]:
    """Count by name, capitals or not; a name stands as it was written last."""
    names: dict[str, str] = {}
    games: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    scores: dict[str, list[int]] = defaultdict(list)
    for entry, seat, typed, won in _plays(finished):
        name = _name(seat, typed)
        if name is None:
            continue
        key = folded(name)
        names.setdefault(key, name)
        games[key] += 1
        wins[key] += won
        if entry.result and seat in entry.result.scores:
            scores[key].append(entry.result.scores[seat])
    found = [
        PlayerStatistics(
            names[key],
            count,
            wins[key],
            round(wins[key] / count, 4),
            _mean(scores[key]) if scores[key] else None,
        )
        for key, count in games.items()
    ]
    return tuple(sorted(found, key=lambda player: (-player.wins, player.games, folded(player.name))))


def _seats(finished: Iterable[Entry]) -> tuple[SeatStatistics, ...]:
    games: Counter[str] = Counter()
    wins: Counter[str] = Counter()
    even: dict[str, float] = defaultdict(float)
    for entry, seat, _, won in _plays(finished):
        games[seat] += 1
        wins[seat] += won
        even[seat] += len(entry.result.winners) / len(entry.seats) if entry.result else 0.0
    return tuple(
        SeatStatistics(seat, count, wins[seat], round(wins[seat] / count, 4), round(even[seat], 2))
        for seat, count in sorted(games.items(), key=lambda item: (len(item[0]), item[0]))
    )


def _plays(finished: Iterable[Entry]) -> Iterator[tuple[Entry, str, str, bool]]:
    """Give each seat of each game: its key, its name, whether it won."""
    for entry in finished:
        winners = entry.result.winners if entry.result else ()
        for seat in entry.seats:
            yield entry, seat.seat, seat.name, seat.seat in winners


def _mean(scores: Sequence[int]) -> float:
    return round(sum(scores) / len(scores), 2)


# --- what the catalogue has not --------------------------------------------------------------------------


class _SeenAs(msgspec.Struct):
    seen_as: str = EVERYTHING


_start = msgspec.json.Decoder(_SeenAs)


class _Measured(NamedTuple):
    """What the rows of a game say."""

    seen_as: str
    """As whom it was recorded."""
    minutes: float | None
    """How long people played; None where the record was not made while they did."""


def _measured(store: Store, entry: Entry) -> _Measured | None:
    """Read the first and the last row of a game; None where one, or a time, is lost."""
    first, last = _row(store, entry.game, 1), _row(store, entry.game, entry.seq)
    if first is None or last is None or not all(map(_is_moment, (entry.created_at, last.recorded_at))):
        return None
    return _Measured(_seen_as_of(store, entry, first.payload), _minutes(store, entry, last.recorded_at))


def _row(store: Store, game: str, seq: int) -> StoredEvent | None:
    return next(iter(store.log.events(game, seq, seq)), None)


def _is_moment(stamp: object) -> bool:
    try:
        return datetime.fromisoformat(str(stamp)).tzinfo is not None
    except ValueError:
        return False


def _seen_as_of(store: Store, entry: Entry, first: str) -> str:
    if any(kind == "record.amended" for _, kind in store.log.marks(entry.game, entry.seq)):
        # Its first event may have been replaced.
        return store.game(entry.game).seen_as
    return _seen_as(first)


def _seen_as(payload: str) -> str:
    try:
        return _start.decode(payload).seen_as
    except (msgspec.DecodeError, UnicodeEncodeError):
        return EVERYTHING


def _minutes(store: Store, entry: Entry, ended: str) -> float | None:
    if entry.origin == "simulated" or not _finished(entry) or _late(entry):
        return None
    found = (_time_of(ended) - _time_of(entry.created_at)).total_seconds() / 60
    if not 0 <= found <= HOURS * 60:
        # Only such a record has a pause that is left out, or stamps that go back.
        between = pauses(store.log.stamps(entry.game))
        found = sum(pause for pause in between if pause is not None and 0 <= pause <= HOURS * 60)
    return found if found >= _SHORTEST else None


def _late(entry: Entry) -> bool:
    """It was entered after the day of play."""
    if entry.played_on is None:
        return False
    there: tzinfo | None = None
    if entry.time_zone:
        try:
            there = ZoneInfo(entry.time_zone)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            there = UTC  # a zone that this machine does not know
    return _time_of(entry.created_at).astimezone(there).date() > date.fromisoformat(entry.played_on)


def _time_of(stamp: str) -> datetime:
    return datetime.fromisoformat(stamp)
