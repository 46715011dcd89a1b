"""A game as a file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.shell.options import GAME, SEEN_BY, FileName, FormatName, command
from cli.shell.output import Shell, legible, plain, print_json, tell
from cli.shell.refusals import DAMAGED, FILE_FAULT, ShellRefusal
from cli.shell.seats import as_seen_by

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventstore.formats.registry import Format
    from eventstore.store import Store


@command("Share", examples=("export h4x9 -o friday.tape.jsonl", "export h4x9 --format csv | head"))
@GAME
@SEEN_BY
@click.option(
    "--format",
    "style",
    type=FormatName(),
    help="What to write; else what FILE's name says, and the record if it says nothing.",
)
@click.option("-o", "--output", metavar="FILE", type=FileName(), default="-", help="Where to; - is stdout.")
@click.pass_context
def export(ctx: click.Context, shell: Shell, game: str, viewer: str, style: str | None, output: str) -> None:
    """Write GAME to a file: its record, or what another format makes of it.

    The record (`tape`, *.tape.jsonl) also holds the notes, and `import` brings it back to the byte. A damaged
    record is written as far as it is there; the exit code is then 4.
    """
    with shell.reading() as store:
        opened = as_seen_by(store.game(store.catalogue.resolve(game)), viewer)
        chunks = _format(style, output).write(store, opened)
        if output == "-":
            sys.stdout.buffer.writelines(chunks)
            sys.stdout.buffer.flush()
        else:
            from eventstore.files import atomic_file

            target = Path(atomic_file.real(output))
            _refuse_database(target, Path(shell.db))
            size = _write(output, target, chunks)
            if shell.json:
                print_json({"game": opened.id, "file": legible(output), "bytes": size})
            else:
                tell(f"Wrote {legible(output)}, {size:,} bytes.")
        _warn(ctx, shell, store, opened.id)


def _warn(ctx: click.Context, shell: Shell, store: Store, game: str) -> None:
    """Say that what was written is not what was recorded."""
    from eventstore.audit.verify import damage
    from eventstore.errors import REPAIR

    faults = damage(store, game)
    if faults:
        said = plain(faults[0].message)
        more = f" ({len(faults) - 1} more)" if len(faults) > 1 else ""
        where = f"`{shell.program} verify {game}` says all."
        tell(f"Warning: the record of {game} is damaged: {said}{more} {where} {shell.typed(REPAIR)}")
        ctx.exit(DAMAGED)


def _format(name: str | None, output: str) -> Format:
    """The format that was asked for, else the one that the file's name says, else the record."""
    from eventstore.formats import registry

    by_name = registry.installed()
    if name is not None and name not in by_name:
        raise ShellRefusal("broken-format", f"The format {name} is installed here, and cannot be loaded.")
    if name is not None:
        return by_name[name]
    return registry.by_suffix(output) or by_name[registry.RECORD]


def _refuse_database(target: Path, database: Path) -> None:
    base = Path(os.path.realpath(database))
    if target in (base.with_name(base.name + end) for end in ("", "-wal", "-shm", ".lock")):
        raise click.BadParameter(
            f"{target.name} belongs to the database; give the export a file of its own.",
            param_hint="--output",
        )


def _write(named: str, target: Path, chunks: Iterable[bytes]) -> int:
    """Write beside the file and put it in place when it is whole and on the disk; a fault leaves the old one.

    What is no regular file (a device, a pipe) is written to as it stands: nothing may take its place.
    """
    if target.exists() and not target.is_file():
        try:
            with target.open("wb") as opened:
                return sum(opened.write(chunk) for chunk in chunks)
        except OSError as fault:
            raise ShellRefusal(FILE_FAULT, _unwritten(named, fault)) from fault
    from eventstore.files import atomic_file

    beside = atomic_file.part(target)
    try:
        try:
            with beside.open("xb") as opened:
                size = sum(opened.write(chunk) for chunk in chunks)
            atomic_file.put(beside, target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as fault:
        # It names what only we know of.
        raise ShellRefusal(FILE_FAULT, _unwritten(named, fault)) from fault
    return size


def _unwritten(named: str, fault: OSError) -> str:
    from eventstore.errors import NoRoom
    from eventstore.files.disk_faults import of_system

    refusal = of_system(named, fault)
    if isinstance(refusal, NoRoom):
        return str(NoRoom(named, refusal.why, f"{named} was not written"))
    return f"{named} cannot be written: {(fault.strerror or str(fault)).lower()}."
