"""The command tree: every module in `commands/` is a command."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from keyword import iskeyword
from typing import Any, Final

import click

from cli.shell.options import FileName, ShellCommand
from cli.shell.output import Shell, brief, tell
from cli.shell.refusals import REFUSED, report

SECTIONS: Final = ("Start", "Record", "Look", "Share", "Check", "Serve")
"""The headings of `tabletape --help`, in order; each command names its own."""

HELP: Final = ["-h", "--help"]
INTERRUPTED: Final = 130
VERSION: Final = "0.2.0"
"""Held to `pyproject.toml` by a test: looking it up in the installed metadata costs 30 ms."""


def command_names() -> list[str]:
    """List the commands by name: the modules in `commands/`."""
    beside = os.listdir(os.path.join(os.path.dirname(__file__), "commands"))  # noqa: PTH208, PTH118, PTH120 - pathlib takes time to import
    modules = (name.removesuffix(".py") for name in beside if name.endswith(".py"))
    return sorted(name.rstrip("_") for name in modules if not name.startswith("_"))


class Tree(click.Group):
    """Commands found as modules, loaded one at a time; refusals end here as one sentence and an exit code."""

    def main(self, *args: Any, **how: Any) -> Any:
        """As click does; with streams that are closed, too."""
        _open_streams()
        return super().main(*args, **how)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; what it does not understand is told as everything that is refused."""
        wants_json = "--json" in args
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            ctx.exit(report(error, as_json=wants_json))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """See `command_names`."""
        return command_names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> ShellCommand | None:  # noqa: ARG002 - click's signature
        """Import the module of one command."""
        if cmd_name not in command_names():
            return None
        module = import_module(f"cli.commands.{cmd_name}{'_' * iskeyword(cmd_name)}")
        return next(item for item in vars(module).values() if isinstance(item, ShellCommand))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, and suggest what was meant."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            ctx.fail(f"No such command {brief(args[0])}.{_meant(args[0])}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under the headings of `SECTIONS`."""
        found = [command for name in command_names() if (command := self.get_command(ctx, name))]
        longest = max(len(str(command.name)) for command in found)
        for section in SECTIONS:
            rows = [
                (f"{command.name:{longest}}", command.get_short_help_str(limit=90))
                for command in found
                if command.section == section
            ]
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever it refuses is told on stderr, never as a traceback."""
        wants_json = "--json" in ctx.args
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, BrokenPipeError):
            raise
        except (KeyboardInterrupt, click.Abort):
            tell("Interrupted.")
            ctx.exit(INTERRUPTED)
        except Exception as error:  # noqa: BLE001 - the one place where any fault becomes a sentence
            ctx.exit(report(error, as_json=wants_json))


def _open_streams() -> None:
    """Put something in the place of a stream that the caller closed; without stdout nothing is begun."""
    closed = sys.stdout is None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # It takes the number of the closed one, which no database may get.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - it stays open
    if closed:
        tell("Error: stdout is closed, so that there is nowhere to answer; > /dev/null drops an answer.")
        sys.exit(REFUSED)


def _meant(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word[:40], command_names(), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def _print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"tabletape {VERSION}")
        ctx.exit()


@click.command(cls=Tree, context_settings={"help_option_names": HELP}, no_args_is_help=True)
@click.option(
    "--db",
    metavar="FILE",
    type=FileName(),
    help="The database; else $TABLETAPE_DB, else ./tabletape.db.",
    is_eager=True,
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Print the version and stop.",
)
@click.pass_context
def main(ctx: click.Context, db: str | None) -> None:
    """Record tabletop games move by move, replay them, and hand their logs to analysis.

    A game is named by its id or by the first characters of it. Data go to stdout, all else to stderr; with
    --json every command answers as JSON.
    """
    ctx.obj = Shell(db)
