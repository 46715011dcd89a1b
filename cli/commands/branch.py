"""What if: a game of its own that is another one up to a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from cli.shell.answers import sent
from cli.shell.options import GAME_AT, Word, command, split_step
from cli.shell.output import Shell, tell
from cli.shell.views import what_if
from games.words import counted

if TYPE_CHECKING:
    from eventstore.store import Store

OVER: Final = "The game is over there: take a step back with undo, or leave it at an earlier one."


@command(
    "Record",
    writes=True,
    examples=("branch h4x9@12", "branch h4x9@12 --title 'Bo attacks' --id bold"),
)
@GAME_AT
@click.option("--title", help="What lists call it; else GAME's title and the step.")
@click.option(
    "--id",
    "as_game",
    metavar="NAME",
    type=Word(),
    help="A readable id, as bold: 4 to 64 of a-z, 0-9, ~, -.",
)
def branch(shell: Shell, game: str, **asked: Any) -> None:
    """What if: start a game that is GAME up to a step, and goes on as you like.

    GAME stays as it is, and nothing that becomes of it later changes the new one. Lists leave it out:
    `list --of GAME` has what leaves GAME.
    """
    from eventstore.access.actor import Actor
    from eventstore.recording.commands import Branch

    prefix, step = split_step(game)
    with shell.writing() as store:
        found = store.catalogue.resolve(prefix)
        if step is None:
            step = _left_at(store, found, asked["as_game"], asked["command_id"])
        command = Branch(step, asked["title"], asked["as_game"], **sent(asked))
        answer = store.do(found, command, Actor(asked["by"]))
        made = store.game(answer.game.id)
    shell.answer({"game": made.id, "seq": answer.seq, "parent": made.parent}, made.id)
    if made.parent is not None and not shell.json:
        already = f"Already there, {counted(made.steps, 'step')}: " if answer.repeated else ""
        over = f" {OVER}" if answer.outcome is not None else ""
        tell(f"{already}{what_if(made.parent)}{over} Next: {shell.program} record {made.id}")


def _left_at(store: Store, game: str, name: str | None, command_id: str | None) -> int:
    """The last step; for a repeat that of its first time."""
    made = store.game_begun_by(name, command_id)
    parent = None if made is None else made.parent
    return store.game(game).steps if parent is None or parent.game != game else parent.step
