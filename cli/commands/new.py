"""Start a game."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import click

from cli.shell.files import read_data
from cli.shell.options import OPTIONS, RULESET, Word, command
from cli.shell.output import Shell, tell
from cli.shell.seats import seat_of
from games.words import counted

if TYPE_CHECKING:
    from eventstore.recording.commands import New


@command(
    "Start",
    writes=True,
    examples=(
        "new monsters-forever --player Ann --player Bo",
        "new monsters-of-war --player Ann --player Bo --dealt",
    ),
)
@RULESET
@click.option(
    "--player", "players", metavar="NAME", multiple=True, required=True, help="Once a player, in turn order."
)
@OPTIONS
@click.option(
    "--data",
    type=click.File("rb"),
    metavar="FILE",
    help="Your own cards or board, see `rulesets NAME --data`; - is stdin.",
)
@click.option(
    "--dealt", is_flag=True, help="Tabletape shuffles and deals; else you type what the table shows."
)
@click.option(
    "--seen-as",
    metavar="VIEWER",
    type=Word(),
    default="everything",
    help="Whose eyes the record has: everything, table or a seat.",
)
@click.option(
    "--id",
    "game",
    metavar="NAME",
    type=Word(),
    help="A readable id, as friday: 4 to 64 of a-z, 0-9, ~, -.",
)
@click.option("--title", help="What lists call the game.")
@click.option("--played-on", metavar="DATE", help="The day it was played, as in 2026-09-14; else today.")
@click.option("--time-zone", metavar="TZ", help="As in Europe/Helsinki.")
@click.option("--place", help="Where it was played.")
def new(
    shell: Shell,
    ruleset: str,
    players: tuple[str, ...],
    options: dict[str, Any],
    data: IO[bytes] | None,
    dealt: bool,
    seen_as: str,
    after: int | None,
    **about: Any,
) -> None:
    """Start a game of RULESET and print its id."""
    from eventstore.access.actor import Actor

    chosen: dict[str, Any] = {
        "options": options,
        "data": read_data(data) if data else None,
        "origin": "dealt" if dealt else "table",
        "seen_as": seen_as,
    }
    _judge(ruleset, players, chosen, about, getattr(data, "name", "").replace("<stdin>", "-"))
    if after:
        from eventstore.errors import Conflict

        raise Conflict(0, about["game"] or about["command_id"] or "to be started")
    with shell.writing(create=True) as store:
        answer = store.do(None, _command(ruleset, players, chosen, about), Actor(about["by"]))
        steps = store.game(answer.game.id).steps if answer.repeated else 0
    if shell.json:
        shell.answer({"game": answer.game.id, "seq": answer.seq}, "")
        return
    shell.answer(None, answer.game.id)
    done = f"Already there: {answer.game.id}, {counted(steps, 'step')}." if answer.repeated else "Started."
    tell(f"{done} Next: {shell.program} record {answer.game.id}")


def _command(ruleset: str, players: tuple[str, ...], chosen: dict[str, Any], about: dict[str, Any]) -> New:
    from eventstore.recording.commands import New

    typed = {name: value for name, value in about.items() if name not in {"command_id", "by"}}
    return New(ruleset, players, **chosen, **typed, id=about["command_id"])


def _judge(
    ruleset: str, players: tuple[str, ...], chosen: dict[str, Any], about: dict[str, Any], file: str
) -> None:
    """Refuse a wrong request before a database is made for it; put seats where options name players."""
    from eventstore.library.details import checked
    from eventstore.log.rows import Details
    from games.core.registry import installed
    from games.core.ruleset import BadData, IllegalAction
    from games.core.start import started

    rules = installed().find(ruleset)
    names = {f"p{number}": name for number, name in enumerate(players, 1)}
    chosen["seen_as"] = seat_of(chosen["seen_as"], names)
    try:
        try:
            started(rules, len(players), **chosen)
        except IllegalAction:
            # A refused option may name players; what the rules understand stays theirs.
            meant = {**chosen, "options": _with_seats(chosen["options"], names)}
            if meant == chosen:
                raise
            started(rules, len(players), **meant)
            chosen.update(meant)
    except BadData as error:
        hint = f"`tabletape rulesets {ruleset} --data` prints a file that fits."
        raise BadData(error.row, f"{error.sentence} {hint}", file) from None
    typed = {key: about[key] for key in ("title", "played_on", "time_zone", "place")}
    checked(Details(**typed, names=names))


def _with_seats(value: Any, names: dict[str, str]) -> Any:
    """Put seats for players' names into what an option was given."""
    match value:
        case dict():
            return {key: _with_seats(item, names) for key, item in value.items()}
        case str():
            return seat_of(value, names)
        case _:
            return value
