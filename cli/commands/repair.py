"""A new database from a damaged one."""

from __future__ import annotations

from shlex import quote

import click

from cli.shell.options import FileName, command
from cli.shell.output import Shell, legible, plain, print_json
from cli.shell.progress import bar
from cli.shell.refusals import DAMAGED
from games.words import counted


@command("Check", examples=("repair repaired.db", "--db old.db repair new.db"))
@click.argument("file", metavar="NEW.db", type=FileName())
@click.pass_context
def repair(ctx: click.Context, shell: Shell, file: str) -> None:
    """Write everything that can be kept of a damaged database to NEW.db. The damaged one is only read.

    Intact games are copied byte for byte, with their notes and names. Keys are copied, too. A damaged game
    gets a new id, and its title ends with "(repaired)". It keeps its events up to the first one that cannot
    be read or that the rules refuse. The answer names each damaged game and says what was lost.

    The exit code is 4 if anything could not be kept.
    """
    if file == "-":
        raise click.BadParameter("A database is a file: name one.", param_hint="NEW.db")
    from eventstore.audit.repair import repair as write_new
    from games.core.registry import installed

    shell.demand()
    with bar() as watch:
        done = write_new(shell.db, file, registry=installed(), watch=watch)
    if shell.json:
        print_json(
            {
                "file": legible(file),
                "games": done.games,
                "events": done.events,
                "intact": done.intact,
                "repaired": done.accounts,
                "faults": done.faults,
                "complete": done.complete,
            }
        )
    else:
        for said in (*done.faults, *(account.message for account in done.accounts)):
            click.echo(plain(said))
        click.echo(f"{legible(file)}: {counted(done.games, 'game')}, {counted(done.events, 'event')}.")
        if not done.faults and not done.accounts:
            click.echo("Nothing needed repair.")
        elif not done.games:
            click.echo("Nothing could be saved. Keep the damaged file, and look for a backup to restore.")
        else:
            click.echo(_how_to_use(shell, file))
    if not done.complete:
        ctx.exit(DAMAGED)


def _how_to_use(shell: Shell, file: str) -> str:
    """Say what to do with the new database: the old one is still where it was."""
    named = legible(quote(file))
    return (
        f"Use it with `tabletape --db {named} list`, or put it in the place of the damaged one with"
        f" `{shell.program} restore {named} --force`, which keeps that one beside it."
    )
