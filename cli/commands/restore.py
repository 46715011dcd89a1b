"""The database brought back from a backup."""

from __future__ import annotations

from shlex import quote

import click

from cli.shell.options import FileName, command
from cli.shell.output import Shell, legible, plain, tell
from cli.shell.progress import bar
from cli.shell.refusals import DAMAGED
from games.words import counted


@command("Share", examples=("restore friday.db", "--db new.db restore friday.db"))
@click.argument("file", type=FileName())
@click.option(
    "--force",
    is_flag=True,
    help="Also where the database has what FILE lacks, or its records are damaged; not a file cut short.",
)
@click.pass_context
def restore(ctx: click.Context, shell: Shell, file: str, force: bool) -> None:
    """Put the backup FILE in the place of the database, whole or not at all.

    It is refused while another program has the database open, and where games, events or notes would be
    lost. What was there is kept beside it, under a name that is said; titles, names and keys of now are in
    that file alone. A key that was revoked stays revoked.
    """
    if file == "-":
        raise click.BadParameter("A backup is a file: name one.", param_hint="FILE")
    from eventstore.errors import NotADatabase
    from eventstore.sqlite.backup import DamagedBackup, WouldLose, in_words
    from eventstore.sqlite.backup import restore as bring_back

    with bar() as watch:
        try:
            done = bring_back(shell.db, file, force=force, watch=watch)
        except (DamagedBackup, WouldLose) as refusal:
            how = "--force restores it all the same and keeps what is here beside it"
            refusal.args = (f"{str(refusal).rstrip('.')}; {how}.",)
            raise
        except NotADatabase as refusal:
            if _is_record(file):
                refusal.advice = "This is a record: `tabletape import` brings its game in."
            elif refusal.advice:
                named = f"tabletape --db {legible(quote(file))}"
                refusal.advice = f"If it was one, it may be damaged: try `{named} repair NEW.db`."
            raise
    copied, kept = done.copied, None if done.kept is None else legible(done.kept)
    shell.answer(
        {
            "db": legible(shell.db),
            "file": legible(file),
            "games": copied.games,
            "events": copied.events,
            "kept": kept,
            "revoked": list(map(legible, done.revoked)),
        },
        f"{legible(shell.db)}: {counted(copied.games, 'game')}, {counted(copied.events, 'event')}.",
    )
    if kept:
        tell(f"What was there is kept as {kept}")
    if done.revoked:
        tell(f"Revoked since the backup, and still revoked: {', '.join(map(plain, done.revoked))}.")
    if copied.faults:
        tell(f"Warning: it is damaged, as the backup is: {plain(in_words(copied.faults[0]))}")
        ctx.exit(DAMAGED)


def _is_record(file: str) -> bool:
    """Tell whether a file begins as a record does, perhaps packed."""
    try:
        with open(file, "rb") as opened:  # noqa: PTH123 - the name may be anything
            begins = opened.read(32)
    except OSError:
        return False
    return begins.startswith((b'{"format":"tabletape"', b"\x1f\x8b")) or file.endswith(".tape.jsonl")
