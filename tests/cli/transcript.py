"""Sessions at a terminal as text files: played again, and compared to the letter.

A line `$ tabletape …` is a command, `> …` below it a line of its stdin; then what it printed (stderr behind
`! `), and `= N` where it did not end with 0.  `make golden` renews them.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from click.testing import CliRunner
from freezegun import freeze_time

from cli import main

FOLDER = Path(__file__).with_name("transcripts")
NOON = "2026-09-14T12:00:00Z"


class Call(NamedTuple):
    command: str
    stdin: list[str]


def calls(text: str) -> Iterator[Call]:
    """Find the commands of a transcript, each with its stdin."""
    current: Call | None = None
    for line in text.splitlines():
        if line.startswith("$ "):
            if current is not None:
                yield current
            current = Call(line, [])
        elif line.startswith(">") and current is not None:
            current.stdin.append(line)
    if current is not None:
        yield current


def played(text: str) -> str:
    """Run a transcript's commands in the present folder and write down what they print."""
    runner = CliRunner()
    draw = random.Random(1)  # noqa: S311 - the same each time
    parts = []
    for call in calls(text):
        program, *args = shlex.split(call.command[2:])
        assert program == "tabletape", call.command
        stdin = "".join(f"{line[2:]}\n" for line in call.stdin)
        # The ids of notes are drawn; in a transcript they must be the same each time.
        with freeze_time(NOON), mock.patch("secrets.choice", draw.choice):
            result = runner.invoke(main, args, input=stdin, prog_name="tabletape", catch_exceptions=False)
        said = [f"! {line}".rstrip() for line in result.stderr.splitlines()]
        code = [f"= {result.exit_code}"] if result.exit_code else []
        parts.append("\n".join([call.command, *call.stdin, *result.stdout.splitlines(), *said, *code]))
    return "\n\n".join(parts) + "\n"
