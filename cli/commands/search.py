"""Find games by what was written about them."""

from __future__ import annotations

import click

from cli.shell.options import Word, command
from cli.shell.output import Shell, brief, print_json, tell
from cli.shell.views import entry_json, print_entries


@command("Look")
@click.argument("text", type=Word())
@click.option("--variations", is_flag=True, help="Variations of other games too.")
def search(shell: Shell, text: str, variations: bool) -> None:
    """Find games by names, title, place or notes."""
    with shell.listing() as games:
        entries = games.search(text, variations=variations)
    if shell.json:
        print_json([entry_json(entry) for entry in entries])
    elif entries:
        print_entries(entries)
    else:
        tell(f"No game has {brief(text)}.")
