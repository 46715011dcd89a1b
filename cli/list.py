"""The games of the database."""

from __future__ import annotations

import click

from cli._options import Whole, Word, command
from cli._shell import Shell, print_json, tell
from cli._views import entry_json, print_entries


@command("Look", "list")
@click.option("--ruleset", type=Word(), help="Only games of this ruleset.")
@click.option("--player", metavar="NAME", type=Word(), help="Only games with this player.")
@click.option(
    "--origin",
    type=click.Choice(["table", "dealt", "simulated"]),
    help="Only games of this origin; simulated ones are left out else.",
)
@click.option("--all", "hidden", is_flag=True, help="Hidden games too.")
@click.option("-n", "limit", metavar="N", type=Whole(1), help="At most so many.")
def command_list(
    shell: Shell, ruleset: str | None, player: str | None, origin: str | None, hidden: bool, limit: int | None
) -> None:
    """List the games, the newest first."""
    with shell.reading() as tape:
        entries = tape.catalogue.list(
            ruleset=ruleset, player=player, origin=origin, hidden=hidden, limit=limit
        )
    if shell.json:
        print_json([entry_json(entry) for entry in entries])
    elif entries:
        print_entries(entries)
    else:
        tell("No game fits. `tabletape new` starts one.")
