"""Starting is quick because nothing heavy is imported before a command needs it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "rich",
    "flask",
    "waitress",
    "sqlite_utils",
    "sqlite3",
    "msgspec",
    "eventstore",
    "replay_web",
    "games",
)


def loaded_by(*args: str) -> set[str]:
    """The top-level packages in memory when this command is done."""
    code = (
        "import sys\nfrom cli import main\nmain.main(sys.argv[1:], standalone_mode=False)\n"
        "print('LOADED', *{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, check=True, cwd=ROOT
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("LOADED"))
    return set(line.split()[1:])


@pytest.mark.parametrize("args", [(), ("--version",), ("--help",), ("record", "--help")], ids=" ".join)
def test_help_and_version_import_nothing_heavy(args: tuple[str, ...]) -> None:
    assert not loaded_by(*args or ("--help",)) & set(HEAVY)


def test_a_list_needs_neither_pages_nor_rich(tmp_path: Path) -> None:
    database = str(tmp_path / "some.db")
    wish = ("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--json")
    assert not loaded_by("--db", database, *wish) & {"rich", "flask", "waitress"}
    assert not loaded_by("--db", database, "list") & {"rich", "flask", "waitress"}


def test_version_is_the_project_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    command = [sys.executable, "-c", "from cli import main; main(prog_name='tabletape')", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == f"tabletape {project['version']}\n"
