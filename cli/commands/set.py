"""Correct what is known about a game beside its events."""

from __future__ import annotations

from typing import Any

import click

from cli.shell.answers import expect
from cli.shell.options import GAME, command, pairs
from cli.shell.output import Shell
from cli.shell.views import entry_json, entry_line


@command("Record", "set", corrects=True, examples=("set h4x9 --player p2=Bo --title 'Friday, at last'",))
@GAME
@click.option("--title", help="What lists call the game; empty takes it away.")
@click.option(
    "--player",
    "players",
    metavar="SEAT=NAME",
    multiple=True,
    callback=pairs,
    help="As in p1=Ann; may be repeated.",
)
@click.option("--played-on", metavar="DATE", help="The day it was played, as in 2026-09-14.")
@click.option("--time-zone", metavar="TZ", help="As in Europe/Helsinki.")
@click.option("--place", help="Where it was played.")
def command_set(
    shell: Shell,
    game: str,
    players: dict[str, str],
    after: int | None,
    **about: Any,
) -> None:
    """Correct names, title, day or place of GAME; they are no events."""
    given = {name: value for name, value in about.items() if value is not None}
    if not given and not players:
        raise click.UsageError("Say what to correct: --title, --player, --played-on, --time-zone or --place.")
    with shell.writing() as store:
        found = store.catalogue.resolve(game)
        expect(store, found, after)
        store.set_details(found, names=players, **given)
        entry = store.catalogue.get(found)
    shell.answer(entry_json(entry), entry_line(entry))
