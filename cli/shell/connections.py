"""Limits on open connections: one machine that opens many, or sends slowly, shuts nobody else out."""

from __future__ import annotations

import logging
from collections import Counter, deque
from contextlib import suppress
from enum import Enum
from functools import partial
from ipaddress import IPv6Address, ip_address
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from waitress.channel import HTTPChannel
from waitress.server import create_server

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterable
    from wsgiref.types import WSGIApplication

SHARES: Final = 4
"""One address may hold one part in this many of all connections."""
FILES: Final = 2
"""Open files that one connection may need: its socket, and a long body or answer kept on disk."""
HEAD_SIZE: Final = 32 * 1024
"""Bytes that the head of a request may have."""
WATERMARK: Final = 1024**3
"""Bytes of an answer that wait for their reader without holding a thread: more than any answer has."""
SPARE: Final = 100
"""Waitress stops accepting so far beyond our own limit, which closes connections instead."""
NETWORK: Final = 64
"""Bits of an IPv6 address that count: a machine picks the others as it likes."""


class Limits(NamedTuple):
    """How many connections may be open, and how many seconds each step of one may take.

    The first three times count from when the connection was opened or its last answer was sent, whatever
    is sent meanwhile, so that single bytes gain nothing.
    """

    most: int = 1_000
    """Connections at once."""
    share: int = 1_000 // SHARES
    """Connections at once of one address."""
    silent: float = 30
    """Until the first byte of a request."""
    head: float = 40
    """Until the end of its head."""
    body: float = 160
    """Until the end of its body: a phone that sends a card file of 2 MB needs 140 kbit/s."""
    answer: float = 300
    """From when an answer is written until it was read."""

    def fitted(self, *, shared: bool) -> Limits:
        """Fit the numbers to what the system allows; with `shared`, an address gets only its share."""
        most = min(self.most, room(self.most))
        return self._replace(most=most, share=max(1, most // SHARES) if shared else most)


def room(wanted: int) -> int:
    """Raise the limit on open files as far as `wanted` connections need; give how many have room."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = FILES * wanted
    if soft == resource.RLIM_INFINITY or soft >= files:
        return wanted
    more = files if hard == resource.RLIM_INFINITY else min(files, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
        soft = more
    return max(1, soft // FILES)


class Stage(Enum):
    """What a connection waits for."""

    SILENT = "silent"
    HEAD = "head"
    BODY = "body"
    SERVED = "served"
    """For us: no time limit."""
    ANSWER = "answer"


class Connection(HTTPChannel):
    """A connection that counts among those of its address, and is closed when a step takes too long.

    Everything here but `service` runs on the one thread that polls all connections.
    """

    def __init__(
        self,
        server: Any,
        sock: socket.socket,
        addr: Any,
        adj: Any,
        map: Any = None,  # noqa: A002 - waitress passes it by name
        *,
        limits: Limits,
        clock: Callable[[], float],
    ) -> None:
        self.limits = limits
        self.clock = clock
        self.who = who(addr[0])
        self.since = clock()
        self._served = 0
        self._turn: tuple[int, Stage | None] = (0, None)
        super().__init__(server, sock, addr, adj, map=map)
        make_room(server.active_channels.values(), self.who, limits)

    def readable(self) -> bool:
        """Close what is late or was given up: every connection is asked this at least once a second.

        Waitress alone closes only when it can send: never, where the client does not read.
        """
        if self.will_close or self.is_late():
            self.handle_close()
        return self.connected and super().readable()

    def writable(self) -> bool:
        """Ask for nothing once closed: the next connection may already have the number of this one."""
        return self.connected and super().writable()

    def service(self) -> None:
        """Count the requests served: a short one may begin and end between two looks at the time."""
        self._served += 1
        super().service()

    def is_late(self) -> bool:
        """Tell whether the step that this connection is in takes too long."""
        stage, now = self.stage(), self.clock()
        # A request counts as one turn from silence to the end of its body: no step of it starts anew.
        turn = (self._served, stage if stage in {Stage.SERVED, Stage.ANSWER} else None)
        if turn != self._turn:
            self._turn, self.since = turn, now
        return stage is not Stage.SERVED and now - self.since > getattr(self.limits, stage.value)

    def stage(self) -> Stage:
        """Tell what the connection waits for."""
        if self.requests:
            return Stage.SERVED
        if self.total_outbufs_len:
            return Stage.ANSWER
        if (request := self.request) is None:
            return Stage.SILENT
        return Stage.BODY if request.headers_finished else Stage.HEAD


class Turns:
    """The connections whose requests wait for a thread: addresses take turns, however many each sends."""

    def __init__(self) -> None:
        self._of: dict[str, deque[Connection]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def append(self, one: Connection) -> None:
        """Put a connection after the others of its address."""
        self._of.setdefault(one.who, deque()).append(one)

    def popleft(self) -> Connection:
        """Take the first connection of the address whose turn it is, which then has the last turn."""
        address, waiting = next(iter(self._of.items()))
        del self._of[address]
        first = waiting.popleft()
        if waiting:
            self._of[address] = waiting
        return first


def who(address: str) -> str:
    """Give what counts as one address: an IPv4 address, or the network of an IPv6 address.

    >>> who("192.168.1.7"), who("::ffff:192.168.1.7"), who("2001:db8::1:2:3:4"), who("fe80::1%eth0")
    ('192.168.1.7', '192.168.1.7', '2001:db8::', 'fe80::')
    """
    found = ip_address(address.partition("%")[0])
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Address(int(found) >> NETWORK << NETWORK))


def make_room(connections: Iterable[Connection], newest: str, limits: Limits) -> None:
    """Close one connection if there are too many: the new one gets in, and the longest waiting one goes.

    Of the new one's address where that has more than its share, otherwise of the address with the most.
    Nobody loses a request that is being served; where everything else is, the new connection goes.
    """
    of: Counter[str] = Counter()
    for one in (still := [one for one in connections if not one.will_close]):
        of[one.who] += 1
    if of[newest] > limits.share:
        payer = newest
    elif len(still) > limits.most:
        payer = of.most_common(1)[0][0]
    else:
        return
    idle = [one for one in still if one.who == payer and not one.requests]
    if idle:
        min(idle, key=lambda one: one.since).will_close = True


def server(
    app: WSGIApplication,
    taken: socket.socket,
    *,
    threads: int,
    longest: int,
    limits: Limits,
    clock: Callable[[], float] = monotonic,
) -> Any:
    """Make the server of an address that was taken; it takes bodies of up to `longest` bytes."""
    options: dict[str, Any] = {
        "threads": threads,
        "connection_limit": limits.most + SPARE,
        "channel_timeout": round(limits.silent),
        "cleanup_interval": 10,
        "asyncore_use_poll": True,
        "max_request_header_size": HEAD_SIZE,
        "max_request_body_size": longest,
        "outbuf_high_watermark": WATERMARK,
        # The look ahead tells a stream that nobody reads it any more.
        "channel_request_lookahead": 1,
    }
    made: Any = create_server(app, sockets=[taken], **options)
    # A line for each request that waits would scroll the address and its code away.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    made.task_dispatcher.queue = Turns()
    made.channel_class = partial(Connection, limits=limits, clock=clock)
    return made
