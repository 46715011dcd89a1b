"""The log of a game, a line an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli._options import GAME, SEEN_BY, command
from cli._shell import Shell, paint, print_json
from cli._views import note_line, notes_for, said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.tabletape import Tabletape


@command("Look")
@GAME
@SEEN_BY
@click.option("--raw", is_flag=True, help="The lines of the record file, undone events too.")
def cat(shell: Shell, game: str, viewer: str, raw: bool) -> None:
    """Print what happened in GAME, step by step."""
    with shell.reading() as tape:
        found = tape.catalogue.resolve(game)
        if raw:
            lines = _raw(tape, found, viewer)
        elif shell.json:
            print_json(list(_rows(tape, found, viewer)))
            return
        else:
            lines = _captions(tape, found, viewer)
        for line in lines:
            click.echo(line)


def _raw(tape: Tabletape, game: str, viewer: str) -> Iterator[str]:
    from eventstore.exchange.tape import export_tape

    for chunk in export_tape(tape, game, viewer):
        for line in chunk.split(b"\n"):
            if line.startswith(b'{"seq":'):
                yield line.decode()


def _rows(tape: Tabletape, game: str, viewer: str) -> Iterator[dict[str, Any]]:
    import msgspec

    whole = tape.replayer.tape(game, viewer)
    for moment in tape.replayer.moments(game, 0, whole.steps, viewer):
        yield {
            "step": moment.step,
            "seq": moment.seq,
            "at": moment.at,
            "by": moment.by,
            "caption": moment.caption(whole.names),
            "event": msgspec.Raw(moment.payload.encode()),
        }


def _captions(tape: Tabletape, game: str, viewer: str) -> Iterator[str]:
    whole = tape.replayer.tape(game, viewer)
    notes = notes_for(tape, game, viewer)
    wide = len(str(whole.steps))
    for moment in tape.replayer.moments(game, 0, whole.steps, viewer):
        yield f"{moment.step:>{wide}}  {said(moment, whole.names)}"
        for note in notes.get(moment.step, ()):
            yield f"{'':{wide}}    {paint(note_line(note), fg='cyan')}"
