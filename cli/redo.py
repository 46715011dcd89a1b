"""Bring back what was undone."""

from __future__ import annotations

from typing import Any

import click

from cli._answers import answer_json, place
from cli._options import GAME, command
from cli._shell import Shell


@command("Record", writes=True)
@GAME
@click.option(
    "-n", "count", metavar="N", type=click.IntRange(min=1), default=1, help="How many; one command."
)
def redo(shell: Shell, game: str, count: int, **asked: Any) -> None:
    """Bring back what was undone last in GAME."""
    with shell.writing() as tape:
        answer = tape.recorder.redo(tape.catalogue.resolve(game), count, **asked)
    shell.answer(answer_json(answer), f"Brought back {count}. Now at {place(answer)}.")
