"""Enter what happens at the table: by hand, from a pipe, or from a file of events."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING, Any

import click

from cli.shell.answers import answer_json, read_moves, recorded, sent
from cli.shell.files import read_lines
from cli.shell.options import GAME, command
from cli.shell.output import Shell
from cli.shell.refusals import ShellRefusal, spell_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventstore.recording.commands import Answer
    from eventstore.replay.game import Game
    from eventstore.store import Store


@command(
    "Record",
    writes=True,
    examples=("record h4x9", "record h4x9 'A6-A5; A8xB8>B6'", "record h4x9 --batch moves.jsonl"),
)
@GAME
@click.argument("moves", nargs=-1)
@click.option(
    "--batch",
    metavar="FILE",
    type=click.File("rb"),
    help="One event object a line; - is stdin. All lines or none.",
)
@click.option("--deal", is_flag=True, help="In a dealt game: deal or throw until somebody must choose.")
@click.option("--deal-one", is_flag=True, help="The same, one draw or throw alone.")
def record(
    shell: Shell,
    game: str,
    moves: tuple[str, ...],
    batch: IO[bytes] | None,
    deal: bool,
    deal_one: bool,
    **asked: Any,
) -> None:
    """Record GAME: asks for each move, and lists what is legal.

    With MOVES, records those and stops: all of them, or none. Without, lines come from the prompt or a pipe.
    A number alone is the move that has it in the list; what it asks is answered by the lines behind it. In a
    pipe blank lines and those that begin with # say nothing, and the first refusal ends it.
    """
    from eventstore.access.actor import Actor
    from eventstore.recording.commands import Command, Deal, Record

    if (batch is not None) + bool(moves) + deal + deal_one > 1:
        raise click.UsageError("Give moves, --batch, --deal or --deal-one, not two of them.")
    with shell.writing() as store:
        found = store.catalogue.resolve(game)
        if not (batch is not None or moves or deal or deal_one):
            _converse(shell, store, found, asked)
            return
        try:
            if batch is not None:
                answer = _record_file(store, found, read_lines(batch), asked)
            elif moves:
                then = store.game_before(store.game(found), asked["command_id"])
                command: Command = Record(_typed(then, moves), **sent(asked))
                answer = store.do(found, command, Actor(asked["by"]))
            else:
                command = Deal(until_decision=not deal_one, **sent(asked))
                answer = store.do(found, command, Actor(asked["by"]))
        except Exception as error:
            now = store.game(found)
            spell_out(error, now.position(), now.names)
            if batch is None and len(moves) == 1 and ";" not in moves[0]:
                error.line = None  # type: ignore[attr-defined]  # there is only one
            raise
        text = "" if shell.json else recorded(answer)
    shell.answer(answer_json(answer), text)


def _typed(game: Game, moves: tuple[str, ...]) -> Sequence[Any]:
    """Read moves as the prompt and a pipe do: a number alone picks from the list of what is legal now."""
    from cli.shell.prompt import picked_alone

    if len(moves) == 1 and moves[0].strip().isdecimal():
        return picked_alone(game.position(), moves[0].strip(), game.names)
    return read_moves(game, ";".join(moves))


def _record_file(store: Store, game: str, content: bytes, asked: dict[str, Any]) -> Answer:
    from eventstore.access.actor import Actor
    from eventstore.recording.commands import Record

    numbers, objects = objects_in(content)
    try:
        return store.do(game, Record(objects, **sent(asked)), Actor(asked["by"]))
    except Exception as error:
        place = getattr(error, "line", None)
        if place is not None:
            error.line = numbers[place - 1]  # type: ignore[attr-defined]  # blank lines count in a file
        raise


def objects_in(content: bytes) -> tuple[list[int], list[dict[str, Any]]]:
    """Read JSON objects, one a line, with their line numbers; blank lines are skipped.

    Errors: `Refused` `malformed-line` with the line.
    """
    import msgspec

    from games.core.serialization import read_json

    numbers: list[int] = []
    objects: list[dict[str, Any]] = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            objects.append(msgspec.convert(read_json(line), dict[str, Any]))
        except msgspec.DecodeError as error:
            raise ShellRefusal(
                "malformed-line", f"This is no event object ({error}); nothing was recorded.", line=number
            ) from None
        numbers.append(number)
    return numbers, objects


def _converse(shell: Shell, store: Store, game: str, asked: dict[str, Any]) -> None:
    from cli.shell.prompt import Conversation, piped_lines, typed_lines

    if asked["command_id"] is not None:
        raise click.UsageError("--command-id names one command: give it with MOVES, --batch or --deal.")
    by_hand = sys.stdin.isatty() and not shell.json
    talk = Conversation(store, game, by=asked["by"], by_hand=by_hand, as_json=shell.json)
    talk.expect(asked["after"])
    if by_hand:
        talk.run(typed_lines(talk.prompt))
    else:
        talk.run(piped_lines(sys.stdin.buffer))
