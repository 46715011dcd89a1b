"""The list of games: what people typed, and what follows from the events; found by words."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from eventstore.cache import Cache
from eventstore.errors import StorageFault, TabletapeError, UnknownGame
from eventstore.library import details
from eventstore.log.history import History, Readable
from eventstore.log.ids import is_game_id
from eventstore.log.names import folded
from eventstore.refusals import AmbiguousGame
from eventstore.replay.notes import stream
from eventstore.replay.seat_names import default_name
from eventstore.sqlite.faults import is_corrupt
from eventstore.sqlite.schema.migrations import m3_catalogue
from eventstore.sqlite.tables import changes as table_changes
from games.core.events import Parent
from games.core.ruleset import TABLE, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eventstore.log.rows import Receipt
    from eventstore.replay.game import Game
    from eventstore.sqlite.log import SqliteLog
    from games.core.registry import Registry

_BATCH: Final = 500
"""Games brought up to date in one transaction."""
_COMPLETIONS: Final = 200
_NEAR: Final = 2000
"""Ids that a mistyped one is compared with."""
_WORDS: Final = 32
"""Words of a search that are looked for; the rest is not."""

_CHANGED = "SELECT DISTINCT games.id FROM events JOIN games USING (game) WHERE position > ? AND position <= ?"
_MISSING = "SELECT games.id, ruleset, version FROM catalogue JOIN games USING (game) WHERE status = 'missing'"
_STANDING = (
    "INSERT INTO catalogue(game, ruleset, version, origin, parent, seats, steps, seq, status, result,"
    " created_at)"
    " SELECT game, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
    " (SELECT CAST(recorded_at AS TEXT) FROM events WHERE events.game = games.game AND seq = 1)"
    " FROM games WHERE id = ?"
    " ON CONFLICT DO UPDATE SET ruleset = excluded.ruleset, version = excluded.version,"
    " origin = excluded.origin, parent = excluded.parent, seats = excluded.seats, steps = excluded.steps,"
    " seq = excluded.seq, status = excluded.status, result = excluded.result,"
    " created_at = excluded.created_at"
    # Another process may have seen more of the game meanwhile.
    " WHERE seq IS NULL OR excluded.seq >= seq"
)
_FOLLOWING = ("standings", "texts")
_COPIED = {
    "games": "game, id",
    "events": "position, game, seq, recorded_at",
    "catalogue": "game, title, played_on, time_zone, place, hidden, ruleset, version, origin, parent,"
    " created_at, seats, steps, seq, status, result",
    "names": "game, seat, name, folded",
    "followed": "what, position",
    "texts": "game, typed, notes, captions",
}
"""What a list over a log that cannot be written needs of it: no payload."""
_COPIED_EVENTS = (
    " WHERE seq = 1 OR position > (SELECT min(position) FROM (SELECT position FROM followed UNION ALL"
    " SELECT 0 WHERE (SELECT count(*) FROM followed) < 2))"
)
_FOLLOWED = (
    "INSERT INTO followed(what, position) VALUES (?, ?)"
    " ON CONFLICT DO UPDATE SET position = max(position, excluded.position)"
)
_TEXTS = (
    "INSERT INTO texts(game, typed, notes, captions) SELECT game, '', ?, ? FROM games WHERE id = ?"
    # Another process may have seen more of the game meanwhile, or of its notes.
    " AND NOT EXISTS (SELECT 1 FROM events WHERE events.game = games.game AND seq > ?)"
    " AND NOT EXISTS (SELECT 1 FROM events WHERE seq > ?"
    " AND game = (SELECT notes.game FROM games AS notes WHERE notes.id = games.id || '/notes'))"
    " ON CONFLICT(game) DO UPDATE SET notes = excluded.notes, captions = excluded.captions"
)
_ROW = (
    "SELECT (SELECT id FROM games WHERE games.game = catalogue.game), ruleset, version, title, played_on,"
    " time_zone, place, origin, parent, steps, seq, status, result, hidden, created_at, seats, game"
    " FROM catalogue"
)
_MARKS = (
    "SELECT seq, kind FROM events INDEXED BY events_of_record"
    " WHERE game = (SELECT game FROM games WHERE id = ?)"
    " AND kind > 'record.' AND kind < 'record/'"
    " AND kind IN ('record.amended', 'record.ruled', 'record.checked')"
)
_KNOWN_CHECKS = 1024
"""Table checks of which is kept whether they failed; it is found out by folding."""
_PLAYED = "coalesce(played_on, substr(created_at, 1, 10)) DESC, created_at DESC, game DESC"
"""The order of lists, as the indexes have it."""

_Work = Callable[[sqlite3.Connection], object]
_Write = Callable[[_Work], object]
_Reader = Callable[[], AbstractContextManager[sqlite3.Connection]]


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

    def __init__(self, log: SqliteLog, registry: Registry, opened: Callable[[str], Game]) -> None:
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
        words = _query(text or "")
        if words and not notes:
            words = f"{{typed captions}} : ({words})"
        wheres, values = ["seq IS NOT NULL"], []
        for wanted, where, value in (
            (ruleset, "ruleset = ?", ruleset),
            (origin, "origin = ?", origin),
            (player, "game IN (SELECT game FROM names WHERE instr(folded, nullif(?, '')))", _folded(player)),
            (text, "game IN (SELECT rowid FROM texts_fts WHERE texts_fts MATCH ?)", words),
        ):
            if wanted is not None:
                wheres.append(where)
                values.append(value)
        if of is not None:
            wheres.append(table_changes.OF_PARENT)
            values += table_changes.parents_of(of)
        wheres += [] if hidden else ["hidden = 0"]
        wheres += [] if origin or of else ["origin <> 'simulated'"]
        wheres += [] if variations or of else ["parent IS NULL"]
        query = f"{_ROW} WHERE {' AND '.join(wheres)} ORDER BY {_PLAYED} LIMIT ? OFFSET ?"
        if text is not None and not words:
            return []
        with self._up_to_date(texts=text is not None) as connection:
            page = (-1 if limit is None else limit, max(offset, 0))
            rows = connection.execute(query, (*values, *page)).fetchall()
            return self._entries(connection, rows, marks=marks)

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
        head = self._log.head(entry.game)
        if head is None:
            return entry
        return self._marked(entry, marks, History.readable(self._log.rewrites(entry.game), head.seq))

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

    def enter(
        self, connection: sqlite3.Connection, standings: Iterable[Standing], receipts: Iterable[Receipt]
    ) -> None:
        """Take over what is known of new simulated games in the transaction that appends them.

        Cost:    none later: where nothing else is to be followed up, these need not be folded.
        """
        connection.executemany(_STANDING, map(_row, standings))
        end = connection.execute("SELECT max(position) FROM events").fetchone()[0]
        before = end - sum(receipt.last_seq - receipt.first_seq + 1 for receipt in receipts)
        for what in _FOLLOWING:
            kept = connection.execute("SELECT position FROM followed WHERE what = ?", (what,)).fetchone()
            if before == (kept[0] if kept else 0):
                _follow(connection, what, end)

    # --- what follows from events ----------------------------------------------------------------

    @contextmanager
    def _up_to_date(self, *, texts: bool) -> Iterator[sqlite3.Connection]:
        """A connection in which the tables of this module hold what was appended up to now."""
        if self._refreshed(texts=texts):
            with self._log.reader() as connection:
                yield connection
            return
        with self._log.reader() as connection:
            new = any(self._changed_since(connection, what)[1] for what in _FOLLOWING[: 2 if texts else 1])
            stale = new or self._back(connection)
            with self._copied(connection, texts=texts) if stale else nullcontext(connection) as current:
                yield current

    def _refreshed(self, *, texts: bool) -> bool:
        """Whether the tables on the disk hold what was appended; they cannot where it takes no more."""
        if self._log.read_only:
            return False
        try:
            self._refresh(self._log.reader, self._log.write, texts=texts)
        except StorageFault:
            # What keeps the list from being written keeps nobody from reading it.
            return False
        return True

    def _refresh(self, reader: _Reader, write: _Write, *, texts: bool) -> None:
        with reader() as connection:
            back = self._back(connection)
        if back:
            self._texts(back, write)
            self._standings(back, write)  # last, for by its standing a game is found to be back
        for what, bring in zip(_FOLLOWING[: 2 if texts else 1], (self._standings, self._texts), strict=False):
            with reader() as connection:
                position, games = self._changed_since(connection, what)
            for first in range(0, len(games), _BATCH):
                bring(games[first : first + _BATCH], write)
            if games:
                write(partial(_follow, what=what, position=position))

    def _changed_since(self, connection: sqlite3.Connection, what: str) -> tuple[int, Ids]:
        """The end of the log, and the games to look at again."""
        end = connection.execute("SELECT coalesce(max(position), 0) FROM events").fetchone()[0]
        kept = connection.execute("SELECT position FROM followed WHERE what = ?", (what,)).fetchone()
        since = kept[0] if kept else 0
        found = [row[0] for row in connection.execute(_CHANGED, (since, end))] if end > since else []
        return end, [*dict.fromkeys(game.partition("/")[0] for game in found)]

    def _back(self, connection: sqlite3.Connection) -> Ids:
        """The games that can be read by their rules by now, and could not when they were listed."""
        missing = connection.execute(_MISSING).fetchall()
        return [game for game, *named in missing if tuple(named) in self._registry and self._opens(game)]

    def _opens(self, game: str) -> bool:
        try:
            return self._opened(game).text_only is None
        except TabletapeError:
            return False

    def _standings(self, games: Ids, write: _Write) -> None:
        rows = [_row(standing) for standing in map(self._found, games) if standing is not None]
        write(lambda connection: connection.executemany(_STANDING, rows))

    def _found(self, game: str) -> Standing | None:
        """What follows from a game's events; None of one so damaged that `verify` alone can name it."""
        try:
            return standing_of(self._opened(game))
        except TabletapeError:
            return None

    def _texts(self, games: Ids, write: _Write) -> None:
        rows = list(map(self._text_row, games))
        write(lambda connection: connection.executemany(_TEXTS, rows))

    def _text_row(self, game: str) -> tuple[str, str, str, int, int]:
        heads = [head.seq if head else 0 for head in map(self._log.head, (game, stream(game)))]
        return _words(self._said_in_notes(game)), _words(self._captions(game)), game, heads[0], heads[1]

    def _said_in_notes(self, game: str) -> Iterator[str]:
        with suppress(TabletapeError):  # what is damaged is found by nobody, and hides nothing else
            yield from (f"{note.text} {' '.join(note.tags)}" for note in self._opened(game).notes)

    def _captions(self, game: str) -> Iterator[str]:
        """What everybody at the table may read; whoever searches must not learn more."""
        with suppress(Exception):  # as above, and rules may raise anything
            opened = self._opened(game).seen_by(TABLE)
            if opened.origin != "simulated":
                yield from (position.caption() for position in opened.positions() if position.readable)

    @contextmanager
    def _copied(self, disk: sqlite3.Connection, *, texts: bool) -> Iterator[sqlite3.Connection]:
        """The tables of this module in memory, brought up to date over a log that cannot be written."""
        from sqlite_utils import Database  # noqa: PLC0415 - as in `schema`

        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.execute("CREATE TABLE games(game INTEGER PRIMARY KEY, id TEXT)")
            connection.execute(
                "CREATE TABLE events(position INTEGER PRIMARY KEY, game, seq, recorded_at, UNIQUE(game, seq))"
            )
            m3_catalogue(Database(connection, execute_plugins=False))
            for table, columns in _COPIED.items():
                if texts or table != "texts":
                    some = _COPIED_EVENTS if table == "events" else ""
                    marks = ", ".join("?" * len(columns.split(",")))
                    connection.executemany(
                        f"INSERT INTO {table}({columns}) VALUES ({marks})",  # noqa: S608 - constants
                        disk.execute(f"SELECT {columns} FROM {table}{some}"),  # noqa: S608 - constants
                    )
            self._refresh(lambda: nullcontext(connection), lambda work: work(connection), texts=texts)
            yield connection

    def _entries(self, connection: sqlite3.Connection, rows: Iterable[Any], *, marks: bool) -> Entries:
        found = []
        known = []
        with self._log.reader() as log:
            for row in rows:
                if not (isinstance(row[0], str) and is_game_id(row[0])):
                    continue  # a damaged row: there is no game to open
                names = dict(
                    connection.execute("SELECT seat, name FROM names WHERE game = ?", (row[-1],)).fetchall()
                )
                try:
                    found.append(_entry(row, names, here=self._registry.offers(row[1], row[2])))
                    known.append(_marks(log, row[0]) if marks else ())
                except (msgspec.MsgspecError, TypeError, UnicodeEncodeError):
                    with suppress(TabletapeError):  # its row is damaged, and follows from its events
                        found.append(self.get(row[0]))
                        known.append(())
        for place, mine in enumerate(known):
            if mine:
                with suppress(TabletapeError):  # a damaged game hides no other
                    found[place] = self._marked_row(found[place], mine)
        return found


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


