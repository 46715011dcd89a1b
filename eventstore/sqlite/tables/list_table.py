"""The tables `catalogue`, `names`, `texts` and `followed`, as lists and searches read them."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final, TypeVar

from eventstore.log.list_table import ListedRow, StandingRow
from eventstore.sqlite.schema.migrations import m3_catalogue
from eventstore.sqlite.tables import changes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from eventstore.log.list_table import Followed, ListQuery, ListTable, TextRow
    from eventstore.sqlite.database import OpenDatabase

_T = TypeVar("_T")

_END: Final = "SELECT coalesce(max(position), 0) FROM events"
_SINCE: Final = "SELECT coalesce((SELECT position FROM followed WHERE what = ?), 0)"
_CHANGED: Final = (
    "SELECT DISTINCT games.id FROM events JOIN games USING (game) WHERE position > ? AND position <= ?"
)
_MISSING: Final = (
    "SELECT games.id, ruleset, version FROM catalogue JOIN games USING (game) WHERE status = 'missing'"
)
_COPIED: Final = {
    "games": "game, id",
    "events": "position, game, seq, recorded_at",
    "catalogue": "game, title, played_on, time_zone, place, hidden, ruleset, version, origin, parent,"
    " created_at, seats, steps, seq, status, result",
    "names": "game, seat, name, folded",
    "followed": "what, position",
    "texts": "game, typed, notes, captions",
}
"""What a list over a log that cannot be written needs of it: no payload."""
_COPIED_EVENTS: Final = (
    " WHERE seq = 1 OR position > (SELECT min(position) FROM (SELECT position FROM followed UNION ALL"
    " SELECT 0 WHERE (SELECT count(*) FROM followed) < 2))"
)
_TEXTS: Final = (
    "INSERT INTO texts(game, typed, notes, captions) SELECT game, '', ?, ? FROM games WHERE id = ?"
    # Another process may have seen more of the game meanwhile, or of its notes.
    " AND NOT EXISTS (SELECT 1 FROM events WHERE events.game = games.game AND seq > ?)"
    " AND NOT EXISTS (SELECT 1 FROM events WHERE seq > ?"
    " AND game = (SELECT notes.game FROM games AS notes WHERE notes.id = games.id || '/notes'))"
    " ON CONFLICT(game) DO UPDATE SET notes = excluded.notes, captions = excluded.captions"
)
_STANDING: Final = (
    "(SELECT id FROM games WHERE games.game = catalogue.game),"
    " ruleset, version, origin, parent, seats, steps, seq, status, result"
)
ROW: Final = (
    f"SELECT {_STANDING}, title, played_on, time_zone, place, hidden, created_at, game"  # noqa: S608 - constants
    " FROM catalogue"
)
_NAMES: Final = "SELECT seat, name FROM names WHERE game = ?"
PLAYED: Final = "coalesce(played_on, substr(created_at, 1, 10)) DESC, created_at DESC, game DESC"
"""The order of lists, as the indexes have it."""


class SqliteListTable:
    """See `ListTable`."""

    def __init__(self, database: OpenDatabase) -> None:
        self._database = database

    @property
    def writable(self) -> bool:
        """See `ListTable`."""
        return not self._database.read_only

    def rows(self, query: ListQuery) -> list[ListedRow]:
        """See `ListTable`."""
        where, values = _condition(query)
        page = (-1 if query.limit is None else max(query.limit, 0), max(query.offset, 0))
        select = f"{ROW} WHERE {where} ORDER BY {PLAYED} LIMIT ? OFFSET ?"
        with self._database.reader() as connection:
            found = connection.execute(select, (*values, *page)).fetchall()
            return [_listed(row, dict(connection.execute(_NAMES, row[-1:]).fetchall())) for row in found]

    def changed(self, what: Followed) -> tuple[int, list[str]]:
        """See `ListTable`."""
        with self._database.reader() as connection:
            end, since = _number(connection, _END), _number(connection, _SINCE, what)
            found = connection.execute(_CHANGED, (since, end)).fetchall() if end > since else []
        return end, [*dict.fromkeys(stream.partition("/")[0] for (stream,) in found)]

    def missing(self) -> list[tuple[str, str, int]]:
        """See `ListTable`."""
        with self._database.reader() as connection:
            return connection.execute(_MISSING).fetchall()

    def put_standings(self, rows: Sequence[StandingRow]) -> None:
        """See `ListTable`."""
        self._database.write(lambda connection: changes.put_standings(connection, rows))

    def put_texts(self, rows: Sequence[TextRow]) -> None:
        """See `ListTable`."""
        values = [(row.notes, row.captions, row.game, row.seq, row.notes_seq) for row in rows]
        self._database.write(lambda connection: connection.executemany(_TEXTS, values))

    def follow(self, what: Followed, position: int) -> None:
        """See `ListTable`."""
        self._database.write(lambda connection: changes.follow(connection, what, position))

    @contextmanager
    def copied(self, *, texts: bool) -> Iterator[ListTable]:
        """See `ListTable`."""
        from sqlite_utils import Database  # noqa: PLC0415 - as in `schema`

        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            connection.execute("CREATE TABLE games(game INTEGER PRIMARY KEY, id TEXT)")
            connection.execute(
                "CREATE TABLE events(position INTEGER PRIMARY KEY, game, seq, recorded_at, UNIQUE(game, seq))"
            )
            m3_catalogue(Database(connection, execute_plugins=False))
            with self._database.reader() as disk:
                _copy(disk, connection, texts=texts)
            yield SqliteListTable(_Copy(self._database.path, connection))


class _Copy:
    """See `OpenDatabase`: one connection for everything."""

    read_only = False

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def write(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        return work(self._connection)

    def reader(self) -> AbstractContextManager[sqlite3.Connection]:
        return nullcontext(self._connection)

    lent = reader


def _copy(disk: sqlite3.Connection, copy: sqlite3.Connection, *, texts: bool) -> None:
    for table, columns in _COPIED.items():
        if texts or table != "texts":
            some = _COPIED_EVENTS if table == "events" else ""
            marks = ", ".join("?" * len(columns.split(",")))
            copy.executemany(
                f"INSERT INTO {table}({columns}) VALUES ({marks})",  # noqa: S608 - constants
                disk.execute(f"SELECT {columns} FROM {table}{some}"),  # noqa: S608 - constants
            )


def _condition(query: ListQuery) -> tuple[str, list[object]]:
    """What follows WHERE, and its values."""
    wheres, values = ["seq IS NOT NULL"], list[object]()
    words = None if query.words is None else _match(query.words, notes=query.notes)
    for wanted, where in (
        (query.ruleset, "ruleset = ?"),
        (query.origin, "origin = ?"),
        (query.player, "game IN (SELECT game FROM names WHERE instr(folded, nullif(?, '')))"),
        (words, "game IN (SELECT rowid FROM texts_fts WHERE texts_fts MATCH ?)"),
    ):
        if wanted is not None:
            wheres.append(where)
            values.append(wanted)
    if query.of is not None:
        wheres.append(changes.OF_PARENT)
        values += changes.parents_of(query.of)
    wheres += [] if query.hidden else ["hidden = 0"]
    wheres += [] if query.origin or query.of else ["origin <> 'simulated'"]
    wheres += [] if query.variations or query.of else ["parent IS NULL"]
    return " AND ".join(wheres), values


def _match(words: Sequence[str], *, notes: bool) -> str:
    """Words as FTS5 looks for them: each quoted, the end of each open.

    >>> _match(("Ann", 'say "hi'), notes=False)
    '{typed captions} : ("Ann"* "say ""hi"*)'
    """
    quoted = " ".join(f'"{word}"*' for word in (word.replace('"', '""') for word in words))
    return quoted if notes else f"{{typed captions}} : ({quoted})"


def _listed(row: tuple[Any, ...], names: dict[str, str]) -> ListedRow:
    standing = StandingRow(*row[: len(StandingRow.__struct_fields__)])
    title, played_on, time_zone, place, hidden, created_at, _ = row[len(StandingRow.__struct_fields__) :]
    return ListedRow(standing, title, played_on, time_zone, place, bool(hidden), created_at, names)


def _number(connection: sqlite3.Connection, query: str, *values: object) -> int:
    return int(connection.execute(query, values).fetchone()[0])
