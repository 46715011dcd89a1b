"""What can be played here, and with which readings of the rulebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.shell.option_help import explain, head, listed_options, summary
from cli.shell.options import command, ruleset_names
from cli.shell.output import Shell, tell

if TYPE_CHECKING:
    from games.core.ruleset import Ruleset


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
    from games.core.registry import installed

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
    listed = ("\n".join((*head(item), *listed_options(item))) for item in newest)
    shell.answer([summary(item) for item in newest], "\n\n".join(listed))
    if not shell.json:
        tell("tabletape rulesets NAME says what each option means.")


def _print_data(ruleset: Ruleset[Any]) -> None:
    from games.core.start import data_file

    click.echo(data_file(ruleset), nl=False)