def _marks(connection: sqlite3.Connection, game: str) -> Sequence[tuple[int, str]]:
    """What marks a game in the list; nothing where its events cannot be read, which hides no other game."""
    try:
        return connection.execute(_MARKS, (game,)).fetchall()
    except sqlite3.DatabaseError as fault:
        if not is_corrupt(fault):
            raise
        return ()


def _follow(connection: sqlite3.Connection, what: str, position: int) -> None:
    connection.execute(_FOLLOWED, (what, position))


def _status(*, readable: bool, closed: bool, result: Outcome | None) -> str:
    if not readable:
        return "text-only"
    if closed:
        return "closed"
    return "over" if result is not None else "playing"


def _seats(seats: Iterable[str], names: Mapping[str, str]) -> tuple[SeatName, ...]:
    return tuple(SeatName(seat, names.get(seat) or default_name(seat)) for seat in seats)


def _row(standing: Standing) -> tuple[Any, ...]:
    return (
        standing.ruleset,
        standing.version,
        standing.origin,
        None if standing.parent is None else _json(standing.parent),
        _json(standing.seats),
        standing.steps,
        standing.seq,
        standing.status,
        None if standing.result is None else _json(standing.result),
        standing.game,
    )


def _entry(row: tuple[Any, ...], names: Mapping[str, str], *, here: bool) -> Entry:
    (game, ruleset, version, title, played_on, time_zone, place, origin, parent) = row[:9]
    (steps, seq, status, result, hidden, created_at, seats) = row[9:16]
    return Entry(
        game=game,
        ruleset=ruleset,
        version=version,
        title=title,
        seats=_seats(msgspec.json.decode(seats, type=tuple[str, ...]), names),
        played_on=played_on,
        time_zone=time_zone,
        place=place,
        origin=origin,
        parent=None if parent is None else msgspec.json.decode(parent, type=Parent),
        steps=steps,
        seq=seq,
        # Rulesets come and go between one list and the next.
        status=status if here and status != "missing" else "text-only",
        result=None if result is None or not here else msgspec.json.decode(result, type=Outcome),
        hidden=bool(hidden),
        created_at=created_at or "",
    )


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _words(texts: Iterable[str]) -> str:
    """Each word once: captions repeat themselves."""
    return " ".join(dict.fromkeys(word for text in texts for word in text.split()))


def _folded(name: str | None) -> str:
    return folded("".join(filter(details.is_text, name or "")).strip())


def _query(text: str) -> str:
    """Words as a search for all of them, each quoted, the end of each open; empty where no word is."""
    words = ("".join(filter(details.is_text, word)) for word in text.split()[:_WORDS])
    quoted = (word.replace('"', '""') for word in words if any(map(str.isalnum, word)))
    return " ".join(f'"{word}"*' for word in quoted)
