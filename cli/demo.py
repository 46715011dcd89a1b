"""Sample games to look at, on a database of their own."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

import click

from cli._options import Whole, command
from cli._refusals import Refused
from cli._shell import Shell, tell
from cli.serve import HOST, PORT, listening, run

if TYPE_CHECKING:
    import socket

    from eventstore.tabletape import Tabletape

DEMO_DATABASE: Final = "tabletape-demo.db"
"""Never the user's own: neither `tabletape.db` nor `$TABLETAPE_DB`."""


@command("Start")
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=PORT,
    show_default=True,
    help="Another one if it is taken.",
)
@click.option("--load-only", is_flag=True, help="Load the games and stop.")
def demo(shell: Shell, port: int, load_only: bool) -> None:
    """Load a handful of recorded games of all five titles and serve them.

    They lie in a database of their own, ./tabletape-demo.db unless --db names another; a second run adds
    nothing.
    """
    if not shell.explicit:
        shell.db = DEMO_DATABASE
    if load_only:
        with shell.writing(create=True) as tape:
            shell.answer({"games": _load(tape), "db": shell.db}, shell.db)
        return
    with _free(port) as taken, shell.writing(create=True) as tape:
        games = _load(tape)
        tell(f"{len(games)} sample games; in the terminal: tabletape --db {shell.db} list")
        run(shell, tape, taken)


def _load(tape: Tabletape) -> list[str]:
    from eventstore.exchange.tape import import_tapes

    found = sorted(
        (item.name, item.read_bytes())
        for item in (files("cli") / "samples").iterdir()
        if item.name.endswith(".tape.jsonl")
    )
    return [item.game for item in import_tapes(tape, found)]


def _free(port: int) -> socket.socket:
    """Take this port, or any other when it is taken."""
    try:
        return listening(HOST, port)
    except Refused:
        return listening(HOST, 0)
