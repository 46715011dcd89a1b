"""Bring back what was undone."""

from __future__ import annotations

from typing import Any

import click

from cli.shell.answers import answer_json, place, sent
from cli.shell.options import GAME, Whole, command
from cli.shell.output import Shell
from cli.shell.redraw_question import asking


@command("Record", writes=True)
@GAME
@click.option("-n", "count", metavar="N", type=Whole(1), help="How many; one command.")
@click.option(
    "--to",
    metavar="SEQ",
    type=Whole(1),
    help="The line that ended with this event, whatever came since (see `cat --lines`).",
)
@click.option("--again", is_flag=True, help="With --to: a dealt game's draws may go, and be drawn anew.")
def redo(shell: Shell, game: str, count: int | None, to: int | None, again: bool, **asked: Any) -> None:
    """Bring back what was undone last in GAME, or any line that was left."""
    from eventstore.access.actor import Actor
    from eventstore.recording.commands import Redo, Restore

    if to is not None and count is not None:
        raise click.UsageError("Give -n or --to, not both.")
    if again and to is None:
        raise click.UsageError("Give --again with --to.")
    with shell.writing() as store:
        found = store.catalogue.resolve(game)
        if to is not None:
            answer = asking(
                lambda again: store.do(found, Restore(to, again=again, **sent(asked)), Actor(asked["by"])),
                again=again,
                question="Go back there all the same?",
                refused="The game is as it was.",
            )
        else:
            answer = store.do(found, Redo(count or 1, **sent(asked)), Actor(asked["by"]))
    what = f"Brought back {count or 1}" if to is None else f"As it was after event {to}"
    shell.answer(answer_json(answer), f"{what}. Now at {place(answer)}.")
