"""Find games by what was written about them."""

from __future__ import annotations

import click

from cli._options import Word, command
from cli._shell import Shell, brief, print_json, tell
from cli._views import entry_json, print_entries


@command("Look")
@click.argument("text", type=Word())
def search(shell: Shell, text: str) -> None:
    """Find games by names, title, place or notes."""
    with shell.reading() as store:
        entries = store.catalogue.search(text)
    if shell.json:
        print_json([entry_json(entry) for entry in entries])
    elif entries:
        print_entries(entries)
    else:
        tell(f"No game has {brief(text)}.")
