"""Step back one event, or several."""

from __future__ import annotations

from typing import Any

import click

from cli.shell.answers import answer_json, place, sent
from cli.shell.options import GAME, Whole, command
from cli.shell.output import Shell
from cli.shell.redraw_question import asking


@command("Record", writes=True)
@GAME
@click.option("-n", "count", metavar="N", type=Whole(1), default=1, help="How many; one command.")
@click.option("--again", is_flag=True, help="A dealt game's draws too: they will be drawn anew.")
def undo(shell: Shell, game: str, count: int, again: bool, **asked: Any) -> None:
    """Take back the last event of GAME; `redo` brings it back."""
    from eventstore.access.actor import Actor
    from eventstore.recording.commands import Undo

    with shell.writing() as store:
        found = store.catalogue.resolve(game)
        answer = asking(
            lambda again: store.do(found, Undo(count, again=again, **sent(asked)), Actor(asked["by"])),
            again=again,
            question="Undo it all the same?",
            refused="Nothing was undone.",
        )
    shell.answer(answer_json(answer), f"Took back {count}. Now at {place(answer)}.")
