"""The how-to pages hold: their edits are made in a copy of the repository, and their commands run there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from textwrap import dedent

import pytest

from tests.readme import ROOT, fits, session

PAGES = ROOT / "docs" / "how-to"
COPIED = ("games", "eventstore", "replay_web", "cli", "tests", "docs", "README.md", "pyproject.toml")
_BLOCK = re.compile(r"^( *)```(diff|json|python|html|console)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
_WRITTEN = re.compile(r"`([\w./-]+\.(?:json|py|html))`[^`]*$")
"""The path that stands before the text of a file."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy what is tested."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def follow(page: str, copy: Path) -> set[str]:
    """Do what a page says; give the files that it has edited."""
    text = (PAGES / page).read_text(encoding="utf-8")
    edited: set[str] = set()
    for found in _BLOCK.finditer(text):
        block = dedent(found[3])
        match found[2]:
            case "diff":
                subprocess.run(
                    ["git", "apply", "--recount", "-"], cwd=copy, input=block, text=True, check=True
                )
                edited |= set(re.findall(r"^\+\+\+ b/(\S+)$", block, re.MULTILINE))
            case "json" | "python" | "html":
                (path,) = _WRITTEN.findall(text[: found.start()])
                (copy / path).write_text(block, encoding="utf-8")
                edited.add(path)
            case _:
                for command, said in session(f"```console\n{block}```"):
                    printed = run(command, copy)
                    assert fits(printed, said), f"$ {command}\n" + "\n".join(printed)
    return edited


def install(copy: Path) -> None:
    """Name the entry points of the copy, as `make venv` does."""
    project = tomllib.loads((copy / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {**project["entry-points"], "console_scripts": project["scripts"]}
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in named.items())
        for group, named in groups.items()
    ]
    folder = copy / "tabletape-0.dist-info"
    folder.mkdir(exist_ok=True)
    named = f"Metadata-Version: 2.1\nName: tabletape\nVersion: {metadata.version('tabletape')}\n"
    (folder / "METADATA").write_text(named, encoding="utf-8")
    (folder / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


def run(command: str, copy: Path) -> list[str]:
    """Run a command as in a checkout with its environment; it must not fail."""
    install(copy)
    python = shlex.quote(sys.executable)
    main = shlex.quote("from cli import main; main()")
    for name, own in (("python", python), ("tabletape", f"{python} -c {main}")):
        command = command.replace(f".venv/bin/{name}", own)
    make = f'make() {{ test "$1" = golden && {python} -m tests.golden_files ${{2#GOLDEN=}}; }}'
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {make}; {command} 2>&1"],
        cwd=copy,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(copy), "COLUMNS": "80", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"$ {command}\n{done.stdout}"
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("page", "most"),
    [
        ("add-an-option.md", 4),
        ("add-a-record-event-kind.md", 2),
        ("add-a-page.md", 4),
        ("add-a-format.md", 2),
        ("renew-golden-files.md", 0),
    ],
)
def test_page_holds_and_edits_few_files(page: str, most: int, copy: Path) -> None:
    edited = follow(page, copy)
    by_hand = {name for name in edited if not name.startswith("tests/")}
    assert len(by_hand) == most, by_hand


def test_every_link_of_a_page_leads_somewhere() -> None:
    pages = [*PAGES.glob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "games" / "README.md"]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8"))
        if "://" not in link
    ]
    assert links
    assert [link for page, link in links if not (page.parent / link).exists()] == []
