"""The list of games: what people typed, and what follows from the events; found by words."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

import msgspec

from eventstore.cache import Cache
from eventstore.errors import DamagedDatabase, StorageFault, TabletapeError, UnknownGame
from eventstore.library import details
from eventstore.log.history import History, Readable
from eventstore.log.ids import is_game_id
from eventstore.log.list_table import ListQuery, StandingRow, TextRow
from eventstore.log.names import folded
from eventstore.refusals import AmbiguousGame
from eventstore.replay.notes import stream
from eventstore.replay.seat_names import default_name
from games.core.events import Parent
from games.core.ruleset import TABLE, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from eventstore.log.contract import EventLog
    from eventstore.log.list_table import Followed, ListedRow, ListTable
    from eventstore.replay.game import Game
    from games.core.registry import Registry

_BATCH: Final = 500
"""Games brought up to date in one transaction."""
_COMPLETIONS: Final = 200
_NEAR: Final = 2000
"""Ids that a mistyped one is compared with."""
_WORDS: Final = 32
"""Words of a search that are looked for; the rest is not."""

_KNOWN_CHECKS = 1024
"""Table checks of which is kept whether they failed; it is found out by folding."""
_FOLLOWED: Final[tuple[Followed, ...]] = ("standings", "texts")


class SeatName(msgspec.Struct, frozen=True):
    """A seat and what it is called."""

    seat: str
    name: str


class Entry(msgspec.Struct, frozen=True):
    """A line of the list."""

    game: str
    ruleset: str
    version: int
    title: str | None
    seats: tuple[SeatName, ...]
    played_on: str | None
    time_zone: str | None
    place: str | None
    origin: str
    parent: Parent | None
    """For a variation: where it branches off."""
    steps: int
    """The last step."""
    seq: int
    """The head of its log."""
    status: str
    """`playing`, `over` by its rules, `closed` by the table, `text-only`."""
    result: Outcome | None
    hidden: bool
    created_at: str
    """When its first event was recorded, UTC."""
    amended: bool = False
    """As it stands, it was corrected in its middle."""
    rulings: int = 0
    """Steps that the table agreed on in spite of the rules."""
    failed_checks: int = 0
    """Table checks that found the record otherwise than the table, by all that the record knows."""


Entries = list[Entry]
Ids = list[str]


class Standing(msgspec.Struct, frozen=True):
    """What follows from a game's events."""

    game: str
    ruleset: str
    version: int
    origin: str
    parent: Parent | None
    seats: tuple[str, ...]
    steps: int
    seq: int
    status: str
    """As in `Entry`, or `missing` where the ruleset, or what it would have to know, is not installed."""
    result: Outcome | None


