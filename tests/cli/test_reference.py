"""Every command has its place and its words, from which `docs/cli.md` is written."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from cli import main
from cli.main import SECTIONS, command_names

ROOT = Path(__file__).resolve().parents[2]
PROMISED = [
    "demo",
    "new",
    "branch",
    "record",
    "undo",
    "redo",
    "amend",
    "check",
    "show",
    "play",
    "set",
    "hide",
    "cat",
    "list",
    "search",
    "note",
    "export",
    "import",
    "verify",
    "stats",
    "simulate",
    "serve",
    "backup",
    "restore",
    "repair",
    "key",
    "rulesets",
    "doctor",
]
WRITING = ("new", "branch", "record", "undo", "redo", "amend", "check", "note")
CORRECTING = ("set", "hide", "import")


def test_commands_are_those_promised() -> None:
    assert command_names() == sorted(PROMISED)


@pytest.mark.parametrize("name", command_names())
def test_command_is_found_placed_and_answers_json(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    assert command.section in SECTIONS
    assert command.help
    options = {option for parameter in command.params for option in parameter.opts}
    assert {"--json", "--db"} <= options
    # A command id is taken where its first answer is kept, and nowhere else.
    assert ({"--after", "--command-id", "--by"} <= options) == (name in WRITING)
    assert ("--command-id" in options) == (name in WRITING)
    assert ("--after" in options) == (name in (*WRITING, *CORRECTING))


def test_each_command_has_a_file_of_its_own() -> None:
    files = {file.stem.rstrip("_") for file in (ROOT / "cli" / "commands").glob("[!_]*.py")}
    assert set(command_names()) == files
