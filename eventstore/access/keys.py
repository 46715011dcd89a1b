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
from typing import TYPE_CHECKING, Final

from eventstore.errors import unwritten
from eventstore.log.contract import clock, now, stamp
from eventstore.log.ids import is_key, new_id
from eventstore.log.key_table import Key, Session
from eventstore.log.rows import RECORDER
from eventstore.refusals import BadDetail, KeyNameTaken, UnknownKey
from games.core.ruleset import CHANCE, EVERYTHING, TABLE, is_seat

if TYPE_CHECKING:
    import builtins

    from eventstore.log.key_table import KeyTable

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


class Access:
    """The keys of a database.

    Threads: may share one.
    """

    def __init__(self, table: KeyTable) -> None:
        self._table = table

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
        wanted = Key(called, seat, now())
        key = self._table.add(wanted, _hash(typed), numbered=name is None)
        if key is None:
            raise KeyNameTaken(called)
        return key, spelt(typed)

    def names_of(self, seat: str) -> frozenset[str]:
        """Those under which a seat writes: its own, and those of its keys, revoked or not."""
        return frozenset({seat, *(key.name for key in self._table.all() if key.seat == seat)})

    def list(self, *, revoked: bool = False) -> builtins.list[Key]:
        """The keys, in the order in which they were added."""
        return [key for key in self._table.all() if revoked or key.revoked_at is None]

    @unwritten("the key was not revoked and still works")
    def revoke(self, name: str) -> Key:
        """Let a key in no more, nor the sessions begun with it.

        Errors:  `UnknownKey`.
        """
        key = self._table.revoke(name, now())
        if key is None:
            raise UnknownKey(name)
        return key

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
        found = [key for key, kept in self._table.hashes() if compare_digest(kept, tried)]
        return next(iter(found), None)

    @unwritten("you are not signed in")
    def session(self, key: int) -> str | None:
        """Begin a session with a key that was found right; None where it was revoked since."""
        name, secret = new_id(), new_id(LETTERS)
        begun = self._table.begin(Session(name, key, _hash(secret), now()), after=_oldest(), most=SESSIONS)
        return f"{name}.{secret}" if begun else None

    def who(self, shown: str) -> Key | None:
        """Whose session this is; None when it is none, has ended, or its key was revoked."""
        if not _SHOWN.fullmatch(shown):
            return None
        session, _, secret = shown.partition(".")
        found = self._table.session(session, after=_oldest())
        if found is None or not compare_digest(found[0], _hash(secret)):
            return None
        return found[1]

    @unwritten("you are still signed in")
    def end(self, shown: str) -> None:
        """End a session; whatever is no session is left alone."""
        if self.who(shown) is not None:
            self._table.end(shown.partition(".")[0])


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
