"""Limits on connections: one machine that opens many, or sends and reads slowly, shuts nobody else out."""

from __future__ import annotations

import json
import os
import resource
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, Self

import pytest
from click.testing import CliRunner
from waitress.channel import HTTPChannel

from cli import main
from cli.commands.serve import listening
from cli.shell.connections import HEAD_SIZE, SHARES, Connection, Limits, Stage, server, who
from tests.needs import left_out

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60
"""Seconds after which a test gives up; on an idle machine none waits for more than a few."""
MANY = 1_000
PHONE, ATTACKER, OTHER = "127.0.0.1", "127.0.0.2", "127.0.0.3"
LONGEST = 100_000
BIG = 32 * 1024**2
"""Bytes of an answer that no buffer of the system takes."""

pytestmark = [left_out("Only Linux has more than one loopback address.")] if sys.platform != "linux" else []


# --- one server, polled by the test, its clock turned by hand ----------------------------------------------


class Table:
    """A server with one thread, whose time stands still unless it is moved."""

    def __init__(self, limits: Limits) -> None:
        self.now = 1_000.0
        self.limits = limits
        self.taken = listening("0.0.0.0", 0)  # noqa: S104 - a machine of its own address each
        self.port = self.taken.getsockname()[1]
        self.server = server(
            self.app, self.taken, threads=1, longest=LONGEST, limits=limits, clock=lambda: self.now
        )
        self.clients = ExitStack()
        self.served: list[str] = []
        self.gate = Event()

    def app(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer shortly, or when the gate is opened, or with far more than anybody reads."""
        big = environ["PATH_INFO"] == "/big"
        if environ["PATH_INFO"] == "/gate":
            self.gate.wait(PATIENCE)
        self.served.append(environ["REMOTE_ADDR"])
        length = BIG if big else 2
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(length))])
        return (bytes(1024**2) for _ in range(BIG // 1024**2)) if big else [b"ok"]

    def close(self) -> None:
        """End the server and all clients."""
        self.clients.close()
        self.gate.set()
        for connection in self.open():
            connection.handle_close()
        self.server.task_dispatcher.shutdown()
        self.server.close()

    def open(self) -> list[Connection]:
        """Give the connections that the server still has."""
        return list(self.server.active_channels.values())

    def poll(self, until: Callable[[], object]) -> None:
        """Let the server work until something holds."""
        end = monotonic() + PATIENCE
        while not until():
            assert monotonic() < end, f"not so: {[(one.who, one.stage()) for one in self.open()]}"
            self.server.asyncore.loop(timeout=0.01, map=self.server._map, use_poll=True, count=1)

    def turn(self) -> None:
        """Let the server look at every connection, and at what arrived."""
        rounds = count()
        self.poll(lambda: next(rounds) > 5)

    def connect(self, address: str = PHONE) -> socket.socket:
        """Open a connection from this address and see it accepted."""
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(PATIENCE)
        client.bind((address, 0))
        client.connect(("127.0.0.1", self.port))
        self.clients.callback(client.close)
        me = client.getsockname()
        seen: list[Connection] = []
        self.poll(lambda: seen or seen.extend(one for one in self.open() if one.addr == me))
        return client

    def answered(self, client: socket.socket, has: bytes = b"\r\n\r\nok") -> bool:
        """Read until the answer has come."""
        read = b""
        while has not in read:
            self.poll(lambda: is_readable(client))
            piece = client.recv(4096)
            assert piece, read
            read += piece
        return True

    def closed(self, client: socket.socket) -> bool:
        """Tell whether the server has closed this connection, as it sees itself."""
        return client.getsockname() not in [one.addr for one in self.open()]


def is_readable(client: socket.socket) -> bool:
    return bool(select.select([client], [], [], 0)[0])


@contextmanager
def table(**limits: float) -> Iterator[Table]:
    made = Table(Limits()._replace(**limits))
    try:
        yield made
    finally:
        made.close()


SLOW = {
    "nothing": (b"", b"", "silent"),
    "blank lines": (b"", b"\r\n\r\n", "silent"),
    "half a blank line": (b"\r\n", b"", "head"),
    "a head": (b"GET / HTTP/1.1\r\nX: ", b"x", "head"),
    "a body": (b"POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n", b"x", "body"),
    "a body in chunks": (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", "body"),
    "the length of a chunk": (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"0", "body"),
}


@pytest.mark.parametrize("how", SLOW)
@pytest.mark.parametrize("before", [0, 3], ids=["first request", "fourth request"])
def test_a_request_that_trickles_is_closed_when_its_time_is_over(how: str, before: int) -> None:
    begins, more, limit = SLOW[how]
    with table() as at:
        seconds = getattr(at.limits, limit)
        client = at.connect()
        for _ in range(before):
            at.now += 20
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert at.answered(client)
        at.turn()
        client.sendall(begins)
        for _ in range(10):
            at.now += (seconds - 1) / 10
            client.sendall(more)
            at.turn()
            assert not at.closed(client)
        at.now += 2
        at.poll(lambda: at.closed(client))


def test_a_phone_that_takes_three_seconds_for_a_head_is_served() -> None:
    with table() as at:
        phone = at.connect()
        for piece in (b"GET /", b" HTTP/1.1\r\nHost", b": table", b"\r\n\r\n"):
            at.now += 1
            at.turn()
            phone.sendall(piece)
        assert at.answered(phone)


def test_a_phone_that_sends_a_card_file_for_two_minutes_is_served() -> None:
    with table() as at:
        phone = at.connect()
        phone.sendall(b"POST / HTTP/1.1\r\nContent-Length: 120\r\n\r\n")
        for _ in range(12):
            at.now += 10
            phone.sendall(b"x" * 10)
            at.turn()
        assert at.answered(phone)


def test_a_connection_in_use_stays_open_however_old_it_is() -> None:
    with table() as at:
        phone = at.connect()
        for _ in range(50):
            at.now += at.limits.silent - 1
            phone.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert at.answered(phone)


def test_an_answer_that_nobody_reads_holds_no_thread_and_is_closed_when_its_time_is_over() -> None:
    with table() as at:
        reader = at.connect(ATTACKER)
        reader.sendall(b"GET /big HTTP/1.1\r\n\r\n")
        phone = at.connect()
        phone.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert at.answered(phone), "the only thread is free again"
        at.turn()
        for _ in range(10):
            at.now += (at.limits.answer - 1) / 10
            at.turn()
            at.poll(lambda: is_readable(reader))
            assert reader.recv(1), "a byte a moment gains nothing"
            assert not at.closed(reader)
        at.now += 2
        at.poll(lambda: at.closed(reader))


def test_an_address_with_more_than_its_share_loses_the_connection_that_waits_longest() -> None:
    with table(share=3) as at:
        phone = at.connect(PHONE)
        first, *others = [at.connect(ATTACKER) for _ in range(3)]
        at.turn()
        assert not at.closed(first)
        at.now += 1
        first.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert at.answered(first)
        newest = at.connect(ATTACKER)
        at.turn()
        assert [at.closed(one) for one in (phone, first, *others, newest)].count(True) == 1
        assert at.closed(others[0]), "the first one was used since"
        assert at.connect(OTHER)
        assert len(at.open()) == 5


def test_a_connection_that_does_not_read_makes_room_as_well() -> None:
    with table(share=1) as at:
        reader = at.connect(ATTACKER)
        reader.sendall(b"GET /big HTTP/1.1\r\n\r\n")
        at.poll(lambda: at.open()[0].stage() is Stage.ANSWER)
        new = at.connect(ATTACKER)
        at.poll(lambda: at.closed(reader))
        assert not at.closed(new)


def test_a_request_that_is_being_served_is_never_closed_for_a_new_connection() -> None:
    with table(share=1) as at:
        old = at.connect(ATTACKER)
        at.open()[0].requests = ["a request"]
        new = at.connect(ATTACKER)
        at.poll(lambda: at.closed(new))
        assert not at.closed(old)
        at.open()[0].requests = []


def test_several_addresses_that_fill_the_site_lose_connections_before_anybody_else() -> None:
    with table(most=20, share=5) as at:
        phone = at.connect(PHONE)
        for number in range(2, 9):
            for _ in range(5):
                at.connect(f"127.0.0.{number}")
        at.turn()
        assert len(at.open()) == 20
        assert not at.closed(phone)
        late = at.connect(OTHER.replace("3", "99"))
        late.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert at.answered(late)


def test_addresses_take_turns_however_many_requests_each_sends() -> None:
    with table() as at:
        first, *others = [at.connect(ATTACKER) for _ in range(5)]
        phone = at.connect(PHONE)
        first.sendall(b"GET /gate HTTP/1.1\r\n\r\n")
        at.poll(lambda: at.server.task_dispatcher.active_count == 1)
        for client in (*others, phone):
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")
            at.turn()
        assert len(at.server.task_dispatcher.queue) == 5
        at.gate.set()
        at.poll(lambda: len(at.served) == 6)
        assert at.served == [ATTACKER, ATTACKER, PHONE, ATTACKER, ATTACKER, ATTACKER]


def test_a_head_and_a_body_without_end_are_refused() -> None:
    with table() as at:
        long_head = at.connect()
        long_head.sendall(b"GET / HTTP/1.1\r\nX: " + bytes(HEAD_SIZE).replace(b"\0", b"x"))
        assert at.answered(long_head, b"HTTP/1.0 431 Request Header Fields Too Large\r\n")
        long_body = at.connect()
        long_body.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (LONGEST + 1))
        assert at.answered(long_body, b"HTTP/1.1 413 Request Entity Too Large\r\n")


def test_all_addresses_of_an_ipv6_network_share() -> None:
    assert who("2001:db8:0:1::7") == who("2001:db8:0:1:ffff::1") != who("2001:db8:0:2::7")


def test_a_machine_alone_has_all_connections_and_a_network_shares_them() -> None:
    assert Limits().fitted(shared=False).share == Limits().most
    assert Limits().fitted(shared=True).share == Limits().most // SHARES
    assert Limits().share >= 14 * 7, "fourteen phones behind one router, six connections and a stream each"


def test_waitress_still_has_what_the_limits_are_built_on() -> None:
    with table() as at:
        at.connect()
        channel = at.open()[0]
        assert isinstance(channel, Connection), "the server makes its connections by `channel_class`"
        assert {"readable", "service"} <= vars(HTTPChannel).keys()
        assert (channel.requests, channel.request, channel.total_outbufs_len) == ([], None, 0)
        assert channel.will_close is False


# --- the command, attacked by a thousand connections -------------------------------------------------------


@pytest.fixture
def game(place: Path) -> str:
    """A game to look at, made without stopping the clock, which these tests watch."""
    wish = ["new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--id", "friday"]
    done = CliRunner().invoke(main, wish)
    assert done.exit_code == 0, done.stderr
    return "friday"


FAST = "import functools, cli.shell.connections as c; c.Limits = functools.partial(c.Limits, {}); "
COMMAND = "from cli import main; main(prog_name='tabletape')"


@contextmanager
def served(place: Path, *args: str, limits: str = "", files: str = "") -> Iterator[int]:
    """Run `serve --json` on a free port; `files` limits its open files, as `ulimit` does."""
    run = [sys.executable, "-c", FAST.format(limits) + COMMAND, "serve", "--port", "0", "--json", *args]
    shell = ["sh", "-c", f'{files or ":"}; exec "$@"', "sh", *run]
    with (
        (place / "stderr").open("w") as complaints,
        subprocess.Popen(
            shell,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            cwd=place,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        ) as process,
    ):
        try:
            assert process.stdout is not None
            yield int(json.loads(process.stdout.readline())["url"].split(":")[2].strip("/"))
            assert process.poll() is None
        finally:
            process.kill()
    assert not (place / "stderr").read_text(), "an attack fills no terminal"


class Attack:
    """Very many connections from one address."""

    def __init__(self, port: int, begins: bytes, more: bytes, addresses: Iterable[str] = (ATTACKER,)) -> None:
        self.port, self.begins, self.more = port, begins, more
        self.addresses = list(addresses)
        self.sockets: list[socket.socket] = []

    def __enter__(self) -> Self:
        for number in range(MANY):
            client = socket.socket()
            self.sockets.append(client)
            client.settimeout(PATIENCE)
            client.bind((self.addresses[number % len(self.addresses)], 0))
            client.connect(("127.0.0.1", self.port))
            client.settimeout(0)
            send(client, self.begins)
        return self

    def __exit__(self, *_: object) -> None:
        for client in self.sockets:
            client.close()

    def trickle(self) -> None:
        """Send one more piece on each connection."""
        for client in self.sockets:
            send(client, self.more)

    def open(self) -> int:
        """Count the connections that the server has not closed."""
        polled = select.poll()
        for client in self.sockets:
            polled.register(client, select.POLLRDHUP)
        return MANY - len(polled.poll(0))


def send(client: socket.socket, data: bytes) -> None:
    with suppress(OSError):
        client.send(data)


def get(port: int, path: str, source: str) -> bytes:
    """Ask for a page from this address."""
    client = HTTPConnection("127.0.0.1", port, timeout=PATIENCE / 2, source_address=(source, 0))
    try:
        client.request("GET", path)
        answer = client.getresponse()
        body = answer.read()
        assert answer.status == 200, body
        return body
    finally:
        client.close()


def everybody_is_served(port: int, game: str) -> None:
    assert json.loads(get(port, "/healthz", OTHER)) == {"ok": True}
    assert b"Ann" in get(port, f"/games/{game}/steps/0", PHONE)


GET = b"GET /games/friday%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
ATTACKS = {
    "send nothing": (b"", b""),
    "trickle a head": (b"GET /healthz HTTP/1.1\r\nX: ", b"x"),
    "send a head of a megabyte": (b"GET /healthz HTTP/1.1\r\nX: ", b"x" * 1024**2),
    "trickle a body": (b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n\r\n", b"x"),
    "open streams": (GET % b"/news/stream?since=1", b""),
    "never read the page": (GET % b"/steps/0", b""),
}


@pytest.fixture(autouse=True)
def _many_files() -> Iterator[None]:
    """Let this process open as many connections as an attack has."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 2 * MANY), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("how", ATTACKS)
def test_a_thousand_connections_of_one_machine_leave_the_others_served(
    how: str, place: Path, game: str
) -> None:
    with served(place, "--lan") as port, Attack(port, *ATTACKS[how]) as attack:
        everybody_is_served(port, game)
        for _ in range(5):
            attack.trickle()
            everybody_is_served(port, game)
        end = monotonic() + PATIENCE
        while attack.open() > Limits().share:
            assert monotonic() < end, f"{attack.open()} connections are still open"
            attack.trickle()
            everybody_is_served(port, game)
        assert b"Ann" in get(port, f"/games/{game}/steps/0", ATTACKER), (
            "a share is left to the machine itself"
        )


@pytest.mark.parametrize("how", ["send nothing", "trickle a head", "trickle a body"])
def test_a_thousand_connections_are_given_up_when_their_time_is_over(
    how: str, place: Path, game: str
) -> None:
    fast = "silent=3, head=3, body=3, answer=3"
    with served(place, "--lan", limits=fast) as port, Attack(port, *ATTACKS[how]) as attack:
        end = monotonic() + PATIENCE
        while attack.open() > 0:
            assert monotonic() < end, f"{attack.open()} connections are still open"
            attack.trickle()
            everybody_is_served(port, game)


def test_a_thousand_connections_of_five_addresses_leave_the_others_served(place: Path, game: str) -> None:
    addresses = [f"127.0.1.{number}" for number in range(5)]
    begins, more = ATTACKS["trickle a head"]
    with served(place, "--lan") as port, Attack(port, begins, more, addresses) as attack:
        for _ in range(5):
            attack.trickle()
            everybody_is_served(port, game)


@pytest.mark.parametrize("files", ["ulimit -Sn 256", "ulimit -n 256"], ids=["can be raised", "cannot"])
def test_the_limit_on_open_files_is_raised_or_else_kept(files: str, place: Path, game: str) -> None:
    with served(place, files=files) as port, Attack(port, *ATTACKS["trickle a head"], [PHONE]) as attack:
        for _ in range(5):
            attack.trickle()
            everybody_is_served(port, game)
        end = monotonic() + PATIENCE
        while attack.open() > (Limits().most if "S" in files else 128):
            assert monotonic() < end, f"{attack.open()} connections are still open"
            everybody_is_served(port, game)
        if "S" in files:
            assert attack.open() > MANY - 20, "this machine alone has all of them"
