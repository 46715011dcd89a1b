"""One step of a game: the board, what happened last, who is to act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from cli.shell.options import GAME_AT, SEEN_BY, command, split_step
from cli.shell.output import Shell, columns, current, print_json
from cli.shell.seats import as_seen_by
from cli.shell.views import board, closing_line, due_lines, headings, position_json, step_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from eventstore.store import Store

LISTED: Final = 8
"""Variations that are named."""


@command("Look", examples=("show h4x9", "show h4x9@12 --as p1"))
@GAME_AT
@SEEN_BY
@click.option("--setup", is_flag=True, help="With --json: what never changes (cards, board, options) too.")
def show(shell: Shell, game: str, viewer: str, setup: bool) -> None:
    """Show GAME as it stands, or as it stood after a step."""
    prefix, step = split_step(game)
    with shell.reading() as store:
        opened = as_seen_by(store.game(store.catalogue.resolve(prefix)), viewer)
        position = opened.position(step)
        if shell.json:
            print_json(position_json(store, opened, position, setup=setup))
        else:
            click.echo("\n".join(_lines(store, opened, position)))


def _what_ifs(store: Store, whole: Game) -> Iterator[str]:
    """Name what leaves the game, and where."""
    from eventstore.library.variations import leaves_at

    found = store.variations(whole.id)
    if found:
        steps = [(one.game, leaves_at(whole, one.parent)) for one in found[:LISTED]]
        names = [game if step is None else f"{game} (step {step})" for game, step in steps]
        more = ", …" if len(found) > LISTED else ""
        yield f"What-ifs: {', '.join(names)}{more}; `{current().program} list --of {whole.id}` lists them."


def _lines(store: Store, whole: Game, position: Position) -> Iterator[str]:
    names = whole.names
    yield from headings(position, names, whole.parent)
    if whole.amended:
        yield f"This record was amended; `{current().program} cat --raw` has the original lines."
    yield from _what_ifs(store, whole)
    yield ""
    scene = position.scene()
    if scene is not None:
        yield board(scene, names)
        yield ""
    notes = store.notes_by_step(whole).get(position.step, [])
    yield from step_lines(position, names, notes, min(columns(), 100))
    outcome = position.outcome()
    yield from [closing_line(position, outcome, names)] if outcome else due_lines(position.pending(), names)
