"""Whether every record is intact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from cli.shell.counts import games_said
from cli.shell.options import GameType, Whole, command
from cli.shell.output import Shell, paint, plain, print_json
from cli.shell.refusals import DAMAGED, ShellRefusal
from games.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventstore.audit.verify import VerifyReport
    from eventstore.store import Store

_NAMED: Final = 10
"""Games that are named of those that open as text."""


@command("Check")
@click.argument("games", metavar="[GAME...]", type=GameType(), nargs=-1)
@click.option(
    "--rules", metavar="N", type=Whole(1, 1_000_000), help="Compare with version N of each ruleset."
)
@click.pass_context
def verify(ctx: click.Context, shell: Shell, games: tuple[str, ...], rules: int | None) -> None:
    """Check every game, or the games named.

    This checks the chain, the checksum of each command, each event against the rules, undos, snapshots and
    notes. Nothing is changed. If you name no game, it also checks the file of the database (PRAGMA
    integrity_check) and finds rows that belong to no game and games without rows.

    A break of the chain says between which events it is, and what the rules say of the events there. Commands
    that an earlier version recorded have no checksum; these are counted as unchecked.

    A game opens as text if its rules are not installed or it has an option that is not known here. This is no
    fault: the game is counted, and only its chain is checked.

    The exit code is 4 if anything is wrong.
    """
    from eventstore.audit.verify import verify as check
    from eventstore.errors import REPAIR

    with shell.reading() as store:
        if rules is not None and all(version != rules for _, version in store.registry):
            raise ShellRefusal("unknown-ruleset", f"No ruleset here has a version {rules}.")
        named = [store.catalogue.resolve(game) for game in games]
        report = check(store, named or None, rules=rules)
        looked_at = "" if shell.json else _said(store, named, report)
    if shell.json:
        print_json(report)
    else:
        for fault in report.faults:
            where = f"{fault.game}:{fault.seq}" if fault.seq else fault.game or shell.db
            click.echo(f"{paint(plain(where), bold=True)}  {fault.code}: {plain(fault.message)}")
        looked = f"{looked_at}, {counted(report.events, 'event')}"
        found = counted(len(report.faults), "fault") if report.faults else "all intact"
        click.echo(f"{looked}: {found}.{_without_checksum(report.unchecked)}{_as_text(report.as_text)}")
        if any(fault.code != "rules-differ" for fault in report.faults):
            click.echo(shell.typed(REPAIR))
    if report.faults:
        ctx.exit(DAMAGED)


def _said(store: Store, named: list[str], report: VerifyReport) -> str:
    """Count the games; by number alone where the list of games is among what is damaged."""
    from eventstore.errors import DamagedDatabase

    try:
        return games_said(store, named or None)
    except DamagedDatabase:
        if not report.faults:
            raise
        return counted(report.games, "game")


def _as_text(games: Sequence[str]) -> str:
    """Name the games that open as text; nothing where none does.

    >>> _as_text(["friday"])
    ' 1 game opens as text: this Tabletape does not know its rules or one of its options (friday).'
    """
    if not games:
        return ""
    opens, its = ("opens", "its") if len(games) == 1 else ("open", "their")
    named = ", ".join(map(plain, games[:_NAMED])) + (", …" if len(games) > _NAMED else "")
    why = f"this Tabletape does not know {its} rules or one of {its} options"
    return f" {counted(len(games), 'game')} {opens} as text: {why} ({named})."


def _without_checksum(number: int) -> str:
    """Count the commands that have no checksum; nothing where all have one.

    >>> _without_checksum(2)
    ' 2 commands were recorded before Tabletape kept checksums: their ids and requests are unchecked.'
    """
    if not number:
        return ""
    was, theirs = ("was", "its id and request") if number == 1 else ("were", "their ids and requests")
    return (
        f" {counted(number, 'command')} {was} recorded before Tabletape kept checksums:"
        f" {theirs} are unchecked."
    )
