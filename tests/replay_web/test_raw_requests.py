"""Bytes that are hardly HTTP, sent to the served site: the server answers with a refusal or hangs up."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import pytest

from eventstore.store import Store
from tests.replay_web.samples import fill, registry

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE: Final = 60
SILENCE: Final = 0.5
"""Seconds without a byte after which no more is awaited: the server may wait for the rest of a request."""
AT_ONCE: Final = 24
SEED: Final = os.environ.get("TABLETAPE_SEED", "1")
SPOILED: Final = 200
END: Final = b"\r\n\r\n"
HOST: Final = b"\r\nHost: localhost"
LINES: Final = (
    b"GET", b"GET /", b"GET / HTTP", b"GET / HTTP/9.9", b"GET / HTTP/1.1 x", b" GET / HTTP/1.1",
    b"GET  /  HTTP/1.1",
    b"GET /\x00 HTTP/1.1", b"GET /\xff HTTP/1.1", b"GET /%00 HTTP/1.1", b"GET /games?text=\x00 HTTP/1.1",
    b"GET /games?text=\xff\xfe HTTP/1.1", b"GET http://[ HTTP/1.1", b"GET http://[/games HTTP/1.1",
    b"GET * HTTP/1.1",
    b"GET http://elsewhere.example/games HTTP/1.1", b"GET //[/games HTTP/1.1", b"GET /games#x HTTP/1.1",
    b"CONNECT localhost:1 HTTP/1.1", b"OPTIONS * HTTP/1.1", b"TRACE / HTTP/1.1", b"get / HTTP/1.1",
    b"\x16\x03\x01\x02",
    b"PRI * HTTP/2.0", b"FOO /games HTTP/1.1", b"GET /" + b"a" * 9_000 + b" HTTP/1.1",
    b"GET ?text=1 HTTP/1.1",
    b"GET games HTTP/1.1", b"GET /../../etc/passwd HTTP/1.1", b"GET /games\tHTTP/1.1", b"GET /;x=[ HTTP/1.1",
    "GET /games/star/steps/٣ HTTP/1.1".encode(), b"HEAD /games/star/steps/3 HTTP/1.0", b"GET /games HTTP/1.0",
)  # fmt: skip
HEADS: Final = (
    b"Host: [", b"Host: a..b", b"Host: xn--a", b"Host: localhost\r\nHost: elsewhere", b"Host:", b"Host",
    b": x",
    b"Host: localhost\r\n folded: x", b"X: a\r\n b\r\n\tc", b"X : a", b"X\x00: a", b"X: a\x00b",
    b"X: \xff\xfe", b"X: a\rb",
    b"X: a\nY: b", b"Referer: http://[", b"Origin: http://[", b"Cookie: tabletape=\x01", b"Cookie: =;;;",
    b"Range: bytes=a",
    b"Content-Length: -1", b"Content-Length: 1, 2", b"Content-Length: \xd9\xa3", b"Content-Length: 1_0",
    b"Content-Length: +1",
    b"Content-Length: 99999999999999999999", b"Content-Length: 3\r\nContent-Length: 4",
    b"Expect: 100-continue", b"Expect: x",
    b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked\r\nContent-Length: 3",
    b"Transfer-Encoding: chunked, chunked",
    b"Connection: x", b"Accept: */*;q=1e400", b"If-Modified-Since: Fri, 31 Dec 99999 23:59:59 GMT",
    b"X: " + b"a" * 300_000,
    b"\r\n".join(b"X%d: a" % number for number in range(3_000)), b"Last-Event-ID: \xb2",
    b"Sec-Fetch-Site: same-origin",
)  # fmt: skip
BODIES: Final = (
    b"", b"zz\r\n", b"-1\r\n", b"3\r\nabc\r\n", b"3\r\nabcdef\r\n0\r\n\r\n", b"0\r\nX: [\r\n\r\n",
    b"0x3\r\nabc\r\n0\r\n\r\n",
    b"3;a=\x00\r\nabc\r\n0\r\n\r\n", b"FFFFFFFFFFFFFFFF\r\na", b"3\nabc\n0\n\n", b"key=\xff&text=%00",
    b"{" * 200,
    "٣\r\nabc\r\n0\r\n\r\n".encode(),
)  # fmt: skip
MAY_BE: Final = frozenset({501})
"""What the server itself says about a `Transfer-Encoding` that it does not know, as RFC 9112 asks for."""


class Served(NamedTuple):
    """A server, and where it writes its log."""

    where: tuple[str, int]
    process: subprocess.Popen[str]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with Store.open(folder / "games.db", registry=registry()) as store:
        fill(store)
    command = "from cli import main; main(prog_name='tabletape')"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "--db", str(folder / "games.db"), "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with process:
        try:
            assert process.stdout is not None
            home = urlsplit(process.stdout.readline().split()[3])
            yield Served((str(home.hostname), int(home.port or 0)), process)
        finally:
            process.kill()


def answers(served: Served, sent: bytes) -> list[int]:
    """Send bytes and give the status of each answer; none where the server waits for more, or hangs up."""
    got = b""
    # To say that no more will come would end the request: the server takes it for a reader who left.
    with socket.create_connection(served.where, timeout=PATIENCE) as connection, suppress(OSError):
        connection.sendall(sent)
        connection.settimeout(SILENCE)
        while part := connection.recv(65536):
            got += part
    assert b"Traceback" not in got, sent[:500]
    return [int(status) for status in re.findall(rb"(?:^|\n)HTTP/1\.[01] (\d{3})", got)]


def no_fault(served: Served, requests: Iterable[bytes]) -> Counter[int]:
    """Send each request over a connection of its own, many at a time, and count what was answered."""
    every = list(requests)
    found: Counter[int] = Counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for sent, statuses in zip(every, pool.map(partial(answers, served), every), strict=True):
            found.update(statuses)
            for status in statuses:
                assert status < 500 or status in MAY_BE, (status, sent[:1_000])
    return found


def test_no_first_line_is_a_fault(served: Served) -> None:
    ends = (HOST + END, END, b"\n\n", b"\r\r", b"")
    found = no_fault(served, (line + end for line in LINES for end in ends))
    assert {200, 302, 400, 404, 405} <= found.keys()


def test_no_header_is_a_fault(served: Served) -> None:
    found = no_fault(served, (b"GET /sign-in HTTP/1.1" + HOST + b"\r\n" + head + END for head in HEADS))
    assert {200, 400, 431} <= found.keys()
    form = b"POST /games/star/notes HTTP/1.1" + HOST + b"\r\n"
    found = no_fault(served, (form + head + END + body for head in HEADS for body in BODIES[::4]))
    assert {400, 403, 501} <= found.keys()


def test_no_body_in_pieces_is_a_fault(served: Served) -> None:
    head = b"\r\nTransfer-Encoding: chunked\r\nSec-Fetch-Site: same-origin\r\nContent-Type: "
    kinds = (b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=3")
    form = b"POST /games/star/notes HTTP/1.1" + HOST + head
    found = no_fault(served, (form + kind + END + body for kind in kinds for body in BODIES))
    assert 400 in found


def test_no_mixture_is_a_fault(served: Served) -> None:
    rng = random.Random(SEED)  # noqa: S311 - seeded on purpose
    found = no_fault(served, (mixed(rng) for _ in range(SPOILED)))
    assert 400 in found


def mixed(rng: random.Random) -> bytes:
    """Put a request together of any of the parts, and spoil some of them once more."""
    heads = rng.sample(HEADS, rng.randrange(4))
    sent = rng.choice((b"\r\n", b"\r\n", b"\n")).join((rng.choice(LINES), b"Host: localhost", *heads))
    sent += END + rng.choice(BODIES)
    cut = rng.randrange(len(sent))
    return sent if rng.random() < 0.7 else sent[:cut] + rng.randbytes(3) + sent[cut:]


def test_nothing_was_logged_and_the_server_still_answers(served: Served) -> None:
    """Comes last: the log holds all that the others sent."""
    assert answers(served, b"GET /healthz HTTP/1.1" + HOST + END) == [200]
    served.process.send_signal(signal.SIGTERM)
    _, complaint = served.process.communicate(timeout=PATIENCE)
    assert served.process.returncode == 0
    assert "Traceback" not in complaint, complaint[-3_000:]
