"""Keys and sessions in lists and dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eventstore.log.key_table import free_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from eventstore.log.key_table import Key, Session


class MemoryKeyTable:
    """See `KeyTable`; a key's number is its place."""

    def __init__(self, held: Callable[[], AbstractContextManager[object]]) -> None:
        """`held` keeps others out, and refuses where the log is closed."""
        self._held = held
        self._keys: list[tuple[Key, bytes]] = []
        self._sessions: dict[str, Session] = {}

    def add(self, key: Key, value: bytes, *, numbered: bool) -> Key | None:
        """See `KeyTable`."""
        with self._held():
            taken = {known.name for known, _ in self._keys}
            name = free_name(key.name, taken)
            if name != key.name and not numbered:
                return None
            added = msgspec.structs.replace(key, name=name)
            self._keys.append((added, value))
            return added

    def all(self) -> list[Key]:
        """See `KeyTable`."""
        with self._held():
            return [key for key, _ in self._keys]

    def hashes(self) -> list[tuple[int, bytes]]:
        """See `KeyTable`."""
        with self._held():
            numbered = enumerate(self._keys)
            return [(number, value) for number, (key, value) in numbered if key.revoked_at is None]

    def revoke(self, name: str, revoked_at: str) -> Key | None:
        """See `KeyTable`."""
        with self._held():
            for number, (key, value) in enumerate(self._keys):
                if key.name == name and key.revoked_at is None:
                    revoked = msgspec.structs.replace(key, revoked_at=revoked_at)
                    self._keys[number] = (revoked, value)
                    self._keep(lambda session: session.key != number)  # noqa: B023 - called at once
                    return revoked
        return None

    def _keep(self, stays: Callable[[Session], bool]) -> None:
        self._sessions = {name: session for name, session in self._sessions.items() if stays(session)}

    def begin(self, session: Session, *, after: str, most: int) -> bool:
        """See `KeyTable`."""
        with self._held():
            fits = self._keys[session.key][0].revoked_at is None
            if fits:
                self._sessions[session.id] = session
            self._keep(lambda kept: kept.began_at > after)
            mine = [kept for kept in self._sessions.values() if kept.key == session.key]
            newest = sorted(sorted(mine, key=lambda kept: kept.id), key=_began, reverse=True)
            for gone in newest[most:]:
                del self._sessions[gone.id]
            return fits

    def session(self, name: str, *, after: str) -> tuple[bytes, Key] | None:
        """See `KeyTable`."""
        with self._held():
            found = self._sessions.get(name)
            if found is None or found.began_at <= after:
                return None
            return found.hash, self._keys[found.key][0]

    def end(self, session: str) -> None:
        """See `KeyTable`."""
        with self._held():
            self._sessions.pop(session, None)


def _began(session: Session) -> str:
    return session.began_at
