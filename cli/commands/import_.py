"""Games from files."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import click

from cli.shell.files import read_lines
from cli.shell.options import command
from cli.shell.output import Shell, plain, print_json, tell
from cli.shell.refusals import DAMAGED
from games.words import counted

if TYPE_CHECKING:
    from eventstore.formats.record_file import ImportedGame
    from eventstore.store import Store


@command("Share", "import", corrects=True)
@click.argument("files", metavar="FILE...", type=click.File("rb"), nargs=-1, required=True)
@click.option("--copy", is_flag=True, help="A game that is here and differs comes in as a new one.")
@click.pass_context
def command_import(
    ctx: click.Context, shell: Shell, files: tuple[IO[bytes], ...], copy: bool, after: int | None
) -> None:
    """Bring in games from *.tape.jsonl files; - is stdin.

    All of the files, or nothing. A game that is here already is left alone, or gets the events that are new.
    Of a file that is cut off in its last line, the lines before it come in; the exit code is then 4.
    Files may be compressed with gzip. A line that is dated more than a day ahead of the clock gets a warning.
    """
    if after is not None and len(files) > 1:
        raise click.UsageError("--after speaks of one game: give one file.")
    read = [(getattr(file, "name", "<stdin>"), read_lines(file)) for file in files]
    _judge(shell, read)
    with shell.writing(create=True) as store:
        from eventstore.formats.record_file import import_records
        from eventstore.refusals import OtherGame

        if after is not None:
            _expect(store, read[0], after)
        try:
            done = import_records(store, read, copy=copy)
        except OtherGame as refusal:
            refusal.advice = "Use --copy to import it as a new game."
            raise
    if shell.json:
        print_json(done)
    for (name, _), item in zip(read, done, strict=True):
        if not shell.json:
            click.echo(plain(item.game))
            tell(f"  {_came(item)}")
        if item.cut_off:
            tell(f"Warning: {plain(name)} is cut off: line {item.cut_off}, its last, was left out.")
        if item.ahead:
            tell(
                f"Warning: {plain(name)}, line {item.ahead} is dated more than a day ahead of this machine's"
                " clock: check the clock here and where the game was recorded."
            )
    if any(item.cut_off for item in done):
        ctx.exit(DAMAGED)


def _came(item: ImportedGame) -> str:
    """Say what came in.

    >>> from eventstore.formats.record_file import ImportedGame
    >>> _came(ImportedGame("duel", 2, 0, new=True, cut_off=0, ahead=0))
    '2 events, 0 notes; the game is new'
    >>> _came(ImportedGame("duel", 0, 1, new=False, cut_off=0, ahead=0))
    '0 new events, 1 new note; the game was already here'
    """
    if item.new:
        return f"{counted(item.events, 'event')}, {counted(item.notes, 'note')}; the game is new"
    events, notes = counted(item.events, "new event"), counted(item.notes, "new note")
    return f"{events}, {notes}; the game was already here"


def _judge(shell: Shell, read: list[tuple[str, bytes]]) -> None:
    """Refuse what is no record before a database is made for it."""
    from pathlib import Path

    from eventstore.formats.record_file import read_record
    from games.core.registry import installed

    if not Path(shell.db).exists():
        for name, content in read:
            read_record(name, content, installed())


def _expect(store: Store, file: tuple[str, bytes], after: int) -> None:
    """Refuse when the file's game is not at this event; 0 means that it is not here."""
    from eventstore.errors import Conflict
    from eventstore.formats.record_file import read_record

    game = read_record(*file, store.registry).header.game
    head = store.log.head(game)
    if after != (head.seq if head else 0):
        raise Conflict(head.seq if head else 0, game)
