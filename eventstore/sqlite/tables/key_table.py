"""The tables `keys` and `sessions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from eventstore.log.key_table import Key, free_name

if TYPE_CHECKING:
    import sqlite3

    from eventstore.log.key_table import Session
    from eventstore.sqlite.database import OpenDatabase

_ADD: Final = "INSERT INTO keys(name, seat, added_at, hash) VALUES (?, ?, ?, ?)"
_LIST: Final = "SELECT name, seat, added_at, revoked_at FROM keys ORDER BY key"
_HASHES: Final = "SELECT key, hash FROM keys WHERE revoked_at IS NULL"
_REVOKE: Final = (
    "UPDATE keys SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL"
    " RETURNING key, name, seat, added_at, revoked_at"
)
_BEGIN: Final = (
    "INSERT INTO sessions(id, key, hash, began_at)"
    " SELECT ?, key, ?, ? FROM keys WHERE key = ? AND revoked_at IS NULL"
)
_TOO_MANY: Final = (
    "DELETE FROM sessions WHERE began_at <= ? OR (key = ? AND id NOT IN"
    " (SELECT id FROM sessions WHERE key = ? ORDER BY began_at DESC, id LIMIT ?))"
)
_SESSION: Final = (
    "SELECT sessions.hash, name, seat, added_at, revoked_at FROM sessions JOIN keys USING (key)"
    " WHERE sessions.id = ? AND revoked_at IS NULL AND began_at > ?"
)


class SqliteKeyTable:
    """See `KeyTable`."""

    def __init__(self, database: OpenDatabase) -> None:
        self._database = database

    def add(self, key: Key, value: bytes, *, numbered: bool) -> Key | None:
        """See `KeyTable`."""

        def insert(connection: sqlite3.Connection) -> Key | None:
            taken = {name for (name,) in connection.execute("SELECT name FROM keys")}
            name = free_name(key.name, taken)
            if name != key.name and not numbered:
                return None
            connection.execute(_ADD, (name, key.seat, key.added_at, value))
            return msgspec.structs.replace(key, name=name)

        return self._database.write(insert)

    def all(self) -> list[Key]:
        """See `KeyTable`."""
        with self._database.reader() as connection:
            return [Key(*row) for row in connection.execute(_LIST)]

    def hashes(self) -> list[tuple[int, bytes]]:
        """See `KeyTable`."""
        with self._database.reader() as connection:
            return connection.execute(_HASHES).fetchall()

    def revoke(self, name: str, revoked_at: str) -> Key | None:
        """See `KeyTable`."""

        def update(connection: sqlite3.Connection) -> Key | None:
            row = connection.execute(_REVOKE, (revoked_at, name)).fetchone()
            if row is None:
                return None
            number, *key = row
            connection.execute("DELETE FROM sessions WHERE key = ?", (number,))
            return Key(*key)

        return self._database.write(update)

    def begin(self, session: Session, *, after: str, most: int) -> bool:
        """See `KeyTable`."""

        def insert(connection: sqlite3.Connection) -> bool:
            row = (session.id, session.hash, session.began_at, session.key)
            begun = connection.execute(_BEGIN, row).rowcount
            connection.execute(_TOO_MANY, (after, session.key, session.key, most))
            return begun == 1

        return self._database.write(insert)

    def session(self, name: str, *, after: str) -> tuple[bytes, Key] | None:
        """See `KeyTable`."""
        with self._database.reader() as connection:
            row = connection.execute(_SESSION, (name, after)).fetchone()
        if row is None:
            return None
        value, *key = row
        return value, Key(*key)

    def end(self, session: str) -> None:
        """See `KeyTable`."""
        self._database.write(
            lambda connection: connection.execute("DELETE FROM sessions WHERE id = ?", (session,))
        )
