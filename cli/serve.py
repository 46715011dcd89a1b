"""The pages, served to this machine or to the phones at the table."""

from __future__ import annotations

import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cli._options import command
from cli._refusals import Refused
from cli._shell import Shell

if TYPE_CHECKING:
    from eventstore.tabletape import Tabletape

HOST: Final = "127.0.0.1"
PORT: Final = 8765
THREADS: Final = 16
EVERYWHERE: Final = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to


@command("Serve")
@click.option("--host", default=HOST, show_default=True, help="0.0.0.0 lets the phones at the table in.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: any free one."
)
@click.option(
    "--threads", type=click.IntRange(1, 256), default=THREADS, show_default=True, help="Requests at once."
)
def serve(shell: Shell, host: str, port: int, threads: int) -> None:
    """Serve the pages of the database until Ctrl+C.

    The address is printed as soon as it can be opened.
    """
    there = Path(shell.db).exists()
    with listening(host, port) as taken, shell.reading() if there else shell.writing(create=True) as tape:
        run(shell, tape, taken, threads=threads)


def listening(host: str, port: int) -> socket.socket:
    """Take an address before anything else is done.

    Errors:  `Refused` `cannot-listen`.
    """
    try:
        family, _, _, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(where[:2], family=family)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise Refused(
            "cannot-listen",
            f"Nothing can be served on {host}, port {port}: {why}; --port 0 takes a free one.",
        ) from None


def run(shell: Shell, tape: Tabletape, taken: socket.socket, *, threads: int = THREADS) -> None:
    """Say where, then serve until Ctrl+C or a request to end."""
    from waitress.server import create_server

    from replay_web import create_app

    server: Any = create_server(create_app(tape), sockets=[taken], threads=threads)
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        url = address(taken)
        shell.answer({"url": url, "db": shell.db}, f"Tabletape is at {url}  (Ctrl+C ends it)")
        server.run()
    finally:
        signal.signal(signal.SIGTERM, before)
        server.close()


def _interrupt(_number: int, _frame: Any) -> None:
    raise KeyboardInterrupt


def address(taken: socket.socket) -> str:
    """Write the address to open; where every address is served, this machine's own name for itself.

    >>> with listening("127.0.0.1", 0) as taken:
    ...     address(taken).startswith("http://127.0.0.1:")
    True
    """
    host, port = taken.getsockname()[:2]
    if host in EVERYWHERE:
        host = HOST
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
