"""The sessions in the README: run again, compared, and written anew."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ELLIPSIS = "…"
_BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)
_PROMPT = re.compile(r"^\$ ", re.MULTILINE)


def session(text: str) -> Iterator[tuple[str, list[str]]]:
    """Give each command of the console blocks with the lines that are printed below it."""
    for block in _BLOCK.findall(text):
        for part in _PROMPT.split(block)[1:]:
            command, *printed = part.splitlines()
            yield command, printed


def run(command: str, folder: Path) -> list[str]:
    """Run a command of the README in a folder; give the lines that it prints."""
    start = shlex.quote("from cli import main; main()")
    tabletape = f'tabletape() {{ {shlex.quote(sys.executable)} -c {start} "$@"; }}'
    done = subprocess.run(
        ["bash", "-c", f"{tabletape}; {command} 2>&1"],
        cwd=folder,
        env={**os.environ, "COLUMNS": "80", "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout.splitlines()


def fits(printed: list[str], said: list[str]) -> bool:
    """Compare; a line with an ellipsis alone stands for any lines."""
    pattern = "".join("(.*\n)*?" if line == ELLIPSIS else re.escape(line) + "\n" for line in said)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def renewed(text: str, printed: Callable[[str], list[str]]) -> str:
    """Write a text anew with what its commands print now; what fits stays as it is."""
    return _BLOCK.sub(lambda found: _block(found[0], printed), text)


def _block(block: str, printed: Callable[[str], list[str]]) -> str:
    before, *parts = _PROMPT.split(block)
    return before + "".join(f"$ {_part(part, printed)}" for part in parts)


def _part(part: str, printed: Callable[[str], list[str]]) -> str:
    command, *said = part.splitlines()
    now = printed(command)
    lines = said if fits(now, said) else _shortened(now, said)
    return "".join(f"{line}\n" for line in (command, *lines))


def _shortened(now: list[str], said: list[str]) -> list[str]:
    """Leave out the middle where the README leaves it out."""
    if ELLIPSIS not in said:
        return now
    first = said.index(ELLIPSIS)
    last = len(said) - first - 1
    return [*now[:first], ELLIPSIS, *now[len(now) - last :]]
