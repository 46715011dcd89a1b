"""The log of a game, a line an event."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from cli.shell.options import GAME, SEEN_BY, command
from cli.shell.output import Shell, current, legible_json, paint, print_json, tell
from cli.shell.seats import as_seen_by
from cli.shell.views import note_line, said, what_if

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from eventstore.store import Store


@command("Look")
@GAME
@SEEN_BY
@click.option("--raw", is_flag=True, help="The lines of the record file, undone events too.")
@click.option("--lines", is_flag=True, help="What was undone and left, and how to bring it back.")
def cat(shell: Shell, game: str, viewer: str, raw: bool, lines: bool) -> None:
    """Print what happened in GAME, step by step; a RULING is what was agreed on in spite of the rules."""
    if raw and lines:
        raise click.UsageError("Give --raw or --lines, not both.")
    with shell.reading() as store:
        opened = as_seen_by(store.game(store.catalogue.resolve(game)), viewer)
        if shell.json and not raw:
            print_json(list((_left if lines else _rows)(opened)))
        elif raw:
            for line in _raw(store, opened):
                click.echo(legible_json(line) if sys.stdout.isatty() else line)
        else:
            for line in _left_lines(opened) if lines else _captions(store, opened):
                click.echo(line)


def _raw(store: Store, game: Game) -> Iterator[str]:
    from eventstore.formats.record_file import export_record

    for chunk in export_record(store, game):
        for line in chunk.split(b"\n"):
            if line.startswith(b'{"seq":'):
                yield line.decode(errors="replace")


def _rows(game: Game) -> Iterator[dict[str, Any]]:
    for position in game.positions():
        yield _row(position, game.names)


def _row(position: Position, names: Mapping[str, str]) -> dict[str, Any]:
    import msgspec

    return {
        "step": position.step,
        "seq": position.seq,
        "at": position.at,
        "by": position.by,
        "caption": position.caption(names),
        "event": msgspec.Raw(position.payload.encode()),
    }


def _left(game: Game) -> Iterator[dict[str, Any]]:
    """Give the lines that were left, each from the first step at which it differs."""
    for line in game.lines:
        rows = [_row(position, game.names) for position in game.at_head(line.tip).positions(line.fork)]
        yield {"tip": line.tip, "fork": line.fork, "steps": rows}


def _left_lines(game: Game) -> Iterator[str]:
    if not game.lines:
        tell("Nothing was undone and left.")
    for line in game.lines:
        again = f"`{current().program} redo {game.id} --to {line.tip}`"
        yield f"Left at step {line.fork}; {again} brings it back:"
        for position in game.at_head(line.tip).positions(line.fork):
            yield f"{position.step:>6}  {said(position, game.names)}"


def _first_move(store: Store, variation: str, viewer: str) -> Position | None:
    """The first step that a variation has of its own; a damaged variation hides nothing else."""
    from eventstore.errors import TabletapeError
    from eventstore.library import variations

    with suppress(TabletapeError):
        return variations.first_move(store.game(variation, viewer=viewer))
    return None


def _captions(store: Store, game: Game) -> Iterator[str]:
    from eventstore.library import variations
    from eventstore.library.sittings import sittings

    notes = store.notes_by_step(game)
    begins = {sitting.step: sitting for sitting in sittings(game)[1:]}
    leaving = variations.by_step(game, store.variations(game.id))
    leaves = variations.left_at(game) if game.parent else None
    wide = len(str(game.steps))
    for position in game.positions():
        if position.step in begins:
            yield paint(f"{'':{wide}}  — {begins[position.step].label()} —", bold=True)
        yield f"{position.step:>{wide}}  {said(position, game.names)}"
        for note in notes.get(position.step, ()):
            yield f"{'':{wide}}    {paint(note_line(note), fg='cyan')}"
        for variation in leaving.get(position.step, ()):
            own = _first_move(store, variation.game, game.viewer)
            moved = said(own, game.names) if own is not None else "nothing yet"
            yield f"{'':{wide}}    {paint(f'What if: {moved}  ({variation.game})', fg='magenta')}"
        if position.step == leaves and game.parent is not None:
            yield paint(f"{'':{wide}}  — {what_if(game.parent).removesuffix('.')} —", bold=True)
