"""Who won how often, how long games are, and how they end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from cli.shell.counts import simulated
from cli.shell.options import Day, Word, command
from cli.shell.output import Shell, columns, legible, plain, plain_wanted, print_json, tell
from cli.shell.refusals import DAMAGED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from eventstore.statistics.counts import RulesetStatistics

BAR: Final = 10
"""Cells of the bar beside a share."""
NARROW: Final = 60
"""On fewer columns there is no room for it, nor for long headings."""
INDENT: Final = 2


@command("Look", examples=("stats --player Ann --since 2026-01-01", "stats --csv > plays.csv"))
@click.option("--ruleset", type=Word(), help="Only games of this ruleset.")
@click.option("--player", metavar="NAME", type=Word(), help="Only games with this player.")
@click.option("--since", type=Day(), help="Only games played on this day or later, as in 2026-09-14.")
@click.option(
    "--origin",
    type=click.Choice(["table", "dealt", "simulated"]),
    help="Only games recorded at a table, dealt by Tabletape, or simulated, which are left out else.",
)
@click.option("--all", "hidden", is_flag=True, help="Hidden games too.")
@click.option("--variations", is_flag=True, help="Variations of other games too.")
@click.option(
    "--csv", "as_csv", is_flag=True, help="A row for each game and seat, for a spreadsheet or pandas."
)
def stats(
    shell: Shell,
    ruleset: str | None,
    player: str | None,
    since: str | None,
    origin: str | None,
    hidden: bool,
    variations: bool,
    as_csv: bool,
) -> None:
    """Count who won how often, how long games are and how they end.

    Wins, lengths and endings are of games that were played to an end, not of abandoned ones. A name is the
    same with capitals or without. `share` is what part of its finished games was won, `even` how many a
    seat would have won if all seats of each game won as often; in the CSV, `draw` is 1 where nobody won.
    """
    if as_csv and shell.json:
        raise click.UsageError("--csv and --json exclude one another.")
    from eventstore.statistics import counts

    with shell.reading() as store:
        entries = counts.chosen(
            store,
            ruleset=ruleset, player=player, since=since, origin=origin, hidden=hidden, variations=variations,
        )  # fmt: skip
        if not entries and ruleset is not None:
            # A game of rules that are not installed is listed; a name that is none of both is a slip.
            store.registry.find(ruleset)
        found = None if as_csv else counts.statistics(store, entries)
        made = 0 if entries or origin else len(simulated(store.catalogue))
    if found is None:
        lines = "".join(counts.export_csv(entries))
        click.echo(legible(lines) if sys.stdout.isatty() else lines, nl=False)
    elif shell.json:
        print_json(found)
    elif found.games or found.left_out:
        _show(found.rulesets)
    else:
        tell("No game fits.")
        if made:
            tell(f"and {made:,} simulated: {shell.program} stats --origin simulated")
    if found is not None and found.left_out:
        damaged = ", ".join(found.left_out)
        tell(f"Left out, for what is damaged in it: {damaged}. `{shell.program} verify` says all.")
        click.get_current_context().exit(DAMAGED)


def _show(rulesets: Sequence[RulesetStatistics]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    from eventstore.statistics.counts import EXPLAINED, said

    console = Console(no_color=plain_wanted(), highlight=False, width=columns())
    for number, found in enumerate(rulesets):
        if number:
            console.print()
        console.print(Text(plain(found.title), style="bold"))
        for line in said(found):
            console.print(Text(line))
        if found.length:
            console.print(Text(f"the longest: {plain(found.length.title)} ({found.length.game})"))
        for row in _rows(console, [*_of_players(found), *_of_games(found)]):
            console.print(Padding(row, (1, 0, 0, INDENT), expand=False))
    if any(found.seats for found in rulesets):
        console.print()
        console.print(Text(EXPLAINED, style="dim"))


def _rows(console: Console, tables: Sequence[Table]) -> Iterator[Table]:
    """Put as many tables beside one another as the line has room for."""
    row: list[Table] = []
    for table in tables:
        wider = _beside(*row, table)
        if row and console.measure(wider).maximum > console.width - INDENT:
            yield _beside(*row)
            row = []
        row.append(table)
    if row:
        yield _beside(*row)


def _beside(*tables: Table) -> Table:
    from rich.table import Table

    row = Table.grid(padding=(0, 4, 0, 0))
    row.add_row(*tables)
    return row


def _of_players(found: RulesetStatistics) -> Iterator[Table]:
    from eventstore.statistics.counts import number

    if not found.players:
        return
    scores = any(player.mean_score is not None for player in found.players)
    mean = "mean score" if columns() >= NARROW else "mean"
    table = _table("player", ["games", "won", "share", *([mean] if scores else [])])
    for player in found.players:
        mean = "" if player.mean_score is None else number(player.mean_score)
        about = (f"{player.games:,}", f"{player.wins:,}", _share(player.share), mean)
        table.add_row(plain(player.name), *(about if scores else about[:-1]))
    yield table


def _of_games(found: RulesetStatistics) -> Iterator[Table]:
    from eventstore.statistics.counts import number, seat_said

    if found.seats:
        seats = _table("seat", ["games", "won", "share", "even"])
        for seat in found.seats:
            seats.add_row(
                seat_said(seat.seat),
                f"{seat.games:,}",
                f"{seat.wins:,}",
                _share(seat.share),
                number(seat.even),
            )
        yield seats
    if found.endings:
        endings = _table("how it ended", ["games"])
        for ending in found.endings:
            endings.add_row(plain(ending.words), f"{ending.games:,}")
        yield endings


def _table(first: str, others: Sequence[str]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    between = (0, 1) if columns() >= NARROW else (0, 1, 0, 0)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=between, header_style="bold")
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _share(share: float) -> Text:
    """Draw a share.

    >>> _share(0.25).plain, _share(1).plain
    ('███░░░░░░░  25 %', '██████████ 100 %')
    """
    from rich.text import Text

    full = int(share * BAR + 0.5)
    bar = [("█" * full, "cyan"), ("░" * (BAR - full), "dim")] if columns() >= NARROW else []
    return Text.assemble(*bar, f" {share * 100:3.0f} %")