class Catalogue:
    """The list of games: what people typed about them, and what follows from their events.

    The second is brought up to date when it is asked for.
    Order:   lists begin with the game that was played last, of one day with the one begun last.
    Cost:    a page of the list does not depend on how many games there are; what was appended since the last
             list is folded once.
    """

    def __init__(self, log: EventLog, registry: Registry, opened: Callable[[str], Game]) -> None:
        """`opened` opens a game as one who sees everything."""
        self._log = log
        self._registry = registry
        self._opened = opened
        self._failed: Cache[bytes, bool] = Cache(_KNOWN_CHECKS)

    # --- asking ----------------------------------------------------------------------------------

    def list(
        self,
        *,
        ruleset: str | None = None,
        player: str | None = None,
        origin: str | None = None,
        hidden: bool = False,
        variations: bool = False,
        of: str | None = None,
        text: str | None = None,
        notes: bool = True,
        marks: bool = True,
        limit: int | None = None,
        offset: int = 0,
    ) -> Entries:
        """Games, the one played last first.

        player:  a name or a part of it, capitals or not.
        origin:  `table`, `dealt` or `simulated`; without it all but the simulated ones.
        hidden:  list hidden games too; `variations` likewise.
        of:      the variations of this game alone, whatever its origin.
        text:    words that must all begin some word of title, names, place, notes or captions; captions are
                 those that everybody at the table may read, and simulated games have none.
        notes:   off, words are not looked for in notes: people write in them what a seat may not know.
        marks:   off, nothing is looked up for `amended`, `rulings` and `failed_checks`.
        """
        words = None if text is None else _words_of(text)
        if words == ():
            return []
        query = ListQuery(
            ruleset=ruleset,
            player=None if player is None else _folded(player),
            origin=origin,
            hidden=hidden,
            variations=variations,
            of=of,
            words=words,
            notes=notes,
            limit=limit,
            offset=offset,
        )
        with self._up_to_date(texts=words is not None) as table:
            return self._entries(table.rows(query), marks=marks)

    def search(self, text: str, *, variations: bool = False, limit: int | None = None) -> Entries:
        """Games in which all these words, or words beginning so, are found."""
        return self.list(text=text, variations=variations, limit=limit)

    def get(self, game: str) -> Entry:
        """One game, hidden or not.

        Errors:  `UnknownGame`.
        """
        return self.entry(self._opened(game))

    def entry(self, game: Game) -> Entry:
        """The line of the list that an opened game has: of one who sees everything."""
        standing, began = standing_of(game), game.rows(1, 1)
        entry = Entry(
            game=game.id,
            ruleset=standing.ruleset,
            version=standing.version,
            title=game.details.title,
            seats=_seats(standing.seats, game.details.names),
            played_on=game.details.played_on,
            time_zone=game.details.time_zone,
            place=game.details.place,
            origin=standing.origin,
            parent=standing.parent,
            steps=standing.steps,
            seq=standing.seq,
            status="text-only" if standing.status == "missing" else standing.status,
            result=standing.result,
            hidden=game.hidden,
            created_at=began[0].recorded_at if began else "",
        )
        past = Readable(game.head, game.history, game.runs, None)
        return self._marked(entry, game.marks, past, game) if game.marks else entry

    def _marked(
        self, entry: Entry, marks: Sequence[tuple[int, str]], past: Readable, game: Game | None = None
    ) -> Entry:
        """Say that a game was amended, how many of its steps are rulings, and how many checks failed.

        Cost:    the game is opened only where a table check stands.
        """
        standing = [(step, kind) for seq, kind in marks if (step := past.runs.index_of(seq)) is not None]
        checks = [step for step, kind in standing if kind == "record.checked"]
        if checks and game is None:
            game = self._opened(entry.game).at_head(past.head)
        return msgspec.structs.replace(
            entry,
            amended=past.history.amended(past.head),
            rulings=sum(kind == "record.ruled" for _, kind in standing),
            failed_checks=sum(self._fails(game, step) for step in checks) if game is not None else 0,
        )

    def _marked_row(self, entry: Entry, marks: Sequence[tuple[int, str]]) -> Entry:
        """The same of a line as it was read, whatever was appended to its game since."""
        return self._marked(entry, marks, History.readable(self._log.rewrites(entry.game), entry.seq))

    def _fails(self, game: Game, step: int) -> bool:
        """Tell whether a table check failed, by all that the record knows; found out once for one history."""
        return self._failed.made(
            game.prefix(step), lambda: bool(game.as_everything().position(step).failed_claims())
        )

    def resolve(self, prefix: str) -> str:
        """The one game whose id is this or begins so.

        Errors:  `UnknownGame`, `AmbiguousGame`.
        """
        found = self.ids(prefix, limit=_BATCH) if prefix.strip() else []
        wanted = prefix.strip().lower()
        if wanted in found:
            return wanted
        if not found:
            near = get_close_matches(wanted, self.ids(limit=_NEAR), n=1)
            raise UnknownGame(prefix, *near)
        if len(found) > 1:
            raise AmbiguousGame(prefix, found)
        return found[0]

    def ids(self, prefix: str = "", *, limit: int = _COMPLETIONS) -> Ids:
        """Ids that begin so, in alphabetical order."""
        low = prefix.strip().lower()
        if not low.isascii():
            return []
        return self._log.ids(low, limit=limit)

    # --- what follows from events ----------------------------------------------------------------

    @contextmanager
    def _up_to_date(self, *, texts: bool) -> Iterator[ListTable]:
        """The table, or a copy of it, that holds what was appended up to now."""
        table, what = self._log.listing, _FOLLOWED[: 2 if texts else 1]
        if self._refreshed(table, what):
            yield table
            return
        stale = any(table.changed(one)[1] for one in what) or self._back(table)
        with table.copied(texts=texts) if stale else nullcontext(table) as current:
            if stale:
                self._refresh(current, what)
            yield current

    def _refreshed(self, table: ListTable, what: Sequence[Followed]) -> bool:
        """Whether the table holds what was appended; it cannot where the disk takes no more."""
        if not table.writable:
            return False
        try:
            self._refresh(table, what)
        except StorageFault:
            # What keeps the list from being written keeps nobody from reading it.
            return False
        return True

    def _refresh(self, table: ListTable, what: Sequence[Followed]) -> None:
        back = self._back(table)
        if back:
            table.put_texts(self._texts(back))
            table.put_standings(self._standings(back))  # last, for by its standing a game is found to be back
        for one in what:
            position, games = table.changed(one)
            for first in range(0, len(games), _BATCH):
                some = games[first : first + _BATCH]
                if one == "standings":
                    table.put_standings(self._standings(some))
                else:
                    table.put_texts(self._texts(some))
            if games:
                table.follow(one, position)

    def _back(self, table: ListTable) -> Ids:
        """The games that can be read by their rules by now, and could not when they were listed."""
        return [
            game
            for game, ruleset, version in table.missing()
            if (ruleset, version) in self._registry and self._opens(game)
        ]

    def _opens(self, game: str) -> bool:
        try:
            return self._opened(game).text_only is None
        except TabletapeError:
            return False

    def _standings(self, games: Ids) -> Sequence[StandingRow]:
        return [row_of(standing) for standing in map(self._found, games) if standing is not None]

    def _found(self, game: str) -> Standing | None:
        """What follows from a game's events; None of one so damaged that `verify` alone can name it."""
        try:
            return standing_of(self._opened(game))
        except TabletapeError:
            return None

    def _texts(self, games: Ids) -> Sequence[TextRow]:
        return list(map(self._text_row, games))

    def _text_row(self, game: str) -> TextRow:
        heads = [head.seq if head else 0 for head in map(self._log.head, (game, stream(game)))]
        return TextRow(game, _joined(self._said_in_notes(game)), _joined(self._captions(game)), *heads)

    def _said_in_notes(self, game: str) -> Iterator[str]:
        with suppress(TabletapeError):  # what is damaged is found by nobody, and hides nothing else
            yield from (f"{note.text} {' '.join(note.tags)}" for note in self._opened(game).all_notes)

    def _captions(self, game: str) -> Iterator[str]:
        """What everybody at the table may read; whoever searches must not learn more."""
        with suppress(Exception):  # as above, and rules may raise anything
            opened = self._opened(game).seen_by(TABLE)
            if opened.origin != "simulated":
                yield from (position.caption() for position in opened.positions() if position.readable)

    def _entries(self, rows: Iterable[ListedRow], *, marks: bool) -> Entries:
        found = []
        known = []
        for row in rows:
            game: Any = row.standing.game
            if not (isinstance(game, str) and is_game_id(game)):
                continue  # a damaged row: there is no game to open
            try:
                here = self._registry.offers(row.standing.ruleset, row.standing.version)
                found.append(_entry(row, here=here))
                known.append(self._marks(game, row.standing.seq) if marks else ())
            except (msgspec.MsgspecError, TypeError, UnicodeEncodeError):
                with suppress(TabletapeError):  # its row is damaged, and follows from its events
                    found.append(self.get(game))
                    known.append(())
        for place, mine in enumerate(known):
            if mine:
                with suppress(TabletapeError):  # a damaged game hides no other
                    found[place] = self._marked_row(found[place], mine)
        return found

    def _marks(self, game: str, last: int) -> Sequence[tuple[int, str]]:
        """What marks a game in the list up to an event; nothing where its events cannot be read."""
        try:
            return self._log.marks(game, last)
        except DamagedDatabase:
            return ()


