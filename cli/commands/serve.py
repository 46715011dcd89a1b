"""The pages, served to this machine or to the phones at the table."""

from __future__ import annotations

import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from cli.shell.options import Whole, Word, command
from cli.shell.output import Shell, columns, current, paint
from cli.shell.refusals import ShellRefusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eventstore.store import Store

HOST: Final = "127.0.0.1"
PORT: Final = 8765
THREADS: Final = 16
STREAMING: Final = 4
"""One thread of so many may be held by a page that is told of changes at once."""
ROOM: Final = 4
"""A form of up to this many times the limit is still read, to answer it with a page."""
EVERYWHERE: Final = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound to
HERE: Final = ("localhost", "127.0.0.1", "[::1]")
"""What this machine calls itself."""
ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address kept for documentation: asked the way there, the system names ours that leads out."""


@command("Serve", examples=("serve", "serve --lan"))
@click.option("--lan", is_flag=True, help="Let the phones in this network in; to write they need a key.")
@click.option(
    "--host",
    type=Word(),
    help=f"Listen on this address, else {HOST}; on any but this machine's own, keys are asked for.",
)
@click.option("--port", type=Whole(0, 65535), default=PORT, show_default=True, help="0: any free one.")
@click.option(
    "--called",
    metavar="NAME",
    type=Word(),
    multiple=True,
    help="Another name that the pages are reached under; may be repeated.",
)
@click.option("--threads", type=Whole(1, 256), default=THREADS, show_default=True, help="Requests at once.")
def serve(
    shell: Shell, lan: bool, host: str | None, port: int, called: tuple[str, ...], threads: int
) -> None:
    """Serve the pages of the database until Ctrl+C.

    The address is printed as soon as it can be opened. Without --lan only this machine reaches the pages,
    and nobody is asked for anything. With it, a code for the phones' cameras is printed too, who can see
    what, and, the first time, the table key: anybody in the network can look, nobody can write without a
    key. `tabletape key` makes more keys, and takes them back.

    At most 1,000 connections are open at once. With --lan, one address may hold a quarter of them. A request
    that arrives too slowly is closed: its head may take 40 seconds, its body 160.
    """
    there = Path(shell.db).exists()
    listen = host or (EVERYWHERE[0] if lan else HOST)
    with listening(listen, port) as taken, shell.reading() if there else shell.writing(create=True) as store:
        run(shell, store, taken, threads=threads, called=called)


def listening(host: str, port: int) -> socket.socket:
    """Take an address before anything else is done.

    Errors:  `Refused` `cannot-listen`; `BadClock`, for connections are timed.
    """
    from eventstore.log.contract import now

    now()
    try:
        family, _, _, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(where[:2], family=family)
    except (OSError, UnicodeError) as error:
        # A name that no network has is found out while it is written for the network.
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise ShellRefusal(
            "cannot-listen",
            f"Nothing can be served on {host}, port {port}: {why}; --port 0 takes a free one.",
        ) from None


def run(
    shell: Shell,
    store: Store,
    taken: socket.socket,
    *,
    threads: int = THREADS,
    called: Sequence[str] = (),
) -> None:
    """Say where, then serve until Ctrl+C or a request to end."""
    from cli.shell.connections import Limits, server
    from replay_web import create_app
    from replay_web.http.policy import LONGEST_DATA, LONGEST_FORM

    guarded = is_open(taken)
    url = address(taken)
    app = create_app(
        store, hosts=names(taken, called), guarded=guarded, streams=threads // STREAMING, address=url
    )
    listener = server(
        app,
        taken,
        threads=threads,
        longest=ROOM * (LONGEST_DATA + LONGEST_FORM),
        limits=Limits().fitted(shared=guarded),
    )

    def end(_number: int, _frame: Any) -> None:
        app.extensions["streams"].end()
        raise KeyboardInterrupt

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        said = f"Tabletape is at {url}  (Ctrl+C ends it)"
        if guarded:
            key, missing = _first_key(store)
            text = "\n".join((said, "", *invitation(url, key, read_only=store.read_only, missing=missing)))
            shell.answer({"url": url, "db": shell.db, "key": key}, text)
        else:
            shell.answer({"url": url, "db": shell.db}, said)
        listener.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        listener.close()


def is_open(taken: socket.socket) -> bool:
    """Tell whether others than this machine can reach what listens there.

    >>> with listening("127.0.0.1", 0) as taken:
    ...     is_open(taken)
    False
    """
    from ipaddress import ip_address

    return not ip_address(taken.getsockname()[0].partition("%")[0]).is_loopback


def names(taken: socket.socket, called: Sequence[str] = ()) -> list[str]:
    """Give the names that the site answers to; where others reach it, addresses in digits are taken too."""
    host = taken.getsockname()[0]
    own = [f"[{host}]" if ":" in host else host]
    if is_open(taken):
        name = socket.gethostname()
        own += [name, f"{name.removesuffix('.local')}.local"]
    return list(dict.fromkeys((*HERE, *own, *called)))


def address(taken: socket.socket) -> str:
    """Write the address to open; where every address is served, the one that leads into the network.

    >>> with listening("127.0.0.1", 0) as taken:
    ...     address(taken).startswith("http://127.0.0.1:")
    True
    """
    host, port = taken.getsockname()[:2]
    if host in EVERYWHERE:
        host = outward()
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def outward() -> str:
    """Give this machine's address in its network, its own where it is in none; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ELSEWHERE)
        except OSError:
            return HOST
        return str(probe.getsockname()[0])


# --- inviting the phones -----------------------------------------------------------------------------


def _first_key(store: Store) -> tuple[str | None, str]:
    """Make the table key if there is none yet; an older one was shown once and is kept nowhere.

    Gives:   the key, and why there is none where the disk takes none: the pages can be read without one.
    """
    from eventstore.errors import StorageFault

    if store.read_only or any(key.seat is None for key in store.access.list()):
        return None, ""
    try:
        return store.access.add()[1], ""
    except StorageFault as fault:
        return None, str(fault)


def invitation(url: str, key: str | None, *, read_only: bool, missing: str = "") -> Iterator[str]:
    """Say how to get in, and who can see what: the code, the key, the rules.

    `missing` says why there is no key.
    """
    from textwrap import wrap

    from replay_web.http.access import WHO_SEES_WHAT

    yield from code(f"{url}sign-in#key={key}" if key else url)
    yield ""
    if key:
        yield f"Table key: {paint(key, bold=True)}"
        yield from wrap("The code holds the key, and both are shown this once.", columns())
    elif missing:
        again = f"`{current().program} key add` makes one once there is room, also while this runs."
        yield from wrap(f"{missing} {again}", columns())
    elif read_only:
        yield from wrap("The database is read-only: everybody can look, and nobody can write.", columns())
    else:
        again = f"`{current().program} key add NAME` makes another, also while this runs."
        yield from wrap(
            f"The code holds the address alone; the table key was shown when it was made. {again}", columns()
        )
    yield ""
    for sentence in WHO_SEES_WHAT:
        yield from wrap(sentence, columns(), initial_indent="- ", subsequent_indent="  ")


def code(text: str) -> Iterator[str]:
    """Draw a QR code in half blocks, black on white whatever the terminal's own colours are."""
    from io import StringIO

    import segno

    drawn = StringIO()
    segno.make(text, error="l", micro=False).terminal(drawn, border=2, compact=True)
    *lines, last = drawn.getvalue().splitlines()
    for line in lines:
        yield paint(line, fg=231, bg=16)
    yield paint(last, fg=231)  # the lower half lies outside the code
