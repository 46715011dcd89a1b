"""Whether every record is whole."""

from __future__ import annotations

import click

from cli._counts import games_said
from cli._options import GameType, Whole, command
from cli._refusals import DAMAGED, Refused
from cli._shell import Shell, counted, paint, plain, print_json


@command("Check")
@click.argument("games", metavar="[GAME...]", type=GameType(), nargs=-1)
@click.option(
    "--rules", metavar="N", type=Whole(1, 1_000_000), help="Compare with version N of each ruleset."
)
@click.pass_context
def verify(ctx: click.Context, shell: Shell, games: tuple[str, ...], rules: int | None) -> None:
    """Check every game, or the games named.

    The chain, each event by its rules, undos, keyframes and notes; nothing is changed. Where no game is
    named, SQLite looks at the whole file of the database too (PRAGMA integrity_check).

    Exit code 4 when anything is wrong.
    """
    from eventstore.verify import verify as check

    with shell.reading() as store:
        if rules is not None and all(version != rules for _, version in store.registry):
            raise Refused("unknown-ruleset", f"No ruleset here has a version {rules}.")
        named = [store.catalogue.resolve(game) for game in games]
        report = check(store, named or None, rules=rules)
        looked_at = "" if shell.json else games_said(store, named or None)
    if shell.json:
        print_json(report)
    else:
        for fault in report.faults:
            where = f"{fault.game}:{fault.seq}" if fault.seq else fault.game or shell.db
            click.echo(f"{paint(plain(where), bold=True)}  {fault.code}: {plain(fault.message)}")
        looked = f"{looked_at}, {counted(report.events, 'event')}"
        found = counted(len(report.faults), "fault") if report.faults else "all whole"
        click.echo(f"{looked}: {found}.")
    if report.faults:
        ctx.exit(DAMAGED)
