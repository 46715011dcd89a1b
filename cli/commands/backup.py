"""The database copied to a file."""

from __future__ import annotations

import click

from cli.shell.options import FileName, command
from cli.shell.output import Shell, legible, plain, tell
from cli.shell.progress import bar
from cli.shell.refusals import DAMAGED
from games.words import counted


@command("Share", examples=("backup friday.db", "backup --force /media/stick/tabletape.db"))
@click.argument("file", type=FileName())
@click.option("--force", is_flag=True, help="Take the place of a file that is there.")
@click.pass_context
def backup(ctx: click.Context, shell: Shell, file: str, force: bool) -> None:
    """Copy the whole database to FILE, as it is at one moment, while others go on recording.

    With it go names, notes, hidden games and the keys of `tabletape key`. The copy is checked, every game's
    chain of it, before it gets its name; `tabletape restore` brings it back. A damaged database is copied as
    it is; the exit code is then 4.
    """
    if file == "-":
        raise click.BadParameter("A backup is a file: name one.", param_hint="FILE")
    from eventstore.errors import REPAIR
    from eventstore.sqlite.backup import FileExists, back_up, in_words
    from eventstore.sqlite.log import SqliteLog

    with shell.opened_by(SqliteLog.open) as log, bar() as watch:
        try:
            done = back_up(log, file, force=force, watch=watch)
        except FileExists as refusal:
            refusal.args = (f"{str(refusal)[:-1]}; --force takes its place.",)
            raise
    shell.answer(
        {"file": legible(file), "games": done.games, "events": done.events, "bytes": done.bytes},
        f"{legible(file)}: {counted(done.games, 'game')}, {counted(done.events, 'event')},"
        f" {done.bytes:,} bytes.",
    )
    if done.faults:
        more = f" ({len(done.faults) - 1} more)" if len(done.faults) > 1 else ""
        said = plain(in_words(done.faults[0]))
        where = f"`{shell.program} verify` says all."
        tell(
            f"Warning: the database is damaged, and so is its copy: {said}{more} {where}"
            f" {shell.typed(REPAIR)}"
        )
        ctx.exit(DAMAGED)
