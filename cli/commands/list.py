"""The games of the database."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from cli.shell.counts import simulated
from cli.shell.options import GameType, Whole, Word, command
from cli.shell.output import Shell, brief, print_json, tell
from cli.shell.views import entry_json, print_entries

if TYPE_CHECKING:
    from eventstore.library.catalogue import Catalogue


@command("Look", "list")
@click.option("--ruleset", type=Word(), help="Only games of this ruleset.")
@click.option("--player", metavar="NAME", type=Word(), help="Only games with this player.")
@click.option(
    "--origin",
    type=click.Choice(["table", "dealt", "simulated"]),
    help="Only games recorded at a table, dealt by Tabletape, or simulated, which are left out else.",
)
@click.option("--all", "hidden", is_flag=True, help="Hidden games too.")
@click.option("--variations", is_flag=True, help="Variations of other games too.")
@click.option("--of", "parent", metavar="GAME", type=GameType(), help="Only variations of this game.")
@click.option("-n", "limit", metavar="N", type=Whole(1), help="At most so many.")
def command_list(
    shell: Shell, ruleset: str | None, origin: str | None, parent: str | None, **asked: Any
) -> None:
    """List the games, the one played last first."""
    with shell.listing() as games:
        of = games.resolve(parent) if parent else None
        entries = games.list(ruleset=ruleset, origin=origin, of=of, **asked)
        made = simulated(games) if sys.stdout.isatty() else frozenset()
        none = "" if entries or shell.json else _none(games, ruleset, origin)
    if shell.json:
        print_json([entry_json(entry) for entry in entries])
    elif entries:
        print_entries(entries)
    elif of is not None:
        tell(f"No variation of {of} fits; `{shell.program} branch {of}@STEP` starts one.")
    else:
        tell(shell.typed(none))
    if entries and not shell.json and origin is None and of is None and made:
        tell(f"and {len(made):,} simulated: {shell.program} list --origin simulated")


def _none(games: Catalogue, ruleset: str | None, origin: str | None) -> str:
    """Say why nothing is listed, and what would be."""
    if ruleset is not None:
        from games.core.registry import installed

        known = installed().newest()
        if ruleset not in known:
            return f"No ruleset is called {brief(ruleset)}; installed are {', '.join(known)}."
    made = simulated(games)
    if origin == "simulated" and not made:
        return "No game fits. `tabletape simulate RULESET --save` makes some."
    if games.list(limit=1):
        return "No game fits; `tabletape list` lists those here."
    hidden = games.list(hidden=True, limit=1)
    if hidden:
        return f"All games here are hidden{' or simulated' * bool(made)}: `tabletape list --all`."
    if made:
        return "All games here are simulated: `tabletape list --origin simulated`."
    return "There is no game here. `tabletape new` starts one."
