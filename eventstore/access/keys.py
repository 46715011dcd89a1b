"""Keys with which people at the table may write over a network, and the sessions begun with them.

A key is some 128 random bits, so that nobody finds it by trying: one SHA-256 keeps it as safe as a slow
password hash would, which is there for what people make up.  Neither a key nor what a session's cookie
holds can be had from the database.
"""

from __future__ import annotations

import re
from datetime import timedelta
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, Final

import msgspec

from eventstore.errors import unwritten
from eventstore.log.contract import clock, now, stamp
from eventstore.log.ids import is_key, new_id
from eventstore.log.rows import RECORDER
from eventstore.refusals import BadDetail, KeyNameTaken, UnknownKey
from games.core.ruleset import CHANCE, EVERYTHING, TABLE, is_seat

if TYPE_CHECKING:
    import builtins
    import sqlite3

    from eventstore.sqlite.log import SqliteLog

LETTERS: Final = 26
"""Letters of a key: 31 to choose from, each worth almost five bits."""
SESSION_DAYS: Final = 30
"""Days after which one has to sign in again."""
SESSIONS: Final = 100
"""Sessions of one key; the oldest goes."""
TABLE_KEY: Final = "table-key"
"""What a table key is called unless one says otherwise."""
RESERVED: Final = frozenset({RECORDER, CHANCE, TABLE, EVERYTHING})
"""Names that mean something else where an event or a note says who entered it."""

_SHOWN: Final = re.compile(rf"[a-z0-9]{{10}}\.[a-z0-9]{{{LETTERS}}}")
_GROUP: Final = 5
_KEY: Final = "name, seat, added_at, revoked_at"
_SESSION: Final = (
    f"SELECT sessions.hash, {_KEY} FROM sessions JOIN keys USING (key)"  # noqa: S608 - constants
    " WHERE sessions.id = ? AND revoked_at IS NULL AND began_at > ?"
)
_TOO_MANY: Final = (
    "DELETE FROM sessions WHERE began_at <= ? OR (key = ? AND id NOT IN"
    " (SELECT id FROM sessions WHERE key = ? ORDER BY began_at DESC, id LIMIT ?))"
)


class Key(msgspec.Struct, frozen=True):
    """Who may come in; what opens it is known to its holder alone."""

    name: str
    """`by` of what is entered with it; a key of ours, no person's name."""
    seat: str | None
    """Whose cards it shows; None: a table key, which shows everything."""
    added_at: str
    revoked_at: str | None = None


