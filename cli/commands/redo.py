"""Bring back what was undone."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from cli.shell.answers import answer_json, place
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
    if to is not None and count is not None:
        raise click.UsageError("Give -n or --to, not both.")
    if again and to is None:
        raise click.UsageError("Give --again with --to.")
    with shell.writing() as store:
        found = store.catalogue.resolve(game)
        if to is not None:
            answer = asking(
                partial(store.recorder.restore, found, to, **asked),
                again=again,
                question="Go back there all the same?",
                refused="The game is as it was.",
            )
        else:
            answer = store.recorder.redo(found, count or 1, **asked)
    what = f"Brought back {count or 1}" if to is None else f"As it was after event {to}"
    shell.answer(answer_json(answer), f"{what}. Now at {place(answer)}.")
