"""Sample games to look at, on a database of their own."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Final

import click

from cli.commands.serve import EVERYWHERE, HOST, PORT, listening, run
from cli.shell.options import Whole, command
from cli.shell.output import Shell, tell
from cli.shell.refusals import ShellRefusal
from games.words import counted

if TYPE_CHECKING:
    import socket

    from eventstore.store import Store

DEMO_DATABASE: Final = "tabletape-demo.db"
"""Never the user's own: neither `tabletape.db` nor `$TABLETAPE_DB`."""
ENDING: Final = ".tape.jsonl"


@command("Start")
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=PORT,
    show_default=True,
    help="Another one if it is taken.",
)
@click.option("--lan", is_flag=True, help="Let the phones in this network in, as `serve --lan`.")
@click.option("--load-only", is_flag=True, help="Load the games and stop.")
def demo(shell: Shell, port: int, lan: bool, load_only: bool) -> None:
    """Load a handful of recorded games of all five titles and serve them.

    They lie in a database of their own, ./tabletape-demo.db unless --db names another; a second run adds
    nothing.
    """
    if not shell.explicit:
        shell.db = DEMO_DATABASE
    if load_only:
        with shell.writing(create=True) as store:
            shell.answer({"games": _load(store), "db": shell.db}, shell.db)
        return
    with _free(EVERYWHERE[0] if lan else HOST, port) as taken, shell.writing(create=True) as store:
        games = _load(store)
        tell(f"{counted(len(games), 'sample game')}; in the terminal: tabletape --db {shell.db} list")
        run(shell, store, taken)


def _load(store: Store) -> list[str]:
    """Bring the samples in; one that is here already and was another in an older release stays that."""
    from eventstore.formats.record_file import import_records
    from eventstore.refusals import BadRecord

    found = {
        item.name.removesuffix(ENDING): item
        for item in (files("cli") / "samples").iterdir()
        if item.name.endswith(ENDING)
    }
    for game, file in sorted(found.items()):
        try:
            import_records(store, [(file.name, file.read_bytes())])
        except BadRecord:
            if store.log.head(game) is None:
                raise
            tell(f"{game} is another game here than the sample of this release, and is left as it is.")
    return sorted(found)


def _free(host: str, port: int) -> socket.socket:
    """Take this port, or any other when it is taken."""
    try:
        return listening(host, port)
    except ShellRefusal:
        taken = listening(host, 0)
        tell(f"Port {port} cannot be used; the pages are on port {taken.getsockname()[1]} instead.")
        return taken
