"""Take a game out of the lists."""

from __future__ import annotations

import click

from cli.shell.answers import expect
from cli.shell.options import GAME, command
from cli.shell.output import Shell
from cli.shell.views import entry_json


@command("Record", corrects=True)
@GAME
@click.option("--show", is_flag=True, help="Bring a hidden game back.")
def hide(shell: Shell, game: str, show: bool, after: int | None) -> None:
    """Leave GAME out of the lists; `list --all` still has it."""
    with shell.writing() as store:
        found = store.catalogue.resolve(game)
        expect(store, found, after)
        store.hide(found, hidden=not show)
        entry = store.catalogue.get(found)
    done = "is in the lists again" if show else f"is hidden; `{shell.program} list --all` still has it"
    shell.answer(entry_json(entry), f"{found} {done}.")
