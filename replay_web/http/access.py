"""Who asks, what they may see and write, where others than this machine can reach the site."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple, TypeVar, cast

from flask import Flask, current_app, g, request
from werkzeug.exceptions import Forbidden

from eventstore.access.actor import Actor
from eventstore.access.keys import Access
from eventstore.cache import Cache
from eventstore.log.key_table import Key
from eventstore.log.rows import RECORDER
from replay_web.http import policy

Found = TypeVar("Found")

COOKIE: Final = "tabletape"
"""What the session's cookie is called, with the port behind it: browsers tell sites apart by name alone."""
_PORT: Final = re.compile(r"[0-9]{1,5}")
NOBODY: Final = RECORDER
"""`by` of what is entered where no key is asked for."""
WHO_SEES_WHAT: Final = (
    "Anybody on this network can look. Of a game that hides something they see what lies open on the table.",
    "A seat’s key shows what that seat sees, in every game. A table key shows everything.",
    "Nobody can write without a key. What is written carries the name of the key.",
    "Where a game hides something, a seat’s key records what that seat decides, and can have Tabletape deal.",
    "All else in such a game needs a table key.",
    "What is sent is not encrypted: use it in a network that you trust.",
)
"""Said by `serve` and by the page that asks for the key."""


class Visitor(Actor, frozen=True):
    """The actor who sent a request."""

    guarded: bool = False
    """Keys are asked for."""
    key: Key | None = None

    @property
    def may_write(self) -> bool:
        """Nobody writes without a key."""
        return not self.guarded or self.key is not None


def visitor(*, guarded: bool, key: Key | None = None) -> Visitor:
    """Whoever has this key, where keys are asked for; whoever has none."""
    return Visitor(
        by=key.name if key is not None else NOBODY,
        seat=None if key is None else key.seat,
        sees_all=not guarded or (key is not None and key.seat is None),
        guarded=guarded,
        key=key,
    )


class KeyNeeded(Forbidden):
    """Somebody without a key wants to write."""

    code_word = "key-needed"
    description = "Nobody can write here without a key: sign in, then send it again."

    def __init__(self, typed: str) -> None:
        super().__init__()
        self.typed = typed


class TableKeyNeeded(Forbidden):
    """Somebody who is not shown everything wants what is the table's."""

    code_word = "table-key-needed"

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} with a table key: sign in with one.")


def init_app(app: Flask, *, guarded: bool) -> None:
    """Find out who asks, and turn away who wants to write without a key."""
    app.extensions["guarded"] = guarded
    app.extensions["attempts"] = Attempts()
    app.jinja_env.globals["actor"] = actor
    app.before_request(_turn_away)


def actor() -> Visitor:
    """Say who sent this request."""
    if "actor" not in g:
        # First nobody: should the look-up fail, the page that says so asks again.
        g.actor = visitor(guarded=current_app.extensions["guarded"])
        shown = request.cookies.get(cookie())
        if g.actor.guarded and shown:
            g.actor = visitor(guarded=True, key=access().who(shown))
    return cast("Visitor", g.actor)


def cookie() -> str:
    """Name the session's cookie at the port that was asked: two sites on one machine are two tables."""
    _, colon, port = request.host.rpartition(":")
    return f"{COOKIE}-{port}" if colon and _PORT.fullmatch(port) else COOKIE


def access() -> Access:
    """Give the keys of the store that this site shows."""
    return cast("Access", current_app.extensions["tabletape"].access)


def _turn_away() -> None:
    """Turn away who may not use the page, as far as that can be told before a game is opened.

    Errors:  `KeyNeeded`, `TableKeyNeeded`.
    """
    declared = policy.asked()
    if request.routing_exception is not None or declared.who == policy.ANYBODY:
        return
    if request.method not in {"GET", "HEAD", "OPTIONS"} and not actor().may_write:
        policy.give_room()
        raise KeyNeeded(request.form.get("text") or request.form.get("typed", ""))
    if declared.who.needs == "a table key" and not actor().sees_all:
        raise TableKeyNeeded(declared.who.what)


# --- wrong keys --------------------------------------------------------------------------------------

FREE: Final = 5
"""Wrong keys from one address before it has to wait."""
LONGEST: Final = 300
"""Seconds that it waits at most."""
QUIET: Final = 3600
"""Seconds after which its wrong keys are forgotten."""
ADDRESSES: Final = 4096
"""Addresses that are remembered."""


@dataclass
class _Tries:
    wrong: int = 0
    until: float = 0.0
    last: float = 0.0


class TooManyTries(NamedTuple):
    """A key that was not looked at, since too many wrong ones came from there before it."""

    seconds: int
    """After so many it will be."""


class Attempts:
    """Slows down who tries keys: they are told when to come again, and nobody else is.

    A key is too long to be found by many together, so there is no limit for all: some of them could use it up
    and keep out those who have a key.
    Keys are looked at one after the other, so that tries at the same time gain nothing and only wrong ones
    count.  A right key takes none of them back: whoever has one could go on trying others for ever.
    Those who are signed in are not slowed down.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._turn = Lock()
        self._tries: Cache[str, _Tries] = Cache(ADDRESSES)

    def look(self, address: str, key: Callable[[], Found | None]) -> Found | TooManyTries | None:
        """Give what `key` finds, None where that is nothing; or say why it was not asked."""
        with self._turn:
            now = self._clock()
            mine = self._of(network(address), now)
            if now < mine.until:
                return TooManyTries(ceil(mine.until - now))
            found = key()
            if found is None:
                _wrong(mine, now)
            return found

    def _of(self, place: str, now: float) -> _Tries:
        mine = self._tries.made(place, lambda: _Tries(last=now))
        if now - mine.last > QUIET:
            mine.wrong = 0
        return mine


def _wrong(mine: _Tries, now: float) -> None:
    mine.wrong += 1
    mine.last = now
    if mine.wrong >= FREE:
        mine.until = now + min(2.0 ** min(mine.wrong - FREE, 30), LONGEST)


def network(address: str) -> str:
    """Name who is slowed down: an address; of IPv6 the network, in which one machine has as many as it likes.

    >>> network("192.168.1.7"), network("2001:db8::1:2:3:4")
    ('192.168.1.7', '2001:db8::/64')
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or ip_network((found, 64), strict=False))
    return str(found)
