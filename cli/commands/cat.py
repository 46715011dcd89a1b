"""The log of a game, a line an event."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from cli.shell.options import GAME, SEEN_BY, command
from cli.shell.output import Shell, current, legible_json, paint, print_json, tell
from cli.shell.seats import viewer_of
from cli.shell.views import note_line, said, what_if

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
        found = store.catalogue.resolve(game)
        viewer = viewer_of(store, found, viewer)
        if shell.json and not raw:
            print_json(list((_left if lines else _rows)(store, found, viewer)))
            return
        if raw and sys.stdout.isatty():
            for line in _raw(store, found, viewer):
                click.echo(legible_json(line))
            return
        written = _raw if raw else _left_lines if lines else _captions
        for line in written(store, found, viewer):
            click.echo(line)


def _raw(store: Store, game: str, viewer: str) -> Iterator[str]:
    from eventstore.formats.record_file import export_record

    for chunk in export_record(store, store.game(game, viewer=viewer)):
        for line in chunk.split(b"\n"):
            if line.startswith(b'{"seq":'):
                yield line.decode(errors="replace")


def _rows(store: Store, game: str, viewer: str) -> Iterator[dict[str, Any]]:
    whole = store.game(game, viewer=viewer)
    for position in whole.positions():
        yield _row(position, whole.names)


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


def _left(store: Store, game: str, viewer: str) -> Iterator[dict[str, Any]]:
    """Give the lines that were left, each from the first step at which it differs."""
    whole = store.game(game, viewer=viewer)
    for line in whole.history.lines(whole.head):
        rows = [
            _row(position, whole.names)
            for position in store.game(game, viewer=viewer).at_head(line.tip).positions(line.fork)
        ]
        yield {"tip": line.tip, "fork": line.fork, "steps": rows}


def _left_lines(store: Store, game: str, viewer: str) -> Iterator[str]:
    whole = store.game(game, viewer=viewer)
    lines = whole.history.lines(whole.head)
    if not lines:
        tell("Nothing was undone and left.")
    for line in lines:
        yield f"Left at step {line.fork}; `{current().program} redo {game} --to {line.tip}` brings it back:"
        for position in store.game(game, viewer=viewer).at_head(line.tip).positions(line.fork):
            yield f"{position.step:>6}  {said(position, whole.names)}"


def _first_move(store: Store, variation: str, viewer: str) -> Position | None:
    """The first step that a variation has of its own; a damaged variation hides nothing else."""
    from eventstore.errors import TabletapeError
    from eventstore.library import variations

    with suppress(TabletapeError):
        return variations.first_move(store.game(variation, viewer=viewer))
    return None


def _captions(store: Store, game: str, viewer: str) -> Iterator[str]:
    from eventstore.library import variations
    from eventstore.library.sittings import sittings

    whole = store.game(game, viewer=viewer)
    notes = store.notes_by_step(whole)
    found = sittings(store.log, whole, time_zone=whole.details.time_zone, played_on=whole.details.played_on)
    begins = {sitting.step: sitting for sitting in found[1:]}
    leaving = variations.by_step(whole, store.variations(game))
    leaves = variations.left_at(whole) if whole.parent else None
    wide = len(str(whole.steps))
    for position in whole.positions():
        if position.step in begins:
            yield paint(f"{'':{wide}}  — {begins[position.step].label()} —", bold=True)
        yield f"{position.step:>{wide}}  {said(position, whole.names)}"
        for note in notes.get(position.step, ()):
            yield f"{'':{wide}}    {paint(note_line(note), fg='cyan')}"
        for variation in leaving.get(position.step, ()):
            own = _first_move(store, variation.game, viewer)
            moved = said(own, whole.names) if own is not None else "nothing yet"
            yield f"{'':{wide}}    {paint(f'What if: {moved}  ({variation.game})', fg='magenta')}"
        if position.step == leaves and whole.parent is not None:
            yield paint(f"{'':{wide}}  — {what_if(whole.parent).removesuffix('.')} —", bold=True)
