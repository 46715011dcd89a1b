"""Step back one event, or several."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from cli._answers import answer_json, place
from cli._options import GAME, Whole, command
from cli._refusals import Refused
from cli._shell import Shell, tell

if TYPE_CHECKING:
    from eventstore.recorder import Answer, Recorder


@command("Record", writes=True)
@GAME
@click.option("-n", "count", metavar="N", type=Whole(1), default=1, help="How many; one command.")
@click.option("--again", is_flag=True, help="A dealt game's draws too: they will be drawn anew.")
def undo(shell: Shell, game: str, count: int, again: bool, **asked: Any) -> None:
    """Take back the last event of GAME; `redo` brings it back."""
    with shell.writing() as tape:
        found = tape.catalogue.resolve(game)
        answer = _undo(tape.recorder, found, count, again=again, **asked)
    shell.answer(answer_json(answer), f"Took back {count}. Now at {place(answer)}.")


def _undo(recorder: Recorder, game: str, count: int, *, again: bool, **asked: Any) -> Answer:
    """Undo; where that would draw anew, ask the person first, if there is one."""
    from eventstore.refusals import UndoPastDraw

    try:
        return recorder.undo(game, count, again=again, **asked)
    except UndoPastDraw as refusal:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise Refused(refusal.code, f"{refusal} --again asks for it.") from None
        tell(str(refusal))
        if not click.confirm("Undo it all the same?", err=True):
            raise Refused(refusal.code, "Nothing was undone.") from None
    return recorder.undo(game, count, again=True, **asked)
