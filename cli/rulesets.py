"""What can be played here, and with which readings of the rulebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli._options import command, ruleset_names
from cli._shell import Shell, columns, current, paint, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.readings import Reading
    from games.ruleset import Ruleset


@command(
    "Start",
    examples=("rulesets", "rulesets monsters-of-war", "rulesets monsters-of-war --data > cards.json"),
)
@click.argument("name", required=False, shell_complete=ruleset_names)
@click.option(
    "--data", is_flag=True, help="Print the cards or the board of NAME, a file to start yours from."
)
def rulesets(shell: Shell, name: str | None, data: bool) -> None:
    """List what can be played here; of NAME, what each option means.

    Given are what a new game gets unless it is started with another, `new NAME --option KEY=VALUE`,
    what an option takes, and where it comes from: the rulebook, or a ruling.
    """
    from games.registry import installed

    found = installed()
    if data and name is None:
        raise click.UsageError("--data needs the NAME of one: tabletape rulesets NAME --data.")
    if name is not None:
        ruleset = found.find(name)
        if data:
            _print_data(ruleset)
            return
        explain(shell, ruleset)
        return
    for key, fault in found.faults.items():
        tell(f"{key} could not be loaded: {fault}")
    newest = list(found.newest().values())
    listed = ("\n".join((*_head(item), *_listed(item))) for item in newest)
    shell.answer([_plain(item) for item in newest], "\n\n".join(listed))
    if not shell.json:
        tell("tabletape rulesets NAME says what each option means.")


def _print_data(ruleset: Ruleset[Any]) -> None:
    from games.start import data_file

    click.echo(data_file(ruleset), nl=False)


def _readings(ruleset: Ruleset[Any]) -> list[Reading]:
    from games.readings import readings
    from games.ruleset import seat_names

    return list(readings(ruleset, seat_names(ruleset.seats[0])))


def _readings_json(ruleset: Ruleset[Any]) -> list[dict[str, Any]]:
    import msgspec

    return [msgspec.to_builtins(reading) for reading in _readings(ruleset)]


def _plain(ruleset: Ruleset[Any]) -> dict[str, Any]:
    return {
        "ruleset": ruleset.id,
        "version": ruleset.version,
        "title": ruleset.title,
        "players": list(ruleset.seats),
        "options": {reading.name: reading.suggested for reading in _readings(ruleset)},
    }


def _head(ruleset: Ruleset[Any]) -> Iterator[str]:
    from games.wording import how_many

    yield f"{paint(ruleset.id, bold=True)}  {ruleset.title}, version {ruleset.version}"
    yield f"  for {how_many(ruleset.seats)} players"


def _listed(ruleset: Ruleset[Any]) -> Iterator[str]:
    from games.readings import typed

    for reading in _readings(ruleset):
        others = [typed(other) for other in reading.values if other != reading.suggested]
        or_else = f"  (or {', '.join(others)})" if others else ""
        yield from _wrapped(f"{reading.name}={typed(reading.suggested)}{or_else}", "  ", "      ")


def explain(shell: Shell, ruleset: Ruleset[Any]) -> None:
    """Say what each option of a ruleset means."""
    shell.answer([_plain(ruleset) | {"readings": _readings_json(ruleset)}], "\n".join(_explained(ruleset)))


def _explained(ruleset: Ruleset[Any]) -> Iterator[str]:
    from games.readings import typed

    yield from _head(ruleset)
    for reading in _readings(ruleset):
        yield ""
        text = f"{reading.name}={typed(reading.suggested)}"
        for line in _wrapped(text, "  ", "      "):
            yield paint(line, bold=True)
        source = f"Source: {reading.source}." if reading.source else ""
        for text in (reading.meaning, f"Takes {reading.right}. {source}"):
            yield from _wrapped(text, "      ", "      ")
    yield ""
    yield f"To choose: {current().program} new {ruleset.id} --player … --option 'NAME=VALUE'"
    yield f"Cards of your own: tabletape rulesets {ruleset.id} --data"


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    from textwrap import wrap

    width = min(columns(), 100) - 2
    return wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