class Access:
    """The keys of a database.

    Threads: may share one.
    """

    def __init__(self, log: SqliteLog) -> None:
        self._log = log

    @unwritten("no key was made")
    def add(self, name: str | None = None, *, seat: str | None = None) -> tuple[Key, str]:
        """A new key, and what to type to use it, which is nowhere else.

        Name:    without one it is the seat, or `TABLE_KEY`, with a number behind it from the second on. None
                 is given twice, even if its key was revoked: it says whose an event or a note is.
        Errors:  `BadDetail`, `KeyNameTaken`.
        """
        if seat is not None and not is_seat(seat):
            raise BadDetail("seat", f"{seat!r} is no seat like p1")
        called = name if name is not None else seat or TABLE_KEY
        if not is_key(called):
            raise BadDetail("key's name", f"{called!r} is not 1 to 64 letters, digits, or ~_.@-")
        # What p1 wrote, p1 reads: nobody else may write under that name.
        if called in RESERVED or (is_seat(called) and called != seat):
            raise BadDetail("key's name", f"{called} means something else in a record")
        typed = new_id(LETTERS)

        def insert(connection: sqlite3.Connection) -> Key:
            taken = {row[0] for row in connection.execute("SELECT name FROM keys")}
            if called in taken and name is not None:
                raise KeyNameTaken(called)
            free = (called, *(f"{called}-{number}" for number in range(2, len(taken) + 2)))
            key = Key(next(one for one in free if one not in taken), seat, now())
            connection.execute(
                "INSERT INTO keys(name, seat, added_at, hash) VALUES (?, ?, ?, ?)",
                (key.name, key.seat, key.added_at, _hash(typed)),
            )
            return key

        return self._log.write(insert), spelt(typed)

    def names_of(self, seat: str) -> frozenset[str]:
        """Those under which a seat writes: its own, and those of its keys, revoked or not."""
        with self._log.reader() as connection:
            rows = connection.execute("SELECT name FROM keys WHERE seat = ?", (seat,)).fetchall()
        return frozenset({seat, *(row[0] for row in rows)})

    def list(self, *, revoked: bool = False) -> builtins.list[Key]:
        """The keys, in the order in which they were added."""
        where = "" if revoked else " WHERE revoked_at IS NULL"
        with self._log.reader() as connection:
            rows = connection.execute(f"SELECT {_KEY} FROM keys{where} ORDER BY key")  # noqa: S608 - constants
            return [Key(*row) for row in rows]

    @unwritten("the key was not revoked and still works")
    def revoke(self, name: str) -> Key:
        """Let a key in no more, nor the sessions begun with it.

        Errors:  `UnknownKey`.
        """
        stamp = now()

        def update(connection: sqlite3.Connection) -> Key:
            row = connection.execute(
                f"UPDATE keys SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL RETURNING {_KEY}, key",  # noqa: S608 - constants
                (stamp, name),
            ).fetchone()
            if row is None:
                raise UnknownKey(name)
            connection.execute("DELETE FROM sessions WHERE key = ?", (row[-1],))
            return Key(*row[:-1])

        return self._log.write(update)

    def begin(self, typed: str) -> str | None:
        """Begin a session; None for a wrong key.

        Order:   every key is compared, and each in constant time.
        Gives:   what the visitor is to show from now on.
        """
        key = self.opened(typed)
        return None if key is None else self.session(key)

    def opened(self, typed: str) -> int | None:
        """The number of the key that was typed; nothing is written."""
        tried = _hash(re.sub(r"[\s-]", "", typed).lower())
        with self._log.reader() as connection:
            rows = connection.execute("SELECT key, hash FROM keys WHERE revoked_at IS NULL").fetchall()
        return next(iter([key for key, kept in rows if compare_digest(kept, tried)]), None)

    @unwritten("you are not signed in")
    def session(self, key: int) -> str | None:
        """Begin a session with a key that was found right; None where it was revoked since."""
        session, secret, stamp = new_id(), new_id(LETTERS), now()

        def insert(connection: sqlite3.Connection) -> bool:
            # It may have been revoked a moment ago.
            made = connection.execute(
                "INSERT INTO sessions(id, key, hash, began_at)"
                " SELECT ?, key, ?, ? FROM keys WHERE key = ? AND revoked_at IS NULL",
                (session, _hash(secret), stamp, key),
            ).rowcount
            connection.execute(_TOO_MANY, (_oldest(), key, key, SESSIONS))
            return made == 1

        return f"{session}.{secret}" if self._log.write(insert) else None

    def who(self, shown: str) -> Key | None:
        """Whose session this is; None when it is none, has ended, or its key was revoked."""
        if not _SHOWN.fullmatch(shown):
            return None
        session, _, secret = shown.partition(".")
        with self._log.reader() as connection:
            row: Any = connection.execute(_SESSION, (session, _oldest())).fetchone()
        if row is None or not compare_digest(row[0], _hash(secret)):
            return None
        return Key(*row[1:])

    @unwritten("you are still signed in")
    def end(self, shown: str) -> None:
        """End a session; whatever is no session is left alone."""
        if self.who(shown) is not None:
            session = shown.partition(".")[0]
            self._log.write(lambda found: found.execute("DELETE FROM sessions WHERE id = ?", (session,)))


def spelt(key: str) -> str:
    """Write a key as people read it out.

    >>> spelt("abcdefghjkmn")
    'abcde-fghjk-mn'
    """
    return "-".join(key[first : first + _GROUP] for first in range(0, len(key), _GROUP))


def _hash(text: str) -> bytes:
    return sha256(text.encode(errors="backslashreplace")).digest()


def _oldest() -> str:
    """The stamp at which a session must have begun after to be one still."""
    return stamp(clock() - timedelta(days=SESSION_DAYS))
