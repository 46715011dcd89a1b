"""The games of the database."""

from __future__ import annotations

import sys

import click

from cli._counts import simulated
from cli._options import Whole, Word, command
from cli._shell import Shell, brief, print_json, tell
from cli._views import entry_json, print_entries


@command("Look", "list")
@click.option("--ruleset", type=Word(), help="Only games of this ruleset.")
@click.option("--player", metavar="NAME", type=Word(), help="Only games with this player.")
@click.option(
    "--origin",
    type=click.Choice(["table", "dealt", "simulated"]),
    help="Only games recorded at a table, dealt by Tabletape, or simulated, which are left out else.",
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
        made = simulated(tape) if sys.stdout.isatty() else frozenset()
    if shell.json:
        print_json([entry_json(entry) for entry in entries])
    elif entries:
        print_entries(entries)
    else:
        tell(_none(ruleset, origin))
    if not shell.json and origin is None and sys.stdout.isatty() and made:
        tell(f"and {len(made):,} simulated: tabletape list --origin simulated")


def _none(ruleset: str | None, origin: str | None) -> str:
    """Say why nothing is listed, and what would be."""
    if ruleset is not None:
        from games.registry import installed

        known = installed().newest()
        if ruleset not in known:
            return f"No ruleset is called {brief(ruleset)}; installed are {', '.join(known)}."
    begins = "simulate RULESET --save" if origin == "simulated" else "new"
    return f"No game fits. `tabletape {begins}` starts one."
