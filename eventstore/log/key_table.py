"""Keys of those who write over a network, and the sessions begun with them, as a log keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Collection


class Key(msgspec.Struct, frozen=True):
    """Who may come in; what opens it is known to its holder alone."""

    name: str
    """`by` of what is entered with it; a key of ours, no person's name."""
    seat: str | None
    """Whose cards it shows; None: a table key, which shows everything."""
    added_at: str
    revoked_at: str | None = None


class Session(msgspec.Struct, frozen=True):
    """A sign-in; the secret of its cookie is kept as a hash alone."""

    id: str
    key: int
    """The number of the key that it was begun with."""
    hash: bytes
    began_at: str


class KeyTable(Protocol):
    """Keys, in the order in which they were added, and their sessions.

    Each call is done as a whole or not at all.  What is kept of a key is the hash of 128 random bits.
    """

    def add(self, key: Key, value: bytes, *, numbered: bool) -> Key | None:
        """Add a key that this hash belongs to; None where its name was given before, revoked or not.

        numbered:  a name that was given before gets the first number that is free: see `free_name`.
        """
        ...

    def all(self) -> list[Key]:
        """All keys, revoked ones too."""
        ...

    def hashes(self) -> list[tuple[int, bytes]]:
        """Number and hash of each key that is not revoked."""
        ...

    def revoke(self, name: str, revoked_at: str) -> Key | None:
        """Revoke a key and end its sessions; None where no key of this name lets anybody in."""
        ...

    def begin(self, session: Session, *, after: str, most: int) -> bool:
        """Begin a session, unless its key was revoked; sessions begun up to `after` end.

        most:    sessions that a key may have; the oldest ones go.
        """
        ...

    def session(self, name: str, *, after: str) -> tuple[bytes, Key] | None:
        """The hash and the key of a session that began after this stamp; None where its key was revoked."""
        ...

    def end(self, session: str) -> None:
        """End a session; nothing for one that is not there."""
        ...


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or the name with the first number from 2 on that nobody was given.

    >>> free_name("p1", ()), free_name("p1", {"p1", "p1-2"})
    ('p1', 'p1-3')
    """
    numbered = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(one for one in (name, *numbered) if one not in taken)