def standing_of(game: Game) -> Standing:
    """What follows from a game's events."""
    result, status = None, "missing"
    if game.text_only is None:
        try:
            last = game.as_everything().position()
            result = last.outcome()
        except Exception:  # noqa: BLE001 - a game that its rules choke on must not hide the others
            status = "text-only"
        else:
            readable = last.readable and game.damage is None
            status = _status(readable=readable, closed=last.closing is not None, result=result)
    return Standing(
        game=game.id,
        ruleset=game.ruleset_id,
        version=game.version,
        origin=game.origin,
        parent=game.parent,
        seats=game.seats,
        steps=game.steps,
        seq=game.head,
        status=status,
        result=result,
    )


def _status(*, readable: bool, closed: bool, result: Outcome | None) -> str:
    if not readable:
        return "text-only"
    if closed:
        return "closed"
    return "over" if result is not None else "playing"


def _seats(seats: Iterable[str], names: Mapping[str, str]) -> tuple[SeatName, ...]:
    return tuple(SeatName(seat, names.get(seat) or default_name(seat)) for seat in seats)


def row_of(standing: Standing) -> StandingRow:
    """Write a standing as a log keeps it."""
    return StandingRow(
        game=standing.game,
        ruleset=standing.ruleset,
        version=standing.version,
        origin=standing.origin,
        parent=None if standing.parent is None else _json(standing.parent),
        seats=_json(standing.seats),
        steps=standing.steps,
        seq=standing.seq,
        status=standing.status,
        result=None if standing.result is None else _json(standing.result),
    )


def _entry(row: ListedRow, *, here: bool) -> Entry:
    kept = row.standing
    return Entry(
        game=kept.game,
        ruleset=kept.ruleset,
        version=kept.version,
        title=row.title,
        seats=_seats(msgspec.json.decode(kept.seats, type=tuple[str, ...]), row.names),
        played_on=row.played_on,
        time_zone=row.time_zone,
        place=row.place,
        origin=kept.origin,
        parent=None if kept.parent is None else msgspec.json.decode(kept.parent, type=Parent),
        steps=kept.steps,
        seq=kept.seq,
        # Rulesets come and go between one list and the next.
        status=kept.status if here and kept.status != "missing" else "text-only",
        result=None if kept.result is None or not here else msgspec.json.decode(kept.result, type=Outcome),
        hidden=row.hidden,
        created_at=row.created_at or "",
    )


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _joined(texts: Iterable[str]) -> str:
    """Each word once: captions repeat themselves."""
    return " ".join(dict.fromkeys(word for text in texts for word in text.split()))


def _folded(name: str) -> str:
    return folded("".join(filter(details.is_text, name)).strip())


def _words_of(text: str) -> tuple[str, ...]:
    """The words of a search, without what is no text; empty where no word is."""
    words = ("".join(filter(details.is_text, word)) for word in text.split()[:_WORDS])
    return tuple(word for word in words if any(map(str.isalnum, word)))
