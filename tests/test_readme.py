"""The session in the README is what a newcomer gets, to the letter."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ELLIPSIS = "…"


def session() -> Iterator[tuple[str, list[str]]]:
    """Give each command of the console blocks with the lines that are printed below it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *printed = part.splitlines()
            yield command, printed


def run(command: str, folder: Path) -> list[str]:
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


def test_every_command_of_the_readme_prints_what_it_says(tmp_path: Path) -> None:
    found = list(session())
    assert len(found) > 8
    for command, said in found:
        printed = run(command, tmp_path)
        assert fits(printed, said), f"$ {command}\n" + "\n".join(printed)


def test_a_changed_output_is_seen() -> None:
    assert fits(["a", "b", "c"], ["a", ELLIPSIS])
    assert not fits(["a", "x"], ["a", "b"])
    assert not fits(["a", "b"], ["a"])


def test_every_folder_of_the_readme_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert links
    missing = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert missing == []
